//! The tables that a join looks at.
//!
//! This code is not generic: fetches and filters pass their stores, so that the walk over tables is compiled once and
//! not for each join.

use core::ptr::NonNull;

use crate::component::StorageKind;
use crate::entity::TableId;
use crate::storage::{FrozenStore, Storage, TableBlock};

/// The tables of the component that is in the fewest tables, or all.
pub struct Tables<'a> {
    list: &'a [TableBlock],
    /// The number of tables; `None` for all.
    len: Option<usize>,
}

impl<'a> Tables<'a> {
    /// Returns all tables, until they are [restricted](Self::restrict_tables).
    #[inline]
    pub(super) fn all(storage: &'a Storage) -> Self {
        Self {
            list: storage.all_tables().blocks(),
            len: None,
        }
    }

    /// Restricts the tables to those that have the component of the store. None remains if the world has never seen it, and
    /// all remain if it is sparse.
    #[inline]
    pub(super) fn restrict_tables(&mut self, store: Option<FrozenStore<'a>>, kind: StorageKind) {
        let (list, len) = match store {
            None => (&[][..], 0),
            Some(_) if kind.is_by_entity() => return,
            Some(store) => {
                let tables = store.get().tables();
                (tables.blocks(), tables.len())
            }
        };
        // `None` for all tables lets the optimiser leave out the comparison.
        if self.len.is_none_or(|shortest| len < shortest) {
            (self.list, self.len) = (list, Some(len));
        }
    }

    /// The tables, whether they have rows or not.
    #[inline]
    pub(super) fn list(self) -> &'a [TableBlock] {
        self.list
    }
}

/// Returns the first value of the component's column in a table that has it.
#[inline]
pub(super) fn column_of(store: Option<FrozenStore<'_>>, table: TableId) -> Option<NonNull<u8>> {
    match store {
        Some(store) => NonNull::new(store.column(table)),
        None => None,
    }
}

/// Returns true if [`Tables::restrict_tables`] would keep a table.
#[inline]
pub(super) fn may_have(store: Option<FrozenStore<'_>>, kind: StorageKind, table: TableId) -> bool {
    match store {
        Some(store) => kind.is_by_entity() || !store.column(table).is_null(),
        None => false,
    }
}

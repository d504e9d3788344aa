//! The tables that a join looks at.
//!
//! This code is not generic: fetches and filters pass their stores, so that the walk over tables is compiled once and
//! not for each join.

use core::ptr::NonNull;

use crate::component::StorageKind;
use crate::entity::TableId;
use crate::storage::{FrozenStore, Storage};

/// Iterator over the tables of the component that fewest tables have, or over all.
#[derive(Clone)]
pub struct Tables<'a> {
    /// The tables; `None` for all tables up to `end`.
    list: Option<&'a [TableId]>,
    next: usize,
    end: usize,
}

impl<'a> Tables<'a> {
    pub(super) const NONE: Self = Self {
        list: None,
        next: 0,
        end: 0,
    };

    /// Returns all tables, until they are [restricted](Self::restrict_tables).
    #[inline]
    pub(super) fn all(storage: Option<&'a Storage>) -> Self {
        Self {
            list: None,
            next: 0,
            end: match storage {
                Some(storage) => storage.tables().len(),
                None => 0,
            },
        }
    }

    /// Restricts the tables to those that have the component of the store: none while the world has never seen it, and
    /// any if it is sparse.
    #[inline]
    pub(super) fn restrict_tables(&mut self, store: Option<FrozenStore<'a>>, kind: StorageKind) {
        let list: &'a [TableId] = match store {
            None => &[],
            Some(_) if kind.is_by_entity() => return,
            Some(store) => store.get().tables(),
        };
        // Without the first test the optimiser would have to compare with the number of all tables.
        if self.list.is_none() || list.len() < self.end {
            (self.list, self.end) = (Some(list), list.len());
        }
    }
}

impl Iterator for Tables<'_> {
    type Item = TableId;

    #[inline]
    fn next(&mut self) -> Option<TableId> {
        if self.next == self.end {
            return None;
        }
        let next = self.next;
        self.next += 1;
        Some(match self.list {
            Some(list) => list[next],
            None => next as TableId,
        })
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

/// Returns true if a table can have the component, in the sense of [`Tables::restrict_tables`].
#[inline]
pub(super) fn may_have(store: Option<FrozenStore<'_>>, kind: StorageKind, table: TableId) -> bool {
    match store {
        Some(store) => kind.is_by_entity() || !store.column(table).is_null(),
        None => false,
    }
}

//! Which tables a join looks at.
//!
//! None of this knows types: terms and filters name their components, so that the walk over tables is compiled once and not
//! for each join.

use core::ptr::NonNull;

use crate::component::StorageKind;
use crate::entity::TableId;
use crate::storage::{FrozenStore, Storage};
use crate::tick::CompactTick;

/// Goes over the tables of the component that fewest tables have, or over all.
#[derive(Clone)]
pub struct Tables<'a> {
    /// The tables, or all up to `end`.
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

    /// All tables, as long as nobody [narrows](Self::restrict_tables) them down.
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

    /// Only tables that have the component of the store; there are none while the world has never seen it, and any if it is
    /// sparse.
    #[inline]
    pub(super) fn restrict_tables(&mut self, store: Option<FrozenStore<'a>>, kind: StorageKind) {
        let list: &'a [TableId] = match store {
            None => &[],
            Some(_) if kind.is_sparse() => return,
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

/// The first value of the component's column in a table that has it.
#[inline]
pub(super) fn column_of(store: Option<FrozenStore<'_>>, table: TableId) -> Option<NonNull<u8>> {
    match store {
        Some(store) => NonNull::new(store.column(table)),
        None => None,
    }
}

/// The first tick of a change in a table that has the component; dangling unless that is `tracked`.
#[inline]
pub(super) fn changes_of(
    store: Option<FrozenStore<'_>>,
    tracked: bool,
    table: TableId,
) -> NonNull<CompactTick> {
    match store {
        Some(store) if tracked => store.stamps(table).changed,
        _ => NonNull::dangling(),
    }
}

/// Whether a table can have the component: as [`Tables::restrict_tables`].
#[inline]
pub(super) fn may_have(store: Option<FrozenStore<'_>>, kind: StorageKind, table: TableId) -> bool {
    match store {
        Some(store) => kind.is_sparse() || !store.column(table).is_null(),
        None => false,
    }
}

//! The fetch that writes a component.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::fetch::{Fetch, Positions};
use super::fetches::of_those_with;
use crate::component::{Component, Tracking, refuse_links};
use crate::entity::{Entity, Location, TableId};
use crate::storage::{ComponentStore, Frozen, FrozenStore, Storage};
use crate::tick::Window;

/// Fetches `&mut T`, or a guard that notes changes.
///
/// The type of the items, and whether changes are noted, depend on `T`'s [`Tracking`].
pub struct WriteFetch<'a, T> {
    /// `None` while the world has never seen a `T`.
    /// Invariant 1: stores `T`s, and is borrowed for writing during `'a`. In `'a` the value and the ticks of an entity that
    /// the fetch is [used for](Fetch) are accessed only through its items, through filters of its join, or through fetches
    /// that were [reborrowed](super::reborrow::Reborrow) from it.
    pub(super) store: Option<FrozenStore<'a>>,
    pub(super) window: Window,
    values: PhantomData<&'a mut T>,
}

impl<T> Clone for WriteFetch<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for WriteFetch<'_, T> {}

impl<'a, T: Component> WriteFetch<'a, T> {
    /// # Safety
    /// `store` is the store of `T`, and borrowed for writing during `'a`. In `'a` no other code accesses the value or
    /// the ticks of an entity that the fetch is [used for](Fetch), apart from filters of the same join, and no view
    /// inserts or removes values.
    #[inline]
    pub(crate) unsafe fn new(store: Option<&'a ComponentStore>, window: Window) -> Self {
        const { refuse_links::<T>() };
        Self {
            // SAFETY: the store is borrowed for `'a`, and in `'a` no view inserts or removes values, by the caller's
            // contract.
            store: store.map(|store| unsafe { Frozen::new(store) }),
            window,
            values: PhantomData,
        }
    }

    /// Returns the column that starts with `values`: the column of the sparse set, or of a table.
    #[inline]
    fn column_at(
        &self,
        store: FrozenStore<'_>,
        values: NonNull<u8>,
        table: TableId,
    ) -> <Self as Fetch<'a>>::Ptr {
        let ticks = store.first_ticks(T::STORAGE, T::Tracking::TRACKED, table);
        T::Tracking::ptr(values, ticks.changed, self.window)
    }
}

// SAFETY: by invariant 1 the component is borrowed for writing, which covers its ticks, and no other code accesses the
// values that are returned; `column` is `Some` only for
// tables that have the component, and each entity of the one set that `sets` adds has it.
unsafe impl<'a, T: Component> Fetch<'a> for WriteFetch<'a, T> {
    type Item = <T::Tracking as Tracking>::Mut<'a, T>;
    type Ptr = <T::Tracking as Tracking>::Ptr<T>;
    type Block<const LEN: usize> = <T::Tracking as Tracking>::Block<'a, T, LEN>;
    type Chunk = <T::Tracking as Tracking>::Slice<'a, T>;
    type Lookup = (Self::Ptr, Positions<'a>);

    of_those_with!();

    const DENSE: bool = Self::BY_ENTITY;

    #[inline]
    fn dense(&self, _: &'a [Entity]) -> Option<Self::Ptr> {
        Some(match self.store {
            // A set has the same ticks for all tables.
            Some(store) => self.column_at(store, store.set().data(), Storage::EMPTY_TABLE),
            None => T::Tracking::ptr(
                NonNull::<T>::dangling().cast(),
                NonNull::dangling(),
                self.window,
            ),
        })
    }

    #[inline]
    fn lookup(&self, list: &'a [Entity]) -> Self::Lookup {
        let column = self.dense(list).expect("a sparse set is a column");
        (column, Positions::new(self.store, list))
    }

    #[inline]
    unsafe fn get_listed(
        (column, positions): Self::Lookup,
        entity: Entity,
        position: usize,
    ) -> Option<Self::Item> {
        let Some(position) = positions.get(entity, position) else {
            return None;
        };
        // SAFETY: the column belongs to the set, which has the position; no other item of the entity is alive by the
        // caller's contract.
        Some(unsafe { Self::at(column, position) })
    }

    #[inline]
    fn column(&self, _: &'a Storage, table: TableId) -> Option<Self::Ptr> {
        let store = self.store?;
        match NonNull::new(store.column(table)) {
            Some(values) => Some(self.column_at(store, values, table)),
            None => None,
        }
    }

    #[inline]
    unsafe fn block<const LEN: usize>(column: Self::Ptr, row: usize) -> Self::Block<LEN> {
        // SAFETY: by the caller's contract the column, which is borrowed for writing by invariant 1, has `LEN` rows from
        // `row` on, and no item of them is alive.
        unsafe { T::Tracking::block(column, row) }
    }

    #[inline]
    fn with_block<const LEN: usize, F: FnOnce(Self::Ptr)>(&self, block: Self::Block<LEN>, f: F) {
        f(T::Tracking::block_ptr(block, self.window));
    }

    #[inline]
    unsafe fn chunk(column: Self::Ptr, row: usize, len: usize) -> Self::Chunk {
        // SAFETY: by the caller's contract the column, which is borrowed for writing by invariant 1, has `len` rows from
        // `row` on, and no item of them is alive.
        unsafe { T::Tracking::slice(column, row, len) }
    }

    #[inline]
    unsafe fn at(column: Self::Ptr, row: usize) -> Self::Item {
        // SAFETY: by the caller's contract the column, which is borrowed for writing by invariant 1, has `row`, and no item
        // of it is alive.
        unsafe { T::Tracking::at(column, row) }
    }

    #[inline]
    fn has(&self, entity: Entity, at: Location) -> bool {
        self.store.is_some_and(|store| store.has(entity, at))
    }

    #[inline]
    unsafe fn get(&self, _: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item> {
        let store = self.store?;
        let (values, row) = store.find(T::STORAGE, entity, at)?;
        let column = self.column_at(store, values, at.table);
        // SAFETY: by the caller's contract the entity is placed at `at`, so `find` returned a column and a row that has
        // its value; no other item of the entity is alive, by the same contract.
        Some(unsafe { T::Tracking::at(column, row) })
    }
}

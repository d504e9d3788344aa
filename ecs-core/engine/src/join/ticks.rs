//! The filters by ticks: a value was added or changed.
//!
//! # Ticks
//! A component with `#[component(track)]` has two more columns (in tables and in its set): the ticks of each value's
//! addition and last change. Moves and growth treat them like any other column. A tick is 32 bits relative to a base in
//! `tick.rs`, which increases over time, so nothing wraps. A borrow takes its run-time flag first and its tick second; a
//! reader stores the tick of its last borrow, and later ticks are changes. `join/ticks.rs` compares 32 rows at a time, of a
//! table, of a single sparse set, or of a group; `join/flags.rs` does the same with the bytes of toggles. Removals and
//! events are read from a `log`, where each reader has a position. A reader of all entities that catches up by ticks, such
//! as an index, walks `and_disabled`. Readers that leave out disabled entities see the changes they missed when these are
//! enabled: `storage/enabling.rs` then renews the ticks, and says how it knows which ones. A lock of tracked data compares
//! one number for that. `Events<E>` is one type for all events, so a type with `#[derive(Event)]` describes its instance
//! (`event/data.rs`), and the program says once to which world that belongs. Saves and copies keep the events that a reader
//! has not read (`event/serde.rs`).

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::fetch::{Filter, GROUP};
use super::fetches::of_those_with;
use crate::component::TrackedComponent;
use crate::entity::{Entity, Location, TableId};
use crate::invariant::Invariant;
use crate::storage::{CompactTicks, ComponentStore, Frozen, FrozenStore};
use crate::tick::CompactTick;

/// Matches entities whose `T` was changed, or added, after a tick.
pub struct TickFilter<'a, T, W> {
    /// `None` while the world has never seen a `T`.
    /// Invariant 1: the store of `T`, borrowed for `'a` by this filter or by the fetch that it filters; in `'a` the ticks
    /// of an entity that the filter is [used for](Filter) are written through items of its join alone.
    pub(super) store: Option<FrozenStore<'a>>,
    pub(super) seen: CompactTick,
    of: Invariant<(T, W)>,
}

/// Matches entities whose `T` was changed or added.
pub type ChangedFilter<'a, T> = TickFilter<'a, T, WasChanged>;

/// Matches entities whose `T` was added.
pub type AddedFilter<'a, T> = TickFilter<'a, T, WasAdded>;

/// Selects one of a value's ticks.
#[doc(hidden)]
pub trait WhichTick {
    /// Returns a pointer to the tick.
    fn choose(ticks: CompactTicks) -> NonNull<CompactTick>;
}

/// The tick of the last change.
#[doc(hidden)]
pub enum WasChanged {}

/// The tick at which the value was added.
#[doc(hidden)]
pub enum WasAdded {}

impl WhichTick for WasChanged {
    #[inline]
    fn choose(ticks: CompactTicks) -> NonNull<CompactTick> {
        ticks.changed
    }
}

impl WhichTick for WasAdded {
    #[inline]
    fn choose(ticks: CompactTicks) -> NonNull<CompactTick> {
        ticks.added
    }
}

impl<T, W> Clone for TickFilter<'_, T, W> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, W> Copy for TickFilter<'_, T, W> {}

impl<'a, T: TrackedComponent, W: WhichTick> TickFilter<'a, T, W> {
    /// # Safety
    /// `store` is the store of `T`, and borrowed for reading or writing during `'a`. In `'a` the ticks of an entity that
    /// the filter is [used for](Filter) are written through items of the filtered join alone, and no view inserts or
    /// removes values.
    #[inline]
    pub(crate) unsafe fn new(store: Option<&'a ComponentStore>, seen: CompactTick) -> Self {
        Self {
            // SAFETY: the store is borrowed for `'a`, and in `'a` no view inserts or removes values, by the caller's
            // contract.
            store: store.map(|store| unsafe { Frozen::new(store) }),
            seen,
            of: PhantomData,
        }
    }
}

// SAFETY: ticks are in the order of the values of the one set that `sets` adds; `dense` is `Some` where `DENSE` is
// true; `next_excluded` is the trait's.
unsafe impl<'a, T: TrackedComponent, W: WhichTick> Filter<'a> for TickFilter<'a, T, W> {
    of_those_with!(filter);

    const ROWS: bool = true;
    const DENSE: bool = Self::BY_ENTITY;

    /// `None` while the world has never seen a `T`, and in tables that match only by another member of an `Or`.
    type Rows = Option<NonNull<CompactTick>>;

    #[inline]
    fn rows(&self, table: TableId) -> Self::Rows {
        let store = self.store?;
        (!store.column(table).is_null()).then(|| W::choose(store.ticks(table)))
    }

    #[inline]
    fn dense(&self) -> Option<Self::Rows> {
        let ticks = |store: FrozenStore<'_>| store.set().ticks().map(W::choose);
        Self::DENSE.then(|| self.store.and_then(ticks))
    }

    #[inline]
    unsafe fn mask(&self, rows: Self::Rows, first: usize) -> u32 {
        let Some(column) = rows else { return 0 };
        // SAFETY: the table or set has `GROUP` rows from `first` on by the caller's contract.
        let group = unsafe { column.add(first) }.cast::<[CompactTick; GROUP]>();
        // SAFETY: each of these rows has initialised ticks, which no other code writes by the caller's contract.
        CompactTick::later(unsafe { group.as_ref() }, self.seen)
    }

    #[inline]
    unsafe fn row(&self, rows: Self::Rows, row: usize) -> bool {
        let Some(column) = rows else { return false };
        // SAFETY: the table or set has the row by the caller's contract.
        let tick = unsafe { column.add(row) };
        // SAFETY: the row has an initialised tick, which no other code writes by the caller's contract.
        unsafe { tick.read() > self.seen }
    }

    #[inline]
    unsafe fn ticks(&self, entity: Entity, at: Location) -> bool {
        let ticks = self.store.and_then(|store| store.ticks_of(entity, at));
        // SAFETY: `ticks_of` returned the ticks of a value, which are initialised; no other code writes them by the
        // caller's contract.
        ticks.is_some_and(|ticks| unsafe { W::choose(ticks).read() } > self.seen)
    }
}

#[cfg(test)]
#[path = "tick_tests.rs"]
mod tests;

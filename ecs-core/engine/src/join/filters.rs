//! The filters: an entity has a component, lacks it, matches two filters, or matches at least one of two.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use core::marker::PhantomData;

use super::fetch::{Filter, shorter};
use super::fetches::of_those_with;
use super::sets::JoinSets;
use super::tables::Tables;
use crate::component::Component;
use crate::entity::{Entity, Location, TableId};
use crate::invariant::Invariant;
use crate::storage::FrozenStore;

/// Matches entities that have a `T`.
pub struct WithFilter<'a, T> {
    /// `None` while the world has never seen a `T`.
    pub(super) store: Option<FrozenStore<'a>>,
    of: Invariant<T>,
}

impl<T> Clone for WithFilter<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for WithFilter<'_, T> {}

impl<'a, T: Component> WithFilter<'a, T> {
    /// Creates the filter; `store` is the store of `T`.
    #[inline]
    pub(crate) fn new(store: Option<FrozenStore<'a>>) -> Self {
        Self {
            store,
            of: PhantomData,
        }
    }
}

// SAFETY: excludes no single row (`next_excluded` is the trait's), and `mask` and `row` read no rows, so any number is
// enough; `dense` is `Some` where `DENSE` is true.
unsafe impl<'a, T: Component> Filter<'a> for WithFilter<'a, T> {
    of_those_with!(filter);

    const DENSE: bool = Self::BY_ENTITY;

    type Rows = bool;

    #[inline]
    fn rows(&self, table: TableId) -> bool {
        self.table(table)
    }

    #[inline]
    fn dense(&self) -> Option<bool> {
        Self::DENSE.then_some(true)
    }

    #[inline]
    unsafe fn mask(&self, all: bool, _: usize) -> u32 {
        if all { u32::MAX } else { 0 }
    }

    #[inline]
    unsafe fn row(&self, all: bool, _: usize) -> bool {
        all
    }
}

/// Matches entities that lack a `T`.
pub struct WithoutFilter<'a, T>(pub(crate) WithFilter<'a, T>);

impl<T> Clone for WithoutFilter<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for WithoutFilter<'_, T> {}

// SAFETY: excludes no single row (`next_excluded` is the trait's), and `mask` and `row` read no rows, so any number is
// enough; `dense` is `Some` where `DENSE` is true.
unsafe impl<'a, T: Component> Filter<'a> for WithoutFilter<'a, T> {
    const BY_ENTITY: bool = T::STORAGE.is_by_entity();
    const SEES_DISABLED: bool = T::DISABLES;
    const DENSE: bool = Self::BY_ENTITY;

    type Rows = bool;

    #[inline]
    fn sets(&self, sets: &mut JoinSets<'a>) {
        if Self::BY_ENTITY {
            sets.require_absence(self.0.store);
        }
    }

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        None
    }

    #[inline]
    fn table(&self, table: TableId) -> bool {
        Self::BY_ENTITY || !self.0.table(table)
    }

    #[inline]
    fn rows(&self, table: TableId) -> bool {
        self.table(table)
    }

    #[inline]
    fn dense(&self) -> Option<bool> {
        Self::DENSE.then_some(true)
    }

    #[inline]
    unsafe fn mask(&self, all: bool, _: usize) -> u32 {
        if all { u32::MAX } else { 0 }
    }

    #[inline]
    unsafe fn row(&self, all: bool, _: usize) -> bool {
        all
    }

    #[inline]
    fn entity(&self, entity: Entity, at: Location) -> bool {
        !self.0.entity(entity, at)
    }
}

/// Matches all entities, and makes loops visit disabled ones too.
#[derive(Clone, Copy)]
pub struct SeesDisabled;

/// Implements a filter that all entities pass.
macro_rules! passes_all {
    ($filter:ty, $sees_disabled:literal) => {
        // SAFETY: excludes no single row (`next_excluded` is the trait's), and `mask` and `row` read no rows, so any
        // number is enough; `dense` is `Some` where `DENSE` is true.
        unsafe impl<'a> Filter<'a> for $filter {
            const BY_ENTITY: bool = false;
            const SEES_DISABLED: bool = $sees_disabled;
            const TRIVIAL: bool = true;
            const DENSE: bool = true;

            type Rows = ();

            fn entities(&self) -> Option<&'a [Entity]> {
                None
            }

            #[inline]
            fn table(&self, _: TableId) -> bool {
                true
            }

            #[inline]
            fn rows(&self, _: TableId) {}

            #[inline]
            fn dense(&self) -> Option<()> {
                Some(())
            }

            #[inline]
            unsafe fn mask(&self, (): (), _: usize) -> u32 {
                u32::MAX
            }

            #[inline]
            unsafe fn row(&self, (): (), _: usize) -> bool {
                true
            }

            #[inline]
            fn entity(&self, _: Entity, _: Location) -> bool {
                true
            }
        }
    };
}

passes_all!((), false);
passes_all!(SeesDisabled, true);

// SAFETY: both filters keep the contract: the second one's `next_excluded` gets the first one's result as its end, so
// it returns one of `from..=end`; `dense` is `Some` if both are, and `sets` adds the sets of both.
unsafe impl<'a, A: Filter<'a>, B: Filter<'a>> Filter<'a> for (A, B) {
    const BY_ENTITY: bool = A::BY_ENTITY || B::BY_ENTITY;
    const SEES_DISABLED: bool = A::SEES_DISABLED || B::SEES_DISABLED;
    const TRIVIAL: bool = A::TRIVIAL && B::TRIVIAL;
    const DENSE: bool = A::DENSE && B::DENSE;
    const SKIPS: bool = A::SKIPS || B::SKIPS;
    const ROWS: bool = A::ROWS || B::ROWS;

    type Rows = (A::Rows, B::Rows);

    #[inline]
    fn sets(&self, sets: &mut JoinSets<'a>) {
        self.0.sets(sets);
        self.1.sets(sets);
    }

    #[inline]
    fn restrict_tables(&self, tables: &mut Tables<'a>) {
        self.0.restrict_tables(tables);
        self.1.restrict_tables(tables);
    }

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        shorter(self.0.entities(), self.1.entities())
    }

    #[inline]
    fn table(&self, table: TableId) -> bool {
        self.0.table(table) && self.1.table(table)
    }

    #[inline]
    fn next_excluded(&self, table: TableId, from: usize, end: usize) -> usize {
        let end = self.0.next_excluded(table, from, end);
        self.1.next_excluded(table, from, end)
    }

    #[inline]
    fn rows(&self, table: TableId) -> Self::Rows {
        (self.0.rows(table), self.1.rows(table))
    }

    #[inline]
    fn dense(&self) -> Option<Self::Rows> {
        match (self.0.dense(), self.1.dense()) {
            (Some(a), Some(b)) => Some((a, b)),
            _ => None,
        }
    }

    #[inline]
    unsafe fn mask(&self, (a, b): Self::Rows, first: usize) -> u32 {
        // SAFETY: by the caller's contract the table or set has the rows, and no other code writes their ticks.
        let a = unsafe { self.0.mask(a, first) };
        // SAFETY: by the caller's contract the table or set has the rows, and no other code writes their ticks.
        a & unsafe { self.1.mask(b, first) }
    }

    #[inline]
    unsafe fn row(&self, (a, b): Self::Rows, row: usize) -> bool {
        // SAFETY: by the caller's contract the table or set has the row, and no other code writes its ticks.
        let a = unsafe { self.0.row(a, row) };
        // SAFETY: by the caller's contract the table or set has the row, and no other code writes its ticks.
        a && unsafe { self.1.row(b, row) }
    }

    #[inline]
    fn entity(&self, entity: Entity, at: Location) -> bool {
        self.0.entity(entity, at) && self.1.entity(entity, at)
    }

    #[inline]
    unsafe fn ticks(&self, entity: Entity, at: Location) -> bool {
        // SAFETY: by the caller's contract the entity is placed at `at`, and no other code writes its ticks.
        let a = unsafe { self.0.ticks(entity, at) };
        // SAFETY: by the caller's contract the entity is placed at `at`, and no other code writes its ticks.
        a && unsafe { self.1.ticks(entity, at) }
    }
}

/// Matches entities that one of the two filters matches.
#[derive(Clone, Copy)]
pub struct OrFilter<A, B>(pub(crate) A, pub(crate) B);

// SAFETY: `next_excluded` and `DENSE` are the trait's: no row is excluded, and the filter is not dense.
unsafe impl<'a, A: Filter<'a>, B: Filter<'a>> Filter<'a> for OrFilter<A, B> {
    const BY_ENTITY: bool = A::BY_ENTITY || B::BY_ENTITY;
    const SEES_DISABLED: bool = A::SEES_DISABLED || B::SEES_DISABLED;
    const ROWS: bool = A::ROWS || B::ROWS;

    type Rows = (A::Rows, B::Rows);

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        None
    }

    #[inline]
    fn table(&self, table: TableId) -> bool {
        self.0.table(table) || self.1.table(table)
    }

    #[inline]
    fn rows(&self, table: TableId) -> Self::Rows {
        (self.0.rows(table), self.1.rows(table))
    }

    #[inline]
    unsafe fn mask(&self, (a, b): Self::Rows, first: usize) -> u32 {
        // SAFETY: by the caller's contract the table has the rows, and no other code writes their ticks.
        let a = unsafe { self.0.mask(a, first) };
        // SAFETY: by the caller's contract the table has the rows, and no other code writes their ticks.
        a | unsafe { self.1.mask(b, first) }
    }

    #[inline]
    unsafe fn row(&self, (a, b): Self::Rows, row: usize) -> bool {
        // SAFETY: by the caller's contract the table has the row, and no other code writes its ticks.
        let a = unsafe { self.0.row(a, row) };
        // SAFETY: by the caller's contract the table has the row, and no other code writes its ticks.
        a || unsafe { self.1.row(b, row) }
    }

    #[inline]
    fn entity(&self, entity: Entity, at: Location) -> bool {
        self.0.entity(entity, at) || self.1.entity(entity, at)
    }

    #[inline]
    unsafe fn ticks(&self, entity: Entity, at: Location) -> bool {
        // SAFETY: by the caller's contract the entity is placed at `at`, and no other code writes its ticks.
        if self.0.entity(entity, at) && unsafe { self.0.ticks(entity, at) } {
            return true;
        }
        // SAFETY: by the caller's contract the entity is placed at `at`, and no other code writes its ticks.
        self.1.entity(entity, at) && unsafe { self.1.ticks(entity, at) }
    }
}

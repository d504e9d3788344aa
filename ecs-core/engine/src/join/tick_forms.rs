//! Filters built from the filters by ticks: a value was mutated, and the negations.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use super::fetch::Filter;
use super::sets::JoinSets;
use super::tables::Tables;
use super::ticks::{AddedFilter, ChangedFilter};
use crate::component::TrackedComponent;
use crate::entity::{Entity, Location, TableId};
use crate::storage::ComponentStore;
use crate::tick::CompactTick;

/// Matches entities whose `T` was changed, and not added, after a tick.
pub struct MutatedFilter<'a, T> {
    changed: ChangedFilter<'a, T>,
    added: AddedFilter<'a, T>,
}

impl<T> Clone for MutatedFilter<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for MutatedFilter<'_, T> {}

impl<'a, T: TrackedComponent> MutatedFilter<'a, T> {
    /// # Safety
    /// As for [`TickFilter::new`](super::ticks::TickFilter::new).
    #[inline]
    pub(crate) unsafe fn new(store: Option<&'a ComponentStore>, seen: CompactTick) -> Self {
        Self {
            // SAFETY: the caller's contract is the same as for `TickFilter::new`.
            changed: unsafe { ChangedFilter::new(store, seen) },
            // SAFETY: the caller's contract is the same as for `TickFilter::new`.
            added: unsafe { AddedFilter::new(store, seen) },
        }
    }
}

// SAFETY: both filters are of one component, so they have the same tables, sets and rows, which are also this filter's;
// `next_excluded` is the trait's.
unsafe impl<'a, T: TrackedComponent> Filter<'a> for MutatedFilter<'a, T> {
    const BY_ENTITY: bool = <ChangedFilter<'a, T> as Filter<'a>>::BY_ENTITY;
    const SEES_DISABLED: bool = T::DISABLES;
    const ROWS: bool = true;
    const DENSE: bool = <ChangedFilter<'a, T> as Filter<'a>>::DENSE;

    type Rows = (
        <ChangedFilter<'a, T> as Filter<'a>>::Rows,
        <AddedFilter<'a, T> as Filter<'a>>::Rows,
    );

    #[inline]
    fn sets(&self, sets: &mut JoinSets<'a>) {
        self.changed.sets(sets);
    }

    #[inline]
    fn restrict_tables(&self, tables: &mut Tables<'a>) {
        self.changed.restrict_tables(tables);
    }

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        self.changed.entities()
    }

    #[inline]
    fn table(&self, table: TableId) -> bool {
        self.changed.table(table)
    }

    #[inline]
    fn rows(&self, table: TableId) -> Self::Rows {
        (self.changed.rows(table), self.added.rows(table))
    }

    #[inline]
    fn dense(&self) -> Option<Self::Rows> {
        Some((self.changed.dense()?, self.added.dense()?))
    }

    #[inline]
    unsafe fn mask(&self, (changed, added): Self::Rows, first: usize) -> u32 {
        // SAFETY: by the caller's contract the table or set has the rows, and no other code writes their ticks.
        let changed = unsafe { self.changed.mask(changed, first) };
        // SAFETY: by the caller's contract the table or set has the rows, and no other code writes their ticks.
        changed & !unsafe { self.added.mask(added, first) }
    }

    #[inline]
    unsafe fn row(&self, (changed, added): Self::Rows, row: usize) -> bool {
        // SAFETY: by the caller's contract the table or set has the row, and no other code writes its ticks.
        let changed = unsafe { self.changed.row(changed, row) };
        // SAFETY: by the caller's contract the table or set has the row, and no other code writes its ticks.
        changed && !unsafe { self.added.row(added, row) }
    }

    #[inline]
    fn entity(&self, entity: Entity, at: Location) -> bool {
        self.changed.entity(entity, at)
    }

    #[inline]
    unsafe fn ticks(&self, entity: Entity, at: Location) -> bool {
        // SAFETY: the caller's contract is the same.
        let changed = unsafe { self.changed.ticks(entity, at) };
        // SAFETY: the caller's contract is the same.
        changed && !unsafe { self.added.ticks(entity, at) }
    }
}

/// Matches entities that a filter by the ticks of one component does not match, among them those without the component.
///
/// Used only for such filters: it looks at ticks whatever components an entity has. Filters on presence have their own
/// opposites, and tuples are negated member by member, so that presence is tested first.
#[derive(Clone, Copy)]
pub struct NotTicks<A>(pub(crate) A);

// SAFETY: `next_excluded` and `DENSE` are the trait's: no row is excluded, and the filter is not dense.
unsafe impl<'a, A: Filter<'a>> Filter<'a> for NotTicks<A> {
    const BY_ENTITY: bool = A::BY_ENTITY;
    const SEES_DISABLED: bool = A::SEES_DISABLED;
    const ROWS: bool = true;

    type Rows = A::Rows;

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        None
    }

    #[inline]
    fn table(&self, _: TableId) -> bool {
        true
    }

    // The rows of a table without the component match nothing.
    #[inline]
    fn rows(&self, table: TableId) -> A::Rows {
        self.0.rows(table)
    }

    #[inline]
    unsafe fn mask(&self, rows: A::Rows, first: usize) -> u32 {
        // SAFETY: by the caller's contract the table has the rows, and no other code writes their ticks.
        !unsafe { self.0.mask(rows, first) }
    }

    #[inline]
    unsafe fn row(&self, rows: A::Rows, row: usize) -> bool {
        // SAFETY: by the caller's contract the table has the row, and no other code writes its ticks.
        !unsafe { self.0.row(rows, row) }
    }

    #[inline]
    fn entity(&self, _: Entity, _: Location) -> bool {
        true
    }

    #[inline]
    unsafe fn ticks(&self, entity: Entity, at: Location) -> bool {
        // SAFETY: by the caller's contract the entity is placed at `at`, and no other code writes its ticks.
        !(self.0.entity(entity, at) && unsafe { self.0.ticks(entity, at) })
    }
}

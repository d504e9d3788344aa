//! A table: all entities with the same set of table components, with a column per component and a row per entity.

use alloc::boxed::Box;
use alloc::vec::Vec;

#[cfg(feature = "data")]
mod exchange;
mod memory;
mod reorder;
#[cfg(feature = "snapshot")]
mod snapshot;
#[cfg(feature = "snapshot")]
mod snapshot_bytes;

pub(crate) use reorder::RowOrder;
#[cfg(feature = "snapshot")]
pub(super) use snapshot::TableCopy;

use super::column::Column;
use super::compact_ticks::ColumnKind;
use super::drop_list::DropList;
use crate::component::{ComponentId, ComponentInfo};
use crate::entity::{Entity, Location};
use crate::tick::Shift;

/// Rows of entities, stored by column.
pub(crate) struct Table {
    /// The entity of each row.
    /// Invariant 1: every column holds an initialised value in each of the rows `0..entities.len()`.
    entities: Vec<Entity>,
    /// The number of rows that every column has memory for. Invariant 2: at least the number of rows.
    capacity: usize,
    /// Invariant 3: sorted by key; each component has all of its kinds of columns, once.
    columns: Box<[TableColumn]>,
    /// True if any of the columns holds ticks.
    is_tracked: bool,
    /// True if the removal or despawn of one of its entities is observed. Set by [`Storage`](super::Storage).
    is_observed: bool,
    /// Neither tracked nor observed.
    is_plain: bool,
    /// True if the values of any column must be dropped.
    needs_drop: bool,
    /// Changes whenever a row is removed or gets another entity, and never has an earlier value again. No table of a world
    /// begins with a stamp that an earlier one has had.
    stamp: u64,
}

/// A column with its component and kind.
pub(crate) struct TableColumn {
    pub(crate) component: ComponentId,
    /// Invariant 1: determined by the component and the kind, and so the same in all tables of a world that have the
    /// column.
    pub(crate) key: ColumnKey,
    pub(crate) column: Column,
}

/// The sort key of a table's columns: the rank of the component in the world, then the kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ColumnKey(u32);

impl ColumnKey {
    const KIND_BITS: u32 = 2;

    /// Ranks fit: the list of all component types of a process has far fewer than 2^30 entries.
    fn new(rank: u32, kind: ColumnKind) -> Self {
        Self(rank << Self::KIND_BITS | kind as u32)
    }

    /// The kind of the column.
    #[inline]
    pub(crate) fn kind(self) -> ColumnKind {
        match self.0 & ((1 << Self::KIND_BITS) - 1) {
            0 => ColumnKind::Value,
            1 => ColumnKind::Added,
            _ => ColumnKind::Changed,
        }
    }
}

/// The result of removing a row from a table.
pub(crate) struct Vacated {
    /// The entity that was moved to the row, unless the last row was removed.
    pub(crate) filled_by: Option<Entity>,
    /// The row after the last one, which may hold values that were neither moved out nor dropped.
    pub(crate) leftovers: usize,
}

const FIRST_CAPACITY: usize = 8;

impl Table {
    /// Creates the table number `made` of a world, including removed ones, for the given components, sorted by their ranks.
    pub(crate) fn new(
        made: u32,
        components: impl ExactSizeIterator<Item = (ComponentId, u32, ComponentInfo)>,
    ) -> Self {
        // All that is needed unless components are tracked.
        let mut columns: Vec<TableColumn> = Vec::with_capacity(components.len());
        for (component, rank, info) in components {
            for &kind in ColumnKind::all(info.tracked) {
                let key = ColumnKey::new(rank, kind);
                debug_assert!(columns.last().is_none_or(|last| last.key < key));
                columns.push(TableColumn {
                    component,
                    key,
                    column: match kind {
                        ColumnKind::Value => Column::new(&info),
                        ColumnKind::Added | ColumnKind::Changed => Column::of_ticks(),
                    },
                });
            }
        }
        let mut keys = columns.iter().map(|column| column.key);
        let is_tracked = keys.any(|key| key.kind() != ColumnKind::Value);
        let mut drops = columns.iter().map(|column| column.column.drop_fn());
        let needs_drop = drops.any(|drop| drop.is_some());
        Self {
            entities: Vec::new(),
            capacity: 0,
            is_tracked,
            is_observed: false,
            is_plain: !is_tracked,
            needs_drop,
            columns: columns.into(),
            stamp: u64::from(made) << 32,
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.entities.len()
    }

    #[inline]
    pub(crate) fn entities(&self) -> &[Entity] {
        &self.entities
    }

    #[inline]
    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    /// A number that differs if a row was removed, or got another entity, since it was last asked for. Rows that are added
    /// do not change it.
    #[inline]
    pub(crate) fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Notes that rows were removed, or got other entities.
    #[inline]
    pub(super) fn restamp(&mut self) {
        self.stamp += 1;
    }

    pub(crate) fn columns(&self) -> &[TableColumn] {
        &self.columns
    }

    pub(crate) fn components(&self) -> impl Iterator<Item = ComponentId> + '_ {
        let values = self
            .columns
            .iter()
            .filter(|column| column.key.kind() == ColumnKind::Value);
        values.map(|column| column.component)
    }

    /// Appends the first value of a column of values to `starts`, and the first ticks that belong to it.
    pub(crate) fn push_starts(&self, position: usize, starts: &mut Vec<*mut u8>) {
        let component = self.columns[position].component;
        for column in &self.columns[position..] {
            if column.component != component {
                return;
            }
            starts.push(column.column.data().as_ptr());
        }
    }

    /// Returns true if any component is tracked.
    #[inline]
    pub(crate) fn is_tracked(&self) -> bool {
        self.is_tracked
    }

    /// Returns true if the removal or despawn of one of its entities is observed.
    #[inline]
    pub(crate) fn is_observed(&self) -> bool {
        self.is_observed
    }

    pub(super) fn set_observed(&mut self, is_observed: bool) {
        self.is_observed = is_observed;
        self.is_plain = !is_observed && !self.is_tracked;
    }

    /// Returns true if its entities can leave without a record or a notification.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The tracked components.
    #[inline]
    pub(crate) fn tracked(&self) -> impl Iterator<Item = ComponentId> + '_ {
        let columns = if self.is_tracked { &*self.columns } else { &[] };
        let added = columns
            .iter()
            .filter(|column| column.key.kind() == ColumnKind::Added);
        added.map(|column| column.component)
    }

    /// Returns the index of the values of `component` in [`columns`](Self::columns), which ticks follow. O(columns).
    pub(crate) fn position(&self, component: ComponentId) -> Option<usize> {
        let mut columns = self.columns.iter();
        columns.position(|column| column.component == component)
    }

    /// Returns the column with the key, if there is one. O(log columns).
    fn column_at(&mut self, key: ColumnKey) -> Option<&mut Column> {
        let found = self.columns.binary_search_by_key(&key, |column| column.key);
        Some(&mut self.columns[found.ok()?].column)
    }

    /// Moves the base of all ticks. O(rows of tracked components).
    pub(crate) fn shift(&mut self, shift: Shift) {
        let rows = self.entities.len();
        for column in &mut *self.columns {
            if column.key.kind() != ColumnKind::Value {
                // SAFETY: the column holds ticks, initialised in every row (invariant 1), and the table is borrowed
                // exclusively.
                shift.apply(unsafe { column.column.ticks_mut(rows) });
            }
        }
    }

    /// Reserves memory for `more` rows; returns true if the memory of the columns moved.
    ///
    /// # Panics
    /// If there would be more rows than a table can have, or than fit into the address space; in that case nothing has changed.
    #[inline]
    #[must_use]
    pub(crate) fn reserve(&mut self, more: usize) -> bool {
        let moves = self.capacity - self.entities.len() < more;
        if moves {
            self.grow(more);
        }
        moves
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        let needed = self
            .entities
            .len()
            .checked_add(more)
            .filter(|&rows| rows <= Location::MAX_ROWS);
        let Some(needed) = needed else {
            panic!(
                "{} rows and {more} more do not fit into one table, which has at most {} rows",
                self.entities.len(),
                Location::MAX_ROWS
            );
        };
        let doubled = (self.capacity * 2).clamp(FIRST_CAPACITY, Location::MAX_ROWS);
        let capacity = needed.max(doubled);
        // Checked for all columns before the first one grows, so that a panic leaves all of them unchanged.
        for column in &*self.columns {
            column.column.check_capacity(capacity);
        }
        let old = self.capacity;
        self.entities.reserve(capacity - self.entities.len());
        for column in &mut *self.columns {
            // SAFETY: `old` is the capacity of every column that has not grown yet, and less than `capacity`.
            unsafe { column.column.grow(old, capacity) };
        }
        self.capacity = capacity;
    }

    /// Adds a row for `entity` and returns its number.
    ///
    /// # Safety
    /// There is capacity for the row, and each of its columns was initialised, or will be before anything else happens.
    #[inline]
    pub(crate) unsafe fn push(&mut self, entity: Entity) -> usize {
        debug_assert!(self.entities.len() < self.capacity);
        let row = self.entities.len();
        self.entities.push(entity);
        row
    }

    /// Returns the list of entities, to append rows.
    ///
    /// # Safety
    /// Entities may only be appended, each with a row that fits and is initialised in every column.
    pub(crate) unsafe fn entities_mut(&mut self) -> &mut Vec<Entity> {
        &mut self.entities
    }

    /// Fills `row`, after it was [vacated](Self::vacate), with the values of the last one, and moves its own values to `drops`.
    ///
    /// # Safety
    /// `row` was vacated just before. The list is run before the table gets another row.
    #[inline(always)]
    pub(super) unsafe fn fill_vacated(&mut self, row: usize, drops: &mut DropList) {
        let last = self.entities.len();
        if self.needs_drop {
            // SAFETY: the contract is the same; `last` is the row after the last one.
            unsafe { self.fill_and_drop(row, last, drops) };
        } else if row != last {
            for TableColumn { column, .. } in &mut *self.columns {
                // SAFETY: `row` and `last` were different rows, by the caller's contract, and the value needs no drop.
                unsafe { column.fill_other(column.size(), row, last) };
            }
        }
    }

    /// Implements [`fill_vacated`](Self::fill_vacated) for values that need to be dropped.
    ///
    /// # Safety
    /// As for `fill_vacated`; `last` is the row after the last one.
    #[inline(never)]
    unsafe fn fill_and_drop(&mut self, row: usize, last: usize, drops: &mut DropList) {
        for TableColumn { column, .. } in &mut *self.columns {
            if column.drop_fn().is_some() {
                // SAFETY: `row` and `last` were rows, by the caller's contract.
                unsafe { column.swap(row, last) };
                // SAFETY: `last` was a row, so it is below the capacity (invariant 2).
                let value = unsafe { column.row(last) };
                // SAFETY: the value is initialised, and not reachable because it is after the last row; its memory is not
                // accessed before the list is run, by the caller's contract.
                unsafe { drops.push(column.drop_fn(), value, 1) };
            } else {
                // SAFETY: `row` and `last` were rows, by the caller's contract, and the value needs no drop.
                unsafe { column.fill(row, last) };
            }
        }
    }

    /// Returns true if values of the table must be dropped.
    #[inline]
    pub(crate) fn needs_drop(&self) -> bool {
        self.needs_drop
    }

    /// Removes `row` from the list of entities. The caller must then update its columns.
    ///
    /// # Panics
    /// If there is no such row; in that case nothing has changed.
    #[inline(always)]
    pub(super) fn vacate(&mut self, row: usize) -> Vacated {
        let rows = self.entities.len();
        assert!(row < rows, "the table has no row {row}");
        let filler = self.entities[rows - 1];
        self.entities.swap_remove(row);
        self.restamp();
        Vacated {
            filled_by: (row != rows - 1).then_some(filler),
            leftovers: rows - 1,
        }
    }

    /// Moves `row` to a new row of `target`: the values of components that both have.
    ///
    /// Values of components that only this table has are left after its last row (see [`Vacated::leftovers`]);
    /// components that only the target has are uninitialised there. Returns the target's row too.
    ///
    /// # Safety
    /// The target has capacity for a row. The caller initialises the new columns of the target's row, and drops or
    /// moves out the leftovers, before anything else happens to the two tables.
    ///
    /// # Panics
    /// If there is no such row; in that case nothing has changed.
    pub(crate) unsafe fn move_row(&mut self, row: usize, target: &mut Self) -> (Vacated, usize) {
        let entity = self.entities[row];
        let vacated = self.vacate(row);
        let last = vacated.leftovers;
        // SAFETY: the target has capacity for a row by the caller's contract; common columns are written below, the
        // others by the caller, by its contract.
        let target_row = unsafe { target.push(entity) };
        let mut into = target.columns.iter();
        for from in &mut *self.columns {
            // Both are sorted by key (invariant 3), so this walks them the way a merge does.
            let shared = loop {
                match into.as_slice().first() {
                    Some(column) if column.key < from.key => _ = into.next(),
                    Some(column) if column.key == from.key => break into.next(),
                    _ => break None,
                }
            };
            match shared {
                Some(to) => {
                    // SAFETY: `row` was a row, so it is below the capacity (invariant 2).
                    let source = unsafe { from.column.row(row) };
                    // SAFETY: `push` returned a row, so it is below the capacity of the target (invariant 2).
                    let destination = unsafe { to.column.row(target_row) };
                    // SAFETY: columns of different tables do not overlap; both hold values of one component.
                    unsafe { super::column::copy_value(source, destination, from.column.size()) };
                    // SAFETY: the value of `row` was just moved out, and `last` was a row.
                    unsafe { from.column.fill(row, last) };
                }
                // SAFETY: both were rows, so they are below the capacity (invariant 2).
                None => unsafe { from.column.swap(row, last) },
            }
        }
        (vacated, target_row)
    }

    /// Fills the gaps in the columns after `rows` were [vacated](Self::vacate), one after the other, and moves their values to
    /// `drops`.
    ///
    /// # Safety
    /// `rows` were vacated in this order. The list is run before the table gets another row.
    pub(super) unsafe fn fill_gaps(&mut self, rows: &[u32], drops: &mut DropList) {
        let left = self.entities.len();
        let last = left + rows.len();
        for TableColumn { column, .. } in &mut *self.columns {
            if column.drop_fn().is_none() {
                // SAFETY: `rows` were rows when they were vacated, in this order, and before that there were `last` rows,
                // by the caller's contract.
                unsafe { column.fill_gaps(rows, last) };
                continue;
            }
            for (i, &row) in rows.iter().enumerate() {
                // SAFETY: both were rows when `row` was vacated, by the caller's contract.
                unsafe { column.swap(row as usize, last - 1 - i) };
            }
            // SAFETY: `left` is below `last`, which is at most the capacity (invariant 2), or there are no `rows`.
            let values = unsafe { column.row(left) };
            // SAFETY: the values of the vacated rows are those after the last row now: initialised, and not reachable. Their
            // memory is not accessed before the list is run, by the caller's contract.
            unsafe { drops.push(column.drop_fn(), values, rows.len()) };
        }
    }

    /// Like [`fill_gaps`](Self::fill_gaps), but first moves the values that `target` has columns for to its rows from
    /// `first` on.
    ///
    /// # Safety
    /// `rows` were [vacated](Self::vacate) in this order. The target has rows for them from `first` on; the columns
    /// that both tables have are written here. Values that the target has no column for need no drop.
    pub(super) unsafe fn move_rows(&mut self, rows: &[u32], target: &mut Self, first: usize) {
        let last = self.entities.len() + rows.len();
        for from in &mut *self.columns {
            match target.column_at(from.key) {
                // SAFETY: `rows` were vacated in this order, and the target has rows for them, by the caller's
                // contract. Both columns hold values of one component.
                Some(to) => unsafe { from.column.move_rows(rows, last, to, first) },
                // SAFETY: `rows` were vacated in this order, and these values need no drop, by the caller's contract.
                None => unsafe { from.column.fill_gaps(rows, last) },
            }
        }
    }

    /// Moves all rows to the end of `target`: the values of components that both have.
    ///
    /// Values of components that only this table has stay in place, now after its last row. If the target is empty and has
    /// the same capacity, the tables swap the memory of their columns, in O(columns); otherwise each column is copied as a
    /// whole. In both cases the memory of both tables' columns moves.
    ///
    /// # Safety
    /// The target has capacity for the rows, its new columns are initialised in them, and the caller drops or moves out
    /// the leftovers before anything else happens to this table.
    pub(crate) unsafe fn move_all(&mut self, target: &mut Self) {
        let (rows, first) = (self.entities.len(), target.entities.len());
        let exchange = first == 0 && self.capacity == target.capacity;
        for from in &mut *self.columns {
            let Some(to) = target.column_at(from.key) else {
                continue;
            };
            if exchange {
                core::mem::swap(&mut from.column, to);
                continue;
            }
            // SAFETY: the target has capacity for the rows by the caller's contract, so `first` is at most the
            // capacity.
            let destination = unsafe { to.row(first) };
            let bytes = rows * from.column.size();
            // SAFETY: the source has `rows` values, the destination has memory for them after its own, and columns of
            // different tables do not overlap.
            unsafe { destination.copy_from_nonoverlapping(from.column.data().as_ptr(), bytes) };
        }
        if exchange {
            core::mem::swap(&mut self.entities, &mut target.entities);
        } else {
            target.entities.append(&mut self.entities);
        }
        self.restamp();
    }

    /// Removes all rows, and adds their values to `drops`.
    pub(crate) fn clear(&mut self, drops: &mut DropList) {
        let rows = self.entities.len();
        self.entities.clear();
        self.restamp();
        for TableColumn { column, .. } in &*self.columns {
            // SAFETY: these were the rows, so they are initialised (invariant 1); the list of entities is empty now, so
            // they are not reachable, and their memory is not accessed before the caller runs the list.
            unsafe { drops.push(column.drop_fn(), column.data().as_ptr(), rows) };
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        for column in &mut *self.columns {
            // SAFETY: every column has memory for `capacity` rows. The owner has dropped the values by a `DropList`, or
            // they leak.
            unsafe { column.column.release(self.capacity) };
        }
    }
}

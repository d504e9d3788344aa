//! A table: all entities with the same set of table components, a column per component, a row per entity.

use super::column::Column;
use super::compact_ticks::ColumnKind;
use super::drop_list::DropList;
use crate::component::{ComponentId, ComponentInfo};
use crate::entity::{Entity, Location};
use crate::tick::Shift;

/// Rows of entities.
pub(crate) struct Table {
    /// The entity of each row.
    /// Invariant 1: every column holds an initialised value in each of the rows `0..entities.len()`.
    entities: Vec<Entity>,
    /// The number of rows that every column has memory for. Invariant 2: at least the number of rows.
    capacity: usize,
    /// Invariant 3: sorted by place; each component has all of its parts, once.
    columns: Box<[TableColumn]>,
    /// Whether any of them is of ticks.
    is_tracked: bool,
    /// Whether anybody wants to be told when one of its entities goes. Set by [`Storage`](super::Storage).
    is_watched: bool,
    /// Neither of the two.
    is_plain: bool,
}

/// A column and what it holds.
pub(crate) struct TableColumn {
    pub(crate) component: ComponentId,
    /// Invariant 1: the component's, and so the same in all tables of a world that have the column.
    pub(crate) place: Place,
    pub(crate) column: Column,
}

/// Where a column stands among those of a table: by the rank of its component in the world, and then by part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place(u32);

impl Place {
    const PART_BITS: u32 = 2;

    /// Ranks fit: a process has a list of all component types, with far fewer than 2^30 entries.
    fn new(rank: u32, part: ColumnKind) -> Self {
        Self(rank << Self::PART_BITS | part as u32)
    }

    /// What the column holds of its component.
    #[inline]
    pub(crate) fn part(self) -> ColumnKind {
        match self.0 & ((1 << Self::PART_BITS) - 1) {
            0 => ColumnKind::Value,
            1 => ColumnKind::Added,
            _ => ColumnKind::Changed,
        }
    }
}

/// What became of a row that was taken out of a table.
pub(crate) struct Vacated {
    /// The entity that now has the row, if not the last row was vacated.
    pub(crate) filled_by: Option<Entity>,
    /// The row behind the last one, in which values may wait that were neither moved out nor dropped.
    pub(crate) leftovers: usize,
}

const FIRST_CAPACITY: usize = 8;

impl Table {
    /// A table for the given components with their ranks, by which they are sorted.
    pub(crate) fn new(components: impl Iterator<Item = (ComponentId, u32, ComponentInfo)>) -> Self {
        let mut columns: Vec<TableColumn> = Vec::new();
        for (component, rank, info) in components {
            for &part in ColumnKind::all(info.tracked) {
                let place = Place::new(rank, part);
                debug_assert!(columns.last().is_none_or(|last| last.place < place));
                columns.push(TableColumn {
                    component,
                    place,
                    column: match part {
                        ColumnKind::Value => Column::new(&info),
                        ColumnKind::Added | ColumnKind::Changed => Column::of_stamps(),
                    },
                });
            }
        }
        let mut places = columns.iter().map(|column| column.place);
        let is_tracked = places.any(|place| place.part() != ColumnKind::Value);
        Self {
            entities: Vec::new(),
            capacity: 0,
            is_tracked,
            is_watched: false,
            is_plain: !is_tracked,
            columns: columns.into(),
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

    pub(crate) fn columns(&self) -> &[TableColumn] {
        &self.columns
    }

    pub(crate) fn components(&self) -> impl Iterator<Item = ComponentId> + '_ {
        let values = self
            .columns
            .iter()
            .filter(|column| column.place.part() == ColumnKind::Value);
        values.map(|column| column.component)
    }

    /// Adds the first value of a column of values, and the first ticks that belong to it.
    pub(crate) fn push_starts(&self, position: usize, starts: &mut Vec<*mut u8>) {
        let component = self.columns[position].component;
        for column in &self.columns[position..] {
            if column.component != component {
                return;
            }
            starts.push(column.column.data().as_ptr());
        }
    }

    /// Whether any component is tracked.
    #[inline]
    pub(crate) fn is_tracked(&self) -> bool {
        self.is_tracked
    }

    /// Whether anybody wants to be told when one of its entities goes.
    #[inline]
    pub(crate) fn is_watched(&self) -> bool {
        self.is_watched
    }

    pub(super) fn set_watched(&mut self, is_watched: bool) {
        self.is_watched = is_watched;
        self.is_plain = !is_watched && !self.is_tracked;
    }

    /// Whether its entities go without anything to note or tell.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Those of the components that are tracked.
    #[inline]
    pub(crate) fn tracked(&self) -> impl Iterator<Item = ComponentId> + '_ {
        let columns = if self.is_tracked { &*self.columns } else { &[] };
        let added = columns
            .iter()
            .filter(|column| column.place.part() == ColumnKind::Added);
        added.map(|column| column.component)
    }

    /// Where the values of `component` stand in [`columns`](Self::columns); ticks stand behind them. O(columns).
    pub(crate) fn position(&self, component: ComponentId) -> Option<usize> {
        let mut columns = self.columns.iter();
        columns.position(|column| column.component == component)
    }

    /// The column with the place, if there is one. O(log columns).
    fn column_at(&mut self, place: Place) -> Option<&mut Column> {
        let found = self
            .columns
            .binary_search_by_key(&place, |column| column.place);
        Some(&mut self.columns[found.ok()?].column)
    }

    /// Moves the base of all ticks. O(rows of tracked components).
    pub(crate) fn shift(&mut self, shift: Shift) {
        let rows = self.entities.len();
        for column in &mut *self.columns {
            if column.place.part() != ColumnKind::Value {
                // SAFETY: the column holds ticks, initialised in every row (invariant 1), and the table is borrowed
                // exclusively.
                shift.apply(unsafe { column.column.stamps_mut(rows) });
            }
        }
    }

    /// Makes room for `more` rows; says whether the columns' memory moved.
    ///
    /// # Panics
    /// If there would be more rows than a table can have, or than fit into the address space.
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
        // Checked for all columns before the first one grows, so that a panic finds them all as they were.
        for column in &*self.columns {
            column.column.check_capacity(capacity);
        }
        let old = self.capacity;
        self.entities.reserve(capacity - self.entities.len());
        for column in &mut *self.columns {
            // SAFETY: `old` is the capacity of every column that was not grown yet, and less than `capacity`.
            unsafe { column.column.grow(old, capacity) };
        }
        self.capacity = capacity;
    }

    /// Adds a row for `entity` and returns its number.
    ///
    /// # Safety
    /// There is room for it, and every column of the row was initialised, or will be before anything else happens.
    #[inline]
    pub(crate) unsafe fn push(&mut self, entity: Entity) -> usize {
        debug_assert!(self.entities.len() < self.capacity);
        let row = self.entities.len();
        self.entities.push(entity);
        row
    }

    /// The list of entities, to be extended by rows.
    ///
    /// # Safety
    /// Entities may only be added, each with a row that fits and in which every column was initialised.
    pub(crate) unsafe fn entities_mut(&mut self) -> &mut Vec<Entity> {
        &mut self.entities
    }

    /// Takes `row` out, and notes its values to be dropped.
    ///
    /// # Panics
    /// If there is no such row.
    pub(crate) fn vacate_and_drop(&mut self, row: usize, drops: &mut DropList) -> Vacated {
        let vacated = self.vacate(row);
        let last = vacated.leftovers;
        for TableColumn { column, .. } in &mut *self.columns {
            if column.drop_fn().is_some() {
                // SAFETY: `vacate` has checked `row`, and `last` was a row.
                unsafe { column.swap(row, last) };
                // SAFETY: `last` was a row, so by invariant 2 it is below the capacity.
                let value = unsafe { column.row(last) };
                // SAFETY: the value is initialised and, being behind the last row, in nobody's reach; its memory is
                // not touched before the caller runs the list.
                unsafe { drops.push(column.drop_fn(), value, 1) };
            } else {
                // SAFETY: `vacate` has checked `row`, the value of which needs no drop; `last` was a row.
                unsafe { column.fill(row, last) };
            }
        }
        vacated
    }

    /// Whether values of the table must be dropped.
    pub(super) fn needs_drop(&self) -> bool {
        let mut columns = self.columns.iter();
        columns.any(|column| column.column.drop_fn().is_some())
    }

    /// Takes `row` out of the entity list. The caller must still bring its columns in order.
    #[inline]
    pub(super) fn vacate(&mut self, row: usize) -> Vacated {
        self.entities.swap_remove(row);
        let leftovers = self.entities.len();
        Vacated {
            filled_by: (row != leftovers).then(|| self.entities[row]),
            leftovers,
        }
    }

    /// Moves `row` to a new row of `target`: the values of components that both have.
    ///
    /// Values of components that only this table has are left behind its last row (see [`Vacated::leftovers`]);
    /// components that only the target has are uninitialised there. Returns the target's row too.
    ///
    /// # Safety
    /// The target has room for a row. The caller initialises the new columns of the target's row, and drops or takes
    /// the leftovers, before anything else happens to the two tables.
    ///
    /// # Panics
    /// If there is no such row; nothing has changed then.
    pub(crate) unsafe fn move_row(&mut self, row: usize, target: &mut Self) -> (Vacated, usize) {
        let entity = self.entities[row];
        let vacated = self.vacate(row);
        let last = vacated.leftovers;
        // SAFETY: the caller promises room; shared columns are written below, the others by the caller.
        let target_row = unsafe { target.push(entity) };
        let mut into = target.columns.iter();
        for from in &mut *self.columns {
            // Both are sorted by place (invariant 3): walk them like a merge.
            let shared = loop {
                match into.as_slice().first() {
                    Some(column) if column.place < from.place => _ = into.next(),
                    Some(column) if column.place == from.place => break into.next(),
                    _ => break None,
                }
            };
            match shared {
                Some(to) => {
                    // SAFETY: `row` was a row.
                    let source = unsafe { from.column.row(row) };
                    // SAFETY: `push` gave a row that fits.
                    let destination = unsafe { to.column.row(target_row) };
                    // SAFETY: columns of different tables do not overlap; both hold values of one component.
                    unsafe { super::column::copy_value(source, destination, from.column.size()) };
                    // SAFETY: the value of `row` was just moved out, and `last` was a row.
                    unsafe { from.column.fill(row, last) };
                }
                // SAFETY: both were rows.
                None => unsafe { from.column.swap(row, last) },
            }
        }
        (vacated, target_row)
    }

    /// Brings the columns in order after `rows` were [vacated](Self::vacate), one after the other.
    ///
    /// # Safety
    /// They were, and the values in them need no drop.
    pub(super) unsafe fn close(&mut self, rows: &[u32]) {
        let last = self.entities.len() + rows.len();
        for TableColumn { column, .. } in &mut *self.columns {
            // SAFETY: the caller promises that these were rows, the last of which was the one before `last`.
            unsafe { column.close(rows, last) };
        }
    }

    /// As [`close`](Self::close), after the values that `target` has columns for were moved to its rows from `first` on.
    ///
    /// # Safety
    /// `rows` were [vacated](Self::vacate), one after the other. The target has rows for them, the columns of which are
    /// written here where this table has them too. Values for which it has no column need no drop.
    pub(super) unsafe fn hand_over(&mut self, rows: &[u32], target: &mut Self, first: usize) {
        let last = self.entities.len() + rows.len();
        for from in &mut *self.columns {
            match target.column_at(from.place) {
                // SAFETY: the caller promises rows that were vacated in this order, and rows for them in the target. Both columns
                // hold values of one component.
                Some(to) => unsafe { from.column.hand_over(rows, last, to, first) },
                // SAFETY: the caller promises rows that were vacated in this order, and that these values need no drop.
                None => unsafe { from.column.close(rows, last) },
            }
        }
    }

    /// Moves all rows behind the last one of `target`: the values of components that both have.
    ///
    /// Values of components that only this table has stay where they are, now behind its last row. Where the target is
    /// empty and has the same capacity the tables exchange the memory of their columns, whatever the number of rows;
    /// otherwise each column is copied as a whole. The columns of both have moved then.
    ///
    /// # Safety
    /// The target has room, its new columns are initialised in these rows, and the caller drops or takes the leftovers
    /// before anything else happens to this table.
    pub(crate) unsafe fn move_all(&mut self, target: &mut Self) {
        let (rows, first) = (self.entities.len(), target.entities.len());
        let exchange = first == 0 && self.capacity == target.capacity;
        for from in &mut *self.columns {
            let Some(to) = target.column_at(from.place) else {
                continue;
            };
            if exchange {
                core::mem::swap(&mut from.column, to);
                continue;
            }
            // SAFETY: the caller promises room, so `first` is at most the capacity.
            let destination = unsafe { to.row(first) };
            let bytes = rows * from.column.size();
            // SAFETY: the source has `rows` values, the destination room for them behind its own, and columns of
            // different tables do not overlap.
            unsafe { destination.copy_from_nonoverlapping(from.column.data().as_ptr(), bytes) };
        }
        if exchange {
            core::mem::swap(&mut self.entities, &mut target.entities);
        } else {
            target.entities.append(&mut self.entities);
        }
    }

    /// Takes all rows out, and notes their values to be dropped.
    pub(crate) fn clear(&mut self, drops: &mut DropList) {
        let rows = self.entities.len();
        self.entities.clear();
        for TableColumn { column, .. } in &*self.columns {
            // SAFETY: these were the rows, so by invariant 1 they are initialised; the list of entities is empty now, so
            // nobody reaches them any more, and their memory is not touched before the caller runs the list.
            unsafe { drops.push(column.drop_fn(), column.data().as_ptr(), rows) };
        }
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        for column in &mut *self.columns {
            // SAFETY: every column has memory for `capacity` rows. Values were dropped by the owner, which runs a
            // `DropList` over all its tables, or leak.
            unsafe { column.column.release(self.capacity) };
        }
    }
}

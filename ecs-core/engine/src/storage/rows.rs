//! The rows of entities: allocated, looked up, moved to other tables.

use super::{RowOrder, Storage};
use crate::entity::{Entity, Location, TableId};
use crate::fail;

impl Storage {
    /// Places an entity in the empty table if it is only reserved.
    ///
    /// # Panics
    /// If no row can be reserved; in that case the entity is still reserved.
    #[inline]
    pub(crate) fn place_if_reserved(&mut self, entity: Entity) {
        if self.entities.is_unplaced(entity) {
            self.reserve_rows(Self::EMPTY_TABLE, 1);
            // SAFETY: a row was reserved in the empty table.
            unsafe { self.push_empty(entity) };
        }
    }

    /// Places an allocated entity without a row in the empty table.
    ///
    /// # Safety
    /// The empty table has capacity for a row.
    unsafe fn push_empty(&mut self, entity: Entity) {
        // SAFETY: the table has capacity for a row by the caller's contract, and no columns (invariant 1).
        let row = unsafe { self.tables[0].push(entity) };
        let at = Location {
            table: Self::EMPTY_TABLE,
            row: row as u32,
        };
        self.entities.place(entity, at);
    }

    /// Allocates an id for each of `count` rows that were written after the last row of a table.
    ///
    /// # Safety
    /// The table has capacity for the rows, which are initialised in every column. At least `count` ids are
    /// [available](crate::entity::EntityTable::available).
    pub(crate) unsafe fn place_rows(&mut self, table: TableId, count: usize) {
        // SAFETY: entities are only added, one for each row in order; the rows fit and are initialised, and as many ids
        // are left, by the caller's contract.
        let rows = unsafe { self.tables[table as usize].entities_mut() };
        self.entities
            .alloc_rows(table, rows.len() as u32, count as u32, rows);
    }

    /// Places all reserved entities that have no row in the empty table.
    #[inline]
    pub(crate) fn place_reserved(&mut self) {
        if self.entities.has_reserved() {
            self.place_all_reserved();
        }
    }

    /// # Panics
    /// If the rows cannot be reserved; in that case all entities are still reserved. If there are more than fit into the
    /// table, the ones that do not fit are gone.
    #[cold]
    #[inline(never)]
    fn place_all_reserved(&mut self) {
        self.place_reserved_up_to(Location::MAX_ROWS);
    }

    /// Places reserved entities in the empty table, which then has `max_rows` at most.
    pub(super) fn place_reserved_up_to(&mut self, max_rows: usize) {
        let count = self.entities.count_reserved();
        if count == 0 {
            return;
        }
        let room = max_rows.saturating_sub(self.table(Self::EMPTY_TABLE).len());
        let placed = count.min(room);
        self.reserve_rows(Self::EMPTY_TABLE, placed);
        let mut reserved = self.entities.take_reserved().into_iter();
        for entity in reserved.by_ref().take(placed) {
            // SAFETY: `placed` rows were reserved in the empty table, and as many entities are placed.
            unsafe { self.push_empty(entity) };
        }
        // Otherwise they would stop each later change.
        reserved.for_each(|entity| self.entities.give_up(entity));
        assert!(
            placed == count,
            "{} of {count} reserved entities have no room in the table of entities without components, which has at most {max_rows} rows, and are gone; help: insert components, or reserve fewer ids between two changes of the world",
            count - placed
        );
    }

    /// Returns the row of an entity that is alive; a reserved entity gets one.
    #[inline]
    pub(crate) fn locate(&mut self, entity: Entity) -> Option<Location> {
        let mut at = self.entities.get(entity);
        if at.is_none() && self.entities.has_reserved() {
            // The call returns nothing, so that the location stays in registers on both paths.
            self.place_all_reserved();
            at = self.entities.get(entity);
        }
        at
    }

    /// Moves the entity at `at` to another table; returns its new row, and the row after the last one of the old table,
    /// which holds the values of components that the new table lacks. These two numbers are returned in registers.
    ///
    /// # Safety
    /// The tables differ, the target has capacity for a row, and the caller initialises its new columns, and moves out
    /// or drops the leftovers, before anything else happens.
    pub(crate) unsafe fn move_entity(
        &mut self,
        entity: Entity,
        at: Location,
        target: TableId,
    ) -> (usize, usize) {
        let pair = self
            .tables
            .get_disjoint_mut([at.table as usize, target as usize]);
        let [from, to] = pair.expect("two different tables");
        // SAFETY: the target has capacity for a row, and the caller writes its new columns and handles the leftovers at
        // once, by the caller's contract.
        let (vacated, row) = unsafe { from.move_row(at.row as usize, to) };
        if let Some(filler) = vacated.filled_by {
            self.entities.relocate(filler, at);
        }
        if vacated.leftovers == 0 {
            self.occupied.remove(at.table);
        }
        let now = Location {
            table: target,
            row: row as u32,
        };
        self.entities.relocate(entity, now);
        (row, vacated.leftovers)
    }

    /// Moves all entities of a table to the end of another one. Returns their number, which is also the number of
    /// leftover values in each column of the old table that the new one lacks.
    ///
    /// # Safety
    /// The tables differ, the target has capacity for the rows, its new columns are initialised in the rows after its
    /// last one, and the caller moves out or drops the leftovers before anything else happens.
    pub(crate) unsafe fn move_table(&mut self, from: TableId, target: TableId) -> usize {
        let first = self.table(target).len();
        let rows = self.table(from).len();
        let pair = self
            .tables
            .get_disjoint_mut([from as usize, target as usize]);
        let [source, into] = pair.expect("two different tables");
        // SAFETY: the target has capacity, its new columns are initialised in these rows, and the caller handles the
        // leftovers, by the caller's contract.
        unsafe { source.move_all(into) };
        self.sync_columns(from);
        self.sync_columns(target);
        self.note_rows_removed(from);
        let moved = &self.tables[target as usize].entities()[first..];
        for (row, &entity) in (first..).zip(moved) {
            let at = Location {
                table: target,
                row: row as u32,
            };
            self.entities.relocate(entity, at);
        }
        rows
    }

    /// Moves rows of a table with all their values and ticks. Sparse components stay where they are.
    ///
    /// # Safety
    /// The table has the rows of the order.
    pub(crate) unsafe fn reorder_rows(&mut self, table: TableId, order: &RowOrder<'_>) {
        fail::point();
        let rows = &mut self.tables[table as usize];
        // SAFETY: the table has the rows by the caller's contract.
        unsafe { rows.reorder(order) };
        let moved = &rows.entities()[order.range()];
        for (row, &entity) in order.range().zip(moved) {
            let at = Location {
                table,
                row: row as u32,
            };
            self.entities.relocate(entity, at);
        }
    }
}

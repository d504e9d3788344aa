//! The rows of entities: given out, looked up, moved to other tables.

use super::Storage;
use crate::entity::{Entity, Location, TableId};

impl Storage {
    /// Gives an entity that is only reserved a row, if it is.
    ///
    /// # Panics
    /// If there is no room for it; it is still reserved then.
    pub(super) fn place_if_reserved(&mut self, entity: Entity) {
        if self.entities.is_unplaced(entity) {
            self.reserve_rows(Self::EMPTY_TABLE, 1);
            // SAFETY: room was made.
            unsafe { self.push_empty(entity) };
        }
    }

    /// Puts an entity that was given out, and has no row, into the empty table.
    ///
    /// # Safety
    /// The table has room for a row.
    unsafe fn push_empty(&mut self, entity: Entity) {
        // SAFETY: the caller vouches for the room, and the table has no columns (invariant 1).
        let row = unsafe { self.tables[0].push(entity) };
        let at = Location {
            table: Self::EMPTY_TABLE,
            row: row as u32,
        };
        self.entities.place(entity, at);
    }

    /// Gives out an id for each of `count` rows that were written behind the last one of a table.
    ///
    /// # Safety
    /// The rows fit, and are initialised in every column. So many ids are [left](crate::entity::Entities::left).
    pub(crate) unsafe fn place_rows(&mut self, table: TableId, count: usize) {
        // SAFETY: one id is added per row, in order; the caller vouches for the rows, and for the ids.
        let rows = unsafe { self.tables[table as usize].entities_mut() };
        self.entities
            .alloc_rows(table, rows.len() as u32, count as u32, rows);
    }

    /// Gives every reserved id that has no row yet one in the empty table.
    #[inline]
    pub(crate) fn place_reserved(&mut self) {
        if self.entities.has_reserved() {
            self.place_all_reserved();
        }
    }

    /// # Panics
    /// If there is no room for all of them; they are still reserved then.
    #[cold]
    #[inline(never)]
    fn place_all_reserved(&mut self) {
        let count = self.entities.count_reserved();
        if count == 0 {
            return;
        }
        self.reserve_rows(Self::EMPTY_TABLE, count);
        for entity in self.entities.take_reserved() {
            // SAFETY: there is room for `count` rows, and so many ids are taken.
            unsafe { self.push_empty(entity) };
        }
    }

    /// The row of a living entity, which is given one if it was only reserved.
    #[inline]
    pub(crate) fn locate(&mut self, entity: Entity) -> Option<Location> {
        let mut at = self.entities.get(entity);
        if at.is_none() && self.entities.has_reserved() {
            // Returns nothing, so that the location is in registers on either way.
            self.place_all_reserved();
            at = self.entities.get(entity);
        }
        at
    }

    /// Moves the entity at `at` to another table; returns its new row, and the row behind the last one of the old table,
    /// where values wait that the new table has no column for: two numbers, which come in registers.
    ///
    /// # Safety
    /// The tables differ, the target has room for a row, and the caller initialises its new columns, and takes or drops
    /// the leftovers, before anything else happens.
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
        // SAFETY: the caller promises room in the target, and to see to its new columns and to the leftovers at once.
        let (vacated, row) = unsafe { from.move_row(at.row as usize, to) };
        if let Some(filler) = vacated.filled_by {
            self.entities.relocate(filler, at);
        }
        let now = Location {
            table: target,
            row: row as u32,
        };
        self.entities.relocate(entity, now);
        (row, vacated.leftovers)
    }

    /// Moves all entities of a table to another one, behind those that it has; returns their number, which is also that
    /// of the values that wait in each column of the old table for which the new one has none.
    ///
    /// # Safety
    /// The tables differ, the target has room, its new columns are initialised in the rows behind its last one, and the
    /// caller takes or drops the leftovers before anything else happens.
    pub(crate) unsafe fn move_table(&mut self, from: TableId, target: TableId) -> usize {
        let first = self.table(target).len();
        let rows = self.table(from).len();
        let pair = self
            .tables
            .get_disjoint_mut([from as usize, target as usize]);
        let [source, into] = pair.expect("two different tables");
        // SAFETY: the caller promises room in the target, that its new columns are initialised, and to see to the leftovers.
        unsafe { source.move_all(into) };
        self.sync_columns(from);
        self.sync_columns(target);
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
}

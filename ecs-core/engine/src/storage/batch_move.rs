//! Moves several entities out of a table together.

use super::Storage;
use crate::entity::{Entity, Location, TableId};

/// The maximum number of entities that are moved or despawned together.
pub(crate) const BATCH_SIZE: usize = 64;

/// Entities that leave one table, one after the other, for another table.
///
/// Each entity gets its new row immediately. The values follow on drop, column by column, which takes less time than moving
/// the entities one by one, with the same result. No value is dropped: the columns that the target lacks hold none that
/// needs it.
pub(crate) struct BatchMove<'a> {
    pub(crate) storage: &'a mut Storage,
    from: TableId,
    /// Differs from `from`.
    target: TableId,
    /// The first of the target's rows that are filled on drop.
    first: usize,

    /// Invariant 1: entity `i` was in row `rows[i]` of `from` when it left, which then had one row fewer. Until the batch is
    /// dropped the values stay where they were, in both tables, whatever the lists of entities say.
    rows: [u32; BATCH_SIZE],
    /// The number of entities that have left.
    moved: usize,
    limit: usize,
}

impl<'a> BatchMove<'a> {
    /// Creates an empty batch.
    ///
    /// # Safety
    /// Until the batch is dropped, no other code accesses the two tables, and no user code runs. The tables differ.
    /// Columns of `from` that the target lacks hold values that need no drop.
    pub(crate) unsafe fn new(storage: &'a mut Storage, from: TableId, target: TableId) -> Self {
        let table = storage.table(target);
        Self {
            first: table.len(),
            limit: BATCH_SIZE.min(table.capacity() - table.len()),
            storage,
            from,
            target,
            rows: [0; BATCH_SIZE],
            moved: 0,
        }
    }

    /// Returns true if the entity is in the source table, and the batch is not full.
    #[inline]
    pub(crate) fn fits(&self, entity: Entity) -> bool {
        let at = self.storage.entities.get(entity);
        self.moved < self.limit && at.is_some_and(|at| at.table == self.from)
    }

    /// Moves the entity; returns its row in the target.
    ///
    /// # Safety
    /// The entity [fits](Self::fits). The caller writes the target's new columns in the row before the next entity is added.
    #[inline]
    pub(crate) unsafe fn add(&mut self, entity: Entity) -> usize {
        let storage = &mut *self.storage;
        let at = storage
            .entities
            .get(entity)
            .expect("the entity fits, so it has a row");
        let vacated = storage.tables[at.table as usize].vacate(at.row as usize);
        if let Some(filler) = vacated.filled_by {
            storage.entities.relocate(filler, at);
        }
        self.rows[self.moved] = at.row;
        self.moved += 1;
        let table = self.target;
        // SAFETY: there is room because fewer than `limit` entities were added. The old columns are written when the batch
        // is dropped, the new ones by the caller, by its contract.
        let row = unsafe { storage.tables[table as usize].push(entity) };
        let now = Location {
            table,
            row: row as u32,
        };
        storage.entities.relocate(entity, now);
        row
    }
}

impl Drop for BatchMove<'_> {
    fn drop(&mut self) {
        self.storage.note_rows_removed(self.from);
        let (rows, tables) = (&self.rows[..self.moved], &mut self.storage.tables);
        let pair = tables.get_disjoint_mut([self.from as usize, self.target as usize]);
        let [from, target] = pair.expect("two different tables");
        // SAFETY: `rows` were vacated in this order, by invariant 1, and the target has rows for them; values that are
        // not moved need no drop, by the contract of `new`.
        unsafe { from.move_rows(rows, target, self.first) };
    }
}

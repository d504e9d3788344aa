//! Entities that leave a table together.

use super::Storage;
use crate::entity::{Entity, Location, TableId};

/// How many entities a [`BatchMove`] has at most.
pub(crate) const GROUP: usize = 64;

/// Entities that leave one table, one after the other, for another one or for good.
///
/// Each has its new row, or none, at once; the values follow at the end, column by column. The result is that of moving
/// one entity after the other, in less time. No value is dropped: the columns that the target lacks hold none that need it.
pub(crate) struct BatchMove<'a> {
    pub(crate) storage: &'a mut Storage,
    from: TableId,
    /// Differs from `from`.
    target: Option<TableId>,
    /// The first of the target's rows that are filled at the end.
    first: usize,
    /// Invariant 1: entity `i` was in row `rows[i]` of `from` when it left, which then had one row less. Until the group is
    /// dropped the values are where they were, in both tables, whatever the lists of entities say.
    rows: [u32; GROUP],
    /// The number of entities that have left.
    left: usize,
    most: usize,
}

impl<'a> BatchMove<'a> {
    /// Nobody has left yet.
    ///
    /// # Safety
    /// Until the group is dropped nobody looks at the two tables otherwise, and no user code runs. The tables differ.
    /// Columns of `from` that the target has not, or all if there is no target, hold values that need not be dropped.
    pub(crate) unsafe fn new(
        storage: &'a mut Storage,
        from: TableId,
        target: Option<TableId>,
    ) -> Self {
        let table = target.map(|target| storage.table(target));
        Self {
            first: table.map_or(0, |table| table.len()),
            most: table.map_or(GROUP, |table| GROUP.min(table.capacity() - table.len())),
            storage,
            from,
            target,
            rows: [0; GROUP],
            left: 0,
        }
    }

    /// Whether the entity is in the table that is left, and the group has room for it.
    #[inline]
    pub(crate) fn fits(&self, entity: Entity) -> bool {
        let at = self.storage.entities.get(entity);
        self.left < self.most && at.is_some_and(|at| at.table == self.from)
    }

    /// Lets the entity leave; returns its row in the target.
    ///
    /// # Safety
    /// It [fits](Self::fits). If there is a target, the caller writes its new columns in the row before the next entity
    /// leaves; if not, it ends the id.
    #[inline]
    pub(crate) unsafe fn add(&mut self, entity: Entity) -> usize {
        let storage = &mut *self.storage;
        let at = storage.entities.get(entity).expect("it fits");
        let vacated = storage.tables[at.table as usize].vacate(at.row as usize);
        if let Some(filler) = vacated.filled_by {
            storage.entities.relocate(filler, at);
        }
        self.rows[self.left] = at.row;
        self.left += 1;
        let Some(table) = self.target else {
            return 0;
        };
        // SAFETY: there is room (`most`); the old columns follow when the group is dropped, the new ones are the caller's.
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
        let (rows, tables) = (&self.rows[..self.left], &mut self.storage.tables);
        let Some(target) = self.target else {
            // SAFETY: by invariant 1, and as the values that go need no drop.
            unsafe { tables[self.from as usize].close(rows) };
            return;
        };
        let pair = tables.get_disjoint_mut([self.from as usize, target as usize]);
        let [from, target] = pair.expect("two different tables");
        // SAFETY: by invariant 1, and as the values that do not go along need no drop. The target has these rows.
        unsafe { from.hand_over(rows, target, self.first) };
    }
}

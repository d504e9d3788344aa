//! Despawns entities with all their values.

use super::sparse::remove_sparse;
use super::{BATCH_SIZE, Frozen, NumberSet, Storage};
use crate::entity::{Entity, EntityMarks, Location, TableId};

impl Storage {
    /// Despawns all entities of a table.
    pub(crate) fn despawn_table(&mut self, table: TableId) {
        self.note_all_left(table, Self::EMPTY_TABLE);
        for row in 0..self.tables[table as usize].len() {
            let entity = self.tables[table as usize].entities()[row];
            self.remove_all_sparse(entity);
            self.entities.free(entity);
        }
        self.tables[table as usize].clear(&mut self.drops);
        self.note_rows_removed(table);
        self.run_drops();
    }

    /// Despawns an entity that has a row, and records which tracked components it loses.
    pub(crate) fn despawn_noted(&mut self, entity: Entity) {
        self.end(entity, &EntityMarks::default());
        self.run_drops();
    }

    /// Like [`despawn_noted`](Self::despawn_noted), but leaves the values to be [dropped](Self::run_drops) by the caller.
    /// `together` has the entities that are despawned with this one, and all that are despawned because of it.
    pub(crate) fn end(&mut self, entity: Entity, together: &EntityMarks) {
        if self.linked {
            let mut drops = self.take_drops();
            self.unlink_despawned(entity, together, &mut drops);
            self.drops = drops;
        }
        let at = self.entities.get(entity).expect("the entity has a row");
        self.note_left(entity, at.table, Self::EMPTY_TABLE);
        self.remove_entity(entity, at);
    }

    /// Despawns the entity at `at`, whose table is not tracked: frees its id and its row, and drops its values.
    #[inline]
    pub(crate) fn despawn(&mut self, entity: Entity, at: Location) {
        self.remove_entity(entity, at);
        self.run_drops();
    }

    #[inline(always)]
    fn remove_entity(&mut self, entity: Entity, at: Location) {
        let drops = &mut self.drops;
        let table = &mut self.tables[at.table as usize];
        let vacated = table.vacate(at.row as usize);
        if let Some(filler) = vacated.filled_by {
            self.entities.relocate(filler, at);
        }
        if vacated.leftovers == 0 {
            self.occupied.remove(at.table);
        }
        // The values come last because moving them takes the registers.
        self.entities.free(entity);
        // SAFETY: the row was just vacated. The callers run the drops before the table gets another row.
        unsafe { table.fill_vacated(at.row as usize, drops) };
        self.remove_all_sparse(entity);
    }

    /// Despawns the first entities of the list, as long as they are in `table`, at most [`BATCH_SIZE`] of them, and records
    /// which tracked components they lose. Returns their number.
    ///
    /// The result is the same as if they were despawned one by one, but values are moved, and left to be dropped, column by
    /// column.
    ///
    /// # Safety
    /// No entity of the list is an end of a relation. The caller [drops](Self::run_drops) the values before any table or sparse
    /// set gets another value.
    pub(crate) unsafe fn despawn_first(&mut self, list: &[Entity], table: TableId) -> usize {
        let mut rows = [0; BATCH_SIZE];
        let mut count = 0;
        let from = &mut self.tables[table as usize];
        for (&entity, place) in list.iter().zip(&mut rows) {
            let Some(at) = self.entities.get(entity).filter(|at| at.table == table) else {
                break;
            };
            let vacated = from.vacate(at.row as usize);
            if let Some(filler) = vacated.filled_by {
                self.entities.relocate(filler, at);
            }
            self.entities.free(entity);
            *place = at.row;
            count += 1;
        }
        let gone = &list[..count];
        // SAFETY: `rows` were vacated in this order. The drops are run in time by the caller's contract.
        unsafe { from.fill_gaps(&rows[..count], &mut self.drops) };
        self.note_rows_removed(table);
        for component in self.tables[table as usize].tracked() {
            let store = &mut self.components[component.index()];
            gone.iter().for_each(|&entity| store.note_removed(entity));
        }
        gone.iter()
            .for_each(|&entity| self.remove_all_sparse(entity));
        count
    }

    /// Removes all sparse values of an entity whose end has begun, and leaves them to be dropped. O(its sparse values).
    #[inline]
    fn remove_all_sparse(&mut self, entity: Entity) {
        let numbers = self.presence.take(entity);
        if !numbers.is_empty() {
            self.remove_numbers(numbers, entity);
        }
    }

    #[inline(never)]
    fn remove_numbers(&mut self, numbers: NumberSet, entity: Entity) {
        let mut list = numbers.list();
        while let Some(component) = list.next(&self.sparse) {
            let (groups, components) = (&mut self.groups, &mut self.components);
            remove_sparse(groups, components, component, entity, &mut self.drops);
        }
    }

    /// Returns true if despawning the entity, which is in the table, drops no value and notifies no observer.
    pub(crate) fn drops_silently(&mut self, entity: Entity, table: TableId) -> bool {
        if self.table(table).is_observed() || self.table(table).needs_drop() {
            return false;
        }
        let storage = Frozen::of(self);
        storage.sparse_of(entity).all(|component| {
            let store = storage.store(component);
            store.info.drop.is_none() || !store.set().contains(entity)
        })
    }

    /// Despawns all entities that have a row.
    pub(crate) fn clear(&mut self) {
        for id in 0..self.tables.len() {
            self.note_all_left(id as TableId, Self::EMPTY_TABLE);
            for &entity in self.tables[id].entities() {
                self.entities.free(entity);
            }
        }
        for &component in &self.sparse {
            self.components[component.index()].note_all_removed();
        }
        self.presence.clear();
        self.drop_values();
    }

    /// Empties all tables and sets, and drops their values.
    pub(super) fn drop_values(&mut self) {
        let mut drops = self.take_drops();
        self.groups.clear();
        for table in &mut self.tables {
            table.clear(&mut drops);
        }
        self.occupied.clear();
        for &component in &self.sparse {
            self.components[component.index()]
                .set_mut()
                .clear(&mut drops);
        }
        self.run(drops);
    }
}

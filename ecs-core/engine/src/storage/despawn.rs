//! Despawns entities with all their values.

use super::sparse::remove_sparse;
use super::{DropList, Frozen, Storage};
use crate::entity::{Entity, Location, TableId};

impl Storage {
    /// Despawns all entities of a table.
    pub(crate) fn despawn_table(&mut self, table: TableId) {
        let mut drops = self.take_drops();
        self.note_all_left(table, Self::EMPTY_TABLE);
        for &entity in self.tables[table as usize].entities() {
            for &component in &self.sparse {
                let (groups, components) = (&mut self.groups, &mut self.components);
                remove_sparse(groups, components, component, entity, &mut drops);
            }
            self.entities.free(entity);
        }
        self.tables[table as usize].clear(&mut drops);
        self.note_rows_removed(table);
        self.run(drops);
    }

    /// Despawns an entity that has a row, and records which tracked components it loses.
    pub(crate) fn despawn_noted(&mut self, entity: Entity) {
        let mut drops = self.take_drops();
        self.end(entity, &mut drops);
        self.run(drops);
    }

    /// Like [`despawn_noted`](Self::despawn_noted), but leaves the values to be dropped in `drops`.
    pub(crate) fn end(&mut self, entity: Entity, drops: &mut DropList) {
        if self.linked {
            self.unlink_all(entity, drops);
        }
        let at = self.entities.get(entity).expect("the entity has a row");
        self.note_left(entity, at.table, Self::EMPTY_TABLE);
        self.remove_entity(entity, at, drops);
    }

    /// Despawns the entity at `at`, whose table is not tracked: frees its id and its row, and drops its values.
    pub(crate) fn despawn(&mut self, entity: Entity, at: Location) {
        let mut drops = self.take_drops();
        self.remove_entity(entity, at, &mut drops);
        self.run(drops);
    }

    #[inline(always)]
    fn remove_entity(&mut self, entity: Entity, at: Location, drops: &mut DropList) {
        let table = &mut self.tables[at.table as usize];
        let vacated = table.vacate_and_drop(at.row as usize, drops);
        if let Some(filler) = vacated.filled_by {
            self.entities.relocate(filler, at);
        }
        if vacated.leftovers == 0 {
            self.occupied.remove(at.table);
        }
        for &component in &self.sparse {
            let (groups, components) = (&mut self.groups, &mut self.components);
            remove_sparse(groups, components, component, entity, drops);
        }
        self.entities.free(entity);
    }

    /// Returns true if despawning the entities of the table drops no value and notifies no observer.
    pub(crate) fn drops_silently(&mut self, table: TableId) -> bool {
        let storage = Frozen::of(self);
        let sparse = storage.sparse.iter();
        let mut sparse = sparse.map(|&component| storage.store(component));
        let table = storage.table(table);
        !table.is_observed()
            && !table.needs_drop()
            && sparse.all(|store| store.info.drop.is_none() || store.set().len() == 0)
    }

    /// Frees the id of an entity whose row was taken out, and moves its sparse values to `drops`.
    pub(crate) fn forget(&mut self, entity: Entity, table: TableId, drops: &mut DropList) {
        for component in self.tables[table as usize].tracked() {
            self.components[component.index()].note_removed(entity);
        }
        for &component in &self.sparse {
            let (groups, components) = (&mut self.groups, &mut self.components);
            remove_sparse(groups, components, component, entity, drops);
        }
        self.entities.free(entity);
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

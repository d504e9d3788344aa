//! Despawning entities.

use super::hooks::StructuralChange;
use super::{NoSuchEntity, World};
use crate::component::{ComponentId, Lifecycle};
use crate::entity::{Entity, TableId};
#[cfg(doc)]
use crate::storage::Storage;

impl World {
    /// Despawns an entity: its id is void from now on, and its components are dropped. Those that [go with
    /// it](crate::relation#when-the-target-goes) are despawned with it.
    ///
    /// O(components of the entity + registered sparse component types). The last entity of its table takes its row.
    ///
    /// # Errors
    /// If there is no such entity (any more).
    ///
    /// # Panics
    /// If the `Drop` of a component panics. The entity is gone even so, and its other components are dropped.
    pub fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        let at = self.storage.locate(entity).ok_or(NoSuchEntity { entity })?;
        if self.storage.table(at.table).is_plain() {
            self.storage.despawn(entity, at);
        } else {
            self.despawn_from(entity, at.table);
        }
        Ok(())
    }

    /// Despawns an entity from a table that is tracked or watched.
    #[inline(never)]
    fn despawn_from(&mut self, entity: Entity, table: TableId) {
        if !self.storage.table(table).is_watched() {
            self.storage.despawn_noted(entity);
            return;
        }
        if self.storage.can_despawn_silently(entity, table) {
            self.storage.despawn_noted(entity);
            return;
        }
        let mut verb = StructuralChange::new(self);
        verb.despawn(&[entity]);
        verb.settle();
    }
}

impl StructuralChange<'_> {
    /// Despawns the entities, and all that go with them: tells of all of them first, and drops their values last.
    pub(super) fn despawn(&mut self, entities: &[Entity]) {
        let doomed = self.world.storage.despawn_set(entities);
        if self.world.storage.is_any_leaving_watched() {
            for &entity in &doomed.entities {
                let storage = &self.world.storage;
                let at = storage.entities.get(entity).expect("it lives");
                let detached = storage.detached(entity, storage.links(), Some(&doomed.marks));
                self.before_despawn(entity, at.table);
                self.before_detach(detached);
            }
        }
        let storage = &mut self.world.storage;
        let mut drops = storage.take_drops();
        for &entity in &doomed.entities {
            storage.end(entity, &mut drops);
        }
        storage.run(drops);
    }

    /// Calls what waits for the removal of [`Target`](crate::Target)s, for sources that lose theirs. Hooks insert and remove
    /// immediate components at most, and no relation is one, so the list can be [made](Storage::detached) before other hooks of
    /// the same change are called.
    pub(super) fn before_detach(&mut self, detached: Vec<(Entity, ComponentId)>) {
        for (source, component) in detached {
            self.before_one(source, component, Lifecycle::Remove);
        }
    }
}

//! Despawning entities.

use super::hooks::StructuralChange;
use super::{NoSuchEntity, World};
use crate::component::{ComponentId, Lifecycle};
use crate::entity::{Entity, TableId};
#[cfg(doc)]
use crate::storage::Storage;

impl World {
    /// Despawns an entity: its id becomes invalid, and its components are dropped. Entities that
    /// [depend on it](crate::relation#when-the-target-goes) are despawned too.
    ///
    /// O(components of the entity). The last entity of its table takes its row.
    ///
    /// # Errors
    /// If there is no such entity (any more).
    ///
    /// # Panics
    /// If the `Drop` of a component panics. The entity is despawned even so, and its other components are dropped.
    pub fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        let at = self.storage.locate(entity).ok_or(NoSuchEntity { entity })?;
        if self.storage.table(at.table).is_plain() {
            self.storage.despawn(entity, at);
        } else {
            self.despawn_from(entity, at.table);
        }
        Ok(())
    }

    /// Despawns an entity from a table with tracked or observed components.
    #[inline(never)]
    fn despawn_from(&mut self, entity: Entity, table: TableId) {
        if !self.storage.table(table).is_observed() {
            self.storage.despawn_noted(entity);
            return;
        }
        if self.storage.can_despawn_silently(entity, table) {
            self.storage.despawn_noted(entity);
            return;
        }
        let mut change = StructuralChange::new(self);
        change.despawn(&[entity]);
        change.finish();
    }
}

impl StructuralChange<'_> {
    /// Despawns the entities, and all that depend on them. Calls the observers and hooks of all of them first, and drops
    /// their values last.
    pub(super) fn despawn(&mut self, entities: &[Entity]) {
        let despawn_set = self.world.storage.despawn_set(entities);
        if self.world.storage.is_leaving_observed() {
            for &entity in &despawn_set.entities {
                let storage = &self.world.storage;
                let at = storage.entities.get(entity).expect("the entity is alive");
                let orphaned = storage.orphaned_sources(
                    entity,
                    storage.sparse_of(entity),
                    Some(&despawn_set.marks),
                );
                self.before_despawn(entity, at.table);
                self.before_orphaned(orphaned);
            }
        }
        let storage = &mut self.world.storage;
        let mut drops = storage.take_drops();
        for &entity in &despawn_set.entities {
            storage.end(entity, &mut drops);
        }
        storage.run(drops);
    }

    /// Calls observers and hooks of the sources that are about to lose their only target. Hooks can only insert and remove
    /// immediate components, and relations are never immediate, so the list can be [collected](Storage::orphaned_sources) before
    /// other hooks of the same change are called.
    pub(super) fn before_orphaned(&mut self, orphaned: Vec<(Entity, ComponentId)>) {
        for (source, component) in orphaned {
            self.before_one(source, component, Lifecycle::Remove);
        }
    }
}

//! Despawning entities.

use super::hooks::Verb;
use super::{NoSuchEntity, World};
use crate::entity::{Entity, TableId};

impl World {
    /// Despawns an entity: its id is void from now on, and its components are dropped.
    ///
    /// O(components of the entity + sparse component types of the world). The last entity of its table takes its row.
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
        let mut verb = Verb::new(self);
        verb.before_despawn(entity, table);
        verb.world.storage.despawn_noted(entity);
        verb.settle();
    }
}

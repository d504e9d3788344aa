//! Despawning entities.

use super::{NoSuchEntity, World};
use crate::entity::Entity;

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
        self.storage.despawn(entity, at);
        Ok(())
    }
}

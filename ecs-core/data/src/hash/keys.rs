//! The keys of entities, which stand for their ids in a hash.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use ecs_engine::Entity;

/// The keys of the entities of a world.
#[derive(Default)]
pub(super) struct EntityKeys {
    pub(super) keys: HashMap<Entity, u64>,
    /// The entities without a key, if they are refused.
    pub(super) keyless: HashSet<Entity>,
    /// The first of these that was named.
    pub(super) named: Cell<Option<Entity>>,
}

/// The key of entities that do not exist, or are left out.
pub(super) const NO_ENTITY: u64 = 0;

impl EntityKeys {
    /// Returns the number that stands for an entity; `None` if it is one without a key.
    pub(super) fn of(&self, entity: Entity) -> Option<u64> {
        match self.keys.get(&entity) {
            Some(&key) => Some(key),
            None if self.keyless.contains(&entity) => {
                self.named.set(Some(entity));
                None
            }
            None => Some(NO_ENTITY),
        }
    }
}

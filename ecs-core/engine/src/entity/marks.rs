//! Sets of visited entities.

use super::Entity;
use crate::bits::Bits;

/// A set of entities that are alive, by index.
#[derive(Debug, Default)]
pub(crate) struct EntityMarks(Bits);

impl EntityMarks {
    /// Marks an entity; returns true if it was not marked.
    pub(crate) fn insert(&mut self, entity: Entity) -> bool {
        self.0.insert(entity.index() as usize)
    }

    /// Returns true if the entity is marked.
    pub(crate) fn contains(&self, entity: Entity) -> bool {
        self.0.contains(entity.index() as usize)
    }
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use super::*;

    #[test]
    fn each_entity_is_new_once() {
        let mut marks = EntityMarks::default();
        let entities = [0, 63, 64, 1000].map(|index| Entity::new(index, NonZeroU32::MIN));
        for entity in entities {
            assert!(!marks.contains(entity));
            assert!(marks.insert(entity));
            assert!(!marks.insert(entity) && marks.contains(entity));
        }
    }
}

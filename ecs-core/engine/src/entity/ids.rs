//! An allocator of entity ids without rows.

use core::fmt;

use super::{Entity, EntityTable, Location};

/// An allocator of entity ids for storages outside of the engine: the allocator of `World`, without rows.
///
/// The lowest free index is allocated first, and no id is allocated twice.
#[derive(Default)]
pub struct Ids {
    entities: EntityTable,
}

/// The location of all entities: there are no tables.
const NO_ROW: Location = Location { table: 0, row: 0 };

impl Ids {
    /// Allocates an id. O(1).
    ///
    /// # Panics
    /// If all 2^32 - 1 entity indices are in use.
    #[inline]
    pub fn alloc(&mut self) -> Entity {
        self.entities.alloc_at(NO_ROW)
    }

    /// Returns the index of an entity that is alive. O(1).
    #[inline]
    #[must_use]
    pub fn find(&self, entity: Entity) -> Option<u32> {
        self.entities.get(entity).map(|_| entity.index())
    }

    /// Returns the entity that is alive and has the index. O(1).
    #[inline]
    #[must_use]
    pub fn at(&self, index: u32) -> Option<Entity> {
        self.entities.placed_at(index)
    }

    /// Frees the id of an entity; does nothing if it is not alive. O(1).
    #[inline]
    pub fn free(&mut self, entity: Entity) {
        if self.find(entity).is_some() {
            self.entities.free(entity);
        }
    }

    /// Frees all ids. O(highest index).
    pub fn free_all(&mut self) {
        for index in 0..self.end() {
            if let Some(entity) = self.at(index) {
                self.entities.free(entity);
            }
        }
    }

    /// The number of entities that are alive.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entities.len()
    }

    /// Returns true if no entity is alive.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The upper bound of the indices in use.
    #[must_use]
    pub fn end(&self) -> u32 {
        self.entities.end()
    }
}

impl fmt::Debug for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} entities", self.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn an_index_retires_when_its_generations_are_used_up() {
        let mut ids = Ids {
            entities: EntityTable::with_max_generation(2),
        };
        let mut all = Vec::new();
        for _ in 0..6 {
            let id = ids.alloc();
            assert!(!all.contains(&id), "{id} was allocated twice");
            all.push(id);
            ids.free(id);
        }
        let indices: Vec<u32> = all.iter().map(|id| id.index()).collect();
        assert_eq!(indices, [0, 0, 1, 1, 2, 2]);
    }

    #[test]
    fn freeing_an_id_twice_or_a_foreign_one_does_nothing() {
        let mut ids = Ids::default();
        let (first, second) = (ids.alloc(), ids.alloc());
        ids.free(first);
        ids.free(first);
        ids.free(Entity::from_bits(1 << 32 | 7).unwrap());
        assert_eq!((ids.len(), ids.find(first)), (1, None));
        assert_eq!((ids.alloc().index(), ids.at(1)), (0, Some(second)));
        ids.free_all();
        assert!(ids.is_empty());
        assert_eq!(ids.find(second), None);
    }
}

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
#[path = "ids_tests.rs"]
mod tests;

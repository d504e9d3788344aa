//! The ids of a closed world.

use core::fmt;

use crate::entity::{Entities, Entity, Location};

/// The ids of a closed world: those of the engine, without rows.
#[doc(hidden)]
#[derive(Default)]
pub struct Ids {
    entities: Entities,
}

/// A closed world has no tables: every entity that lives is "placed" here.
const HERE: Location = Location { table: 0, row: 0 };

impl Ids {
    #[cfg(test)]
    pub(super) fn with_max_generation(max_generation: u32) -> Self {
        Self {
            entities: Entities::with_max_generation(max_generation),
        }
    }

    #[inline]
    pub(super) fn issue(&mut self) -> Entity {
        self.entities.alloc_at(HERE)
    }

    /// The index of an entity that lives.
    #[inline]
    #[must_use]
    pub fn find(&self, entity: Entity) -> Option<u32> {
        self.entities.get(entity).map(|_| entity.index())
    }

    /// The entity that lives and has the index.
    #[inline]
    pub(super) fn at(&self, index: u32) -> Option<Entity> {
        self.entities.placed_at(index)
    }

    /// Ends an entity; one that does not live is ignored.
    #[inline]
    pub fn free(&mut self, entity: Entity) {
        if self.find(entity).is_some() {
            self.entities.free(entity);
        }
    }

    /// Ends all entities.
    pub fn free_all(&mut self) {
        for index in 0..self.entities.end() {
            if let Some(entity) = self.at(index) {
                self.entities.free(entity);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.entities.len()
    }

    /// The number of pages that all indices need.
    pub(super) fn pages(&self) -> usize {
        (self.entities.end() as usize).div_ceil(super::pages::ROWS)
    }

    /// Which indices of a page live.
    pub(super) fn word(&self, page: usize) -> u64 {
        let first = (page * super::pages::ROWS) as u32;
        (0..super::pages::ROWS as u32).fold(0, |word, row| {
            word | u64::from(self.at(first + row).is_some()) << row
        })
    }
}

impl fmt::Debug for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} entities", self.len())
    }
}

//! Sets of visited entities.

use super::Entity;
use crate::bits::Bits;

/// The most entities that are searched one after the other.
const FEW: usize = 16;

/// A set of entities that are alive, by index. Bits for each index of a large world would cost more than most walks, and an
/// allocation more than most despawns.
#[derive(Debug)]
pub(crate) enum EntityMarks {
    /// The indices, and how many of them are in the set.
    Few([u32; FEW], usize),
    Many(Bits),
}

impl Default for EntityMarks {
    fn default() -> Self {
        Self::Few([0; FEW], 0)
    }
}

impl EntityMarks {
    /// Marks an entity; returns true if it was not marked.
    pub(crate) fn insert(&mut self, entity: Entity) -> bool {
        let index = entity.index();
        match self {
            Self::Few(few, len) if few[..*len].contains(&index) => false,
            Self::Few(few, len) => {
                if let Some(free) = few.get_mut(*len) {
                    (*free, *len) = (index, *len + 1);
                    return true;
                }
                let mut bits = Bits::default();
                for &index in few.iter() {
                    bits.insert(index as usize);
                }
                *self = Self::Many(bits);
                self.insert(entity)
            }
            Self::Many(bits) => bits.insert(index as usize),
        }
    }

    /// Returns true if the entity is marked.
    pub(crate) fn contains(&self, entity: Entity) -> bool {
        let index = entity.index();
        match self {
            Self::Few(few, len) => few[..*len].contains(&index),
            Self::Many(bits) => bits.contains(index as usize),
        }
    }
}

#[cfg(test)]
#[path = "marks_tests.rs"]
mod tests;

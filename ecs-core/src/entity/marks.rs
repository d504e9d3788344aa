//! Which entities were seen.

use super::Entity;

/// A set of living entities, by index: a bit for each.
#[derive(Debug, Default)]
pub(crate) struct Marks(Vec<u64>);

impl Marks {
    /// Marks an entity; says whether it was not.
    pub(crate) fn insert(&mut self, entity: Entity) -> bool {
        let (word, bit) = place(entity);
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        let is_new = self.0[word] & bit == 0;
        self.0[word] |= bit;
        is_new
    }

    /// Whether the entity is marked.
    pub(crate) fn contains(&self, entity: Entity) -> bool {
        let (word, bit) = place(entity);
        word < self.0.len() && self.0[word] & bit != 0
    }
}

fn place(entity: Entity) -> (usize, u64) {
    let index = entity.index();
    (index as usize / 64, 1 << (index % 64))
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use super::*;

    #[test]
    fn each_is_new_once() {
        let mut marks = Marks::default();
        let entities = [0, 63, 64, 1000].map(|index| Entity::new(index, NonZeroU32::MIN));
        for entity in entities {
            assert!(!marks.contains(entity));
            assert!(marks.insert(entity));
            assert!(!marks.insert(entity) && marks.contains(entity));
        }
    }
}

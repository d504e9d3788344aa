//! Entities by their numbers in a file.

use ecs_engine::Entity;
use ecs_engine::entity::session::{ByIndex, IdForm, Others, Session};

/// Entities with numbers, in the order of a list.
#[derive(Default)]
pub(crate) struct EntityNumbers {
    /// The entities by number.
    pub(crate) entities: Vec<Entity>,
    by_index: NumberLookup,
}

/// The numbers by the entities' indices.
enum NumberLookup {
    /// One for each index; indices without one have any number.
    Dense(Vec<u32>),
    /// Indices and numbers, sorted.
    Sorted(Vec<(u32, u32)>),
}

/// The largest number of indices per entity that still get a number for each index.
const DENSE: usize = 16;

impl Default for NumberLookup {
    fn default() -> Self {
        Self::Dense(Vec::new())
    }
}

impl NumberLookup {
    fn get(&self) -> ByIndex<'_> {
        match self {
            Self::Dense(numbers) => ByIndex::Dense(numbers),
            Self::Sorted(pairs) => ByIndex::Sorted(pairs),
        }
    }
}

impl EntityNumbers {
    /// Numbers distinct entities. O(entities), or O(entities log entities) for few entities with high indices.
    pub(crate) fn new(entities: Vec<Entity>) -> Self {
        let indices = entities.iter().map(|entity| entity.index());
        let end = indices
            .clone()
            .max()
            .map_or(0, |highest| highest as usize + 1);
        let numbered = indices.zip(0..);
        let by_index = if end / DENSE <= entities.len() {
            let mut numbers = vec![0; end];
            for (index, number) in numbered {
                numbers[index as usize] = number;
            }
            NumberLookup::Dense(numbers)
        } else {
            let mut pairs: Vec<(u32, u32)> = numbered.collect();
            pairs.sort_unstable();
            NumberLookup::Sorted(pairs)
        };
        Self { entities, by_index }
    }

    /// Returns the number of an entity; `None` if it has none. O(1), or O(log entities) for few entities with high indices.
    pub(crate) fn of(&self, entity: Entity) -> Option<u32> {
        let number = self.by_index.get().of(entity.index())?;
        (self.entities.get(number as usize) == Some(&entity)).then_some(number)
    }

    /// Returns a session that writes ids as numbers.
    pub(crate) fn session<'a>(&'a self, others: Others<'a>) -> Session<'a> {
        Session::new(IdForm::Numbered {
            entities: &self.entities,
            numbers: self.by_index.get(),
            others,
        })
    }
}

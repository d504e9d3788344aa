//! Entities by number, as they are written.

use ecs_engine::Entity;
use ecs_engine::entity::session::{DeadIds, Ids, Others, Session};

/// Entities with numbers, in the order of a list.
#[derive(Default)]
pub(crate) struct Numbers {
    /// The entities by number.
    pub(crate) entities: Vec<Entity>,
    /// The number by the entity's index; any for those without one.
    by_index: Vec<u32>,
    /// The numbers of entities that have none, where values name them.
    pub(crate) dead: DeadIds,
}

impl Numbers {
    /// Numbers entities, which differ. O(highest index).
    pub(crate) fn new(entities: Vec<Entity>) -> Self {
        let indices = entities.iter().map(|entity| entity.index() as usize);
        let mut by_index = vec![0; indices.max().map_or(0, |highest| highest + 1)];
        for (number, entity) in entities.iter().enumerate() {
            by_index[entity.index() as usize] = number as u32;
        }
        Self {
            entities,
            by_index,
            dead: DeadIds::default(),
        }
    }

    /// Returns the number of an entity; `None` if it has none. O(1).
    pub(crate) fn of(&self, entity: Entity) -> Option<u32> {
        let number = *self.by_index.get(entity.index() as usize)?;
        (self.entities.get(number as usize) == Some(&entity)).then_some(number)
    }

    /// Returns a session in which ids are written as numbers.
    pub(crate) fn session<'a>(&'a self, others: Others<'a>) -> Session<'a> {
        Session::new(Ids::Numbered {
            entities: &self.entities,
            numbers: &self.by_index,
            others,
        })
    }
}

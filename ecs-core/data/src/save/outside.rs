//! Entities that are not saved, and that those which are saved name.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use ecs_engine::Entity;
use ecs_engine::entity::session::{Others, Session};

use super::Dangling;
use crate::Value;
use crate::numbers::Numbers;

/// The function that returns the key of an entity.
pub(super) type Mapper<'w> = Arc<dyn Fn(Entity) -> Option<Value> + Send + Sync + 'w>;

/// The entities that are not saved, with the numbers that follow those of the others.
pub(super) struct Outside<'a> {
    mapper: Option<&'a Mapper<'a>>,
    dangling: Dangling,
    numbers: &'a Numbers,
    known: RefCell<Known>,
}

#[derive(Default)]
struct Known {
    numbers: HashMap<Entity, u32>,
    keys: Vec<Value>,
}

impl<'a> Outside<'a> {
    pub(super) fn new(
        mapper: Option<&'a Mapper<'a>>,
        dangling: Dangling,
        numbers: &'a Numbers,
    ) -> Self {
        Self {
            mapper,
            dangling,
            numbers,
            known: RefCell::default(),
        }
    }

    /// Returns the number of an entity, a dead one if it is left out, or `None` if it is refused.
    pub(super) fn number(&self, entity: Entity) -> Option<u32> {
        let known = self.known.borrow().numbers.get(&entity).copied();
        if known.is_some() {
            return known;
        }
        // Nothing is borrowed, as this runs code of users.
        let key = self.mapper.and_then(|mapper| mapper(entity));
        let Some(key) = key else {
            return match self.dangling {
                Dangling::Refuse => None,
                Dangling::Dead => Some(self.numbers.dead.number(entity)),
            };
        };
        let mut known = self.known.borrow_mut();
        let Known { numbers, keys } = &mut *known;
        Some(*numbers.entry(entity).or_insert_with(|| {
            keys.push(key);
            (self.numbers.entities.len() + keys.len() - 1) as u32
        }))
    }

    /// Returns the keys so far, in the order of the numbers.
    pub(super) fn keys(&self) -> Vec<Value> {
        self.known.borrow().keys.clone()
    }
}

/// Returns a session in which ids are written as numbers.
pub(super) fn session<'a>(
    numbers: &'a Numbers,
    number: &'a dyn Fn(Entity) -> Option<u32>,
) -> Session<'a> {
    numbers.session(Others::Numbered(number))
}

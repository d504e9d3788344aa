//! Entities that are not saved, but named by saved ones.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use ecs_engine::Entity;
use ecs_engine::entity::session::{Others, Session};

use super::Dangling;
use crate::Value;
use crate::numbers::EntityNumbers;

/// The function that returns the key of an entity.
pub(super) type Mapper<'w> = Arc<dyn Fn(Entity) -> Option<Value> + Send + Sync + 'w>;

/// The entities that are not saved, numbered after the others.
pub(super) struct SaveOutside<'a> {
    mapper: Option<&'a Mapper<'a>>,
    dangling: Dangling,
    pub(super) numbers: &'a EntityNumbers,
    known: RefCell<KnownOutside>,
}

#[derive(Default)]
struct KnownOutside {
    /// The numbers of entities with keys.
    with_keys: HashMap<Entity, u32>,
    /// The numbers of entities that are saved as dead.
    dead: HashMap<Entity, u32>,
    /// The keys by number; null for entities that are saved as dead.
    keys: Vec<Value>,
}

impl<'a> SaveOutside<'a> {
    pub(super) fn new(
        mapper: Option<&'a Mapper<'a>>,
        dangling: Dangling,
        numbers: &'a EntityNumbers,
    ) -> Self {
        Self {
            mapper,
            dangling,
            numbers,
            known: RefCell::default(),
        }
    }

    /// Returns the number of an entity that a value names, or `None` if it is refused.
    pub(super) fn number(&self, entity: Entity) -> Option<u32> {
        let with_key = self.with_key(entity);
        with_key.or_else(|| (self.dangling == Dangling::Dead).then(|| self.dead(entity)))
    }

    /// Returns the number of the target of an edge, [`LEFT_OUT`] if edges to it are left out, or `None` if they are refused.
    pub(super) fn target(&self, entity: Entity) -> Option<u32> {
        let with_key = self.with_key(entity);
        with_key.or((self.dangling == Dangling::Dead).then_some(LEFT_OUT))
    }

    /// Returns the number of an entity that is saved as dead, because it has no key.
    pub(super) fn dead(&self, entity: Entity) -> u32 {
        let mut known = self.known.borrow_mut();
        let KnownOutside { dead, keys, .. } = &mut *known;
        *dead
            .entry(entity)
            .or_insert_with(|| self.next(keys, Value::Null))
    }

    fn with_key(&self, entity: Entity) -> Option<u32> {
        let mapper = self.mapper?;
        let known = self.known.borrow().with_keys.get(&entity).copied();
        if known.is_some() {
            return known;
        }
        // Nothing is borrowed, because this runs user code.
        let key = mapper(entity)?;
        let mut known = self.known.borrow_mut();
        let KnownOutside {
            with_keys, keys, ..
        } = &mut *known;
        let number = with_keys.entry(entity);
        Some(*number.or_insert_with(|| self.next(keys, key)))
    }

    fn next(&self, keys: &mut Vec<Value>, key: Value) -> u32 {
        keys.push(key);
        (self.numbers.entities.len() + keys.len() - 1) as u32
    }

    /// Returns the keys so far, in the order of the numbers: null for entities without one, and an empty list if no entity has
    /// a key.
    pub(super) fn keys(&self) -> Vec<Value> {
        let known = self.known.borrow();
        if known.with_keys.is_empty() {
            return Vec::new();
        }
        known.keys.clone()
    }

    /// Returns the numbers and ids of the entities that have been saved as dead so far, in the order of the numbers.
    pub(super) fn dead_ids(&self) -> Vec<(u32, Entity)> {
        let known = self.known.borrow();
        let mut all: Vec<_> = known
            .dead
            .iter()
            .map(|(&id, &number)| (number, id))
            .collect();
        all.sort_unstable();
        all
    }
}

/// Stands for an entity without a number.
pub(crate) const LEFT_OUT: u32 = u32::MAX;

/// Returns a session that writes ids as numbers.
pub(super) fn session<'a>(
    numbers: &'a EntityNumbers,
    number: &'a dyn Fn(Entity) -> Option<u32>,
) -> Session<'a> {
    numbers.session(Others::Numbered(number))
}

//! Items of several entities at once.

use core::any::type_name;
use core::fmt;

use super::engine::Joined;
use super::fetch::{Fetch, Filter};
use crate::entity::Entity;

/// The items of two entities; see [`JoinMut::get_pair_mut`](super::JoinMut::get_pair_mut).
#[inline]
pub(super) fn pair<'a, T: Fetch<'a>, F: Filter<'a>>(
    join: Joined<'a, T, F>,
    a: Entity,
    b: Entity,
) -> (Option<T::Item>, Option<T::Item>) {
    // SAFETY: the join came by value, so no item of it is alive.
    let first = unsafe { join.find(a) };
    if a == b {
        return (first, None);
    }
    // SAFETY: as above but for the item of `a`, which is another entity: of two ids that differ in the generation alone
    // at most one is placed, and values belong to placed entities.
    let second = unsafe { join.find(b) };
    (first, second)
}

/// The items of `N` entities; see [`JoinMut::get_many_mut`](super::JoinMut::get_many_mut).
#[inline]
pub(super) fn many<'a, T: Fetch<'a>, F: Filter<'a>, const N: usize>(
    join: Joined<'a, T, F>,
    entities: [Entity; N],
) -> Result<[T::Item; N], ManyError> {
    for (i, &entity) in entities.iter().enumerate() {
        if entities[..i].contains(&entity) {
            return Err(ManyError::Duplicate { entity });
        }
    }
    // SAFETY: the join came by value, so no item of it is alive, and the entities differ (see `pair`).
    let items = entities.map(|entity| unsafe { join.find(entity) });
    match items.iter().position(Option::is_none) {
        None => Ok(items.map(|item| item.expect("no item is missing"))),
        Some(missing) => Err(missing_item(&join, entities[missing])),
    }
}

#[cold]
fn missing_item<'a, T: Fetch<'a>, F>(join: &Joined<'a, T, F>, entity: Entity) -> ManyError {
    let lives = |storage: &crate::storage::Storage| storage.entities.contains(entity);
    if join.storage.is_none_or(lives) {
        let items = type_name::<T::Item>();
        ManyError::Mismatch { entity, items }
    } else {
        ManyError::NoSuchEntity { entity }
    }
}

/// Not all items could be given out; see [`JoinMut::get_many_mut`](super::JoinMut::get_many_mut).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManyError {
    /// An entity does not live.
    NoSuchEntity {
        /// The entity.
        entity: Entity,
    },
    /// An entity lives, and lacks a component or does not pass the filter.
    Mismatch {
        /// The entity.
        entity: Entity,
        /// The type of the items that were asked for.
        items: &'static str,
    },
    /// An entity was named twice.
    Duplicate {
        /// The entity.
        entity: Entity,
    },
}

impl fmt::Display for ManyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchEntity { entity } => write!(
                f,
                "entity {entity} does not live (any more); check `contains` or drop its id when it is despawned"
            ),
            Self::Mismatch { entity, items } => write!(
                f,
                "entity {entity} does not match: it lacks a component of `{items}`, or does not pass the filter"
            ),
            Self::Duplicate { entity } => write!(
                f,
                "entity {entity} was named twice, and two items of one entity would alias; name each once"
            ),
        }
    }
}

impl core::error::Error for ManyError {}

//! Items of several entities at once.

use core::fmt;

use super::engine::Joined;
use super::fetch::{Fetch, Filter};
use crate::entity::Entity;
use crate::type_name::type_name;

/// Returns the items of two entities; see [`JoinMut::get_pair_mut`](super::JoinMut::get_pair_mut).
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
    // SAFETY: the join came by value, so no item is alive but `a`'s. `b` is another entity: at most one of two ids that
    // differ only in the generation is placed, and values belong to placed entities.
    let second = unsafe { join.find(b) };
    (first, second)
}

/// Returns the items of `N` entities; see [`JoinMut::get_many_mut`](super::JoinMut::get_many_mut).
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
    // SAFETY: the join came by value, so no item of it is alive before, and the entities differ, so that they have no
    // value in common (see `pair`).
    let items = entities.map(|entity| unsafe { join.find(entity) });
    match items.iter().position(Option::is_none) {
        None => Ok(items.map(|item| item.expect("no item is missing"))),
        Some(missing) => Err(missing_item(&join, entities[missing])),
    }
}

#[cold]
fn missing_item<'a, T: Fetch<'a>, F>(join: &Joined<'a, T, F>, entity: Entity) -> ManyError {
    let is_alive = |storage: &crate::storage::Storage| storage.entities.contains(entity);
    if join.storage.is_none_or(is_alive) {
        let items = type_name::<T::Item>();
        ManyError::Mismatch { entity, items }
    } else {
        ManyError::NoSuchEntity { entity }
    }
}

/// The error if not all items can be returned; see [`JoinMut::get_many_mut`](super::JoinMut::get_many_mut).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManyError {
    /// An entity is not alive.
    NoSuchEntity {
        /// The entity.
        entity: Entity,
    },
    /// An entity is alive, but lacks a component or does not pass the filter.
    Mismatch {
        /// The entity.
        entity: Entity,
        /// The type of the requested items.
        items: &'static str,
    },
    /// An entity is listed twice.
    Duplicate {
        /// The entity.
        entity: Entity,
    },
}

impl fmt::Display for ManyError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchEntity { entity } => write!(
                f,
                "entity {entity} is not alive; help: check `contains` first, or drop the id when the entity is despawned"
            ),
            Self::Mismatch { entity, items } => write!(
                f,
                "entity {entity} does not match: it lacks a component of `{items}` or does not pass the filter"
            ),
            Self::Duplicate { entity } => write!(
                f,
                "entity {entity} is listed twice, and its items would alias; help: list each entity once"
            ),
        }
    }
}

impl core::error::Error for ManyError {}

//! Entities that move from one world to another, with all their values.
//!
//! [`World::take_rows`](crate::World::take_rows) takes entities out of a world, column by column, and
//! [`World::put_rows`](crate::World::put_rows) adds them to another one, or to the same one later. Nothing is cloned, and no hook
//! and no observer is called: for the program the entities have only changed their place. The cost depends on the entities that
//! move, and not on the worlds.
//!
//! ```
//! use std::collections::HashMap;
//! use ecs_core::prelude::*;
//!
//! /// The id of an entity in all worlds.
//! #[derive(Component, Clone, Copy)]
//! struct Gid(u64);
//! #[derive(Component, Debug, PartialEq)]
//! struct Cargo(String);
//! #[derive(Relation)]
//! struct Follows;
//!
//! let (mut east, mut west) = (World::new(), World::new());
//! let leader = east.spawn(Gid(1));
//! let wagon = east.spawn((Gid(2), Cargo("wheat".into()), Follows.to(leader)));
//!
//! // The wagon crosses the border, and the leader stays behind.
//! let rows = east.take_rows(&[wagon], |world, entity| world.get::<Gid>(entity).map(|gid| gid.0))?;
//! assert!(!east.contains(wagon));
//!
//! let mut known: HashMap<u64, Entity> = HashMap::new();
//! let put = west.put_rows(rows, |gid| known.get(&gid).copied())?;
//! let wagon = put.entities[0];
//! known.insert(2, wagon);
//! known.extend(put.stubs);
//! assert_eq!(*west.get::<Cargo>(wagon).unwrap(), Cargo("wheat".into()));
//! assert!(west.is_related::<Follows>(wagon, known[&1]), "the leader is a stub here");
//!
//! // The leader comes too, and is no longer a stub.
//! let rows = east.take_rows(&[leader], |world, entity| world.get::<Gid>(entity).map(|gid| gid.0))?;
//! let put = west.put_rows(rows, |gid| known.get(&gid).copied())?;
//! assert_eq!(put.entities, [known[&1]]);
//! assert_eq!(west.get::<Gid>(known[&1]).unwrap().0, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What travels
//! | | in the other world |
//! |---|---|
//! | components of all kinds: in tables and sparse sets, tags, toggles, [`Disabled`](crate::Disabled), dynamic ones, and types that are neither data nor `Clone` | the same values |
//! | edges from an entity that moves | the same edges; see below for targets that stay behind |
//! | the order of a target's sources, among those that move together | the same; after the sources that the target has already |
//! | ticks of tracked components | the same [age](#ticks) |
//! | ids in values of components and relations that are data | the entity that the other world knows by the same key |
//! | ids in other values | unchanged, so they name nothing, or another entity |
//! | [groups](crate::world::Group) and [immediate](crate::ImmediateComponent) components | as the other world has them |
//!
//! To translate the ids in a value, serde writes and reads it, as for a clone: a field that serde skips gets its default. A value
//! without ids, or of a type that is not data, is moved.
//!
//! An entity with [observers of its own](crate::World::observe_on) does not move: they belong to its world.
//!
//! # Keys
//! Ids mean nothing in another world, so entities travel under keys: numbers that the program gives them. `take_rows` asks for the
//! key of each entity that moves, and of each that stays and is named by one that moves. `put_rows` asks which entity has a key.
//! If there is none, it makes one: the entity that moves, or a *stub* for an entity that is elsewhere. A later
//! `put_rows` turns the stub into the entity, which keeps its id, so that edges and ids that lead to it stay right.
//! An id that names nothing in the first world gets a new id that names nothing in the other one.
//!
//! [`World::take_rows_leaving_stubs`](crate::World::take_rows_leaving_stubs) leaves such stubs in the world that the entities leave.
//!
//! A stub has the components that the program gives to it by its key, such as the key itself and a marker:
//! [`World::put_rows_with_stubs`](crate::World::put_rows_with_stubs) takes the same function, and `put_rows` makes stubs without
//! components. So a stub has a name, a hash [by the key](crate::rows) counts what names it, and queries can leave it out. When the
//! stub becomes the entity, these components are dropped. No hook is called for them, and what they require is not added.
//!
//! # Ticks
//! A value keeps its age: if 30 ticks of the first world have passed since its last change, the other world treats it as changed
//! 30 of its ticks ago. A world counts the locks of tracked data, so worlds that run the same systems count the same, and each
//! system sees the changes that it would have seen without the move. A value that is older than the other world counts as changed
//! at its beginning. [`Rows::forget_ticks`] makes all values count as added when they are put, as if they were spawned.
//!
//! Nothing counts as [removed](crate::Removed). Everything that follows a component by its changes (indexes, replication, cached
//! hashes) notices by [`World::restores`](crate::World::restores) that values have come or gone, and starts anew.
//! What hooks keep up to date elsewhere, such as a map in a resource, the program updates itself.

mod error;
mod found;
mod ids;
mod named;
#[doc(hidden)]
pub mod parts;
mod put;
mod stubs;
mod take;

use alloc::vec::Vec;
use core::fmt;

use crate::component::ComponentId;
use crate::entity::Entity;
use crate::staging::{Staged, StagedPlace};

pub use error::{PutRowsError, PutRowsReason, TakeRowsError};
pub use put::PutRows;

/// Entities on their way from one world to another, with all their values; from [`World::take_rows`](crate::World::take_rows).
///
/// It owns the values, and drops them unless they are put into a world.
pub struct Rows {
    /// Invariant 1: the entities that move, and no others.
    staged: Staged,
    /// The id and the key of each entity.
    entities: Vec<(Entity, u64)>,
    /// The entities that stay and are named by those that move.
    outside: Vec<OutsideEntity>,
    /// The columns whose values name entities.
    with_ids: Vec<StagedPlace>,
}

/// An entity that does not move, and is named by one that does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct OutsideEntity {
    /// The id in the world that the rows come from.
    id: Entity,
    /// The key; none if the entity did not exist.
    key: Option<u64>,
}

impl Rows {
    /// Returns the number of entities.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.entities.len()
    }

    /// Returns true if there are no entities.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entities.is_empty()
    }

    /// Iterates over the keys of the entities, in their order.
    #[inline]
    pub fn keys(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.entities.iter().map(|&(_, key)| key)
    }

    /// Iterates over the keys of the entities that do not move, and are named by those that do.
    #[inline]
    pub fn outside(&self) -> impl Iterator<Item = u64> + '_ {
        self.outside.iter().filter_map(|outside| outside.key)
    }

    /// Returns the components, each once, and those of the sources of relations.
    #[must_use]
    #[inline]
    pub fn components(&self) -> Vec<ComponentId> {
        self.staged.components()
    }

    /// Makes all values count as added at the time when they are put, instead of [keeping their age](self#ticks).
    #[inline]
    pub fn forget_ticks(&mut self) {
        self.staged.forget_ages();
    }
}

impl fmt::Debug for Rows {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows")
            .field("entities", &self.entities.len())
            .field("components", &self.components())
            .finish_non_exhaustive()
    }
}

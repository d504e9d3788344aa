//! The reasons why rows cannot be taken or put.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use super::Rows;
use crate::entity::Entity;
use crate::staging::StageError;

/// The reason why entities cannot be taken out of a world. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TakeRowsError {
    /// An entity of the list does not exist.
    NoEntity {
        /// The entity.
        entity: Entity,
    },
    /// An entity is in the list twice.
    Twice {
        /// The entity.
        entity: Entity,
    },
    /// There is no key for an entity.
    NoKey {
        /// The entity.
        entity: Entity,
        /// The component or relation whose values name it, unless the entity itself is in the list.
        named_by: Option<&'static str>,
    },
    /// Two entities have the same key.
    KeyTwice {
        /// The key.
        key: u64,
        /// The entities.
        entities: [Entity; 2],
    },
    /// An entity that stays is related to one that goes.
    Related {
        /// The entity that stays.
        source: Entity,
        /// The entity that goes.
        target: Entity,
        /// The name of the relation.
        relation: &'static str,
    },
    /// Observers are registered on the entity, and belong to its world.
    Observed {
        /// The entity.
        entity: Entity,
    },
    /// A value that may name entities cannot be written.
    Value {
        /// The entity that has it; the source, if it is the value of an edge.
        entity: Option<Entity>,
        /// The name of the component or relation.
        name: &'static str,
        /// The message of its `Serialize`.
        message: String,
    },
    /// The components of stubs do not fit together or into the world.
    Stub(StageError),
}

impl fmt::Display for TakeRowsError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEntity { entity } => write!(f, "there is no entity {entity} to take"),
            Self::Twice { entity } => write!(f, "the entity {entity} is in the list twice"),
            Self::NoKey {
                entity,
                named_by: None,
            } => write!(
                f,
                "there is no key for the entity {entity}, which is to be taken; help: return `Some` key for it"
            ),
            Self::NoKey {
                entity,
                named_by: Some(name),
            } => write!(
                f,
                "there is no key for the entity {entity}, which stays, and `{name}` of an entity to be taken names it; help: return `Some` key for it, or take it along"
            ),
            Self::KeyTwice {
                key,
                entities: [one, other],
            } => write!(f, "the entities {one} and {other} have the same key {key}"),
            Self::Related {
                source,
                target,
                relation,
            } => write!(
                f,
                "the entity {source} stays, and `{relation}` relates it to {target}, which is to be taken; help: take both, unrelate them, or call `take_rows_leaving_stubs`"
            ),
            Self::Observed { entity } => write!(
                f,
                "observers are registered on the entity {entity}, and cannot leave the world with it; help: call `World::unobserve` for them, or leave the entity"
            ),
            Self::Value {
                entity: Some(entity),
                name,
                message,
            } => write!(f, "`{name}` of the entity {entity}: {message}"),
            Self::Value { name, message, .. } => write!(f, "`{name}`: {message}"),
            Self::Stub(error) => write!(f, "the entities cannot leave stubs: {error}"),
        }
    }
}

impl core::error::Error for TakeRowsError {}

/// Rows cannot be put into a world. The world has not changed, but may know more components now. The error has the rows.
pub struct PutRowsError {
    rows: Box<Rows>,
    reason: PutRowsReason,
}

impl PutRowsError {
    #[inline]
    pub(super) fn new(rows: Rows, reason: PutRowsReason) -> Self {
        let rows = Box::new(rows);
        Self { rows, reason }
    }

    /// Returns the reason.
    #[inline]
    #[must_use]
    pub fn reason(&self) -> &PutRowsReason {
        &self.reason
    }

    /// Returns the unchanged rows: to put them elsewhere, or back into their world.
    #[inline]
    #[must_use]
    pub fn into_rows(self) -> Rows {
        *self.rows
    }
}

impl fmt::Debug for PutRowsError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PutRowsError")
            .field("reason", &self.reason)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for PutRowsError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(f)
    }
}

impl core::error::Error for PutRowsError {}

/// The reason why rows cannot be put into a world.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PutRowsReason {
    /// The entity that has the key of a row already has components that stubs do not have, so it is not a stub.
    NoStub {
        /// The key.
        key: u64,
        /// The entity.
        entity: Entity,
    },
    /// The entity that is said to have a key does not exist.
    NoEntity {
        /// The key.
        key: u64,
        /// The entity.
        entity: Entity,
    },
    /// One entity is said to have two keys.
    EntityTwice {
        /// The keys.
        keys: [u64; 2],
        /// The entity.
        entity: Entity,
    },
    /// A value that names entities cannot be read.
    Value {
        /// The key of the entity that has it; the source, if it is the value of an edge.
        key: Option<u64>,
        /// The name of the component or relation.
        name: &'static str,
        /// The message of its `Deserialize`.
        message: String,
    },
    /// The entities do not fit into the world: a relation would have a cycle, or there is no room. Entities have the numbers
    /// of their places among the rows, and stubs follow them.
    Stage(StageError),
}

impl fmt::Display for PutRowsReason {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoStub { key, entity } => write!(
                f,
                "the entity {entity} has the key {key} of a row, and has components already; help: despawn it first, call `put_rows_with_stubs` if these are the components of stubs, or return `None` for keys of entities that are not stubs"
            ),
            Self::NoEntity { key, entity } => write!(
                f,
                "there is no entity {entity}, which is said to have the key {key}"
            ),
            Self::EntityTwice {
                keys: [one, other],
                entity,
            } => write!(
                f,
                "the entity {entity} is said to have the key {one} and the key {other}"
            ),
            Self::Value {
                key: Some(key),
                name,
                message,
            } => write!(f, "`{name}` of the entity with the key {key}: {message}"),
            Self::Value { name, message, .. } => write!(f, "`{name}`: {message}"),
            Self::Stage(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for PutRowsReason {}

//! The reasons why a world is not sent, or a packet is refused.

use std::fmt;

use ecs_engine::Entity;
use ecs_engine::relation::RelateError;
use ecs_engine::staging::StageError;
use ecs_engine::world::BorrowError;

use super::ClientId;
use crate::file::FileError;
use crate::save::fmt_value;

/// The reason why an update has not found all changes.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReplicateError {
    /// A component is borrowed for writing.
    Borrow(BorrowError),
    /// A value cannot be written.
    Value {
        /// The entity that has it.
        entity: Entity,
        /// The name of the component or relation.
        name: &'static str,
        /// The message of its `Serialize`.
        message: String,
    },
}

impl fmt::Display for ReplicateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Borrow(error) => error.fmt(f),
            Self::Value {
                entity,
                name,
                message,
            } => fmt_value(f, Some(*entity), name, message),
        }
    }
}

impl std::error::Error for ReplicateError {}

impl From<BorrowError> for ReplicateError {
    fn from(error: BorrowError) -> Self {
        Self::Borrow(error)
    }
}

/// The client does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchClient {
    /// The client.
    pub client: ClientId,
}

impl fmt::Display for NoSuchClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "there is no client {}, or it has disconnected",
            self.client
        )
    }
}

impl std::error::Error for NoSuchClient {}

/// The reason why a packet is refused. The world has not changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReplicaError {
    /// It was made for another protocol.
    Protocol {
        /// The number of its protocol.
        found: u64,
        /// The number of the protocol of the replica.
        expected: u64,
    },
    /// Its bytes are not a packet.
    Packet(FileError),
    /// There would be more entities than allowed.
    TooManyEntities {
        /// The number of entities.
        entities: usize,
        /// The limit.
        limit: usize,
    },
    /// A value cannot be read.
    Value {
        /// The entity that has it, by its id on the server.
        entity: Entity,
        /// The name of the component or relation.
        name: &'static str,
        /// The message of its `Deserialize`.
        message: String,
    },
    /// An entity of a tree would be its own ancestor: a [`RelateError::Cycle`], with the ids of the server.
    Cycle(RelateError),
    /// The world has no ids or no room for new entities.
    Stage(StageError),
}

impl fmt::Display for ReplicaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol { found, expected } => write!(
                f,
                "the packet is of protocol {found:016x}, and the replica has {expected:016x}; help: build the `Protocol` of both programs from the same components, in the same order and of the same versions"
            ),
            Self::Packet(error) => write!(f, "it is not a packet: {error}"),
            Self::TooManyEntities { entities, limit } => write!(
                f,
                "there would be {entities} entities, and the replica allows {limit}; help: raise the limit by `Replica::max_entities`"
            ),
            Self::Value {
                entity,
                name,
                message,
            } => write!(f, "entity {entity} of the server, `{name}`: {message}"),
            Self::Cycle(error) => write!(f, "on the server, {error}"),
            Self::Stage(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReplicaError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Packet(error) => Some(error),
            Self::Cycle(error) => Some(error),
            Self::Stage(error) => Some(error),
            _ => None,
        }
    }
}

impl From<FileError> for ReplicaError {
    fn from(error: FileError) -> Self {
        Self::Packet(error)
    }
}

//! The reasons why a world cannot be saved.

use std::fmt;
use std::io;

use ecs_engine::Entity;
use ecs_engine::resource::ResourceError;
use ecs_engine::world::BorrowError;

use crate::types::SameName;

/// The reason why a world cannot be saved.
#[derive(Debug)]
#[non_exhaustive]
pub enum SaveError {
    /// A component is borrowed for writing.
    Borrow(BorrowError),
    /// A resource is borrowed for writing.
    Resource(ResourceError),
    /// Two data types have the same name.
    SameName(SameName),
    /// A value cannot be written.
    Value {
        /// The entity that has it; `None` for a resource.
        entity: Option<Entity>,
        /// The name of the component, relation or resource.
        name: &'static str,
        /// The message of its `Serialize`.
        message: String,
    },
    /// An edge leads to an entity that is not saved.
    Edge {
        /// The entity that it starts from.
        source: Entity,
        /// The entity that it leads to.
        target: Entity,
        /// The name of the relation.
        name: &'static str,
    },
    /// The writer has failed.
    Io(io::Error),
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Borrow(error) => error.fmt(f),
            Self::Resource(error) => error.fmt(f),
            Self::SameName(error) => error.fmt(f),
            Self::Value {
                entity,
                name,
                message,
            } => fmt_value(f, *entity, name, message),
            Self::Edge {
                source,
                target,
                name,
            } => write!(
                f,
                "entity {source}, `{name}`: it leads to the entity {target}, which is not saved; help: save that too, end such edges with the save by `Save::dangling(Dangling::Dead)`, or give the entity a key by `Save::map_ids`"
            ),
            Self::Io(error) => write!(f, "the save cannot be written: {error}"),
        }
    }
}

/// Prints the reason why the value of an entity, or of a resource, cannot be written.
pub(crate) fn fmt_value(
    f: &mut fmt::Formatter<'_>,
    entity: Option<Entity>,
    name: &str,
    message: &str,
) -> fmt::Result {
    match entity {
        Some(entity) => write!(f, "entity {entity}, `{name}`: {message}"),
        None => write!(f, "resource `{name}`: {message}"),
    }
}

impl std::error::Error for SaveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<BorrowError> for SaveError {
    fn from(error: BorrowError) -> Self {
        Self::Borrow(error)
    }
}

impl From<ResourceError> for SaveError {
    fn from(error: ResourceError) -> Self {
        Self::Resource(error)
    }
}

impl From<SameName> for SaveError {
    fn from(error: SameName) -> Self {
        Self::SameName(error)
    }
}

impl From<io::Error> for SaveError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

//! The reasons why entities cannot be copied.

use std::fmt;

use ecs_engine::Entity;
use ecs_engine::resource::ResourceError;
use ecs_engine::staging::StageError;
use ecs_engine::world::BorrowError;

/// The reason why entities cannot be copied. Nothing was copied.
#[derive(Debug)]
#[non_exhaustive]
pub enum CloneError {
    /// An entity does not exist.
    NoEntity {
        /// The id.
        entity: Entity,
    },
    /// A component or relation is not data, so there is no way to copy its values.
    NotData {
        /// An entity that has it.
        entity: Entity,
        /// The name of the component or relation.
        name: &'static str,
    },
    /// A type is data, but can neither be cloned nor saved.
    NotCloneable {
        /// The name of the component, relation or resource.
        name: &'static str,
    },
    /// A value cannot be written, or cannot be read again.
    Value {
        /// The entity that has it; `None` for a resource, and for a value of a prefab.
        entity: Option<Entity>,
        /// The name of the component, relation or resource.
        name: &'static str,
        /// The problem with it.
        message: String,
    },
    /// A component is borrowed for writing.
    Borrow(BorrowError),
    /// A resource is borrowed for writing.
    Resource(ResourceError),
    /// The world has no room for the copies.
    Stage(StageError),
}

impl fmt::Display for CloneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEntity { entity } => write!(f, "there is no entity {entity}"),
            Self::NotData { entity, name } => write!(
                f,
                "entity {entity} cannot be cloned: `{name}` is not data; help: add `data = \"..\"` to its attribute, or leave it out with `Cloner::without` or `Cloner::only_data`"
            ),
            Self::NotCloneable { name } => write!(
                f,
                "`{name}` is data that can neither be cloned nor saved; help: take `no_clone` from its attribute, or leave it out with `Cloner::without`"
            ),
            Self::Value {
                entity: Some(entity),
                name,
                message,
            } => write!(f, "entity {entity}, `{name}`: {message}"),
            Self::Value {
                entity: None,
                name,
                message,
            } => write!(f, "`{name}`: {message}"),
            Self::Borrow(error) => error.fmt(f),
            Self::Resource(error) => error.fmt(f),
            Self::Stage(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CloneError {}

impl From<BorrowError> for CloneError {
    fn from(error: BorrowError) -> Self {
        Self::Borrow(error)
    }
}

impl From<ResourceError> for CloneError {
    fn from(error: ResourceError) -> Self {
        Self::Resource(error)
    }
}

impl From<StageError> for CloneError {
    fn from(error: StageError) -> Self {
        Self::Stage(error)
    }
}

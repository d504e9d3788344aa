//! The errors of differences.

use std::fmt;

use ecs_engine::__private::data_name;
use ecs_engine::Entity;
use ecs_engine::relation::RelateError;
use ecs_engine::resource::ResourceError;
use ecs_engine::staging::StageError;
use ecs_engine::world::BorrowError;

use crate::types::SameName;
use crate::{ByNameError, Value};

/// The reason why two worlds have no difference.
#[derive(Debug)]
#[non_exhaustive]
pub enum DiffError {
    /// An entity has a component, or edges of a relation, that is not data.
    NotData {
        /// An entity that has it; `None` if it is a resource.
        entity: Option<Entity>,
        /// The name of the component, relation or resource.
        name: &'static str,
    },
    /// Two types have the same name.
    SameName(SameName),
    /// A value cannot be written.
    Value {
        /// The entity that has it; `None` for a resource.
        entity: Option<Entity>,
        /// The name, and the message of its `Serialize`.
        message: String,
    },
    /// A component is borrowed for writing.
    Borrow(BorrowError),
    /// A resource is borrowed for writing.
    Resource(ResourceError),
    /// More differs than is allowed.
    TooMany {
        /// The limit.
        limit: usize,
    },
}

impl fmt::Display for DiffError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotData { entity, name } => {
                if let Some(entity) = entity {
                    write!(f, "entity {entity}, ")?;
                }
                write!(
                    f,
                    "`{name}`: it is not data, so its values cannot be compared; help: make it data (`#[component(data = \"{}\")]`), or leave it out by `Differ::without` or `Differ::only_data`",
                    data_name(name)
                )
            }
            Self::SameName(error) => error.fmt(f),
            Self::Value {
                entity: Some(entity),
                message,
            } => write!(f, "entity {entity}, {message}"),
            Self::Value {
                entity: None,
                message,
            } => f.write_str(message),
            Self::Borrow(error) => error.fmt(f),
            Self::Resource(error) => error.fmt(f),
            Self::TooMany { limit } => write!(
                f,
                "the worlds differ in more than {limit} places; help: raise the limit by `Differ::limit`"
            ),
        }
    }
}

impl std::error::Error for DiffError {}

impl From<SameName> for DiffError {
    fn from(error: SameName) -> Self {
        Self::SameName(error)
    }
}

impl From<BorrowError> for DiffError {
    fn from(error: BorrowError) -> Self {
        Self::Borrow(error)
    }
}

impl From<ResourceError> for DiffError {
    fn from(error: ResourceError) -> Self {
        Self::Resource(error)
    }
}

/// The reason why a difference cannot be applied to a world. The world has not changed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ApplyError {
    /// An entity of the old state does not exist.
    NoEntity {
        /// The entity.
        entity: Entity,
    },
    /// An entity exists that is not in the old state.
    Alive {
        /// The entity.
        entity: Entity,
    },
    /// A value differs from the old state.
    OtherValue {
        /// The entity; `None` for a resource.
        entity: Option<Entity>,
        /// The name of the component, relation or resource.
        name: String,
        /// The value of the old state; `None` if it has none.
        expected: Option<Value>,
        /// The value of the world; `None` if it has none.
        found: Option<Value>,
    },
    /// A target does not have the sources of the old state, in their order.
    OtherSources {
        /// The target.
        target: Entity,
        /// The name of the relation.
        relation: String,
    },
    /// A name or a value is not valid in this program.
    Value {
        /// The entity; `None` for a resource.
        entity: Option<Entity>,
        /// The error of the name or the value.
        error: ByNameError,
    },
    /// Impossible edges in the new state: to an entity that does not exist, or to the entity itself.
    Edges {
        /// The source.
        entity: Entity,
        /// The name of the relation.
        relation: String,
        /// The reason.
        message: String,
    },
    /// An entity of a tree would be its own ancestor in the new state: a [`RelateError::Cycle`].
    Cycle(RelateError),
    /// An entity of the new state cannot have its id.
    Id {
        /// The entity.
        entity: Entity,
        /// The reason.
        error: StageError,
    },
    /// The index of an entity is so high that the world would need a lot of memory for ids.
    IndexTooHigh {
        /// The entity.
        entity: Entity,
    },
    /// The world has no room for the entities of the new state.
    Stage(StageError),
}

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const HELP: &str = "help: apply a diff to the world that it starts from";
        let value = |value: &Option<Value>| match value {
            Some(value) => value.to_string(),
            None => "no value".to_owned(),
        };
        let of = |entity: &Option<Entity>| match entity {
            Some(entity) => format!("entity {entity}, "),
            None => String::new(),
        };
        match self {
            Self::NoEntity { entity } => {
                write!(
                    f,
                    "there is no entity {entity}, which the diff changes; {HELP}"
                )
            }
            Self::Alive { entity } => {
                write!(
                    f,
                    "there is an entity {entity}, which the diff adds; {HELP}"
                )
            }
            Self::OtherValue {
                entity,
                name,
                expected,
                found,
            } => write!(
                f,
                "{}`{name}`: the diff starts from {}, the world has {}; {HELP}",
                of(entity),
                value(expected),
                value(found)
            ),
            Self::OtherSources { target, relation } => write!(
                f,
                "entity {target}, `{relation}`: the world has other sources than those from which the diff starts, or in another order; {HELP}"
            ),
            Self::Value { entity, error } => write!(f, "{}{error}", of(entity)),
            Self::Edges {
                entity,
                relation,
                message,
            } => write!(f, "entity {entity}, `{relation}`: {message}"),
            Self::Cycle(error) => error.fmt(f),
            Self::Id { error, .. } | Self::Stage(error) => error.fmt(f),
            Self::IndexTooHigh { entity } => write!(
                f,
                "entity {entity}: the index is far beyond the world's own, and the world would need memory for all indices below it; {HELP}"
            ),
        }
    }
}

impl std::error::Error for ApplyError {}

/// The reason why a difference does not continue another one: the first one's end differs from the second one's start.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ThenError {
    /// The entity that differs; `None` if it is a resource.
    pub entity: Option<Entity>,
    /// The name of the component, relation or resource that differs; `None` if only one of them has the entity.
    pub name: Option<String>,
}

impl fmt::Display for ThenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the second diff does not start where the first ends: ")?;
        match (self.entity, &self.name) {
            (Some(entity), Some(name)) => write!(f, "entity {entity}, `{name}`"),
            (Some(entity), None) => write!(f, "entity {entity}"),
            (None, name) => write!(f, "resource `{}`", name.as_deref().unwrap_or_default()),
        }
    }
}

impl std::error::Error for ThenError {}

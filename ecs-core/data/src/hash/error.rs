//! The reasons why a world has no hash.

use std::fmt;

use ecs_engine::__private::data_name;
use ecs_engine::Entity;
use ecs_engine::resource::ResourceError;
use ecs_engine::world::BorrowError;

use crate::save::fmt_value;

/// The reason why a world has no hash.
#[derive(Debug)]
#[non_exhaustive]
pub enum HashError {
    /// Entities have a component, or edges of a relation, that is not data.
    NotData {
        /// The name of the component or relation.
        name: &'static str,
    },
    /// Values have a `HashSet`, whose order differs between equal sets.
    Unordered {
        /// The name of the component, relation or resource.
        name: &'static str,
    },
    /// There is no such entity.
    NoEntity {
        /// The entity.
        entity: Entity,
    },
    /// An entity lacks the component that identifies entities.
    NoKey {
        /// The entity.
        entity: Entity,
        /// The name of the component that identifies entities.
        key: &'static str,
        /// The component, relation or resource whose value names it, unless the entity itself is hashed.
        named_by: Option<&'static str>,
    },
    /// Two entities have the same value of the component that identifies entities.
    SameKey {
        /// The entities.
        entities: [Entity; 2],
        /// The name of the component.
        key: &'static str,
    },
    /// An exact hash depends on ids and on the order of rows, and so not on keys.
    ExactByKey,
    /// A component is borrowed for writing.
    Borrow(BorrowError),
    /// A resource is borrowed for writing.
    Resource(ResourceError),
    /// A value cannot be written.
    Value {
        /// The entity that has it; `None` for a resource.
        entity: Option<Entity>,
        /// The name of the component, relation or resource.
        name: &'static str,
        /// The message of its `Serialize`.
        message: String,
    },
}

impl fmt::Display for HashError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotData { name } => write!(
                f,
                "`{name}` is not data, so its values have no hash; help: make it data (`#[component(data = \"{}\")]`), or leave it out by `WorldHasher::without` or `WorldHasher::only_data`",
                data_name(name)
            ),
            Self::Unordered { name } => write!(
                f,
                "`{name}` has a `HashSet`, whose order differs between equal sets, so its values have no hash; help: use a `BTreeSet`, or leave it out by `WorldHasher::without`"
            ),
            Self::NoEntity { entity } => write!(f, "there is no entity {entity}"),
            Self::NoKey {
                entity,
                key,
                named_by: None,
            } => write!(
                f,
                "the entity {entity} has no `{key}`, which is to identify it; help: insert one, or leave out such entities by `WorldHasher::only_by`"
            ),
            Self::NoKey {
                entity,
                key,
                named_by: Some(name),
            } => write!(
                f,
                "a value of `{name}` names the entity {entity}, which has no `{key}` to identify it; help: insert one, or let such entities count as missing by `WorldHasher::only_by`"
            ),
            Self::SameKey {
                entities: [one, other],
                key,
            } => write!(f, "the entities {one} and {other} have the same `{key}`"),
            Self::ExactByKey => f.write_str(
                "an exact hash depends on ids, and not on keys; help: call `WorldHasher::world`, or hash without `WorldHasher::by`"
            ),
            Self::Borrow(error) => error.fmt(f),
            Self::Resource(error) => error.fmt(f),
            Self::Value {
                entity,
                name,
                message,
            } => fmt_value(f, *entity, name, message),
        }
    }
}

impl std::error::Error for HashError {}

impl From<BorrowError> for HashError {
    fn from(error: BorrowError) -> Self {
        Self::Borrow(error)
    }
}

impl From<ResourceError> for HashError {
    fn from(error: ResourceError) -> Self {
        Self::Resource(error)
    }
}

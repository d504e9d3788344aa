//! The errors of access by name.

use std::fmt;

use ecs_engine::__private::data_name;
use ecs_engine::resource::ResourceError;
use ecs_engine::world::{BorrowError, NoSuchEntity};

use crate::codec::EncodeError;
use crate::types::SameName;

/// The error of the methods of [`WorldData`](crate::WorldData) that take a name. The world is as it was.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ByNameError {
    /// Nothing has the name.
    Unknown {
        /// The kind that was looked for: `"component"`, `"resource"` or `"event"`.
        kind: &'static str,
        /// The name.
        name: String,
        /// A name that was possibly meant.
        closest: Option<String>,
    },
    /// Several types have the name.
    SameName(SameName),
    /// The values of the component cannot be read and written without their type.
    NotData {
        /// The name of the component.
        name: String,
    },
    /// The world has the resource or the events, but their values cannot be read and written without their type.
    NoValues {
        /// `"resource"` or `"event"`.
        kind: &'static str,
        /// The name of the resource or the events.
        name: String,
    },
    /// A list of components has one twice.
    Twice {
        /// The name at its second place.
        name: String,
    },
    /// The entity does not exist.
    NoSuchEntity(NoSuchEntity),
    /// A value does not fit its type.
    Value {
        /// The name of the component or resource.
        name: String,
        /// The part that does not fit, and its path in the value.
        message: String,
    },
    /// A value cannot be written as a tree, because its `Serialize` fails.
    Unreadable {
        /// The name of the component, relation or resource.
        name: String,
        /// The error of the `Serialize`.
        message: String,
    },
    /// A value is larger than its reader has time for, such as the inspector.
    TooLarge {
        /// The name of the component, relation or resource.
        name: String,
    },
    /// The component is borrowed for writing.
    Borrowed(BorrowError),
    /// The resource is borrowed for writing.
    ResourceBorrowed(ResourceError),
}

impl fmt::Display for ByNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown {
                kind,
                name,
                closest,
            } => {
                write!(f, "no {kind} `{name}` in this world; help: ")?;
                match (closest, *kind) {
                    (Some(closest), _) => write!(f, "there is `{closest}`"),
                    (None, "resource") => f.write_str(
                        "schedule a system that uses it, or call `register_data_resource` with its type",
                    ),
                    (None, "event") => {
                        f.write_str("call `register_data_event` with its type")
                    }
                    (None, _) => f.write_str("call `World::register` with its type"),
                }
            }
            Self::SameName(error) => error.fmt(f),
            Self::NotData { name } => write!(
                f,
                "the values of component `{name}` are known to its type alone; help: add `#[component(data = \"{}\")]` to it",
                data_name(name)
            ),
            Self::NoValues { kind, name } => write!(
                f,
                "the values of the {kind} `{name}` are known to its type alone; help: add `#[{kind}(data = \"{}\")]` to it, if it is yours",
                data_name(name)
            ),
            Self::Twice { name } => write!(
                f,
                "the list has the component `{name}` twice; help: remove one of the two"
            ),
            Self::NoSuchEntity(error) => error.fmt(f),
            Self::Value { name, message } | Self::Unreadable { name, message } => {
                write!(f, "`{name}`: {message}")
            }
            Self::TooLarge { name } => {
                write!(f, "`{name}`: {}", EncodeError::TOO_LARGE)
            }
            Self::Borrowed(error) => error.fmt(f),
            Self::ResourceBorrowed(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ByNameError {}

impl From<SameName> for ByNameError {
    fn from(error: SameName) -> Self {
        Self::SameName(error)
    }
}

impl From<NoSuchEntity> for ByNameError {
    fn from(error: NoSuchEntity) -> Self {
        Self::NoSuchEntity(error)
    }
}

impl From<BorrowError> for ByNameError {
    fn from(error: BorrowError) -> Self {
        Self::Borrowed(error)
    }
}

impl From<ResourceError> for ByNameError {
    fn from(error: ResourceError) -> Self {
        Self::ResourceBorrowed(error)
    }
}

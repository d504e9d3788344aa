//! The errors of a world's verbs.

use core::fmt;

use crate::entity::Entity;

/// The entity does not exist (any more).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchEntity {
    /// The id that was asked for.
    pub entity: Entity,
}

impl fmt::Display for NoSuchEntity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "no entity {}: it was despawned, or belongs to another world",
            self.entity
        )
    }
}

impl core::error::Error for NoSuchEntity {}

/// Why components could not be taken off an entity; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakeError {
    /// The entity does not exist (any more).
    NoSuchEntity(NoSuchEntity),
    /// The entity lacks a component of the bundle.
    Missing {
        /// The entity.
        entity: Entity,
        /// The name of a component that it lacks.
        component: &'static str,
    },
}

impl fmt::Display for TakeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchEntity(error) => error.fmt(f),
            Self::Missing { entity, component } => {
                write!(f, "entity {entity} has no component `{component}` to take")
            }
        }
    }
}

impl core::error::Error for TakeError {}

impl From<NoSuchEntity> for TakeError {
    fn from(error: NoSuchEntity) -> Self {
        Self::NoSuchEntity(error)
    }
}

/// A component is borrowed elsewhere in a way that excludes the wanted one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BorrowError {
    /// The component's name.
    pub component: &'static str,
    /// Whether it was to be written.
    pub write: bool,
}

impl fmt::Display for BorrowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (wanted, other) = if self.write {
            ("written", "read or written")
        } else {
            ("read", "written")
        };
        write!(
            f,
            "component `{}` cannot be {wanted} now: it is being {other} through another view, query or reference; let that one end first",
            self.component
        )
    }
}

impl core::error::Error for BorrowError {}

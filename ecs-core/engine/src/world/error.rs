//! The errors of a world's operations.

use core::fmt;

use crate::entity::Entity;

/// A value that another entity has, of a component whose values are unique; nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueTaken {
    /// The name of the component.
    pub component: &'static str,
    /// The entity that cannot get the value.
    pub entity: Entity,
    /// The entity that has the value, or gets it in the same change.
    pub holder: Entity,
}

impl fmt::Display for ValueTaken {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            component,
            entity,
            holder,
        } = self;
        write!(
            f,
            "entity {entity} cannot have the value of `{component}` that entity {holder} has, because values of the component are unique; help: look the value up by `UniqueIndex::get`, or use `try_spawn` or `try_insert`"
        )
    }
}

impl core::error::Error for ValueTaken {}

/// The error for an entity that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoSuchEntity {
    /// The id that was looked up.
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

/// The error of [`World::take`](super::World::take); nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakeError {
    /// The entity does not exist.
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

/// The error of borrowing components of one entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GetError {
    /// The entity lacks a component, or was despawned.
    Missing {
        /// The entity.
        entity: Entity,
        /// The name of the first component that it lacks.
        component: &'static str,
    },
    /// A component is borrowed elsewhere.
    Borrow(BorrowError),
}

impl fmt::Display for GetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { entity, component } => {
                write!(
                    f,
                    "entity {entity} has no component `{component}`; help: write `Option<&_>` if it may be missing"
                )
            }
            Self::Borrow(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for GetError {}

/// The error for a run-time borrow of a component that conflicts with an existing one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BorrowError {
    /// The component's name.
    pub component: &'static str,
    /// True if the failed borrow was for writing.
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
            "component `{}` cannot be {wanted} now: it is being {other} through another view, query or reference; help: let that one end first",
            self.component
        )
    }
}

impl core::error::Error for BorrowError {}

//! The error of relating entities.

use core::fmt;

use crate::entity::Entity;
use crate::storage::fmt_cycle;
use crate::type_name::type_name;
use crate::world::NoSuchEntity;

/// The reason why an entity could not be related to another one; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelateError {
    /// The source or the target does not exist.
    NoSuchEntity(NoSuchEntity),
    /// The source and the target are the same entity.
    Itself {
        /// The entity.
        entity: Entity,
        /// The name of the relation.
        relation: &'static str,
    },
    /// The target is a descendant of the source, and the relation is a tree.
    Cycle {
        /// The source.
        source: Entity,
        /// The target.
        target: Entity,
        /// The name of the relation.
        relation: &'static str,
    },
}

impl RelateError {
    pub(super) fn cycle<R>(source: Entity, target: Entity) -> Self {
        let relation = type_name::<R>();
        Self::Cycle {
            source,
            target,
            relation,
        }
    }

    pub(super) fn itself<R>(entity: Entity) -> Self {
        let relation = type_name::<R>();
        Self::Itself { entity, relation }
    }
}

impl fmt::Display for RelateError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchEntity(error) => error.fmt(f),
            Self::Itself { entity, relation } => {
                write!(
                    f,
                    "entity {entity} cannot be related to itself by `{relation}`"
                )
            }
            Self::Cycle {
                source,
                target,
                relation,
            } => fmt_cycle(f, "entity", [source, target], relation),
        }
    }
}

impl core::error::Error for RelateError {}

impl From<NoSuchEntity> for RelateError {
    #[inline]
    fn from(error: NoSuchEntity) -> Self {
        Self::NoSuchEntity(error)
    }
}

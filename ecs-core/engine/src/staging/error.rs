//! The error of a commit.

use core::fmt;

use crate::entity::{Entity, GivenIdError, Location};
use crate::storage::fmt_cycle;
use crate::world::ValueTaken;

/// The reason why staged entities cannot be added to a world; the world has not changed, apart from components that it knows
/// now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StageError {
    /// There are fewer or more ids than entities.
    WrongIds {
        /// The number of ids.
        ids: usize,
        /// The number of entities.
        entities: u32,
    },
    /// There are not enough ids.
    NoIds {
        /// The number of new entities.
        entities: usize,
    },
    /// A new entity cannot have the id that it is given.
    Id(GivenIdError),
    /// No staged entity has the number.
    NoSuchNumber {
        /// The number.
        number: u32,
        /// The number of staged entities.
        entities: u32,
        /// The component, or the relation; `None` if the number is in the rows of a table.
        component: Option<&'static str>,
    },
    /// An entity has two rows, or the same component or the same edge twice.
    Twice {
        /// The number of the entity.
        number: u32,
        /// The component, or the relation; `None` if the number is in the rows of a table.
        component: Option<&'static str>,
    },
    /// A component has two columns for the same entities.
    ColumnTwice {
        /// The name of the component.
        component: &'static str,
    },
    /// The number of values in a column differs from the number of entities or edges.
    WrongLength {
        /// The name of the component or relation.
        component: &'static str,
        /// The number of values.
        values: usize,
        /// The number of entities or edges.
        expected: usize,
    },
    /// A component is in the wrong place: one of a table in a set, a sparse one in a table, or an end of a relation anywhere
    /// but among edges.
    WrongPlace {
        /// The name of the component.
        component: &'static str,
    },
    /// The component that is to stand for a relation is not the component of its sources.
    NoRelation {
        /// The name of the component.
        component: &'static str,
    },
    /// An entity has two targets, and the relation leads to one.
    SecondTarget {
        /// The number of the entity.
        number: u32,
        /// The name of the relation.
        relation: &'static str,
    },
    /// An entity is related to itself.
    Itself {
        /// The number of the entity.
        number: u32,
        /// The name of the relation.
        relation: &'static str,
    },
    /// An entity is its own ancestor, and the relation is a tree.
    Cycle {
        /// The number of an entity in the cycle.
        number: u32,
        /// The number of its target, which is one of its descendants.
        target: u32,
        /// The name of the relation.
        relation: &'static str,
    },
    /// An entity is its own ancestor, by way of entities that are in the world already, and the relation is a tree.
    CycleOfWorld {
        /// The number of an entity in the cycle.
        number: u32,
        /// Its target, which is one of its descendants.
        target: Entity,
        /// The name of the relation.
        relation: &'static str,
    },
    /// A target does not exist in the world.
    NoTarget {
        /// The number of the source.
        number: u32,
        /// The target.
        target: Entity,
        /// The name of the relation.
        relation: &'static str,
    },
    /// Another entity has a value that is unique.
    Taken(ValueTaken),
    /// There are more edges than an entity can have.
    TooManyEdges {
        /// The name of the relation.
        relation: &'static str,
    },
    /// There are two resources of one type.
    ResourceTwice {
        /// The name of the resource.
        resource: &'static str,
    },
    /// The world would have more tables than it can have.
    TooManyTables {
        /// The number of tables that it would have.
        tables: usize,
    },
    /// A table would have more rows than it can have.
    TooManyRows {
        /// The number of rows that it would have.
        rows: usize,
    },
}

impl fmt::Display for StageError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::WrongIds { ids, entities } => {
                write!(
                    f,
                    "{entities} new entities need as many ids, and there are {ids}"
                )
            }
            Self::NoIds { entities } => write!(
                f,
                "there are no ids for {entities} new entities: all 2^32 - 1 entity indices are in use"
            ),
            Self::Id(error) => error.fmt(f),
            Self::Taken(error) => error.fmt(f),
            Self::NoSuchNumber {
                number,
                entities,
                component,
            } => {
                write!(f, "{}: ", component.unwrap_or("the rows of a table"))?;
                write!(
                    f,
                    "there is no new entity {number}: there are only {entities}"
                )
            }
            Self::Twice { number, component } => {
                write!(f, "{}: ", component.unwrap_or("the rows of tables"))?;
                write!(f, "the new entity {number} occurs twice")
            }
            Self::ColumnTwice { component } => write!(f, "`{component}` has two columns"),
            Self::WrongLength {
                component,
                values,
                expected,
            } => write!(f, "`{component}` has {values} values, not {expected}"),
            Self::WrongPlace { component } => write!(
                f,
                "`{component}` is in the wrong place; help: stage sparse components in sets, the others in tables, and relations as edges"
            ),
            Self::NoRelation { component } => write!(
                f,
                "`{component}` is not the component of the sources of a relation; help: name `Target` or `Targets` of it"
            ),
            Self::SecondTarget { number, relation } => write!(
                f,
                "`{relation}` relates the new entity {number} to two others, and leads to one"
            ),
            Self::Itself { number, relation } => {
                write!(f, "`{relation}` relates the new entity {number} to itself")
            }
            Self::Cycle {
                number,
                target,
                relation,
            } => fmt_cycle(f, "the new entity", [&number, &target], relation),
            Self::CycleOfWorld {
                number,
                target,
                relation,
            } => fmt_cycle(f, "the new entity", [&number, &target], relation),
            Self::NoTarget {
                number,
                target,
                relation,
            } => write!(
                f,
                "`{relation}` relates the new entity {number} to {target}, which does not exist"
            ),
            Self::TooManyEdges { relation } => write!(
                f,
                "`{relation}` relates an entity to more than 2^32 - 1 others"
            ),
            Self::ResourceTwice { resource } => write!(f, "there are two resources `{resource}`"),
            Self::TooManyTables { tables } => write!(
                f,
                "the world would have {tables} different sets of components, and has at most {}; help: mark components that are often inserted and removed as `storage = \"sparse\"`",
                Location::MAX_TABLES
            ),
            Self::TooManyRows { rows } => write!(
                f,
                "{rows} entities would have the same components, and at most {} can",
                Location::MAX_ROWS
            ),
        }
    }
}

impl core::error::Error for StageError {}

impl From<GivenIdError> for StageError {
    #[inline]
    fn from(error: GivenIdError) -> Self {
        Self::Id(error)
    }
}

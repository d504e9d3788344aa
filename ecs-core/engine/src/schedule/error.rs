//! What can go wrong when a schedule is planned or run.

use core::error::Error;
use core::fmt;
use std::borrow::Cow;

use super::label::Label;
use crate::system::{BoxError, LockError};
use crate::world::WorldId;

/// How a system or set is placed relative to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Relation {
    /// After it.
    After,
    /// Before it.
    Before,
    /// Before or after it.
    Unordered,
}

impl fmt::Display for Relation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::After => "after",
            Self::Before => "before",
            Self::Unordered => "before or after",
        })
    }
}

/// A system, or a set of systems, that something was said about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// The system of this name.
    System(&'static str),
    /// The set with this label, as its `Debug` shows it.
    Set(String),
}

impl Named {
    pub(super) fn set(label: &Label) -> Self {
        Self::Set(format!("{label:?}"))
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(name) => write!(f, "system `{name}`"),
            Self::Set(label) => write!(f, "the set `{label}`"),
        }
    }
}

/// Why the systems of a schedule cannot be put in an order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// Systems wait for each other in a circle.
    Cycle {
        /// The names of the systems, each of which must run before the next one, and the last one before the first.
        systems: Vec<&'static str>,
    },
    /// Something is placed relative to a system that is not in the schedule.
    UnknownSystem {
        /// What was to be placed.
        who: Named,
        /// How.
        relation: Relation,
        /// The name of the system that is missing.
        system: &'static str,
    },
    /// Something is placed relative to a system that is in the schedule more than once.
    AmbiguousSystem {
        /// What was to be placed.
        who: Named,
        /// How.
        relation: Relation,
        /// The name of the system that is there more than once.
        system: &'static str,
    },
    /// Something is placed relative to a set that no system is in and that was not configured.
    UnknownSet {
        /// What was to be placed.
        who: Named,
        /// How.
        relation: Relation,
        /// The label of the set.
        set: String,
    },
    /// A set was configured more than once.
    ConfiguredTwice {
        /// The label of the set.
        set: String,
    },
    /// Sets are in each other.
    SetsInEachOther {
        /// The labels of the sets, each of which is in the next one, and the last one in the first.
        sets: Vec<String>,
    },
    /// Two parameters of a system or condition cannot be had at the same time.
    ///
    /// The compiler finds all but those that involve generic types inside of queries or derived parameters.
    ConflictingParameters {
        /// The name of the system.
        system: &'static str,
        /// The whole story: system, parameters, type and advice.
        message: String,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cycle { systems } => {
                f.write_str("systems wait for each other: ")?;
                for system in systems {
                    write!(f, "`{system}` before ")?;
                }
                let first = systems.first().copied().unwrap_or_default();
                write!(
                    f,
                    "`{first}`; remove one of these `before`, `after` or `chain`"
                )
            }
            Self::UnknownSystem {
                who,
                relation,
                system,
            } => write!(
                f,
                "{who} is to run {relation} `{system}`, which is not in the schedule; add it, or remove the constraint"
            ),
            Self::AmbiguousSystem {
                who,
                relation,
                system,
            } => write!(
                f,
                "{who} is to run {relation} `{system}`, which is in the schedule more than once; place it by list order or `chain`, or put that one into a set"
            ),
            Self::UnknownSet { who, relation, set } => write!(
                f,
                "{who} is to run {relation} the set `{set}`, which no system is in; add one with `in_set`, configure the set, or remove the constraint"
            ),
            Self::ConfiguredTwice { set } => write!(
                f,
                "the set `{set}` is configured more than once; say all about it in one place"
            ),
            Self::SetsInEachOther { sets } => {
                f.write_str("sets are in each other: ")?;
                for set in sets {
                    write!(f, "`{set}` in ")?;
                }
                let first = sets.first().map_or("", String::as_str);
                write!(f, "`{first}`; remove one of these `in_set`")
            }
            Self::ConflictingParameters { message, .. } => f.write_str(message),
        }
    }
}

impl Error for PlanError {}

/// Why a run of a schedule was refused, or what failed in it.
#[derive(Debug)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The systems cannot be put in an order; no system was run.
    Plan(PlanError),
    /// The schedule belongs to another world, the one that it was first run with; no system was run.
    ///
    /// Systems keep what they found in that world.
    OtherWorld {
        /// The world that the schedule belongs to.
        expected: WorldId,
        /// The world that it was to run with.
        found: WorldId,
    },
    /// An earlier run panicked while it prepared the parameters of a system, which cannot be done again; no system was
    /// run.
    Unbuilt {
        /// The name of the system or condition.
        system: Cow<'static, str>,
    },
    /// Systems returned errors; all others were run.
    Systems(
        /// In the order in which the systems ran; at least one.
        Vec<SystemError>,
    ),
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(error) => error.fmt(f),
            Self::OtherWorld { expected, found } => write!(
                f,
                "the schedule was first run with world {expected:?} and cannot run with world {found:?}; make a schedule for each world"
            ),
            Self::Unbuilt { system } => write!(
                f,
                "system `{system}` could not be built because its parameters panicked in an earlier run; make the schedule anew"
            ),
            Self::Systems(errors) => {
                for (i, error) in errors.iter().enumerate() {
                    if i > 0 {
                        f.write_str("; ")?;
                    }
                    error.fmt(f)?;
                }
                Ok(())
            }
        }
    }
}

impl Error for ScheduleError {}

impl From<PlanError> for ScheduleError {
    fn from(error: PlanError) -> Self {
        Self::Plan(error)
    }
}

/// The error that a system returned.
#[derive(Debug)]
pub struct SystemError {
    /// The name of the system.
    pub system: &'static str,
    /// What it returned; downcast it to get the system's own error type back. A [`LockError`] if the system was not
    /// run because a parameter could not be had.
    pub error: BoxError,
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.error.is::<LockError>() {
            // Names the system itself.
            self.error.fmt(f)
        } else {
            write!(f, "system `{}` failed: {}", self.system, self.error)
        }
    }
}

impl Error for SystemError {}

//! Errors of planning.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use crate::schedule::declare::{MAX_DEPTH, OrderKind, StateError, Subject};

/// The error of a schedule whose systems cannot be put in an order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PlanError {
    /// Systems wait for each other in a cycle.
    Cycle {
        /// The names of the systems: each must run before the next one, and the last one before the first.
        systems: Vec<&'static str>,
        /// The constraints of sets that cause this, from [`configure`](crate::Schedule::configure) or
        /// [`chain_sets`](crate::Schedule::chain_sets), with their place in the source: "the set `a` before the set `b`
        /// (src/ui.rs:7:9)". Constraints of systems are listed only if they name an empty set.
        sets: Vec<String>,
    },
    /// A constraint names a system that is not in the schedule.
    UnknownSystem {
        /// The system or set with the constraint.
        subject: Subject,
        /// The required order.
        kind: OrderKind,
        /// The name of the system that is missing.
        system: &'static str,
    },
    /// A constraint names a system that is in the schedule more than once.
    AmbiguousSystem {
        /// The system or set with the constraint.
        subject: Subject,
        /// The required order.
        kind: OrderKind,
        /// The name of the system that was added more than once.
        system: &'static str,
    },
    /// Sets contain each other.
    SetsInEachOther {
        /// The labels of the sets: each is in the next one, and the last one in the first.
        sets: Vec<String>,
    },
    /// Two steps make the transitions of one state. Only the first of them would see requests.
    TransitionsTwice {
        /// The type of the state.
        state: &'static str,
    },
    /// A system of a later schedule of the frame has to run before a system of an earlier schedule.
    AgainstParts {
        /// The name of the system that has to run first.
        before: &'static str,
        /// The schedule of the system `before`.
        later: String,
        /// The name of the system that has to run after it.
        after: &'static str,
        /// The schedule of the system `after`, which runs earlier.
        earlier: String,
    },
    /// The states of a [`Transitions`](crate::schedule::Transitions) contradict each other.
    State(StateError),
    /// Schedules are nested inside steps on more than [`MAX_DEPTH`](crate::Schedule::MAX_DEPTH) levels.
    TooDeep {
        /// The name of the outermost step.
        step: &'static str,
    },
    /// A schedule inside a step cannot be planned.
    Inside {
        /// The names of the steps that lead to the schedule, the outermost first: `frame > physics`.
        path: String,
        /// The error in it.
        error: Box<PlanError>,
    },
    /// The schedule has to be [deterministic](crate::Schedule::deterministic), but a system is not, or the order of two
    /// systems is open and makes a difference.
    NotDeterministic {
        /// The name of the system, or of the first of two.
        system: &'static str,
        /// The complete message.
        message: String,
    },
    /// A system or condition writes data that only systems of other modules may write
    /// (`#[component(written_by = "game::physics")]`).
    ///
    /// The compiler finds all of these except closures and dynamic systems.
    ForeignWrite {
        /// The name of the system.
        system: &'static str,
        /// The type of the data.
        data: &'static str,
        /// The modules whose systems may write it.
        owners: &'static [&'static str],
        /// The complete message: system, parameter, type, modules and help.
        message: String,
    },
    /// Two parameters of a system or condition conflict.
    ///
    /// The compiler finds all of these except conflicts of generic types inside queries or derived parameters.
    ConflictingParameters {
        /// The name of the system.
        system: &'static str,
        /// The complete message: system, parameters, type and help.
        message: String,
    },
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cycle { systems, sets } => {
                f.write_str("systems wait for each other: ")?;
                for system in systems {
                    write!(f, "`{system}` before ")?;
                }
                let first = systems.first().copied().unwrap_or_default();
                write!(f, "`{first}`")?;
                for (n, order) in sets.iter().enumerate() {
                    let words = if n == 0 { ", because of " } else { ", and of " };
                    write!(f, "{words}{order}")?;
                }
                f.write_str("; help: remove one of these `before`, `after` or `chain`")
            }
            Self::UnknownSystem {
                subject,
                kind,
                system,
            } => write!(
                f,
                "{subject} must run {kind} `{system}`, which is not in the schedule; help: add it, or remove the constraint"
            ),
            Self::AmbiguousSystem {
                subject,
                kind,
                system,
            } => write!(
                f,
                "{subject} must run {kind} `{system}`, which is in the schedule more than once; help: place it by list order or `chain`, or put that one into a set"
            ),
            Self::SetsInEachOther { sets } => {
                f.write_str("sets contain each other: ")?;
                for set in sets {
                    write!(f, "`{set}` in ")?;
                }
                let first = sets.first().map_or("", String::as_str);
                write!(f, "`{first}`; help: remove one of these `in_set`")
            }
            Self::TransitionsTwice { state } => write!(
                f,
                "two `Transitions` have the state `{state}`, and only the first one would make transitions; help: add the handlers of both to one `Transitions`"
            ),
            Self::AgainstParts {
                before,
                later,
                after,
                earlier,
            } => write!(
                f,
                "`{before}` in `{later}` must run before `{after}` in `{earlier}`, but `{earlier}` runs before `{later}`; help: remove the constraint, or add one of them to the schedule of the other"
            ),
            Self::State(error) => error.fmt(f),
            Self::TooDeep { step } => write!(
                f,
                "schedules inside of the step `{step}` are nested more than {MAX_DEPTH} levels deep; help: add systems of inner schedules to outer ones, in sets instead of schedules of their own"
            ),
            Self::Inside { path, error } => write!(f, "in `{path}`: {error}"),
            Self::NotDeterministic { message, .. }
            | Self::ForeignWrite { message, .. }
            | Self::ConflictingParameters { message, .. } => f.write_str(message),
        }
    }
}

impl Error for PlanError {}

//! Errors of runs.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use crate::schedule::declare::SystemError;
use crate::schedule::plan::PlanError;
#[cfg(doc)]
use crate::world::World;
use crate::world::WorldId;

/// The error of a run: the run was refused, or systems failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The systems cannot be put in an order; no system ran.
    Plan(PlanError),
    /// The schedule belongs to another world, the world of its first run; no system ran.
    ///
    /// Systems keep state that belongs to that world.
    OtherWorld {
        /// The world that the schedule belongs to.
        expected: WorldId,
        /// The world of this run.
        found: WorldId,
    },
    /// An earlier run panicked while it prepared the parameters of a system, and preparing cannot be repeated; no system
    /// ran.
    Unbuilt {
        /// The name of the system or condition.
        system: Cow<'static, str>,
    },
    /// The world keeps no schedule under this label.
    Unknown {
        /// The label, printed by its `Debug`.
        label: String,
    },
    /// The schedule under this label is running, and cannot run inside itself.
    Running {
        /// The label, printed by its `Debug`.
        label: String,
    },
    /// The schedule is in the middle of a run that [`run_step`](crate::Schedule::run_step) began; no system ran.
    Halted {
        /// The name of the system that ran last.
        after: &'static str,
    },
    /// Systems returned errors; all others ran.
    Systems(
        /// In the order of the systems, followed by the errors of schedules that were [run
        /// inside](World::run_schedule); at least one.
        Vec<SystemError>,
    ),
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(error) => error.fmt(f),
            // Without the ids: users cannot do anything with these numbers.
            Self::OtherWorld { .. } => f.write_str(
                "the schedule was first run with another world, and cannot run with this one; help: make a schedule for each world",
            ),
            Self::Unbuilt { system } => write!(
                f,
                "system `{system}` could not be built because its parameters panicked in an earlier run; help: create a new schedule"
            ),
            Self::Unknown { label } => write!(
                f,
                "the world has no schedule `{label}`; help: add it with `world.insert_schedule`"
            ),
            Self::Running { label } => write!(
                f,
                "the schedule `{label}` is running, and cannot run inside itself; help: repeat it after it has ended"
            ),
            Self::Halted { after } => write!(
                f,
                "the schedule is in the middle of a run, after system `{after}`; help: complete it with `Schedule::finish_run`"
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

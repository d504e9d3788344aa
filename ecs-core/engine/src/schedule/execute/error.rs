//! Errors of runs.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use crate::schedule::declare::ErrorPolicy;
use crate::schedule::plan::{PlanError, Step, join_path};
use crate::system::{BoxError, LockError};
use crate::world::WorldId;

/// The error of a run: the run was refused, or systems failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The systems cannot be put in an order; no system ran.
    Plan(PlanError),
    /// The schedule belongs to another world, the one that it was first run with; no system ran.
    ///
    /// Systems keep state that belongs to that world.
    OtherWorld {
        /// The world that the schedule belongs to.
        expected: WorldId,
        /// The world of this run.
        found: WorldId,
    },
    /// An earlier run panicked while it prepared the parameters of a system, which cannot be repeated; no system ran.
    Unbuilt {
        /// The name of the system or condition.
        system: Cow<'static, str>,
    },
    /// The world keeps no schedule under this label.
    Unknown {
        /// The label, as its `Debug` shows it.
        label: String,
    },
    /// The schedule under this label is running, and cannot run inside itself.
    Running {
        /// The label, as its `Debug` shows it.
        label: String,
    },
    /// Systems returned errors; all others ran.
    Systems(
        /// In the order in which the systems ran; at least one.
        Vec<SystemError>,
    ),
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plan(error) => error.fmt(f),
            // Without the ids, which are meaningless numbers to the user.
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
    /// The returned error; downcast it to get the system's own error type back. A [`LockError`] if the system did not
    /// run because a parameter was not available.
    pub error: BoxError,
    /// The names of the steps that the system is inside, the outermost first, as `frame > physics`; empty if it is in the
    /// schedule that was run.
    pub path: String,
    /// What is to happen, if that was [said](crate::IntoConfigs::on_error) of the system.
    pub policy: Option<ErrorPolicy>,
}

impl SystemError {
    pub(crate) fn new(step: Step<'_>, error: BoxError) -> Self {
        Self {
            system: step.name(),
            error,
            path: String::new(),
            policy: step.data.on_error,
        }
    }

    /// Notes that the system is in the schedule of that name inside a step.
    pub(crate) fn put_inside(&mut self, step: Step<'_>, schedule: &str) {
        self.path = join_path(&join_path(step.name(), schedule), &self.path);
        self.policy = self.policy.or(step.data.on_error);
    }
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "in `{}`: ", self.path)?;
        }
        match self.error.downcast_ref::<LockError>() {
            // Its message already names the system.
            Some(error) if error.system == self.system => error.fmt(f),
            Some(error) => write!(f, "a condition of system `{}`: {error}", self.system),
            None => write!(f, "system `{}` failed: {}", self.system, self.error),
        }
    }
}

impl Error for SystemError {}

//! Mistakes in an app, found before its first frame.

use std::error::Error;
use std::fmt;
use std::panic::Location;
use std::sync::Arc;

use ecs_engine::schedule::{ScheduleError, StateError};

/// The error of [`App::build`](crate::App::build): all mistakes in an app together.
#[derive(Clone, Debug)]
pub struct AppError {
    problems: Arc<[Problem]>,
}

impl AppError {
    pub(crate) fn new(problems: Vec<Problem>) -> Self {
        Self {
            problems: problems.into(),
        }
    }

    /// Returns the mistakes; at least one.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

/// A mistake in an app.
#[derive(Debug)]
#[non_exhaustive]
pub enum Problem {
    /// A plugin with data was added twice.
    PluginTwice {
        /// The type of the plugin.
        plugin: &'static str,
        /// The place that added it first.
        first: &'static Location<'static>,
        /// The place that added it again.
        second: &'static Location<'static>,
    },
    /// A plugin is missing that another one [requires](crate::App::require).
    PluginMissing {
        /// The type of the plugin.
        plugin: &'static str,
        /// The place that requires it.
        required: &'static Location<'static>,
    },
    /// Something was added to a schedule that the app does not have.
    NoSchedule {
        /// The label of the schedule.
        label: String,
        /// The place that names it.
        at: &'static Location<'static>,
        /// A label of the app that looks similar.
        similar: Option<String>,
    },
    /// A schedule was placed beside one that does not run each frame.
    NotEachFrame {
        /// The label of the other schedule.
        label: String,
        /// The place that names it.
        at: &'static Location<'static>,
    },
    /// A schedule was added twice, or to a world that keeps one with this label.
    ScheduleTwice {
        /// The label of the schedule.
        label: String,
        /// The place that added it to the app again.
        at: &'static Location<'static>,
    },
    /// Systems were added when they could no longer run.
    TooLate {
        /// The schedule that they were added to.
        to: String,
        /// The place that added them.
        at: &'static Location<'static>,
    },
    /// States contradict each other, or one is used that was not added.
    State(StateError),
    /// A schedule cannot be planned, or its systems cannot be made.
    Schedule {
        /// The schedule; `frame` for those that run each frame.
        schedule: String,
        /// The error.
        error: ScheduleError,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PluginTwice {
                plugin,
                first,
                second,
            } => write!(
                f,
                "the plugin `{plugin}` was added twice, at {first} and at {second}, and the data of the second one would be lost; help: remove one of them"
            ),
            Self::PluginMissing { plugin, required } => write!(
                f,
                "the plugin `{plugin}` is missing, which is required at {required}; help: add it with `add_plugin`"
            ),
            Self::NoSchedule { label, at, similar } => {
                write!(
                    f,
                    "the app has no schedule `{label}`, which is named at {at}; help: "
                )?;
                match similar {
                    Some(similar) => write!(f, "there is `{similar}`"),
                    None => f.write_str("add it with `add_schedule` or `insert_schedule_after`"),
                }
            }
            Self::NotEachFrame { label, at } => write!(
                f,
                "no schedule can be placed beside `{label}` at {at}, because that does not run each frame; help: place it beside one that does, such as `Update`"
            ),
            Self::ScheduleTwice { label, at } => write!(
                f,
                "the schedule `{label}` is added again at {at}; help: remove it there, or use another label"
            ),
            Self::TooLate { to, at } => write!(
                f,
                "something was added to `{to}` at {at}, when it could no longer run; help: add it before the first frame"
            ),
            Self::State(error) => error.fmt(f),
            Self::Schedule { schedule, error } => write!(f, "in `{schedule}`: {error}"),
        }
    }
}

impl fmt::Display for AppError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, problem) in self.problems.iter().enumerate() {
            if n > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl Error for AppError {}

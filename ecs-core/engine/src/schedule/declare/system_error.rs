//! Errors of systems, and the policies that handle them.

use alloc::borrow::ToOwned;
use alloc::string::String;
use core::error::Error;
use core::fmt;

use crate::system::{BoxError, LockError};
use crate::world::World;

/// The error that a system returned.
#[derive(Debug)]
pub struct SystemError {
    /// The name of the system.
    pub system: &'static str,
    /// The returned error; downcast it to get the system's own error type back. A [`LockError`] if the system did not
    /// run because a parameter was not available.
    pub error: BoxError,
    /// The names of the steps around the system, the outermost first: `frame > physics`. Empty if the system is directly
    /// in the schedule that was run.
    pub path: String,
    /// The policy that was [set](crate::IntoConfigs::on_error) for the system, if any.
    pub policy: Option<ErrorPolicy>,
    /// True if the error came from a condition of the system.
    of_condition: bool,
}

/// The error of a condition, before it becomes the error of its system.
#[derive(Debug)]
pub(crate) struct OfCondition(pub(crate) BoxError);

impl fmt::Display for OfCondition {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for OfCondition {}

impl SystemError {
    pub(crate) fn new(system: &'static str, error: BoxError, policy: Option<ErrorPolicy>) -> Self {
        let (error, of_condition) = match error.downcast::<OfCondition>() {
            Ok(inner) => (inner.0, true),
            Err(error) => (error, false),
        };
        Self {
            system,
            error,
            path: String::new(),
            policy,
            of_condition,
        }
    }

    /// Adds a step and its schedule to the path, and their policy if the error has none.
    pub(crate) fn put_inside(&mut self, step: &str, schedule: &str, policy: Option<ErrorPolicy>) {
        self.path = join_path(&join_path(step, schedule), &self.path);
        self.policy = self.policy.or(policy);
    }
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "in `{}`: ", self.path)?;
        }
        match self.error.downcast_ref::<LockError>() {
            _ if self.of_condition => {
                write!(f, "a condition of system `{}`: {}", self.system, self.error)
            }
            // Its message already names the system.
            Some(error) => error.fmt(f),
            None => write!(f, "system `{}` failed: {}", self.system, self.error),
        }
    }
}

impl Error for SystemError {}

/// The reaction to an error of a system: the policy of an app, or of [one system](crate::IntoConfigs::on_error).
///
/// The other systems of the frame still run, whatever the policy.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub enum ErrorPolicy {
    /// Prints the error, and ends the app after this frame with an exit code of 1.
    #[default]
    Exit,
    /// Prints the error, and the app continues.
    Log,
    /// Panics with the error after the frame.
    Panic,
    /// Calls this function after the frame; it decides.
    Call(fn(&SystemError, &mut World) -> OnError),
}

/// The choice that a function of [`ErrorPolicy::Call`] returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// The app continues.
    Continue,
    /// The app ends, with an exit code of 1.
    Exit,
}

/// Returns the path of a place inside the place `outer`.
pub(crate) fn join_path(outer: &str, inner: &str) -> String {
    match (outer, inner) {
        (outer, "") => outer.to_owned(),
        ("", inner) => inner.to_owned(),
        (outer, inner) => format!("{outer} > {inner}"),
    }
}

//! What happens if a system returns an error.

use crate::schedule::SystemError;
use crate::world::World;

/// What happens if a system returns an error: the policy of an app, or of [one system](crate::IntoConfigs::on_error).
///
/// Whatever the policy, the other systems of the frame still run.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub enum ErrorPolicy {
    /// The error is printed, and the app ends after this frame, with an exit code of 1.
    #[default]
    Exit,
    /// The error is printed, and the app goes on.
    Log,
    /// After the frame the app panics with the error.
    Panic,
    /// After the frame this function is called, and decides.
    Call(fn(&SystemError, &mut World) -> OnError),
}

/// What an app does after [`ErrorPolicy::Call`] was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    /// It goes on.
    Continue,
    /// It ends, with an exit code of 1.
    Exit,
}

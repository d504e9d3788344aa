//! Recordings of running apps; part of `ecs-core`, which re-exports it as `ecs_core::record` with the feature `record`.
//!
//! A [`Recorder`] writes everything that a running [`App`](ecs_app::App) takes in from outside: the lengths of its frames, and
//! the resources and events that code between frames has written. From time to time it adds an exact snapshot. A [`Replay`]
//! runs the frames again, from any of them, forward and back, and compares the worlds with the recorded hashes.
//! [`first_difference`] compares two recordings, and names the first system, entity and field that differ.
//!
//! | item | meaning |
//! |---|---|
//! | [`Recorder`] | a plugin that writes a recording |
//! | [`RecorderControl`] | starts and stops it |
//! | [`ScheduleRecorder`] | the same for a schedule that a program runs by hand |
//! | [`RecorderCheck`] | its limits for an app, before the first frame |
//! | [`Recording`] | the contents of its files |
//! | [`Replay`], [`Outcome`] | its frames, run again |
//! | [`RecordedProgram`], [`ScheduleProgram`] | the programs that replay |
//! | [`first_difference`], [`Difference`], [`DifferenceKind`] | the place where two recordings part |
//! | [`RecordingError`], [`ReplayError`] | damage, and programs that do not fit |

mod by_hand;
mod check;
mod control;
mod delta;
mod difference;
mod error;
mod format;
#[cfg(feature = "inspector")]
mod inspected;
mod lock;
mod part;
mod parts;
mod program;
mod recorder;
mod recording;
mod replay;
mod same;
mod session;
mod settings;
mod writer;

pub use by_hand::ScheduleRecorder;
pub use check::{RecorderCheck, RecorderInput};
pub use control::RecorderControl;
pub use difference::{Difference, DifferenceKind, first_difference};
pub use error::{RecordingError, ReplayError};
pub use program::{RecordedProgram, ScheduleProgram};
pub use recorder::Recorder;
pub use recording::{RecordedPanic, Recording, RecordingEnd};
pub use replay::{Outcome, Replay};

/// For tests of this project.
#[doc(hidden)]
pub mod __private {
    pub use crate::format::seal_recording;
}

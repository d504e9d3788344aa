//! Errors of recordings.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use ecs_data::{DiffError, HashError, ReadSnapshotError};
use ecs_engine::snapshot::{RestoreError, SnapshotError};

/// A recording cannot be read.
///
/// ```
/// use ecs_core::record::{Recording, RecordingError};
///
/// let missing = Recording::read("no such file.rec");
/// assert!(matches!(missing, Err(RecordingError::Io { .. })));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RecordingError {
    /// There is no such file, or it cannot be read.
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        error: Arc<io::Error>,
    },
    /// The file is not a recording.
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// Another version of this library has written the file.
    OtherForm {
        /// The file.
        path: PathBuf,
        /// The version of its form.
        form: u32,
    },
    /// The file ends, or is damaged, before the end of its first snapshot.
    NoSnapshot {
        /// The file.
        path: PathBuf,
    },
    /// A record is whole, and contradicts itself or others.
    Malformed {
        /// The file.
        path: PathBuf,
        /// The position of the record in the file.
        byte: usize,
        /// The contradiction.
        problem: String,
    },
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { path, error } => {
                write!(
                    f,
                    "the recording {} cannot be read: {error}",
                    path.display()
                )
            }
            Self::Foreign { path } => write!(
                f,
                "{} is not a recording; help: pass a file that a `Recorder` has written",
                path.display()
            ),
            Self::OtherForm { path, form } => write!(
                f,
                "the recording {} has form {form}, and this version of the library reads form {}; help: replay it with the version that recorded it",
                path.display(),
                crate::format::FORM
            ),
            Self::NoSnapshot { path } => write!(
                f,
                "the recording {} ends before its first snapshot does; help: record the run again",
                path.display()
            ),
            Self::Malformed {
                path,
                byte,
                problem,
            } => write!(
                f,
                "the recording {} is damaged at byte {byte}: {problem}",
                path.display()
            ),
        }
    }
}

impl Error for RecordingError {}

/// A recording cannot be replayed.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::record::{Recorder, Replay, ReplayError};
///
/// # let path = std::env::temp_dir().join(format!("replay-error-doc-{}.rec", std::process::id()));
/// let mut app = App::new();
/// app.add_plugin(Recorder::new(&path));
/// app.update_times(3, App::DEFAULT_FIXED_STEP);
///
/// let mut replay = Replay::open(&path, App::new)?;
/// assert!(matches!(replay.run_to(4), Err(ReplayError::NoFrame { frame: 4, .. })));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum ReplayError {
    /// The recording cannot be read.
    Recording(RecordingError),
    /// The program does not accept a snapshot of the recording: it has other types or systems.
    Snapshot {
        /// The frame that the snapshot was taken before.
        frame: u64,
        /// The reason.
        error: Box<ReadSnapshotError>,
    },
    /// A snapshot of the recording is damaged.
    Damaged {
        /// The frame that the snapshot was taken before.
        frame: u64,
    },
    /// The program cannot be built: the message of its error.
    Program(String),
    /// The program cannot return to a snapshot.
    Restore(Box<RestoreError>),
    /// The program cannot be copied, for steps back.
    Copy(Box<SnapshotError>),
    /// The program does not accept an input of the recording.
    Input {
        /// The frame.
        frame: u64,
        /// The reason, with the name of the resource.
        message: String,
    },
    /// The world cannot be hashed.
    Hash(Box<HashError>),
    /// Two worlds cannot be compared.
    Diff(Box<DiffError>),
    /// The recording has no such frame.
    NoFrame {
        /// The frame that was asked for.
        frame: u64,
        /// The first frame.
        first: u64,
        /// The frame after the last one.
        end: u64,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recording(error) => error.fmt(f),
            Self::Snapshot { frame, error } => write!(
                f,
                "the snapshot before frame {frame} does not fit this program: {error}"
            ),
            Self::Damaged { frame } => {
                write!(f, "the snapshot before frame {frame} is damaged")
            }
            Self::Program(message) => f.write_str(message),
            Self::Restore(error) => error.fmt(f),
            Self::Copy(error) => error.fmt(f),
            Self::Input { frame, message } => {
                write!(
                    f,
                    "an input of frame {frame} does not fit this program: {message}"
                )
            }
            Self::Hash(error) => error.fmt(f),
            Self::Diff(error) => error.fmt(f),
            Self::NoFrame { frame, first, end } => write!(
                f,
                "the recording has no frame {frame}; help: ask for one from {first} to before {end}"
            ),
        }
    }
}

impl Error for ReplayError {}

impl From<RecordingError> for ReplayError {
    fn from(error: RecordingError) -> Self {
        Self::Recording(error)
    }
}

//! The reasons why a slot cannot be written, read or renamed.

use std::fmt;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::head::{HEAD_LIMIT, HeadError};
use super::name::{self, SlotNameProblem};
use crate::file::FileError;
use crate::load::LoadError;
use crate::save::SaveError;
use crate::save_copy::SaveCopyError;

/// The reason why something cannot be done with a slot.
#[derive(Debug)]
#[non_exhaustive]
pub enum SlotError {
    /// No slot can have this name.
    Name {
        /// The name.
        name: String,
        /// The problem with it.
        problem: SlotNameProblem,
    },
    /// There is no slot with this name.
    NoSlot {
        /// The name.
        name: String,
    },
    /// There is a slot with this name already.
    Exists {
        /// The name.
        name: String,
    },
    /// The file of the slot is damaged, or a newer version of this library has written it.
    Damaged {
        /// The name of the slot.
        name: String,
        /// The damage.
        error: FileError,
    },
    /// The version and the note are too long.
    LongInfo {
        /// The number of bytes that they take.
        bytes: usize,
    },
    /// The user has no folder for data.
    NoHome,
    /// The world cannot be saved.
    Save(SaveError),
    /// The world cannot be copied for a save in the background.
    Copy(SaveCopyError),
    /// The `Serialize` or the `Clone` of a value has panicked, in the background.
    Panicked {
        /// The message of the panic.
        message: String,
    },
    /// The contents of the slot cannot be loaded.
    Load(LoadError),
    /// The file cannot be written. The error has its path, see [`WriteFileError`](crate::WriteFileError).
    Write(io::Error),
    /// The system has refused something else.
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        error: io::Error,
    },
}

impl SlotError {
    /// Checks that a name is one of a file in its folder, on every system.
    pub(super) fn check_name(name: &str) -> Result<(), Self> {
        match name::problem(name) {
            None => Ok(()),
            Some(problem) => Err(Self::Name {
                name: name.to_owned(),
                problem,
            }),
        }
    }

    /// Returns the error of the beginning of a slot's file.
    pub(super) fn of_head(name: &str, path: &Path, error: HeadError) -> Self {
        match error {
            HeadError::File(error) => Self::Damaged {
                name: name.to_owned(),
                error,
            },
            HeadError::Io(error) => Self::of_slot(name, path, error),
        }
    }

    pub(super) fn io(path: &Path, error: io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            error,
        }
    }

    /// Returns the error of the system for the file of a slot.
    pub(super) fn of_slot(name: &str, path: &Path, error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::NoSlot {
                name: name.to_owned(),
            },
            _ => Self::io(path, error),
        }
    }
}

impl fmt::Display for SlotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { name, problem } => write!(f, "{name:?} is no name of a slot: {problem}"),
            Self::NoSlot { name } => write!(f, "there is no slot `{name}`"),
            Self::Exists { name } => write!(
                f,
                "there is a slot `{name}` already; help: delete it first, or choose another name"
            ),
            Self::Damaged { name, error } => write!(f, "the slot `{name}`: {error}"),
            Self::LongInfo { bytes } => write!(
                f,
                "the version and the note of the slot take {bytes} bytes; help: shorten them to {HEAD_LIMIT}, or put the text into the save"
            ),
            Self::NoHome => f.write_str(
                "the user has no folder for data; help: choose a folder by `SaveSlots::new`",
            ),
            Self::Save(error) => error.fmt(f),
            Self::Copy(error) => error.fmt(f),
            Self::Panicked { message } => write!(f, "the save has panicked: {message}"),
            Self::Load(error) => error.fmt(f),
            Self::Write(error) => error.fmt(f),
            Self::Io { path, error } => write!(f, "`{}`: {error}", path.display()),
        }
    }
}

impl std::error::Error for SlotError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Damaged { error, .. } => Some(error),
            Self::Save(error) => Some(error),
            Self::Copy(error) => Some(error),
            Self::Load(error) => Some(error),
            Self::Write(error) | Self::Io { error, .. } => Some(error),
            Self::Name { .. }
            | Self::NoSlot { .. }
            | Self::Exists { .. }
            | Self::LongInfo { .. }
            | Self::Panicked { .. }
            | Self::NoHome => None,
        }
    }
}

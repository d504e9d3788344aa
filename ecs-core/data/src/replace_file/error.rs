//! The reasons why a file was not replaced.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why [`write_file`](crate::write_file) has not replaced a file; it is inside of the [`io::Error`].
///
/// ```
/// use ecs_core::data::{FileStep, WriteFileError, write_file};
/// use std::io::Error;
///
/// let error: Error = write_file("no such folder/autosave", |_| Ok(())).unwrap_err();
/// assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
/// let error: &WriteFileError = error.get_ref().unwrap().downcast_ref().unwrap();
/// assert_eq!(error.step, FileStep::Create);
/// assert!(error.to_string().starts_with("`no such folder/autosave`: its folder"));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct WriteFileError {
    /// The path that was passed.
    pub path: PathBuf,
    /// The step that failed.
    pub step: FileStep,
    /// The error of the operating system.
    pub error: io::Error,
}

/// A step of replacing a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileStep {
    /// Finding the file that the path leads to.
    Find,
    /// Creating the temporary file in its folder.
    Create,
    /// Writing the temporary file to the disk, and giving it the permissions of the old one.
    Write,
    /// Putting it in the place of the old file.
    Replace,
    /// Writing the folder to the disk. The new file is in its place.
    SyncFolder,
}

impl WriteFileError {
    /// Puts the failure into an error of the same kind.
    pub(super) fn wrap(step: FileStep, path: &Path, error: io::Error) -> io::Error {
        let path = path.to_path_buf();
        io::Error::new(error.kind(), Self { path, step, error })
    }
}

impl fmt::Display for WriteFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, error) = (self.path.display(), &self.error);
        match (self.step, error.kind()) {
            (FileStep::Find, _) => write!(f, "`{path}`: {error}"),
            (FileStep::Create, io::ErrorKind::NotFound) => write!(
                f,
                "`{path}`: its folder does not exist: {error}; help: create it first, with `std::fs::create_dir_all`"
            ),
            (FileStep::Create, _) => {
                write!(f, "`{path}`: its folder takes no new file: {error}")
            }
            (FileStep::Write, _) => write!(f, "`{path}`: it cannot be written: {error}"),
            (FileStep::Replace, _) => write!(f, "`{path}`: it cannot be replaced: {error}"),
            (FileStep::SyncFolder, _) => write!(
                f,
                "`{path}`: it was written, and may not survive a loss of power: {error}"
            ),
        }
    }
}

impl std::error::Error for WriteFileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

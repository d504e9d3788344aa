//! Replacing a file as a whole.

mod error;
mod target;
mod temporary;

use std::io::{self, Write};
use std::path::Path;

pub use error::{FileStep, WriteFileError};

use target::TargetFile;
use temporary::Temporary;

/// Replaces a file as a whole: writes a temporary file beside it, which takes its place when everything is on the disk.
///
/// A reader of the path sees the old file or the new one, and never a part of one, even after a crash or a loss of power.
/// Any number of threads and processes may write one path: none of them fails because of another, and the one that ends last
/// wins. `write` gets a buffered writer; if it fails or panics, nothing has changed.
///
/// * The file keeps its permissions, even if it is read-only, and on Unix its owner, if the program may set it. Other
///   attributes, such as access control lists, and other hard links stay with the old file.
/// * A symbolic link stays: the file that it leads to is replaced, or created.
/// * The temporary file is in the folder of the file that is replaced, and called `.NAME.0123456789abcdef.ecs-new`, with random
///   digits and with a long name shortened. It is locked while it is written, which tells it apart from a file that a killed
///   process has left. The first call for a folder in a process removes such files, and so does each 256th after it. (A file
///   system without locks keeps these files; they are never in the way.)
///
/// Costs one pass to the disk for the file, and on Unix one for its folder.
///
/// ```
/// use ecs_core::data::write_file;
/// use std::io::{Error, Write};
///
/// let path = std::env::temp_dir().join(format!("ecs-write-file-{}", std::process::id()));
/// write_file(&path, |out| out.write_all(b"first"))?;
/// let failed: Result<(), Error> = write_file(&path, |out| {
///     out.write_all(b"half of")?;
///     Err(Error::other("no space left"))
/// });
/// assert!(failed.is_err());
/// assert_eq!(std::fs::read(&path)?, b"first");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// The error of `write`, or one of the operating system: an [`io::Error`] of the same kind, which contains a [`WriteFileError`]
/// with the path. So do the errors of the writer that `write` gets. For example, the path leads to a folder or to something else
/// than a file, its folder does not exist or cannot be written, links form a cycle, or the disk is full. In that case the file is
/// unchanged, with one exception: if [the last step](FileStep::SyncFolder) fails, the new file exists, and may not survive a loss
/// of power.
pub fn write_file<E: From<io::Error>>(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let path = path.as_ref();
    let failed = |step| move |error| E::from(WriteFileError::wrap(step, path, error));
    let target = TargetFile::of(path).map_err(failed(FileStep::Find))?;
    let mut new = Temporary::create(&target).map_err(failed(FileStep::Create))?;
    write(&mut NamedWriter {
        out: &mut new,
        path,
    })?;
    new.finish(&target).map_err(failed(FileStep::Write))?;
    // Opened before the rename: a folder that cannot be opened cannot be synced either, which is not an error.
    let folder = target.open_folder();
    new.replace(&target).map_err(failed(FileStep::Replace))?;
    target::sync(folder).map_err(failed(FileStep::SyncFolder))
}

/// A writer whose errors name the path of the file.
struct NamedWriter<'a> {
    out: &'a mut Temporary,
    path: &'a Path,
}

impl NamedWriter<'_> {
    fn named<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|error| WriteFileError::wrap(FileStep::Write, self.path, error))
    }
}

impl Write for NamedWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.named(written)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = self.out.write_all(bytes);
        self.named(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.named(flushed)
    }
}

#[cfg(test)]
mod tests;

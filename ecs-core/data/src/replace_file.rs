//! Replacing a file as a whole.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file so that it is never half there: into another file beside it, which takes its place when all is written and on
/// the disk. A game that crashes while it saves keeps the save before.
///
/// `write` gets a buffered writer. The file beside it has the same name with `.new` at the end.
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
/// That of `write`, or that of the operating system. The file is as it was then.
pub fn write_file<E: From<io::Error>>(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let path = path.as_ref();
    let beside = beside(path);
    let result = write_beside(&beside, write).and_then(|()| Ok(fs::rename(&beside, path)?));
    if result.is_err() {
        // What is left of it is of no use; if it cannot be removed, the first error says more.
        let _ = fs::remove_file(&beside);
    }
    result
}

fn write_beside<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let mut out = BufWriter::new(File::create(path)?);
    write(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.sync_all()?;
    Ok(())
}

fn beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".new");
    name.into()
}

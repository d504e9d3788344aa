//! Temporary files: their names, and the ones that killed processes have left.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::target::TargetFile;

/// The end of the name of each temporary file.
const SUFFIX: &str = ".ecs-new";

/// The random part of a name, in hexadecimal digits.
const DIGITS: usize = 16;

/// The greatest number of bytes taken from a target's name: file systems have names of 143 bytes or more.
const NAME_BYTES: usize = 96;

/// One in this many calls looks for abandoned files in a folder.
pub(super) const CLEAN_EVERY: u32 = 256;

/// The greatest number of folders whose calls are counted.
const MAX_FOLDERS: usize = 1024;

/// A file that is being written. Removed when it is dropped, unless it has replaced another one.
pub(super) struct Temporary {
    path: PathBuf,
    /// Locked as long as it is open, except where that would lock out readers of the target.
    out: BufWriter<File>,
    is_left: bool,
}

impl Temporary {
    /// Creates a file in the folder of the target, with a name that no other one has ever had.
    pub(super) fn create(target: &TargetFile) -> io::Result<Self> {
        if is_due(target.folder()) {
            remove_left(target.folder());
        }
        loop {
            let path = target.folder().join(new_name(target));
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            if target.old.is_some() {
                use std::os::unix::fs::OpenOptionsExt as _;
                // It gets the permissions of the old file, which may be private, when everything is written.
                options.mode(0o600);
            }
            let file = match options.open(&path) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                opened => opened?,
            };
            // Before the file was locked, another process may have mistaken it for an abandoned one: such a process has the
            // lock, or has removed the file.
            match file.try_lock() {
                Err(TryLockError::WouldBlock) => continue,
                Ok(()) if !path.exists() => continue,
                // There are no locks here, so no other process removes it.
                Ok(()) | Err(TryLockError::Error(_)) => {}
            }
            return Ok(Self {
                path,
                out: BufWriter::new(file),
                is_left: true,
            });
        }
    }

    /// Writes everything to the disk, and copies the owner and the permissions of the old file.
    pub(super) fn finish(&mut self, target: &TargetFile) -> io::Result<()> {
        self.out.flush()?;
        let file = self.out.get_ref();
        if let Some(old) = &target.old {
            #[cfg(unix)]
            {
                use std::os::unix::fs::{MetadataExt as _, fchown};
                let new = file.metadata()?;
                if (new.uid(), new.gid()) != (old.uid(), old.gid()) {
                    // Few programs may give files away. In that case the file belongs to the program, like a new one.
                    let _ = fchown(file, Some(old.uid()), Some(old.gid()));
                }
            }
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()
    }

    /// Puts the file in the place of the target.
    pub(super) fn replace(mut self, target: &TargetFile) -> io::Result<()> {
        if cfg!(windows) {
            // There a lock keeps others from reading the file, even under its new name.
            self.out.get_ref().unlock()?;
        }
        fs::rename(&self.path, target.path())?;
        self.is_left = false;
        Ok(())
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if self.is_left {
            // The rest of it is useless; if it cannot be removed, the first error says more.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Returns a name that other calls do not return, in any process and on any machine.
fn new_name(target: &TargetFile) -> String {
    let name = target.name().to_string_lossy();
    let random = RandomState::new().hash_one((std::process::id(), SystemTime::now()));
    let cut = name.floor_char_boundary(NAME_BYTES);
    format!(".{}.{random:0DIGITS$x}{SUFFIX}", &name[..cut])
}

/// Returns true if a name may be one of [`new_name`].
fn is_temporary(name: &str) -> bool {
    let parts = name
        .strip_prefix('.')
        .and_then(|name| name.strip_suffix(SUFFIX));
    let digits = parts.and_then(|name| name.rsplit_once('.'));
    digits.is_some_and(|(_, digits)| {
        let is_digit = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
        digits.len() == DIGITS && digits.bytes().all(is_digit)
    })
}

/// Returns true if it is time to look for abandoned files in a folder, because reading a large folder for each file would
/// take long.
fn is_due(folder: &Path) -> bool {
    static CALLS: Mutex<Option<HashMap<PathBuf, u32>>> = Mutex::new(None);
    let mut calls = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
    let calls = calls.get_or_insert_default();
    if calls.len() >= MAX_FOLDERS && !calls.contains_key(folder) {
        calls.clear();
    }
    let count = calls.entry(folder.to_path_buf()).or_default();
    let is_due = *count == 0;
    *count = (*count + 1) % CLEAN_EVERY;
    is_due
}

/// Removes the temporary files of processes that are gone. If one cannot be removed, it stays and does no harm.
fn remove_left(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_file = || entry.file_type().is_ok_and(|kind| kind.is_file());
        if name.to_str().is_some_and(is_temporary)
            && is_file()
            && let Some(_lock) = lock_left(&entry.path())
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Locks a file if no process is writing it, so that none begins to.
fn lock_left(path: &Path) -> Option<File> {
    let file = File::open(path).ok()?;
    file.try_lock().ok()?;
    // If a file is unlocked before it is renamed, that is for a moment.
    if cfg!(windows) {
        let written = file.metadata().and_then(|metadata| metadata.modified());
        let age = SystemTime::now().duration_since(written.ok()?).ok()?;
        if age < Duration::from_secs(60) {
            return None;
        }
    }
    Some(file)
}

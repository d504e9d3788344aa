//! The file that a path leads to, and its folder.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{self, Path, PathBuf};

/// The greatest number of links to follow, the same as on Linux.
const MAX_LINKS: usize = 40;

/// A file that will be replaced or made.
pub(super) struct TargetFile {
    /// Absolute, so that it stays the same if the program changes its folder.
    folder: PathBuf,
    name: OsString,
    /// The existing file.
    pub(super) old: Option<Metadata>,
}

impl TargetFile {
    /// Finds the file that a path leads to, which need not exist.
    pub(super) fn of(path: &Path) -> io::Result<Self> {
        // Asked now: the absolute path no longer has the separator or the dot at the end.
        let mut is_of_folder = is_of_folder(path);
        let mut path = path::absolute(path)?;
        let mut links = 0;
        let old = loop {
            match fs::symlink_metadata(&path) {
                Ok(found) if found.is_symlink() && links == MAX_LINKS => {
                    // The operating system has an error of its own for this.
                    fs::metadata(&path)?;
                    return Err(io::Error::other("too many symbolic links"));
                }
                Ok(found) if found.is_symlink() => {
                    links += 1;
                    // From the folder of the link. An absolute one replaces everything.
                    let leads_to = fs::read_link(&path)?;
                    is_of_folder |= self::is_of_folder(&leads_to);
                    path.pop();
                    path.push(leads_to);
                }
                Ok(found) if found.is_dir() => {
                    return Err(io::Error::new(ErrorKind::IsADirectory, "is a folder"));
                }
                Ok(found) if !found.is_file() => {
                    let problem = "is neither a file nor a folder, and cannot be replaced";
                    return Err(io::Error::new(ErrorKind::InvalidInput, problem));
                }
                Ok(found) => break Some(found),
                Err(error) if error.kind() == ErrorKind::NotFound => break None,
                Err(error) => return Err(error),
            }
        };
        if is_of_folder {
            return Err(match old {
                Some(_) => io::Error::new(ErrorKind::NotADirectory, "is a file, and not a folder"),
                None => io::Error::new(
                    ErrorKind::IsADirectory,
                    "names a folder, and not a file; help: pass a path that ends with the name of the file",
                ),
            });
        }
        match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => Ok(Self {
                folder: folder.to_path_buf(),
                name: name.to_owned(),
                old,
            }),
            _ => Err(io::Error::new(
                ErrorKind::InvalidInput,
                "the path has no file name",
            )),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn name(&self) -> &OsStr {
        &self.name
    }

    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(&self.name)
    }

    /// Opens the folder to write its entries to the disk, where that is possible.
    pub(super) fn open_folder(&self) -> Option<File> {
        if cfg!(unix) {
            File::open(&self.folder).ok()
        } else {
            // Other systems open no folders, or write their entries to the disk by themselves.
            None
        }
    }
}

/// Returns true if a path can only lead to a folder: it ends with a separator, or with a dot after one.
fn is_of_folder(path: &Path) -> bool {
    let path = path.to_string_lossy();
    let path = path.strip_suffix('.').unwrap_or(&path);
    path.ends_with(path::is_separator)
}

/// Writes the entries of a folder to the disk.
pub(super) fn sync(folder: Option<File>) -> io::Result<()> {
    match folder.map_or(Ok(()), |folder| folder.sync_all()) {
        // Some file systems, such as network ones, cannot do it.
        Err(error) if [ErrorKind::InvalidInput, ErrorKind::Unsupported].contains(&error.kind()) => {
            Ok(())
        }
        result => result,
    }
}

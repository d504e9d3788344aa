//! The files of a recording: the newest part has the recording's own path, and older ones have a number after it.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the path of an old part.
pub(crate) fn old_part(path: &Path, number: u64) -> PathBuf {
    let mut name = path.file_name().map(OsString::from).unwrap_or_default();
    name.push(format!(".{number:06}"));
    path.with_file_name(name)
}

/// Returns the path of the newest part while its first snapshot is being written.
pub(crate) fn new_part(path: &Path) -> PathBuf {
    path.with_added_extension("new")
}

/// Returns the numbers of the old parts of a recording, in order.
pub(crate) fn old_parts(path: &Path) -> io::Result<Vec<u64>> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = path.file_name().and_then(|name| name.to_str());
    let Some(name) = name else {
        return Ok(Vec::new());
    };
    let mut numbers = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?.file_name();
        let number = entry
            .to_str()
            .and_then(|entry| entry.strip_prefix(name)?.strip_prefix('.'));
        let number =
            number.filter(|digits| digits.len() >= 6 && digits.bytes().all(|b| b.is_ascii_digit()));
        numbers.extend(number.and_then(|digits| digits.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Removes the parts of an earlier recording.
pub(crate) fn remove_old_parts(path: &Path) -> io::Result<()> {
    if !path
        .parent()
        .is_none_or(|folder| folder.as_os_str().is_empty() || folder.is_dir())
    {
        return Ok(());
    }
    for number in old_parts(path)? {
        fs::remove_file(old_part(path, number))?;
    }
    Ok(())
}

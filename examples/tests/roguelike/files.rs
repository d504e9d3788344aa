//! Temporary files for tests.

use std::path::{Path, PathBuf};

/// A file in the system's folder for temporary files; removed when dropped.
pub(crate) struct TempFile(PathBuf);

impl TempFile {
    /// Writes a file; `name` distinguishes the files of one test run.
    pub(crate) fn new(name: &str, content: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("roguelike-{}-{name}", std::process::id()));
        std::fs::write(&path, content).expect("the folder for temporary files can be written");
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for TempFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

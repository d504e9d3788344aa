//! Folders of tests.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use ecs_core::data::SaveSlots;

/// The path of a folder for one test. A test that creates the folder leaves the removal to this.
pub struct TestFolder(PathBuf);

impl TestFolder {
    /// Makes a path that no other test has.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "each is another one")]
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("ecs-test-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    /// Returns the path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the slots of the folder.
    #[must_use]
    pub fn slots(&self) -> SaveSlots {
        SaveSlots::new(&self.0)
    }
}

impl Drop for TestFolder {
    fn drop(&mut self) {
        _ = std::fs::remove_dir_all(&self.0);
    }
}

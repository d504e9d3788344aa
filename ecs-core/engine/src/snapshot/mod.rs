//! Copies of whole worlds, to which they return: rollback, undo, tests.

mod error;
mod ring;
mod schedules;
mod snapshotter;
#[cfg(test)]
mod tests;

pub use error::{RestoreError, SnapshotError};
pub use ring::Ring;
pub use snapshotter::{Snapshot, Snapshotter};

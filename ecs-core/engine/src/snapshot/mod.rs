//! Copies of whole worlds, and returns to them: for rollback, undo and tests.

#[doc(hidden)]
pub mod bytes;
mod check;
mod error;
mod outside;
mod plain;
mod ring;
mod schedules;
mod snapshotter;
mod table_filter;
#[cfg(test)]
mod tests;

pub use error::{LeftOut, RestoreError, SnapshotError};
pub use ring::Ring;
pub use snapshotter::{Snapshot, Snapshotter};

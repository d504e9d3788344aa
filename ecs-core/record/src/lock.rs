//! Locks that a panic does not close.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks a value, also after a panic of another holder: a panic of a `Serialize`, say, ends the app and not the recorder.
pub(crate) fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

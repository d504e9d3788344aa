//! The run-time borrows of components, or the error that says which one is taken.

use super::BorrowError;
use crate::borrow::{ExclusiveBorrow, SharedBorrow};
use crate::storage::ComponentStore;

/// Borrows a component for reading.
///
/// # Errors
/// If it is being written. A component that the world has not met can always be borrowed: there is nothing to borrow, and
/// so it is where the world has no place for it.
#[inline]
pub(crate) fn borrow(store: &ComponentStore) -> Result<SharedBorrow<'_>, BorrowError> {
    match store.flag.try_shared() {
        Some(borrow) => Ok(borrow),
        None if !store.is_met() => Ok(store.flag.meaningless_shared()),
        None => Err(BorrowError {
            component: store.info.name,
            write: false,
        }),
    }
}

/// Borrows a component for writing.
///
/// # Errors
/// If it is being read or written; as for [`borrow`](fn@borrow).
#[inline]
pub(crate) fn borrow_mut(store: &ComponentStore) -> Result<ExclusiveBorrow<'_>, BorrowError> {
    match store.flag.try_exclusive() {
        Some(borrow) => Ok(borrow),
        None if !store.is_met() => Ok(store.flag.meaningless_exclusive()),
        None => Err(BorrowError {
            component: store.info.name,
            write: true,
        }),
    }
}

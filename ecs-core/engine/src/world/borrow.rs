//! The run-time borrows of components, or the error that says which one is taken.

use super::BorrowError;
use crate::borrow::{ExclusiveBorrow, SharedBorrow};
use crate::storage::ComponentStore;

/// Borrows a component for reading.
///
/// # Errors
/// If it is being written.
#[inline]
pub(crate) fn borrow(store: &ComponentStore) -> Result<SharedBorrow<'_>, BorrowError> {
    store.flag.try_shared().ok_or(BorrowError {
        component: store.info.name,
        write: false,
    })
}

/// Borrows a component for writing.
///
/// # Errors
/// If it is being read or written.
#[inline]
pub(crate) fn borrow_mut(store: &ComponentStore) -> Result<ExclusiveBorrow<'_>, BorrowError> {
    store.flag.try_exclusive().ok_or(BorrowError {
        component: store.info.name,
        write: true,
    })
}

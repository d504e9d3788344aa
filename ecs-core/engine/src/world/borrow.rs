//! The run-time borrows of components, or the error that says which one is taken.

use super::BorrowError;
use crate::borrow::{ExclusiveBorrow, SharedBorrow};
use crate::storage::ComponentStore;

/// Borrows a component for reading.
///
/// A component that the world has not met can always be borrowed, as where the world has no place for it: there is nothing to
/// borrow.
///
/// # Errors
/// If it is being written.
#[inline]
pub(crate) fn borrow(store: &ComponentStore) -> Result<SharedBorrow<'_>, BorrowError> {
    match store.flag.try_shared() {
        Some(borrow) => Ok(borrow),
        // SAFETY: by invariant 3 of the store there are no values for its flag to protect.
        None if !store.is_met() => Ok(unsafe { store.flag.shared_of_nothing() }),
        None => Err(BorrowError {
            component: store.info.name,
            write: false,
        }),
    }
}

/// Borrows a component for writing. Of one that the world has not met the same is true as for [`borrow`](fn@borrow).
///
/// # Errors
/// If it is being read or written.
#[inline]
pub(crate) fn borrow_mut(store: &ComponentStore) -> Result<ExclusiveBorrow<'_>, BorrowError> {
    match store.flag.try_exclusive() {
        Some(borrow) => Ok(borrow),
        // SAFETY: by invariant 3 of the store there are no values for its flag to protect.
        None if !store.is_met() => Ok(unsafe { store.flag.exclusive_of_nothing() }),
        None => Err(BorrowError {
            component: store.info.name,
            write: true,
        }),
    }
}

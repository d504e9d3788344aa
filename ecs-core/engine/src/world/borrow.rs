//! Run-time borrows of components.

use super::BorrowError;
use crate::borrow::{ExclusiveBorrow, SharedBorrow};
use crate::storage::ComponentStore;

/// Borrows a component for reading.
///
/// A component that is not registered can always be borrowed, like one without a store, because it has no values.
///
/// # Errors
/// If the component is being written.
#[inline]
pub(crate) fn borrow(store: &ComponentStore) -> Result<SharedBorrow<'_>, BorrowError> {
    match store.flag.try_shared() {
        Some(borrow) => Ok(borrow),
        // SAFETY: by invariant 3 of `ComponentStore` an unregistered component has no values for the flag to protect.
        None if !store.is_registered() => Ok(unsafe { store.flag.shared_of_nothing() }),
        None => Err(BorrowError {
            component: store.info.name,
            write: false,
        }),
    }
}

/// Borrows a component for writing. Like [`borrow`](fn@borrow), it never fails for a component that is not registered.
///
/// # Errors
/// If the component is being read or written.
#[inline]
pub(crate) fn borrow_mut(store: &ComponentStore) -> Result<ExclusiveBorrow<'_>, BorrowError> {
    match store.flag.try_exclusive() {
        Some(borrow) => Ok(borrow),
        // SAFETY: by invariant 3 of `ComponentStore` an unregistered component has no values for the flag to protect.
        None if !store.is_registered() => Ok(unsafe { store.flag.exclusive_of_nothing() }),
        None => Err(BorrowError {
            component: store.info.name,
            write: true,
        }),
    }
}

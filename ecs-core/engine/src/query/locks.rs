//! The run-time borrows of queries, which are taken and released without a guard; compiled once, and not for each
//! component.

use core::mem::forget;

use crate::component::ComponentId;
use crate::storage::Storage;
use crate::world::{BorrowError, borrow, borrow_mut};

/// Borrows a component for reading.
///
/// # Errors
/// If it is borrowed for writing.
#[inline]
pub(super) fn read(storage: &Storage, component: ComponentId) -> Result<(), BorrowError> {
    // A component without a store has no values to borrow.
    let Some(store) = storage.component(component) else {
        return Ok(());
    };
    borrow(store).map(forget)
}

/// Borrows a component for writing.
///
/// # Errors
/// If it is borrowed for reading or writing.
#[inline]
pub(super) fn write(storage: &Storage, component: ComponentId) -> Result<(), BorrowError> {
    let Some(store) = storage.component(component) else {
        return Ok(());
    };
    borrow_mut(store).map(forget)
}

/// Releases the borrow that [`read`] took.
///
/// # Safety
/// `read` has succeeded, and no other code relies on its borrow any more.
#[inline]
pub(super) unsafe fn end_read(storage: &Storage, component: ComponentId) {
    if let Some(store) = storage.component(component) {
        // SAFETY: `read` has succeeded and forgotten its guard, and no other code relies on the borrow, by the caller's
        // contract.
        unsafe { store.flag.end_shared() };
    }
}

/// Releases the borrow that [`write`](fn@write) took.
///
/// # Safety
/// `write` has succeeded, and no other code relies on its borrow any more.
#[inline]
pub(super) unsafe fn end_write(storage: &Storage, component: ComponentId) {
    if let Some(store) = storage.component(component) {
        // SAFETY: `write` has succeeded and forgotten its guard, and no other code relies on the borrow, by the
        // caller's contract.
        unsafe { store.flag.end_exclusive() };
    }
}

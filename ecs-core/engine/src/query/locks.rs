//! The run-time borrows of queries, which are taken and given back without a guard; compiled once, and not for each component.

use core::mem::forget;

use crate::component::ComponentId;
use crate::storage::Storage;
use crate::world::{BorrowError, borrow, borrow_mut};

/// Borrows a component for reading.
///
/// # Errors
/// If it is being written.
#[inline]
pub(super) fn read(storage: &Storage, component: ComponentId) -> Result<(), BorrowError> {
    // Nothing can be borrowed where there is nothing.
    let Some(store) = storage.component(component) else {
        return Ok(());
    };
    borrow(store).map(forget)
}

/// Borrows a component for writing.
///
/// # Errors
/// If it is being read or written.
#[inline]
pub(super) fn write(storage: &Storage, component: ComponentId) -> Result<(), BorrowError> {
    let Some(store) = storage.component(component) else {
        return Ok(());
    };
    borrow_mut(store).map(forget)
}

/// Gives back what [`read`] took.
///
/// # Safety
/// It has taken it, and nobody relies on it any more.
#[inline]
pub(super) unsafe fn end_read(storage: &Storage, component: ComponentId) {
    if let Some(store) = storage.component(component) {
        // SAFETY: the caller's promise; the guard was forgotten.
        unsafe { store.flag.end_shared() };
    }
}

/// Gives back what [`write`](fn@write) took.
///
/// # Safety
/// It has taken it, and nobody relies on it any more.
#[inline]
pub(super) unsafe fn end_write(storage: &Storage, component: ComponentId) {
    if let Some(store) = storage.component(component) {
        // SAFETY: the caller's promise; the guard was forgotten.
        unsafe { store.flag.end_exclusive() };
    }
}

//! Functions of component types without their types.

use core::mem::needs_drop;

/// Drops the given number of consecutive values from the pointer on.
///
/// The values count as moved out afterwards, even if one of their `Drop`s panicked; the others are still dropped.
pub(crate) type DropFn = unsafe fn(*mut u8, usize);

/// A function pointer without its type.
pub(crate) type ErasedFn = unsafe fn();

/// Returns the function that drops values of a type; `None` if there is nothing to drop.
pub(super) const fn drop_fn<T>() -> Option<DropFn> {
    if needs_drop::<T>() {
        Some(drop_values::<T>)
    } else {
        None
    }
}

/// # Safety
/// `values` points to `len` initialised, aligned `T`s that are not used afterwards.
unsafe fn drop_values<T>(values: *mut u8, len: usize) {
    let values = core::ptr::slice_from_raw_parts_mut(values.cast::<T>(), len);
    // SAFETY: `values` points to `len` initialised, aligned values that are not used afterwards, by the caller's
    // contract.
    unsafe { values.drop_in_place() }
}

//! The part of a storage that views change through a shared reference, and a reference type that proves that it does not
//! change.

use core::cell::UnsafeCell;
use core::ops::Deref;

/// A part of a storage that is changed through `&mut` or, by a view of an [immediate](crate::ImmediateComponent)
/// component, through a [pointer](Self::as_ptr) under the component's exclusive run-time borrow. It is read through a
/// [`Frozen`] reference.
pub(super) struct BorrowGuardedCell<T>(UnsafeCell<T>);

impl<T> BorrowGuardedCell<T> {
    pub(super) fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    #[inline]
    pub(super) fn get_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }

    #[inline]
    pub(super) fn as_ptr(&self) -> *mut T {
        self.0.get()
    }
}

/// A reference to a storage, or to the store of a component, that proves that no sparse set in it is changed while the
/// reference lives.
#[repr(transparent)]
pub(crate) struct Frozen<'a, T>(
    /// Invariant 1: for all of `'a`, no sparse set in it is changed through a pointer.
    &'a T,
);

impl<'a, T> Frozen<'a, T> {
    /// Freezes a value that is borrowed exclusively, so that no view exists.
    #[inline]
    pub(crate) fn of(exclusive: &'a mut T) -> Self {
        Self(exclusive)
    }

    /// # Safety
    /// For all of `'a`, no sparse set in it is changed through a pointer: the component is not immediate, or the caller
    /// holds its run-time borrow and does not write with it.
    #[inline]
    pub(crate) unsafe fn new(shared: &'a T) -> Self {
        Self(shared)
    }

    #[inline]
    pub(crate) fn get(self) -> &'a T {
        self.0
    }
}

impl<T> Clone for Frozen<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Frozen<'_, T> {}

impl<T> Deref for Frozen<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.0
    }
}

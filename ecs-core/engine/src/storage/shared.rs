//! What can be changed through a shared storage by whoever holds the right run-time borrow.

use core::cell::UnsafeCell;
use core::ops::{Deref, DerefMut};

/// A part of a storage that is read like any other, and changed through `&mut` or, under its component's exclusive run-time
/// borrow, [through a pointer](Self::as_ptr).
///
/// Invariant 1: while somebody changes the value through the pointer nobody else looks at it. This is why a component with
/// [`IMMEDIATE`](crate::Component::IMMEDIATE) set is read under its run-time borrow alone, be it only to ask who has it.
pub(crate) struct Shared<T>(UnsafeCell<T>);

impl<T> Shared<T> {
    pub(super) fn new(value: T) -> Self {
        Self(UnsafeCell::new(value))
    }

    /// The value, to be changed by a caller who keeps invariant 1.
    #[inline]
    pub(crate) fn as_ptr(&self) -> *mut T {
        self.0.get()
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: by invariant 1 nobody changes it now.
        unsafe { &*self.0.get() }
    }
}

impl<T> DerefMut for Shared<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_mut()
    }
}

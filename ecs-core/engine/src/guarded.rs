//! A value beside the run-time borrow that keeps it: what `Ref`, `Res` and the like hold.
//!
//! Pointers and not references, as in `core::cell::Ref`. The compiler takes a reference that a function is passed, be it in a
//! struct, for valid up to the end of the function; but a guard that is passed by value may end before, and from then on the
//! value may be written by others.

use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

/// A value that is read under the borrow `B`; `Option<B>` where somebody else may hold it.
pub(crate) struct Guarded<'w, T, B> {
    /// Invariant 1: points to a `T` that nobody writes as long as this lives; where `borrow` is `None`, as long as `'w`.
    value: NonNull<T>,
    borrow: B,
    of: PhantomData<&'w T>,
}

// SAFETY: it gives out a `&T`, which goes to other threads where `T` is `Sync`.
unsafe impl<T: Sync, B: Send> Send for Guarded<'_, T, B> {}
// SAFETY: as above; a shared one gives out a `&T` too.
unsafe impl<T: Sync, B: Sync> Sync for Guarded<'_, T, B> {}

impl<T, B> Guarded<'_, T, B> {
    /// # Safety
    /// `value` points to a `T` that nobody writes until `borrow` is dropped, or as long as `'w` if it is no borrow.
    #[inline]
    pub(crate) unsafe fn new(value: NonNull<T>, borrow: B) -> Self {
        Self {
            value,
            borrow,
            of: PhantomData,
        }
    }
}

impl<'w, T, B> Guarded<'w, T, Option<B>> {
    /// Without a borrow, as none is needed.
    #[inline]
    pub(crate) fn of(value: &'w T) -> Self {
        // SAFETY: it is borrowed as long as `'w`.
        unsafe { Self::new(NonNull::from(value), None) }
    }

    /// A second one that relies on this one's borrow.
    #[inline]
    pub(crate) fn reborrow(&self) -> Guarded<'_, T, Option<B>> {
        Guarded::of(self)
    }

    /// A second one with a borrow of its own.
    #[inline]
    pub(crate) fn twin(&self) -> Self
    where
        B: Clone,
    {
        // SAFETY: by invariant 1 of this one, of the borrow of which the other one has a copy.
        unsafe { Self::new(self.value, self.borrow.clone()) }
    }
}

impl<T, B> Deref for Guarded<'_, T, B> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: by invariant 1; this is borrowed as long as the reference, and `'w` lasts as long as this.
        unsafe { self.value.as_ref() }
    }
}

/// A value that is written under the borrow `B`; `Option<B>` where somebody else may hold it.
pub(crate) struct GuardedMut<'w, T, B> {
    /// Invariant 1: points to a `T` that nobody else uses as long as this lives; where `_borrow` is `None`, as long as `'w`.
    value: NonNull<T>,
    _borrow: B,
    of: PhantomData<&'w mut T>,
}

// SAFETY: it gives out a `&mut T`, which goes to other threads where `T` is `Send`.
unsafe impl<T: Send, B: Send> Send for GuardedMut<'_, T, B> {}
// SAFETY: a shared one gives out a `&T`, which goes to other threads where `T` is `Sync`.
unsafe impl<T: Sync, B: Sync> Sync for GuardedMut<'_, T, B> {}

impl<T, B> GuardedMut<'_, T, B> {
    /// # Safety
    /// `value` points to a `T` that nobody else uses until `borrow` is dropped, or as long as `'w` if it is no borrow.
    #[inline]
    pub(crate) unsafe fn new(value: NonNull<T>, borrow: B) -> Self {
        Self {
            value,
            _borrow: borrow,
            of: PhantomData,
        }
    }
}

impl<'w, T, B> GuardedMut<'w, T, Option<B>> {
    /// Without a borrow, as none is needed.
    #[inline]
    pub(crate) fn of(value: &'w mut T) -> Self {
        // SAFETY: it is borrowed exclusively as long as `'w`.
        unsafe { Self::new(NonNull::from(value), None) }
    }

    /// A second one that relies on this one's borrow and locks this one out meanwhile.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> GuardedMut<'_, T, Option<B>> {
        GuardedMut::of(self)
    }
}

impl<T, B> Deref for GuardedMut<'_, T, B> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: by invariant 1; this is borrowed as long as the reference, and `'w` lasts as long as this.
        unsafe { self.value.as_ref() }
    }
}

impl<T, B> DerefMut for GuardedMut<'_, T, B> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: by invariant 1; this is borrowed exclusively as long as the reference, and `'w` lasts as long as this.
        unsafe { self.value.as_mut() }
    }
}

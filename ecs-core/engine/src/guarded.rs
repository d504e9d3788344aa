//! A value with the run-time borrow that protects it: the core of `Ref`, `Res` and the like.
//!
//! Pointers instead of references, as in `core::cell::Ref`. The compiler assumes that a reference passed to a function, even
//! inside a struct, is valid until the function returns. A guard that is passed by value may be dropped earlier, and from
//! then on other code may write the value.

use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

/// A value that is read under the borrow `B`; `Option<B>` if other code may hold the borrow.
pub(crate) struct Guarded<'w, T: ?Sized, B> {
    /// Invariant 1: points to a `T` that is not written while this lives; if `borrow` is `None`, for all of `'w`.
    value: NonNull<T>,
    borrow: B,
    of: PhantomData<&'w T>,
}

// SAFETY: the only access it grants is a `&T`, which is `Send` where `T: Sync`; the borrow is `Send` by the bound.
unsafe impl<T: ?Sized + Sync, B: Send> Send for Guarded<'_, T, B> {}
// SAFETY: a shared reference to it grants a `&T`, which is `Sync` where `T: Sync`; the borrow is `Sync` by the bound.
unsafe impl<T: ?Sized + Sync, B: Sync> Sync for Guarded<'_, T, B> {}

impl<T: ?Sized, B> Guarded<'_, T, B> {
    /// # Safety
    /// `value` points to a `T` that is not written until `borrow` is dropped, or for all of `'w` if it holds no borrow.
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
    /// Wraps a reference that needs no run-time borrow.
    #[inline]
    pub(crate) fn of(value: &'w T) -> Self {
        // SAFETY: `value` comes from a `&'w T`, so it is not written for all of `'w`.
        unsafe { Self::new(NonNull::from(value), None) }
    }

    /// Reborrows, relying on this guard's borrow.
    #[inline]
    pub(crate) fn reborrow(&self) -> Guarded<'_, T, Option<B>> {
        Guarded::of(self)
    }

    /// Clones the guard with a borrow of its own.
    #[inline]
    pub(crate) fn clone_borrow(&self) -> Self
    where
        B: Clone,
    {
        // SAFETY: the value is not written while this guard's borrow lives, by invariant 1; the clone of the borrow
        // extends that to the new guard, and without a borrow it holds for all of `'w`.
        unsafe { Self::new(self.value, self.borrow.clone()) }
    }
}

impl<T: ?Sized, B> Deref for Guarded<'_, T, B> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: `value` is valid and not written while `self` lives, by invariant 1; the reference borrows `self`,
        // and `'w` outlives `self`.
        unsafe { self.value.as_ref() }
    }
}

/// A value that is written under the borrow `B`; `Option<B>` if other code may hold the borrow.
pub(crate) struct GuardedMut<'w, T: ?Sized, B> {
    /// Invariant 1: points to a `T` that no other code accesses while this lives; if `_borrow` is `None`, for all of
    /// `'w`.
    value: NonNull<T>,
    _borrow: B,
    of: PhantomData<&'w mut T>,
}

// SAFETY: it grants a `&mut T`, which is `Send` where `T: Send`; the borrow is `Send` by the bound.
unsafe impl<T: ?Sized + Send, B: Send> Send for GuardedMut<'_, T, B> {}
// SAFETY: a shared reference to it grants a `&T`, which is `Sync` where `T: Sync`; the borrow is `Sync` by the bound.
unsafe impl<T: ?Sized + Sync, B: Sync> Sync for GuardedMut<'_, T, B> {}

impl<T: ?Sized, B> GuardedMut<'_, T, B> {
    /// # Safety
    /// `value` points to a `T` that no other code accesses until `borrow` is dropped, or for all of `'w` if it holds no
    /// borrow.
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
    /// Wraps a reference that needs no run-time borrow.
    #[inline]
    pub(crate) fn of(value: &'w mut T) -> Self {
        // SAFETY: `value` comes from a `&'w mut T`, so no other code accesses it for all of `'w`.
        unsafe { Self::new(NonNull::from(value), None) }
    }

    /// Reborrows, relying on this guard's borrow; this guard cannot be used while the new one is.
    #[inline]
    pub(crate) fn reborrow(&mut self) -> GuardedMut<'_, T, Option<B>> {
        GuardedMut::of(self)
    }
}

impl<T: ?Sized, B> Deref for GuardedMut<'_, T, B> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: `value` is valid and accessed only through `self`, by invariant 1; the reference borrows `self`, and
        // `'w` outlives `self`.
        unsafe { self.value.as_ref() }
    }
}

impl<T: ?Sized, B> DerefMut for GuardedMut<'_, T, B> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: `value` is valid and accessed only through `self`, by invariant 1; the reference borrows `self`
        // exclusively, and `'w` outlives `self`.
        unsafe { self.value.as_mut() }
    }
}

//! `NonSend` and `NonSendMut`: a borrowed value that must stay on its thread.

use core::fmt;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use crate::borrow::{ExclusiveBorrow, SharedBorrow};
use crate::guarded::{Guarded, GuardedMut};

/// A value that must stay on its thread, borrowed for reading; derefs to it.
///
/// As a parameter it makes a system run on the thread that runs the schedule. Values are inserted by
/// [`World::insert_non_send`](crate::World::insert_non_send); in a unit test, a handle can be created from a plain
/// reference.
///
/// The handle is `Send` only if `&T` is:
///
/// ```compile_fail
/// use ecs_core::World;
/// use std::rc::Rc;
///
/// let mut world = World::new();
/// world.insert_non_send(Rc::new(1));
/// let handle = world.non_send::<Rc<i32>>();
/// std::thread::scope(|scope| _ = scope.spawn(|| Rc::clone(&handle)));
/// ```
pub struct NonSend<'w, T> {
    /// The borrow is released on drop; `None` if another guard holds it for at least `'w`.
    value: Guarded<'w, T, Option<SharedBorrow<'w>>>,
}

impl<'w, T> NonSend<'w, T> {
    /// # Safety
    /// The borrow belongs to the value, which is not written while the borrow lives.
    pub(super) unsafe fn new(value: NonNull<T>, borrow: SharedBorrow<'w>) -> Self {
        Self {
            // SAFETY: the value is not written while the borrow lives, by the caller's contract.
            value: unsafe { Guarded::new(value, Some(borrow)) },
        }
    }

    /// Reborrows, relying on this handle's run-time borrow.
    #[must_use]
    pub fn reborrow(&self) -> NonSend<'_, T> {
        NonSend::from(&**self)
    }
}

impl<'w, T> From<&'w T> for NonSend<'w, T> {
    fn from(value: &'w T) -> Self {
        Self {
            value: Guarded::of(value),
        }
    }
}

impl<T> Deref for NonSend<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for NonSend<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// A value that must stay on its thread, borrowed for writing; derefs to it. See [`NonSend`].
pub struct NonSendMut<'w, T> {
    /// The borrow is released on drop; `None` if another guard holds it for at least `'w`.
    value: GuardedMut<'w, T, Option<ExclusiveBorrow<'w>>>,
}

impl<'w, T> NonSendMut<'w, T> {
    /// # Safety
    /// The borrow belongs to the value, which no other code accesses while the borrow lives.
    pub(super) unsafe fn new(value: NonNull<T>, borrow: ExclusiveBorrow<'w>) -> Self {
        Self {
            // SAFETY: no other code accesses the value while the borrow lives, by the caller's contract.
            value: unsafe { GuardedMut::new(value, Some(borrow)) },
        }
    }

    /// Reborrows, relying on this handle's run-time borrow; this handle cannot be used while the new one is.
    #[must_use]
    pub fn reborrow(&mut self) -> NonSendMut<'_, T> {
        NonSendMut::from(&mut **self)
    }
}

impl<'w, T> From<&'w mut T> for NonSendMut<'w, T> {
    fn from(value: &'w mut T) -> Self {
        Self {
            value: GuardedMut::of(value),
        }
    }
}

impl<T> Deref for NonSendMut<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for NonSendMut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for NonSendMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

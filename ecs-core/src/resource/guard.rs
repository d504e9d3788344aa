//! `Res` and `ResMut`: a borrowed resource.

use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::borrow::{ExclusiveBorrow, SharedBorrow};

/// A resource borrowed for reading; derefs to the value.
///
/// Made by the world, a [`ResourceMap`](super::ResourceMap) or, in a unit test, from a plain reference:
///
/// ```
/// use ecs_core::Res;
/// let value = 5_u32;
/// let res: Res<u32> = Res::from(&value);
/// assert_eq!(*res + 1, 6);
/// ```
pub struct Res<'w, T> {
    value: &'w T,
    /// Given back on drop; `None` when somebody else holds the run-time borrow for at least `'w`.
    borrow: Option<SharedBorrow<'w>>,
}

impl<'w, T> Res<'w, T> {
    pub(super) fn new(value: &'w T, borrow: SharedBorrow<'w>) -> Self {
        Self {
            value,
            borrow: Some(borrow),
        }
    }

    /// A second handle with a run-time borrow of its own.
    ///
    /// Written `Res::clone(&res)`, as for [`core::cell::Ref`]: `res.clone()` clones the value.
    #[expect(
        clippy::should_implement_trait,
        reason = "the trait's method would hide that of the value"
    )]
    #[must_use]
    pub fn clone(this: &Self) -> Self {
        Self {
            value: this.value,
            borrow: this.borrow.clone(),
        }
    }

    /// A second handle that relies on this one's run-time borrow.
    #[must_use]
    pub fn reborrow(&self) -> Res<'_, T> {
        Res::from(self.value)
    }
}

impl<'w, T> From<&'w T> for Res<'w, T> {
    fn from(value: &'w T) -> Self {
        Self {
            value,
            borrow: None,
        }
    }
}

impl<T> Deref for Res<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Res<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// A resource borrowed for writing; derefs to the value.
///
/// Made by the world, a [`ResourceMap`](super::ResourceMap) or, in a unit test, from a plain `&mut` reference.
pub struct ResMut<'w, T> {
    value: &'w mut T,
    /// Given back on drop; `None` when somebody else holds the run-time borrow for at least `'w`.
    _borrow: Option<ExclusiveBorrow<'w>>,
}

impl<'w, T> ResMut<'w, T> {
    pub(super) fn new(value: &'w mut T, borrow: ExclusiveBorrow<'w>) -> Self {
        Self {
            value,
            _borrow: Some(borrow),
        }
    }

    /// A second handle that relies on this one's run-time borrow and locks this one out meanwhile.
    #[must_use]
    pub fn reborrow(&mut self) -> ResMut<'_, T> {
        ResMut::from(&mut *self.value)
    }
}

impl<'w, T> From<&'w mut T> for ResMut<'w, T> {
    fn from(value: &'w mut T) -> Self {
        Self {
            value,
            _borrow: None,
        }
    }
}

impl<T> Deref for ResMut<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T> DerefMut for ResMut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for ResMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

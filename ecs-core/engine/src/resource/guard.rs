//! `Res` and `ResMut`: a borrowed resource.

use core::fmt;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use crate::borrow::{ExclusiveBorrow, SharedBorrow};
use crate::guarded::{Guarded, GuardedMut};
use crate::sync::{AtomicU64, Ordering};

/// The changes of a resource since its borrower last looked.
#[derive(Clone, Copy)]
pub(super) struct ChangeFlags {
    pub(super) added: bool,
    pub(super) changed: bool,
}

impl ChangeFlags {
    /// The flags for a borrower's first look.
    const ALL: Self = Self {
        added: true,
        changed: true,
    };
}

/// The target of a recorded change.
#[derive(Clone, Copy)]
pub(super) struct ChangeMarker<'w> {
    /// The tick of the last change.
    pub(super) last_change: &'w AtomicU64,
    /// The tick of the borrow.
    pub(super) now: u64,
}

/// A resource borrowed for reading; derefs to the value.
///
/// Returned by the world, a [`ResourceMap`](super::ResourceMap) or, in a unit test, created from a plain reference:
///
/// ```
/// use ecs_core::Res;
/// let value = 5_u32;
/// let res: Res<u32> = Res::from(&value);
/// assert_eq!(*res + 1, 6);
/// ```
///
/// In a schedule it knows whether the resource [was changed](Self::is_changed) since the last run of the system.
#[doc(alias = "UniqueView")]
pub struct Res<'w, T> {
    /// The borrow is released on drop; `None` if another guard holds it for at least `'w`.
    value: Guarded<'w, T, Option<SharedBorrow<'w>>>,
    flags: ChangeFlags,
}

/// A [`Res`] without its type.
pub(super) struct RawRes<'w> {
    pub(super) value: NonNull<u8>,
    pub(super) flags: ChangeFlags,
    pub(super) borrow: Option<SharedBorrow<'w>>,
}

impl<'w, T> Res<'w, T> {
    /// # Safety
    /// The value is a `T` that is not written for all of `'w`, or while the handle lives if that has a borrow.
    #[inline]
    pub(super) unsafe fn of(raw: RawRes<'w>) -> Self {
        Self {
            // SAFETY: the value is a `T` that is not written until the borrow is dropped, or for all of `'w` without
            // one, by the caller's contract.
            value: unsafe { Guarded::new(raw.value.cast(), raw.borrow) },
            flags: raw.flags,
        }
    }

    /// Returns true if the resource was inserted, or written through [`ResMut`] or a `&mut` of the world, since the
    /// last run of the system.
    ///
    /// In a parameter of a system in a schedule this is exact, including skipped runs; the system's own writes do not
    /// count. Without a last run it returns true: in the first run, for handles from the world or from a plain
    /// reference, and for systems that are called as functions and have no state (no [`Local`](crate::Local), for
    /// example).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[system]
    /// fn draw(score: Res<u32>, mut drawn: ResMut<Vec<u32>>) {
    ///     if score.is_changed() {
    ///         drawn.push(*score);
    ///     }
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(7_u32);
    /// world.insert_resource(Vec::<u32>::new());
    /// let mut frame = Schedule::new();
    /// frame.add(draw);
    /// for _ in 0..2 {
    ///     frame.run(&mut world).unwrap();
    /// }
    /// assert_eq!(*world.resource::<Vec<u32>>(), [7]);
    /// ```
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.flags.changed
    }

    /// Returns true if the resource was inserted since the last run of the system; see
    /// [`is_changed`](Self::is_changed).
    #[must_use]
    pub fn is_added(&self) -> bool {
        self.flags.added
    }

    /// Returns true if the resource was written since the last run of the system, and already existed then; see
    /// [`is_changed`](Self::is_changed).
    #[must_use]
    pub fn is_mutated(&self) -> bool {
        self.flags.changed && !self.flags.added
    }

    /// Clones the handle, with a run-time borrow of its own.
    ///
    /// An associated function, `Res::clone(&res)`, as in [`core::cell::Ref`]: `res.clone()` clones the value.
    #[expect(
        clippy::should_implement_trait,
        reason = "the trait's method would hide the value's own"
    )]
    #[must_use]
    pub fn clone(this: &Self) -> Self {
        Self {
            value: this.value.clone_borrow(),
            flags: this.flags,
        }
    }

    /// Reborrows, relying on this handle's run-time borrow.
    #[inline]
    #[must_use]
    pub fn reborrow(&self) -> Res<'_, T> {
        Res {
            value: self.value.reborrow(),
            flags: self.flags,
        }
    }
}

impl<'w, T> From<&'w T> for Res<'w, T> {
    fn from(value: &'w T) -> Self {
        Self {
            value: Guarded::of(value),
            flags: ChangeFlags::ALL,
        }
    }
}

impl<T> Deref for Res<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Res<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// A resource borrowed for writing; derefs to the value, and dereferencing it mutably counts as a change.
///
/// Returned by the world, a [`ResourceMap`](super::ResourceMap) or, in a unit test, created from a plain `&mut`
/// reference.
#[doc(alias = "UniqueViewMut")]
pub struct ResMut<'w, T> {
    /// The borrow is released on drop; `None` if another guard holds it for at least `'w`.
    value: GuardedMut<'w, T, Option<ExclusiveBorrow<'w>>>,
    flags: ChangeFlags,
    /// The target of a recorded change; `None` if the resource is in no map.
    marker: Option<ChangeMarker<'w>>,
}

/// A [`ResMut`] without its type.
pub(super) struct RawResMut<'w> {
    pub(super) value: NonNull<u8>,
    pub(super) flags: ChangeFlags,
    pub(super) marker: ChangeMarker<'w>,
    pub(super) borrow: Option<ExclusiveBorrow<'w>>,
}

impl<'w, T> ResMut<'w, T> {
    /// # Safety
    /// The value is a `T` that no other code accesses for all of `'w`, or while the handle lives if that has a borrow.
    #[inline]
    pub(super) unsafe fn of(raw: RawResMut<'w>) -> Self {
        Self {
            // SAFETY: the value is a `T` that no other code accesses until the borrow is dropped, or for all of `'w`
            // without one, by the caller's contract.
            value: unsafe { GuardedMut::new(raw.value.cast(), raw.borrow) },
            flags: raw.flags,
            marker: Some(raw.marker),
        }
    }

    /// Returns true if the resource was inserted or written since the last run of the system, or by this handle; see
    /// [`Res::is_changed`].
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.flags.changed
    }

    /// Returns true if the resource was inserted since the last run of the system; see [`Res::is_changed`].
    #[must_use]
    pub fn is_added(&self) -> bool {
        self.flags.added
    }

    /// Returns true if the resource was written since the last run of the system, or by this handle, and already
    /// existed at that run; see [`Res::is_changed`].
    #[must_use]
    pub fn is_mutated(&self) -> bool {
        self.flags.changed && !self.flags.added
    }

    /// Records a change without writing the value.
    #[inline]
    pub fn set_changed(&mut self) {
        self.flags.changed = true;
        if let Some(marker) = self.marker {
            marker.last_change.store(marker.now, Ordering::Relaxed);
        }
    }

    /// Returns the value without recording a change.
    #[inline]
    #[must_use]
    pub fn bypass(&mut self) -> &mut T {
        &mut self.value
    }

    /// Sets the value; counts as a change, and returns true, only if it differs.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// world.insert_resource(7_u32);
    /// assert!(!world.resource_mut::<u32>().set_if_neq(7));
    /// assert!(world.resource_mut::<u32>().set_if_neq(8));
    /// ```
    #[inline]
    pub fn set_if_neq(&mut self, value: T) -> bool
    where
        T: PartialEq,
    {
        let differs = *self.value != value;
        if differs {
            **self = value;
        }
        differs
    }

    /// Reborrows, relying on this handle's run-time borrow; this handle cannot be used while the new one is.
    #[inline]
    #[must_use]
    pub fn reborrow(&mut self) -> ResMut<'_, T> {
        ResMut {
            value: self.value.reborrow(),
            flags: self.flags,
            marker: self.marker,
        }
    }
}

impl<'w, T> From<&'w mut T> for ResMut<'w, T> {
    fn from(value: &'w mut T) -> Self {
        Self {
            value: GuardedMut::of(value),
            flags: ChangeFlags::ALL,
            marker: None,
        }
    }
}

impl<T> Deref for ResMut<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for ResMut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.set_changed();
        &mut self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for ResMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

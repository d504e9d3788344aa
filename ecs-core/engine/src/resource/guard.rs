//! `Res` and `ResMut`: a borrowed resource.

use core::fmt;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, Ordering};

use crate::borrow::{ExclusiveBorrow, SharedBorrow};
use crate::guarded::{Guarded, GuardedMut};

/// What happened to a resource since its borrower looked last.
#[derive(Clone, Copy)]
pub(super) struct ChangeFlags {
    pub(super) added: bool,
    pub(super) changed: bool,
}

impl ChangeFlags {
    /// For borrowers that never looked.
    const ALL: Self = Self {
        added: true,
        changed: true,
    };
}

/// How a change is noted.
#[derive(Clone, Copy)]
pub(super) struct ChangeMarker<'w> {
    /// The tick of the last change.
    pub(super) place: &'w AtomicU64,
    /// The tick of the borrow.
    pub(super) now: u64,
}

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
///
/// In a schedule it knows whether the resource [was changed](Self::is_changed) since the system ran last.
pub struct Res<'w, T> {
    /// The borrow is given back on drop; `None` when somebody else holds it for at least `'w`.
    value: Guarded<'w, T, Option<SharedBorrow<'w>>>,
    news: ChangeFlags,
}

/// A [`Res`] without its type.
pub(super) struct RawRes<'w> {
    pub(super) value: NonNull<u8>,
    pub(super) news: ChangeFlags,
    pub(super) borrow: Option<SharedBorrow<'w>>,
}

impl<'w, T> Res<'w, T> {
    /// # Safety
    /// The value is a `T`, and nobody writes it as long as `'w`, or as the handle lives if that has a borrow.
    #[inline]
    pub(super) unsafe fn of(raw: RawRes<'w>) -> Self {
        Self {
            // SAFETY: the caller says that it is a `T`, which nobody writes for as long as is needed.
            value: unsafe { Guarded::new(raw.value.cast(), raw.borrow) },
            news: raw.news,
        }
    }

    /// Whether the resource was inserted, or written through [`ResMut`] or a `&mut` of the world, since the system ran
    /// last.
    ///
    /// As a parameter of a system in a schedule this is exact, with skipped runs included, and the system's own writes
    /// count as seen. Where there is no last run it is true: at the first one, for handles from the world or from a
    /// plain reference, and for systems that are called as functions and remember nothing (have no
    /// [`Local`](crate::Local), for example).
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.news.changed
    }

    /// Whether the resource was inserted since the system ran last; see [`is_changed`](Self::is_changed).
    #[must_use]
    pub fn is_added(&self) -> bool {
        self.news.added
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
            value: this.value.twin(),
            news: this.news,
        }
    }

    /// A second handle that relies on this one's run-time borrow.
    #[inline]
    #[must_use]
    pub fn reborrow(&self) -> Res<'_, T> {
        Res {
            value: self.value.reborrow(),
            news: self.news,
        }
    }
}

impl<'w, T> From<&'w T> for Res<'w, T> {
    fn from(value: &'w T) -> Self {
        Self {
            value: Guarded::of(value),
            news: ChangeFlags::ALL,
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

/// A resource borrowed for writing; derefs to the value, and taking it as `&mut` counts as a change.
///
/// Made by the world, a [`ResourceMap`](super::ResourceMap) or, in a unit test, from a plain `&mut` reference.
pub struct ResMut<'w, T> {
    /// The borrow is given back on drop; `None` when somebody else holds it for at least `'w`.
    value: GuardedMut<'w, T, Option<ExclusiveBorrow<'w>>>,
    news: ChangeFlags,
    /// Where a change is noted, and as what; `None` if nobody could see it.
    mark: Option<ChangeMarker<'w>>,
}

/// A [`ResMut`] without its type.
pub(super) struct RawResMut<'w> {
    pub(super) value: NonNull<u8>,
    pub(super) news: ChangeFlags,
    pub(super) mark: ChangeMarker<'w>,
    pub(super) borrow: Option<ExclusiveBorrow<'w>>,
}

impl<'w, T> ResMut<'w, T> {
    /// # Safety
    /// The value is a `T`, and nobody else uses it as long as `'w`, or as the handle lives if that has a borrow.
    #[inline]
    pub(super) unsafe fn of(raw: RawResMut<'w>) -> Self {
        Self {
            // SAFETY: the caller says that it is a `T`, which nobody else uses for as long as is needed.
            value: unsafe { GuardedMut::new(raw.value.cast(), raw.borrow) },
            news: raw.news,
            mark: Some(raw.mark),
        }
    }

    /// Whether the resource was inserted or written since the system ran last, or by this handle; see
    /// [`Res::is_changed`].
    #[must_use]
    pub fn is_changed(&self) -> bool {
        self.news.changed
    }

    /// Whether the resource was inserted since the system ran last; see [`Res::is_changed`].
    #[must_use]
    pub fn is_added(&self) -> bool {
        self.news.added
    }

    /// Counts the resource as changed.
    #[inline]
    pub fn set_changed(&mut self) {
        self.news.changed = true;
        if let Some(mark) = self.mark {
            mark.place.store(mark.now, Ordering::Relaxed);
        }
    }

    /// The value to be changed without anybody being told.
    #[inline]
    #[must_use]
    pub fn bypass(&mut self) -> &mut T {
        &mut self.value
    }

    /// Sets the value, which counts as a change only if it differs; says whether it did.
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

    /// A second handle that relies on this one's run-time borrow and locks this one out meanwhile.
    #[inline]
    #[must_use]
    pub fn reborrow(&mut self) -> ResMut<'_, T> {
        ResMut {
            value: self.value.reborrow(),
            news: self.news,
            mark: self.mark,
        }
    }
}

impl<'w, T> From<&'w mut T> for ResMut<'w, T> {
    fn from(value: &'w mut T) -> Self {
        Self {
            value: GuardedMut::of(value),
            news: ChangeFlags::ALL,
            mark: None,
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

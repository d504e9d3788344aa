//! `Mut` and `MutSlice`: mutable references that record the change.

use core::fmt;
use core::ops::{Deref, DerefMut};

use crate::tick::{CompactTick, Window};

/// A mutable reference to a tracked value; dereferencing it mutably counts as a change.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component, PartialEq)]
/// #[component(track)]
/// struct Health(i32);
///
/// let mut world = World::new();
/// let e = world.spawn(Health(3));
/// let tick = world.tick();
/// let mut health = world.get_mut::<Health>(e).unwrap();
/// assert_eq!(health.0, 3);
/// assert!(!health.set_if_neq(Health(3)));
/// health.bypass().0 = 2;
/// assert!(!world.view::<Health>().since(tick).is_changed(e));
/// world.get_mut::<Health>(e).unwrap().0 = 1;
/// assert!(world.view::<Health>().since(tick).is_changed(e));
/// ```
pub struct Mut<'a, T> {
    value: &'a mut T,
    change: &'a mut CompactTick,
    window: Window,
}

impl<'a, T> Mut<'a, T> {
    #[inline]
    pub(super) fn new(value: &'a mut T, change: &'a mut CompactTick, window: Window) -> Self {
        Self {
            value,
            change,
            window,
        }
    }

    /// Returns true if the value was added or changed since the last run of the system that borrows it. Also true after
    /// a change in this run, and for borrowers that do not remember a last run.
    #[inline]
    #[must_use]
    pub fn is_changed(&self) -> bool {
        *self.change > self.window.seen
    }

    /// Marks the value as changed.
    #[inline]
    pub fn set_changed(&mut self) {
        *self.change = self.window.now;
    }

    /// Returns the value without recording a change.
    #[inline]
    #[must_use]
    pub fn bypass(&mut self) -> &mut T {
        self.value
    }

    /// Sets the value; counts as a change, and returns true, only if it differs.
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

    /// Converts into a reference for the whole lifetime of the borrow; counts as a change.
    #[inline]
    #[must_use]
    pub fn into_inner(mut self) -> &'a mut T {
        self.set_changed();
        self.value
    }

    /// Returns the value and its tick; counts as no change.
    #[inline]
    pub(super) fn split(self) -> (&'a mut T, PendingChange<'a>) {
        let pending = PendingChange {
            tick: self.change,
            now: self.window.now,
        };
        (self.value, pending)
    }

    /// Reborrows; this reference cannot be used while the new one is.
    #[inline]
    #[must_use]
    pub fn reborrow(&mut self) -> Mut<'_, T> {
        Mut::new(self.value, self.change, self.window)
    }
}

/// The tick of a tracked value whose change is not recorded yet.
#[doc(hidden)]
pub struct PendingChange<'a> {
    tick: &'a mut CompactTick,
    now: CompactTick,
}

impl PendingChange<'_> {
    /// Records the change.
    #[inline]
    pub(crate) fn record(&mut self) {
        *self.tick = self.now;
    }
}

impl<T> Deref for Mut<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        self.value
    }
}

impl<T> DerefMut for Mut<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        self.set_changed();
        self.value
    }
}

impl<T: fmt::Debug> fmt::Debug for Mut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

/// The tracked values of one table, borrowed mutably; derefs to the slice for reading.
///
/// Iterate over it to change values one by one: the items are [`Mut`]s.
pub struct MutSlice<'a, T> {
    values: &'a mut [T],
    /// Invariant 1: has the length of `values`.
    changes: &'a mut [CompactTick],
    window: Window,
}

impl<'a, T> MutSlice<'a, T> {
    #[inline]
    pub(super) fn new(values: &'a mut [T], changes: &'a mut [CompactTick], window: Window) -> Self {
        debug_assert_eq!(values.len(), changes.len());
        Self {
            values,
            changes,
            window,
        }
    }

    /// Returns the value at a position.
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, position: usize) -> Option<Mut<'_, T>> {
        let value = self.values.get_mut(position)?;
        Some(Mut::new(value, &mut self.changes[position], self.window))
    }

    /// Iterates mutably over the values.
    #[inline]
    pub fn iter_mut(&mut self) -> impl ExactSizeIterator<Item = Mut<'_, T>> {
        let window = self.window;
        let rows = self.values.iter_mut().zip(&mut *self.changes);
        rows.map(move |(value, change)| Mut::new(value, change, window))
    }

    /// Marks all values as changed and returns them.
    #[inline]
    pub fn set_all_changed(&mut self) -> &mut [T] {
        self.changes.fill(self.window.now);
        self.values
    }

    /// Returns the values without recording changes.
    #[inline]
    #[must_use]
    pub fn bypass(&mut self) -> &mut [T] {
        self.values
    }
}

impl<T> Default for MutSlice<'_, T> {
    /// No values.
    fn default() -> Self {
        Self::new(&mut [], &mut [], Window::NONE)
    }
}

impl<T> Deref for MutSlice<'_, T> {
    type Target = [T];

    #[inline]
    fn deref(&self) -> &[T] {
        self.values
    }
}

impl<T: fmt::Debug> fmt::Debug for MutSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

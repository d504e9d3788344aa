//! Change tracking as a type-level property of components, and the mutable references that follow from it.

use core::ops::DerefMut;
use core::ptr::{self, NonNull};

use super::{Component, Mut, MutSlice, PendingChange};
use crate::tick::{CompactTick, Window};

/// The mutable references of [`Tracking`].
pub trait IntoMut<'a, T>: DerefMut<Target = T> {
    /// Converts into a `&mut` for the lifetime of the item; counts as a change.
    fn into_mut(self) -> &'a mut T;
}

impl<'a, T> IntoMut<'a, T> for &'a mut T {
    #[inline]
    fn into_mut(self) -> &'a mut T {
        self
    }
}

impl<'a, T> IntoMut<'a, T> for Mut<'a, T> {
    #[inline]
    fn into_mut(self) -> &'a mut T {
        self.into_inner()
    }
}

/// The kinds of [`Component::Tracking`]: [`Untracked`] and [`Tracked`].
///
/// The engine writes through both kinds by the hidden functions. No other code can call them because no other code has
/// ticks.
pub trait Tracking: sealed::Sealed + 'static {
    /// True if changes are tracked.
    const TRACKED: bool;

    /// The mutable reference: a `&mut T`, or a [`Mut`] that records the change.
    type Mut<'a, T: Send + 'a>: IntoMut<'a, T> + Send;
    /// The mutable slice: a `&mut [T]`, or a [`MutSlice`].
    type Slice<'a, T: Send + 'a>: Default + Send;

    /// The start of a column.
    #[doc(hidden)]
    type Ptr<T>: Copy;
    /// References to `N` rows. At most two references: a function that takes a block then gets each one as its own
    /// parameter, and the compiler knows that parameters do not alias.
    #[doc(hidden)]
    type Block<'a, T: 'a, const N: usize>;

    /// Combines the column of values with the column of changes, which is ignored unless they are [tracked](Self::TRACKED).
    #[doc(hidden)]
    fn ptr<T>(values: NonNull<u8>, changes: NonNull<CompactTick>, window: Window) -> Self::Ptr<T>;

    /// Returns `N` rows from `row` on.
    ///
    /// # Safety
    /// The column has these rows, borrowed for writing for all of `'a`, and no other reference to them is alive.
    #[doc(hidden)]
    unsafe fn block<'a, T, const N: usize>(ptr: Self::Ptr<T>, row: usize) -> Self::Block<'a, T, N>;

    /// Converts a block into a column.
    #[doc(hidden)]
    fn block_ptr<'a, T: 'a, const N: usize>(
        block: Self::Block<'a, T, N>,
        window: Window,
    ) -> Self::Ptr<T>;

    /// Returns `len` rows from `row` on.
    ///
    /// # Safety
    /// The column has these rows, borrowed for writing for all of `'a`, and no other reference to them is alive.
    #[doc(hidden)]
    unsafe fn slice<'a, T: Send>(ptr: Self::Ptr<T>, row: usize, len: usize) -> Self::Slice<'a, T>;

    /// Returns one row.
    ///
    /// # Safety
    /// The column has this row, borrowed for writing for all of `'a`, and no other reference to it is alive.
    #[doc(hidden)]
    unsafe fn at<'a, T: Send>(ptr: Self::Ptr<T>, row: usize) -> Self::Mut<'a, T>;

    /// Reborrows a mutable reference.
    #[doc(hidden)]
    fn reborrow<'b, T: Send>(item: &'b mut Self::Mut<'_, T>) -> Self::Mut<'b, T>;

    /// Splits a mutable reference into the value and its tick; counts as no change.
    #[doc(hidden)]
    fn split<'a, T: Send + 'a>(item: Self::Mut<'a, T>) -> (&'a mut T, Option<PendingChange<'a>>);
}

/// The mutable reference to a `T`: `&mut T`, or [`Mut<T>`](Mut) if it is tracked.
pub type MutOf<'a, T> = <<T as Component>::Tracking as Tracking>::Mut<'a, T>;

/// Changes are not recorded, and cost nothing.
#[derive(Clone, Copy, Debug)]
pub enum Untracked {}

/// Each value has two ticks, of its addition and of its last change: 8 bytes more per entity.
///
/// See [`Changed`](crate::Changed), [`Added`](crate::Added) and [`Removed`](crate::Removed).
#[derive(Clone, Copy, Debug)]
pub enum Tracked {}

/// A component with `#[component(track)]`.
#[diagnostic::on_unimplemented(
    message = "changes of `{Self}` are not tracked",
    label = "not a tracked component",
    note = "add `#[component(track)]` to the component"
)]
pub trait TrackedComponent: Component<Tracking = Tracked> {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for super::Untracked {}
    impl Sealed for super::Tracked {}
}

impl Tracking for Untracked {
    const TRACKED: bool = false;

    type Mut<'a, T: Send + 'a> = &'a mut T;
    type Slice<'a, T: Send + 'a> = &'a mut [T];
    type Ptr<T> = NonNull<T>;
    type Block<'a, T: 'a, const N: usize> = &'a mut [T; N];

    #[inline]
    fn ptr<T>(values: NonNull<u8>, _: NonNull<CompactTick>, _: Window) -> NonNull<T> {
        values.cast()
    }

    #[inline]
    unsafe fn block<'a, T, const N: usize>(ptr: NonNull<T>, row: usize) -> &'a mut [T; N] {
        // SAFETY: the column has the row by the caller's contract.
        let mut block = unsafe { ptr.add(row) }.cast::<[T; N]>();
        // SAFETY: the column has `N` rows from `row` on, borrowed for writing for all of `'a` and without another
        // reference, by the caller's contract.
        unsafe { block.as_mut() }
    }

    #[inline]
    fn block_ptr<'a, T: 'a, const N: usize>(block: &'a mut [T; N], _: Window) -> NonNull<T> {
        NonNull::from(block).cast()
    }

    #[inline]
    unsafe fn slice<'a, T: Send>(ptr: NonNull<T>, row: usize, len: usize) -> &'a mut [T] {
        // SAFETY: the column has the row by the caller's contract.
        let first = unsafe { ptr.add(row) };
        let values = ptr::slice_from_raw_parts_mut(first.as_ptr(), len);
        // SAFETY: the column has `len` rows from `row` on, borrowed for writing for all of `'a` and without another
        // reference, by the caller's contract.
        unsafe { &mut *values }
    }

    #[inline]
    unsafe fn at<'a, T: Send>(ptr: NonNull<T>, row: usize) -> &'a mut T {
        // SAFETY: the column has the row by the caller's contract.
        let mut value = unsafe { ptr.add(row) };
        // SAFETY: the row is borrowed for writing for all of `'a`, and no other reference to it is alive, by the
        // caller's contract.
        unsafe { value.as_mut() }
    }

    #[inline]
    fn reborrow<'b, T: Send>(item: &'b mut &mut T) -> &'b mut T {
        item
    }

    #[inline]
    fn split<'a, T: Send + 'a>(item: &'a mut T) -> (&'a mut T, Option<PendingChange<'a>>) {
        (item, None)
    }
}

/// The columns of a tracked component, and the window of the borrow.
#[doc(hidden)]
pub struct TrackedPtr<T> {
    values: NonNull<T>,
    changes: NonNull<CompactTick>,
    window: Window,
}

impl<T> Clone for TrackedPtr<T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for TrackedPtr<T> {}

impl Tracking for Tracked {
    const TRACKED: bool = true;

    type Mut<'a, T: Send + 'a> = Mut<'a, T>;
    type Slice<'a, T: Send + 'a> = MutSlice<'a, T>;
    type Ptr<T> = TrackedPtr<T>;
    type Block<'a, T: 'a, const N: usize> = (&'a mut [T; N], &'a mut [CompactTick; N]);

    #[inline]
    fn ptr<T>(values: NonNull<u8>, changes: NonNull<CompactTick>, window: Window) -> TrackedPtr<T> {
        TrackedPtr {
            values: values.cast(),
            changes,
            window,
        }
    }

    #[inline]
    unsafe fn block<'a, T, const N: usize>(
        ptr: TrackedPtr<T>,
        row: usize,
    ) -> (&'a mut [T; N], &'a mut [CompactTick; N]) {
        // SAFETY: the column has `N` rows from `row` on, borrowed for writing and without another reference, by the
        // caller's contract.
        let values = unsafe { Untracked::block(ptr.values, row) };
        // SAFETY: the column of changes has the same rows, under the same borrow.
        let changes = unsafe { Untracked::block(ptr.changes, row) };
        (values, changes)
    }

    #[inline]
    fn block_ptr<'a, T: 'a, const N: usize>(
        (values, changes): (&'a mut [T; N], &'a mut [CompactTick; N]),
        window: Window,
    ) -> TrackedPtr<T> {
        TrackedPtr {
            values: NonNull::from(values).cast(),
            changes: NonNull::from(changes).cast(),
            window,
        }
    }

    #[inline]
    unsafe fn slice<'a, T: Send>(ptr: TrackedPtr<T>, row: usize, len: usize) -> MutSlice<'a, T> {
        // SAFETY: the column has `len` rows from `row` on, borrowed for writing and without another reference, by the
        // caller's contract.
        let values = unsafe { Untracked::slice(ptr.values, row, len) };
        // SAFETY: the column of changes has the same rows, under the same borrow.
        let changes = unsafe { Untracked::slice(ptr.changes, row, len) };
        MutSlice::new(values, changes, ptr.window)
    }

    #[inline]
    unsafe fn at<'a, T: Send>(ptr: TrackedPtr<T>, row: usize) -> Mut<'a, T> {
        // SAFETY: the column has the row, borrowed for writing and without another reference, by the caller's contract.
        let value = unsafe { Untracked::at(ptr.values, row) };
        // SAFETY: the column of changes has the same rows, under the same borrow.
        let change = unsafe { Untracked::at(ptr.changes, row) };
        Mut::new(value, change, ptr.window)
    }

    #[inline]
    fn reborrow<'b, T: Send>(item: &'b mut Mut<'_, T>) -> Mut<'b, T> {
        item.reborrow()
    }

    #[inline]
    fn split<'a, T: Send + 'a>(item: Mut<'a, T>) -> (&'a mut T, Option<PendingChange<'a>>) {
        let (value, change) = item.split();
        (value, Some(change))
    }
}

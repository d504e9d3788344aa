//! How the values of a component are walked: page by page, in blocks or row by row.

use core::ptr::NonNull;

use super::Ids;
use super::pages::{Pages, ROWS};
use crate::entity::Entity;
use crate::flat::{Flat, for_each_narrow_arity};
use crate::join::BLOCK;

/// The rows of one item, or of several as a tuple.
///
/// # Safety
/// `word` has a bit only for rows that `at` can fetch.
#[doc(hidden)]
pub unsafe trait Rows<'a>: Copy {
    /// What the user sees per entity.
    type Value;
    /// The start of a page, or of a block in it.
    type Start: Copy;
    /// References to [`BLOCK`] rows.
    type Block;

    /// The number of pages that have values; `None` if every entity has the item.
    fn end(self) -> Option<usize>;

    /// Which rows of a page have the item.
    fn word(self, page: usize) -> u64;

    /// The start of a page.
    fn start(self, page: usize) -> Self::Start;

    /// The row.
    ///
    /// # Safety
    /// Its bit is set, and no other value that is alive comes from it, unless both only read.
    unsafe fn at(start: Self::Start, row: usize) -> Self::Value;

    /// [`BLOCK`] rows from `row` on.
    ///
    /// # Safety
    /// As for [`at`](Self::at), for each of them.
    unsafe fn block(start: Self::Start, row: usize) -> Self::Block;

    /// The start of a block, whose rows count from 0.
    fn block_start(block: Self::Block) -> Self::Start;

    /// Calls `f` with the start of a block.
    #[inline]
    fn open<F: FnOnce(Self::Start)>(block: Self::Block, f: F) {
        f(Self::block_start(block));
    }
}

/// Reads `T`.
#[doc(hidden)]
pub struct ReadRows<'a, T>(pub(super) &'a Pages<T>);

/// Writes `T`: through shared pages, by whoever has exclusive access to the world.
#[doc(hidden)]
pub struct WriteRows<'a, T>(pub(super) &'a Pages<T>);

/// Implements [`Rows`] for `ReadRows` and, with `mut`, for `WriteRows`: they differ in the kind of reference alone.
macro_rules! component_rows {
    ($rows:ident $($mut:tt)?) => {
        impl<T> Clone for $rows<'_, T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $rows<'_, T> {}

        // SAFETY: a bit of a page is set only for values that are initialised.
        unsafe impl<'a, T: 'a> Rows<'a> for $rows<'a, T> {
            type Value = &'a $($mut)? T;
            type Start = *mut T;
            type Block = &'a $($mut)? [T; BLOCK];

            #[inline]
            fn end(self) -> Option<usize> {
                Some(self.0.end())
            }

            #[inline]
            fn word(self, page: usize) -> u64 {
                self.0.word(page)
            }

            #[inline]
            fn start(self, page: usize) -> *mut T {
                self.0.start(page)
            }

            #[inline]
            unsafe fn at(start: *mut T, row: usize) -> Self::Value {
                // SAFETY: a row that is there is inside the memory of its page.
                let value = unsafe { start.add(row) };
                // SAFETY: the caller promises that it is initialised, and not aliased.
                unsafe { &$($mut)? *value }
            }

            #[inline]
            unsafe fn block(start: *mut T, row: usize) -> Self::Block {
                // SAFETY: a row that is there is inside the memory of its page.
                let block = unsafe { start.add(row) }.cast::<[T; BLOCK]>();
                // SAFETY: the caller promises that `BLOCK` rows are initialised, and not aliased.
                unsafe { &$($mut)? *block }
            }

            #[inline]
            fn block_start(block: Self::Block) -> *mut T {
                NonNull::from(block).as_ptr().cast()
            }
        }
    };
}

component_rows!(ReadRows);
component_rows!(WriteRows mut);

/// The id.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct IdRows<'a>(pub(super) &'a Ids);

// SAFETY: `at` can fetch all rows.
unsafe impl<'a> Rows<'a> for IdRows<'a> {
    type Value = Entity;
    type Start = (&'a Ids, u32);
    type Block = (&'a Ids, u32);

    #[inline]
    fn end(self) -> Option<usize> {
        None
    }

    #[inline]
    fn word(self, _: usize) -> u64 {
        u64::MAX
    }

    #[inline]
    fn start(self, page: usize) -> Self::Start {
        (self.0, (page * ROWS) as u32)
    }

    #[inline]
    unsafe fn at((ids, first): Self::Start, row: usize) -> Entity {
        ids.at(first + row as u32)
            .expect("whoever has a component lives")
    }

    #[inline]
    unsafe fn block((ids, first): Self::Start, row: usize) -> Self::Block {
        (ids, first + row as u32)
    }

    #[inline]
    fn block_start(block: Self::Block) -> Self::Start {
        block
    }
}

/// A value where there is one, `None` for entities without it.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct MaybeRows<R>(pub(super) R);

// SAFETY: `at` can fetch all rows: those without a bit of their own are `None`.
unsafe impl<'a, R: Rows<'a>> Rows<'a> for MaybeRows<R> {
    type Value = Option<R::Value>;
    /// The start of the page, the number of its row that is row 0 here, and which rows of the page there are.
    type Start = (R::Start, usize, u64);
    type Block = (R::Start, usize, u64);

    #[inline]
    fn end(self) -> Option<usize> {
        None
    }

    #[inline]
    fn word(self, _: usize) -> u64 {
        u64::MAX
    }

    #[inline]
    fn start(self, page: usize) -> Self::Start {
        (self.0.start(page), 0, self.0.word(page))
    }

    #[inline]
    unsafe fn at((start, first, word): Self::Start, row: usize) -> Self::Value {
        let row = first + row;
        // SAFETY: the bit is set; the caller promises the rest.
        (word & (1 << row) != 0).then(|| unsafe { R::at(start, row) })
    }

    #[inline]
    unsafe fn block((start, first, word): Self::Start, row: usize) -> Self::Block {
        (start, first + row, word)
    }

    #[inline]
    fn block_start(block: Self::Block) -> Self::Start {
        block
    }
}

macro_rules! tuple_rows {
    ($($name:ident $value:ident),+) => {
        // SAFETY: a row has a bit where it has one in all members.
        unsafe impl<'a, $($name: Rows<'a>),+> Rows<'a> for ($($name,)+) {
            type Value = ($($name::Value,)+);
            type Start = ($($name::Start,)+);
            type Block = ($($name::Block,)+);

            #[inline]
            fn end(self) -> Option<usize> {
                let ($($value,)+) = self;
                let end = None;
                $(let end = sooner(end, $value.end());)+
                end
            }

            #[inline]
            fn word(self, page: usize) -> u64 {
                let ($($value,)+) = self;
                $($value.word(page))&+
            }

            #[inline]
            fn start(self, page: usize) -> Self::Start {
                let ($($value,)+) = self;
                ($($value.start(page),)+)
            }

            #[inline]
            unsafe fn at(($($value,)+): Self::Start, row: usize) -> Self::Value {
                // SAFETY: the caller's promises hold for each member.
                ($(unsafe { $name::at($value, row) },)+)
            }

            #[inline]
            unsafe fn block(($($value,)+): Self::Start, row: usize) -> Self::Block {
                // SAFETY: the caller's promises hold for each member.
                ($(unsafe { $name::block($value, row) },)+)
            }

            #[inline]
            fn block_start(($($value,)+): Self::Block) -> Self::Start {
                ($($name::block_start($value),)+)
            }

            #[inline]
            fn open<Open: FnOnce(Self::Start)>(($($value,)+): Self::Block, f: Open) {
                // Parameters of their own, so that references among them are known not to overlap: see
                // `Term::open` in `join` for the measurements.
                #[inline]
                #[allow(clippy::too_many_arguments, reason = "one per member is the point")]
                fn separate<'a, $($name: Rows<'a>,)+ Open: FnOnce(($($name::Start,)+))>(
                    $($value: $name::Block,)+
                    f: Open,
                ) {
                    f(($($name::block_start($value),)+));
                }
                separate::<$($name,)+ Open>($($value,)+ f);
            }
        }
    };
}

for_each_narrow_arity!(tuple_rows);

/// A pair of tuples whose values are one tuple; see `flat`.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct WideRows<L, R>(pub(super) L, pub(super) R);

// SAFETY: a row has a bit where it has one in both.
unsafe impl<'a, L: Rows<'a>, R: Rows<'a>> Rows<'a> for WideRows<L, R>
where
    (L::Value, R::Value): Flat,
{
    type Value = <(L::Value, R::Value) as Flat>::Flat;
    type Start = (L::Start, R::Start);
    type Block = (L::Block, R::Block);

    #[inline]
    fn end(self) -> Option<usize> {
        sooner(self.0.end(), self.1.end())
    }

    #[inline]
    fn word(self, page: usize) -> u64 {
        self.0.word(page) & self.1.word(page)
    }

    #[inline]
    fn start(self, page: usize) -> Self::Start {
        (self.0.start(page), self.1.start(page))
    }

    #[inline]
    unsafe fn at((left, right): Self::Start, row: usize) -> Self::Value {
        // SAFETY: the caller's promises hold for both.
        let left = unsafe { L::at(left, row) };
        // SAFETY: as above.
        let right = unsafe { R::at(right, row) };
        (left, right).flat()
    }

    #[inline]
    unsafe fn block((left, right): Self::Start, row: usize) -> Self::Block {
        // SAFETY: the caller's promises hold for both.
        let left = unsafe { L::block(left, row) };
        // SAFETY: as above.
        let right = unsafe { R::block(right, row) };
        (left, right)
    }

    #[inline]
    fn block_start((left, right): Self::Block) -> Self::Start {
        (L::block_start(left), R::block_start(right))
    }

    #[inline]
    fn open<F: FnOnce(Self::Start)>((left, right): Self::Block, f: F) {
        L::open(left, |left| R::open(right, |right| f((left, right))));
    }
}

#[inline]
fn sooner(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

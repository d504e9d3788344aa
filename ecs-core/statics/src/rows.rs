//! The values of components in pages, in blocks or row by row.

use core::ptr::NonNull;

use ecs_engine::__private::{Flat, Ids, for_each_narrow_arity};
use ecs_engine::Entity;

use crate::pages::{Pages, ROWS};

/// The number of rows of a block; the same as in the engine's joins, where it was measured.
///
/// With SSE2 alone LLVM packs eight rows of small structs into full vectors when each column is a reference to an array
/// of known length. With AVX it vectorises the plain loop by itself.
pub(crate) const BLOCK: usize = if cfg!(target_feature = "avx") { 64 } else { 8 };

/// The rows of one item, or of several as a tuple.
///
/// # Safety
/// If `word` has a bit for a row, `at` can return its value, through the start of its page.
#[doc(hidden)]
pub unsafe trait ItemRows<'a>: Copy {
    /// The value of an entity, in the form that the closure takes.
    type Value;
    /// The start of a page, or of a block in it.
    type Start: Copy;
    /// References to [`BLOCK`] rows.
    type Block;

    /// Returns the number of pages that have values; `None` if every entity has the item.
    fn end(self) -> Option<usize>;

    /// Returns a bit for each row of a page that has the item.
    fn word(self, page: usize) -> u64;

    /// Returns the start of a page.
    fn start(self, page: usize) -> Self::Start;

    /// Returns the value of a row.
    ///
    /// # Safety
    /// 1. The bit of the row is set.
    /// 2. No other reference to the value is alive, unless both only read.
    unsafe fn at(start: Self::Start, row: usize) -> Self::Value;

    /// Returns [`BLOCK`] rows, from `row` on.
    ///
    /// # Safety
    /// The clauses of [`at`](Self::at), for each of them.
    unsafe fn block(start: Self::Start, row: usize) -> Self::Block;

    /// Returns the start of a block, whose rows count from 0.
    fn block_start(block: Self::Block) -> Self::Start;

    /// Calls `f` with the start of a block.
    #[inline]
    fn with_block<F: FnOnce(Self::Start)>(block: Self::Block, f: F) {
        f(Self::block_start(block));
    }
}

/// The values of `T`, to read.
#[doc(hidden)]
pub struct ReadRows<'a, T>(pub(crate) &'a Pages<T>);

/// The values of `T`, to write, through shared pages: [`ItemRows::at`] requires exclusive access to the world.
#[doc(hidden)]
pub struct WriteRows<'a, T>(pub(crate) &'a Pages<T>);

/// Implements [`ItemRows`] for `ReadRows` and, with `mut`, for `WriteRows`: they differ only in the kind of reference.
macro_rules! component_rows {
    ($rows:ident $($mut:tt)?) => {
        impl<T> Clone for $rows<'_, T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $rows<'_, T> {}

        // SAFETY: by invariant 2 of `Page` a bit is set only for initialised values.
        unsafe impl<'a, T: 'a> ItemRows<'a> for $rows<'a, T> {
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
                // SAFETY: a row whose bit is set (clause 1) is inside the memory of its page.
                let value = unsafe { start.add(row) };
                // SAFETY: the value is initialised (clause 1) and not aliased (clause 2).
                unsafe { &$($mut)? *value }
            }

            #[inline]
            unsafe fn block(start: *mut T, row: usize) -> Self::Block {
                // SAFETY: a row whose bit is set (clause 1) is inside the memory of its page.
                let block = unsafe { start.add(row) }.cast::<[T; BLOCK]>();
                // SAFETY: the `BLOCK` values are initialised (clause 1) and not aliased (clause 2).
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

/// The ids of all entities.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct IdRows<'a>(pub(crate) &'a Ids);

// SAFETY: `at` returns the id of any row, or panics.
unsafe impl<'a> ItemRows<'a> for IdRows<'a> {
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
            .expect("an entity that has a component is alive")
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

/// `Some` value of entities that have it, `None` for others.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct MaybeRows<R>(pub(crate) R);

// SAFETY: `at` returns a value for every row: `None` where `R` has no bit.
unsafe impl<'a, R: ItemRows<'a>> ItemRows<'a> for MaybeRows<R> {
    type Value = Option<R::Value>;
    /// The start of the page, the row of the page that is row 0 here, and the bits of the page.
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
        // SAFETY: the bit is set (clause 1), and no other reference to the value is alive by the caller's clause 2.
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
        // SAFETY: a row has a bit only if it has one in all members.
        unsafe impl<'a, $($name: ItemRows<'a>),+> ItemRows<'a> for ($($name,)+) {
            type Value = ($($name::Value,)+);
            type Start = ($($name::Start,)+);
            type Block = ($($name::Block,)+);

            #[inline]
            fn end(self) -> Option<usize> {
                let ($($value,)+) = self;
                let end = None;
                $(let end = min_end(end, $value.end());)+
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
                // SAFETY: a row with a bit has one in each member (clause 1), and the values of a tuple are its
                // members' values (clause 2).
                ($(unsafe { $name::at($value, row) },)+)
            }

            #[inline]
            unsafe fn block(($($value,)+): Self::Start, row: usize) -> Self::Block {
                // SAFETY: a row with a bit has one in each member (clause 1), and the values of a tuple are its
                // members' values (clause 2).
                ($(unsafe { $name::block($value, row) },)+)
            }

            #[inline]
            fn block_start(($($value,)+): Self::Block) -> Self::Start {
                ($($name::block_start($value),)+)
            }

            #[inline]
            fn with_block<Open: FnOnce(Self::Start)>(($($value,)+): Self::Block, f: Open) {
                // One parameter per member, because LLVM knows that references passed as parameters do not alias; for
                // the measurements see `Fetch::with_block` in the engine's `join`.
                #[inline]
                #[allow(clippy::too_many_arguments, reason = "one per member")]
                fn separate<'a, $($name: ItemRows<'a>,)+ Open: FnOnce(($($name::Start,)+))>(
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

/// A pair of tuples whose values form one tuple; see [`Flat`].
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct WideRows<L, R>(pub(crate) L, pub(crate) R);

// SAFETY: a row has a bit only if it has one in both.
unsafe impl<'a, L: ItemRows<'a>, R: ItemRows<'a>> ItemRows<'a> for WideRows<L, R>
where
    (L::Value, R::Value): Flat,
{
    type Value = <(L::Value, R::Value) as Flat>::Flat;
    type Start = (L::Start, R::Start);
    type Block = (L::Block, R::Block);

    #[inline]
    fn end(self) -> Option<usize> {
        min_end(self.0.end(), self.1.end())
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
        // SAFETY: a row with a bit has one in both (clause 1), and the values come from both (clause 2).
        let left = unsafe { L::at(left, row) };
        // SAFETY: a row with a bit has one in both (clause 1), and the values come from both (clause 2).
        let right = unsafe { R::at(right, row) };
        (left, right).flat()
    }

    #[inline]
    unsafe fn block((left, right): Self::Start, row: usize) -> Self::Block {
        // SAFETY: a row with a bit has one in both (clause 1), and the values come from both (clause 2).
        let left = unsafe { L::block(left, row) };
        // SAFETY: a row with a bit has one in both (clause 1), and the values come from both (clause 2).
        let right = unsafe { R::block(right, row) };
        (left, right)
    }

    #[inline]
    fn block_start((left, right): Self::Block) -> Self::Start {
        (L::block_start(left), R::block_start(right))
    }

    #[inline]
    fn with_block<F: FnOnce(Self::Start)>((left, right): Self::Block, f: F) {
        L::with_block(left, |left| R::with_block(right, |right| f((left, right))));
    }
}

#[inline]
fn min_end(a: Option<usize>, b: Option<usize>) -> Option<usize> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

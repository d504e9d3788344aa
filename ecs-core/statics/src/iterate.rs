//! Iteration over the pages of a closed world.

use ecs_engine::__private::Ids;

use crate::items::Item;
use crate::pages::{self, ROWS};
use crate::rows::{BLOCK, ItemRows};
use crate::world::StaticWorld;

/// The bits of the first block of a page.
const BLOCK_BITS: u64 = u64::MAX >> (ROWS - BLOCK);

/// The value that is fetched from an entity.
pub(crate) type Value<'a, W, D> = <<D as Item<W>>::Rows<'a> as ItemRows<'a>>::Value;

/// Calls `f` with the items of each entity that has them, in the order of their indices.
///
/// Passes whole blocks of rows to the compiler, like the engine's joins, so that LLVM can vectorise; visits others row
/// by row.
///
/// # Safety
/// 1. The accesses of `D` do not alias.
/// 2. No other reference to a value of an item is alive while `f` runs, unless both only read.
#[inline]
pub(crate) unsafe fn for_each<'a, W, D, F>(world: &'a W, mut f: F)
where
    W: StaticWorld,
    D: Item<W>,
    F: FnMut(Value<'a, W, D>),
{
    let rows = D::rows(world);
    let end = rows.end();
    for page in 0..end.unwrap_or_else(|| page_count(world.ids())) {
        let mut word = rows.word(page);
        if end.is_none() {
            word &= alive(world.ids(), page);
        }
        if word == 0 {
            continue;
        }
        let start = rows.start(page);
        // A full page needs no tests, so its blocks run without a branch.
        let full = word == u64::MAX;
        for first in (0..ROWS).step_by(BLOCK) {
            let bits = word >> first & BLOCK_BITS;
            if full || bits == BLOCK_BITS {
                // SAFETY: the bits of the block are set (clause 1), and each row is visited once, without an alias by
                // clauses 1 and 2 of this function (clause 2).
                let block = unsafe { D::Rows::block(start, first) };
                D::Rows::with_block(block, |start| {
                    for row in 0..BLOCK {
                        // SAFETY: a block has `BLOCK` rows (clause 1), and each is visited once, through the reference
                        // to the block (clause 2).
                        f(unsafe { D::Rows::at(start, row) });
                    }
                });
            } else {
                // SAFETY: `bits` has a bit for each of the rows (clause 1), and each is visited once, without an alias
                // by clauses 1 and 2 of this function (clause 2).
                unsafe { some_rows::<D::Rows<'a>, F>(start, first, bits, &mut f) };
            }
        }
    }
}

/// Calls `f` with the rows from `first` on whose bits are set.
///
/// # Safety
/// The clauses of [`ItemRows::at`], for each of those rows.
#[inline]
unsafe fn some_rows<'a, R: ItemRows<'a>, F: FnMut(R::Value)>(
    start: R::Start,
    first: usize,
    mut bits: u64,
    f: &mut F,
) {
    while bits != 0 {
        let row = first + bits.trailing_zeros() as usize;
        bits &= bits - 1;
        // SAFETY: by the caller's contract, clauses 1 and 2; each row is visited once.
        f(unsafe { R::at(start, row) });
    }
}

/// Returns the number of pages that all indices need.
fn page_count(ids: &Ids) -> usize {
    (ids.end() as usize).div_ceil(ROWS)
}

/// Returns a bit for each row of a page whose entity is alive.
fn alive(ids: &Ids, page: usize) -> u64 {
    (0..ROWS).fold(0, |word, row| {
        word | u64::from(ids.at(pages::index(page, row)).is_some()) << row
    })
}

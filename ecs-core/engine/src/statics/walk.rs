//! The walk over the pages of a closed world.

use super::items::Item;
use super::pages::ROWS;
use super::rows::Rows;
use super::world::StaticWorld;
use crate::join::BLOCK;

/// The bits of the first block of a page.
const BLOCK_BITS: u64 = u64::MAX >> (ROWS - BLOCK);

/// What is fetched per entity.
pub(super) type Value<'a, W, D> = <<D as Item<W>>::Rows<'a> as Rows<'a>>::Value;

/// Calls `f` with the items of each entity that has them, in the order of their indices.
///
/// Rows that are all there are handed over block by block, as in the engine's joins, so that LLVM can vectorise; the
/// others one by one.
///
/// # Safety
/// No two items are of one component, and no other reference to a value of an item is alive while `f` runs, unless both
/// only read.
#[inline]
pub(super) unsafe fn for_each<'a, W, D, F>(world: &'a W, mut f: F)
where
    W: StaticWorld,
    D: Item<W>,
    F: FnMut(Value<'a, W, D>),
{
    let rows = D::rows(world);
    let end = rows.end();
    for page in 0..end.unwrap_or_else(|| world.ids().pages()) {
        let mut word = rows.word(page);
        if end.is_none() {
            word &= world.ids().word(page);
        }
        if word == 0 {
            continue;
        }
        let start = rows.start(page);
        // A full page needs no tests: its blocks follow each other without a branch.
        let full = word == u64::MAX;
        for first in (0..ROWS).step_by(BLOCK) {
            let bits = word >> first & BLOCK_BITS;
            if full || bits == BLOCK_BITS {
                // SAFETY: all rows of the block are there; each is visited once.
                let block = unsafe { D::Rows::block(start, first) };
                D::Rows::open(block, |start| {
                    for row in 0..BLOCK {
                        // SAFETY: a block has `BLOCK` rows, and each is visited once.
                        f(unsafe { D::Rows::at(start, row) });
                    }
                });
            } else {
                // SAFETY: the rows whose bits are set are there; each is visited once.
                unsafe { some_rows::<D::Rows<'a>, F>(start, first, bits, &mut f) };
            }
        }
    }
}

/// Calls `f` with the rows from `first` on whose bits are set.
///
/// # Safety
/// Those rows are there, and no value of them is alive.
#[inline]
unsafe fn some_rows<'a, R: Rows<'a>, F: FnMut(R::Value)>(
    start: R::Start,
    first: usize,
    mut bits: u64,
    f: &mut F,
) {
    while bits != 0 {
        let row = first + bits.trailing_zeros() as usize;
        bits &= bits - 1;
        // SAFETY: the caller's promise.
        f(unsafe { R::at(start, row) });
    }
}

//! Pieces of numbered rows, taken by several threads.
//!
//! This depends on nothing but numbers, so that thread models can run it unchanged.

use core::ops::Range;

use crate::sync::{AtomicUsize, Ordering};

/// The pieces that no thread has taken yet.
///
/// Each is a share of the remaining rows. So the first ones are long, which costs least, and the last ones are short:
/// threads that work at different speeds, or start late, are done at about the same time.
pub(crate) struct Pieces {
    next: AtomicUsize,
    len: usize,
    /// All pieces but the last one have a multiple of this number of rows.
    least: usize,
    /// A piece has one part in `shares` of the remaining rows.
    shares: usize,
}

impl Pieces {
    /// `least` and `shares` are not 0.
    pub(crate) fn new(len: usize, least: usize, shares: usize) -> Self {
        Self {
            next: AtomicUsize::new(0),
            len,
            least,
            shares,
        }
    }

    /// Takes pieces until none is left; other threads may do the same at the same time.
    pub(crate) fn by_ref(&self) -> impl Iterator<Item = Range<usize>> {
        core::iter::from_fn(|| {
            let next = |start| self.end_of(start);
            // Only the number is exchanged, so no ordering with other memory is needed.
            let taken = self
                .next
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next);
            let start = taken.ok()?;
            Some(start..self.end_of(start)?)
        })
    }

    /// Returns the end of the piece that begins at `start`; `None` if no row is left.
    fn end_of(&self, start: usize) -> Option<usize> {
        let rest = self.len - start;
        if rest == 0 {
            return None;
        }
        let size = self.least * (rest / self.shares / self.least).max(1);
        Some(start + size.min(rest))
    }
}

//! Pieces of numbered rows, fetched by several threads.
//!
//! Knows nothing but numbers, so that models of threads can be run on it as it is.

use core::ops::Range;

use crate::sync::{AtomicUsize, Ordering};

/// The pieces that no thread has fetched yet.
pub(crate) struct Pieces {
    next: AtomicUsize,
    len: usize,
    size: usize,
}

impl Pieces {
    pub(crate) fn new(len: usize, size: usize) -> Self {
        Self {
            next: AtomicUsize::new(0),
            len,
            size,
        }
    }

    /// Fetches pieces until none is left; other threads may do the same at the same time.
    pub(crate) fn by_ref(&self) -> impl Iterator<Item = Range<usize>> {
        core::iter::from_fn(|| {
            // Each thread goes beyond the end once, by one piece: far from overflow. It hands over nothing but the
            // number, so it need not be in order with anything else.
            let start = self.next.fetch_add(self.size, Ordering::Relaxed);
            (start < self.len).then(|| start..self.len.min(start + self.size))
        })
    }
}

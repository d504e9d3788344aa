//! Pieces of numbered rows, taken by several threads.
//!
//! This depends on nothing but numbers, so that thread models can run it as it is.

use core::ops::Range;

use crate::sync::{AtomicUsize, Ordering};

/// The pieces that no thread has taken yet.
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

    /// Takes pieces until none is left; other threads may do the same at the same time.
    pub(crate) fn by_ref(&self) -> impl Iterator<Item = Range<usize>> {
        core::iter::from_fn(|| {
            // Each thread goes beyond the end once, by one piece: far from overflow. Only the number is exchanged, so
            // no ordering with other memory is needed.
            let start = self.next.fetch_add(self.size, Ordering::Relaxed);
            (start < self.len).then(|| start..self.len.min(start + self.size))
        })
    }
}

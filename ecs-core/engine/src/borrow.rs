//! Borrow flags: many readers or one writer, checked at run time.

use core::fmt;

use crate::sync::{AtomicU32, Ordering};

/// The state of one run-time borrow.
///
/// Acquired by compare-and-swap only: a failed attempt does not change the state. If readers used a `fetch_add` and undid it
/// on failure, the plain store that ends an exclusive borrow could overwrite a count.
#[derive(Default)]
pub(crate) struct BorrowFlag {
    /// The number of readers, or [`WRITER`].
    state: AtomicU32,
}

const WRITER: u32 = u32::MAX;

impl BorrowFlag {
    /// Borrows for reading; `None` during an exclusive borrow.
    #[inline]
    pub(crate) fn try_shared(&self) -> Option<SharedBorrow<'_>> {
        let mut readers = self.state.load(Ordering::Relaxed);
        loop {
            // The last count below `WRITER` is refused too, so that readers never add up to `WRITER`.
            if readers >= WRITER - 1 {
                return None;
            }
            match self.state.compare_exchange_weak(
                readers,
                readers + 1,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Some(SharedBorrow { flag: self }),
                Err(now) => readers = now,
            }
        }
    }

    /// Borrows for writing; `None` during any other borrow.
    #[inline]
    pub(crate) fn try_exclusive(&self) -> Option<ExclusiveBorrow<'_>> {
        self.state
            .compare_exchange(0, WRITER, Ordering::Acquire, Ordering::Relaxed)
            .ok()
            .map(|_| ExclusiveBorrow { flag: self })
    }

    /// Returns a shared borrow regardless of other borrows.
    ///
    /// # Safety
    /// Nothing relies on the flag: neither on this borrow nor on any other one, until the flag is replaced by a new
    /// one.
    #[inline]
    pub(crate) unsafe fn shared_of_nothing(&self) -> SharedBorrow<'_> {
        SharedBorrow { flag: self }
    }

    /// Returns an exclusive borrow regardless of other borrows.
    ///
    /// # Safety
    /// Nothing relies on the flag: neither on this borrow nor on any other one, until the flag is replaced by a new
    /// one.
    #[inline]
    pub(crate) unsafe fn exclusive_of_nothing(&self) -> ExclusiveBorrow<'_> {
        ExclusiveBorrow { flag: self }
    }

    /// Ends a shared borrow whose guard was forgotten.
    ///
    /// # Safety
    /// There is such a borrow, and nothing relies on it any longer.
    #[inline]
    pub(crate) unsafe fn end_shared(&self) {
        self.state.fetch_sub(1, Ordering::Release);
    }

    /// Ends an exclusive borrow whose guard was forgotten.
    ///
    /// # Safety
    /// There is such a borrow, and nothing relies on it any longer.
    #[inline]
    pub(crate) unsafe fn end_exclusive(&self) {
        self.state.store(0, Ordering::Release);
    }
}

impl fmt::Debug for BorrowFlag {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.state.load(Ordering::Relaxed) {
            0 => "free",
            WRITER => "written",
            _ => "read",
        })
    }
}

/// A shared run-time borrow, released on drop.
#[derive(Debug)]
pub(crate) struct SharedBorrow<'a> {
    flag: &'a BorrowFlag,
}

impl Clone for SharedBorrow<'_> {
    fn clone(&self) -> Self {
        // This reader excludes writers, so only the limit of 2^32 - 2 readers can refuse another one.
        self.flag
            .try_shared()
            .expect("too many readers of one component or resource")
    }
}

impl Drop for SharedBorrow<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the guard represents the shared borrow, and nothing uses it after this drop.
        unsafe { self.flag.end_shared() };
    }
}

/// An exclusive run-time borrow, released on drop.
#[derive(Debug)]
pub(crate) struct ExclusiveBorrow<'a> {
    flag: &'a BorrowFlag,
}

impl Drop for ExclusiveBorrow<'_> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: the guard represents the exclusive borrow, and nothing uses it after this drop.
        unsafe { self.flag.end_exclusive() };
    }
}

#[cfg(test)]
#[path = "borrow_tests.rs"]
mod tests;

//! Failure points: places where the engine can hit a limit, so that tests can make it panic there.

/// A place where a structural change panics if a limit is hit. Does nothing unless a test arms it (`armed::arm`).
///
/// Capacity is reserved before anything is written, so no failure point lies between the first and the last write of a
/// change.
#[inline(always)]
pub(crate) fn point() {
    #[cfg(feature = "validate")]
    armed::reached();
}

/// Lets tests trigger failure points.
#[cfg(feature = "validate")]
pub mod armed {
    use core::cell::Cell;
    use std::thread_local;

    thread_local! {
        /// The number of failure points to pass before one panics.
        static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
    }

    /// The panic message.
    pub const MESSAGE: &str = "a test made this limit be hit";

    /// Makes this thread panic, once, at the failure point after the next `count` ones.
    pub fn arm(count: u32) {
        LEFT.set(Some(count));
    }

    /// Disarms all failure points; returns true if one has panicked.
    #[must_use]
    pub fn disarm() -> bool {
        LEFT.take().is_none()
    }

    pub(super) fn reached() {
        match LEFT.get() {
            None => {}
            Some(0) => {
                LEFT.set(None);
                std::panic::panic_any(MESSAGE);
            }
            Some(left) => LEFT.set(Some(left - 1)),
        }
    }
}

//! Places where a limit can be hit, so that tests can make a change panic there.

/// A place where a change panics if a limit is hit. Nothing, but for tests that arm it (`armed::arm`).
///
/// Room is made before anything is written, so no such place lies between the first and the last write of a change.
#[inline(always)]
pub(crate) fn point() {
    #[cfg(feature = "validate")]
    armed::reached();
}

/// How tests make a place panic.
#[cfg(feature = "validate")]
pub mod armed {
    use core::cell::Cell;

    thread_local! {
        /// How many places are left before one panics.
        static LEFT: Cell<Option<u32>> = const { Cell::new(None) };
    }

    /// What the panic says.
    pub const MESSAGE: &str = "a test has this limit hit";

    /// Lets the place panic that this thread reaches after `count` others, once.
    pub fn arm(count: u32) {
        LEFT.set(Some(count));
    }

    /// Lets no place panic any more; says whether one has.
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

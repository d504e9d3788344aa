//! Panics of user code: the engine catches them where it has to finish something first, and then resumes them.

pub(crate) use core::panic::AssertUnwindSafe;
#[cfg(feature = "std")]
pub(crate) use std::panic::{catch_unwind, resume_unwind};
#[cfg(feature = "std")]
pub(crate) use std::thread::panicking as is_panicking;

#[cfg(not(feature = "std"))]
pub(crate) use self::aborting::{catch_unwind, is_panicking, resume_unwind};

/// Without the standard library nothing can catch a panic, so a panic that would have to be caught ends the program.
#[cfg(any(test, not(feature = "std")))]
mod aborting {
    use alloc::boxed::Box;
    use core::any::Any;
    use core::mem::forget;

    /// Ends the program when it is dropped, which only a panic does.
    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            // A panic in a destructor that runs because of a panic aborts.
            panic!("a panic cannot be caught here without the feature `std` of `ecs-core`");
        }
    }

    /// Calls `f`; if it panics, the program ends.
    ///
    /// If panics do not unwind, they never get here. They may unwind if the program links the standard library although this
    /// crate does not. In that case the caller could neither finish its work nor resume the panic.
    #[inline]
    pub(crate) fn catch_unwind<R>(f: impl FnOnce() -> R) -> Result<R, Box<dyn Any + Send>> {
        let bomb = Bomb;
        let result = f();
        forget(bomb);
        Ok(result)
    }

    /// Never called: no panic was caught.
    #[cfg(not(feature = "std"))]
    pub(crate) fn resume_unwind(_: Box<dyn Any + Send>) -> ! {
        unreachable!("no panic is caught without the standard library")
    }

    /// Returns false: no destructor that asks was called because of a panic that can be resumed.
    #[cfg(not(feature = "std"))]
    pub(crate) fn is_panicking() -> bool {
        false
    }
}

#[cfg(test)]
#[path = "unwind_tests.rs"]
mod tests;

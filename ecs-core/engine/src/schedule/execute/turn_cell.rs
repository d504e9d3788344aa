//! Values that the threads of a run hand over to each other: systems, results of conditions, and how their turns ended.
//!
//! Nothing in here waits: the plan orders the accesses, and `execute/progress.rs` makes their effects visible. Models of
//! threads run both files unchanged.

use crate::sync::{AtomicU8, Mutex, MutexGuard, Ordering, PoisonError, TryLockError};

/// A value that the plan lets only one thread use at a time.
#[derive(Default)]
pub(crate) struct TurnCell<T>(Mutex<T>);

impl<T> TurnCell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Returns the value, with exclusive access.
    #[inline]
    pub(crate) fn get_mut(&mut self) -> &mut T {
        // Poisoning is ignored: a panicking system's author is responsible for the state that it leaves behind.
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the value to the thread whose turn it is; never waits.
    pub(crate) fn take(&self) -> MutexGuard<'_, T> {
        match self.0.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                unreachable!("the plan lets two threads run one system at a time")
            }
        }
    }
}

/// The result of a condition in a run, or of all conditions of a step.
pub(crate) struct Answer(AtomicU8);

const UNASKED: u8 = 2;
const FAILED: u8 = 3;

impl Answer {
    /// Resets the result, for a new run.
    pub(crate) fn forget(&mut self) {
        self.0.store(UNASKED, Ordering::Relaxed);
    }

    /// Returns the result, for jobs that wait for the job that sets it. `None` if that job did not run, or is the caller.
    pub(crate) fn get(&self) -> Option<bool> {
        // Relaxed: the plan orders the job that sets the result before the jobs that read it.
        match self.0.load(Ordering::Relaxed) {
            UNASKED => None,
            answer => Some(answer == 1),
        }
    }

    /// Returns true if there is no result, because the condition could not be evaluated. It counts as false.
    pub(crate) fn has_failed(&self) -> bool {
        self.0.load(Ordering::Relaxed) == FAILED
    }

    /// Sets the result. Only the job that evaluates the condition calls this.
    pub(crate) fn give(&self, answer: bool) {
        self.0.store(answer.into(), Ordering::Relaxed);
    }

    /// Notes that the condition could not be evaluated; like [`give`](Self::give).
    pub(crate) fn fail(&self) {
        self.0.store(FAILED, Ordering::Relaxed);
    }
}

/// A set of bits that the threads of a run add to.
#[derive(Default)]
pub(crate) struct SharedBits(AtomicU8);

impl SharedBits {
    /// Adds bits.
    pub(crate) fn add(&self, bits: u8) {
        // Relaxed: they are taken at the end of the run, after waiting for all threads.
        self.0.fetch_or(bits, Ordering::Relaxed);
    }

    /// Returns the bits, and removes them.
    pub(crate) fn take(&self) -> u8 {
        self.0.swap(0, Ordering::Relaxed)
    }
}

impl Default for Answer {
    fn default() -> Self {
        Self(AtomicU8::new(UNASKED))
    }
}

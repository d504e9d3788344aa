//! Values that the threads of a run hand over to each other: systems, and results of conditions.
//!
//! Nothing in here waits: the plan orders the accesses, and `execute/progress.rs` makes their effects visible. Models
//! of threads run both files unchanged.

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
        // Poisoning is ignored: the state that a panicking system leaves behind is its author's responsibility.
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

impl Answer {
    /// Resets the result, for a new run.
    pub(crate) fn forget(&mut self) {
        self.0.store(UNASKED, Ordering::Relaxed);
    }

    /// Returns the result, for jobs that wait for the one that sets it; `None` if that job did not run, or is the
    /// caller.
    pub(crate) fn get(&self) -> Option<bool> {
        // Relaxed: the plan orders the job that sets the result before those that read it.
        match self.0.load(Ordering::Relaxed) {
            UNASKED => None,
            answer => Some(answer != 0),
        }
    }

    /// Sets the result; only the job that evaluates the condition calls this.
    pub(crate) fn give(&self, answer: bool) {
        self.0.store(answer.into(), Ordering::Relaxed);
    }
}

impl Default for Answer {
    fn default() -> Self {
        Self(AtomicU8::new(UNASKED))
    }
}

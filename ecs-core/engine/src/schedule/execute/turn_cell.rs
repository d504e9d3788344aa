//! What the threads of a run hand over to each other: systems, and answers of conditions.
//!
//! Nothing in here waits. The order comes from the plan, and with it what is seen (`executor/progress.rs`); models of
//! threads run both as they are.

use std::sync::{PoisonError, TryLockError};

use crate::sync::{AtomicU8, Mutex, MutexGuard, Ordering};

/// Something that threads use in turns, which the plan gives them.
#[derive(Default)]
pub(crate) struct TurnCell<T>(Mutex<T>);

impl<T> TurnCell<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// For the thread that has the schedule alone.
    #[inline]
    pub(crate) fn get_mut(&mut self) -> &mut T {
        // A panic of a system leaves the system as it leaves it; that is its author's business.
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// For the thread whose turn it is; never waits.
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

/// What a condition said in a run, or all conditions of a step.
pub(crate) struct Answer(AtomicU8);

const UNASKED: u8 = 2;

impl Answer {
    /// Of the run that starts now: none yet.
    pub(crate) fn forget(&mut self) {
        self.0.store(UNASKED, Ordering::Relaxed);
    }

    /// For jobs that wait for the one that gives it; `None` if that job did not run, or is the one that asks.
    pub(crate) fn get(&self) -> Option<bool> {
        // The plan orders those who give answers and those who want to know.
        match self.0.load(Ordering::Relaxed) {
            UNASKED => None,
            answer => Some(answer != 0),
        }
    }

    /// For the one job that asks.
    pub(crate) fn give(&self, answer: bool) {
        self.0.store(answer.into(), Ordering::Relaxed);
    }
}

impl Default for Answer {
    fn default() -> Self {
        Self(AtomicU8::new(UNASKED))
    }
}

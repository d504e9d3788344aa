//! Who may start when: the one thing that the threads of a run agree on.
//!
//! Knows nothing but numbers, so that models of threads can be run on it as it is.

use crate::sync::{AtomicUsize, Mutex, Ordering};
use std::sync::PoisonError;

/// How far a run is.
///
/// A job is *released* when the last one that it waits for is done: exactly once, to exactly one thread, which sees all
/// that the jobs before it did.
pub(crate) struct Progress {
    /// How many jobs each one still waits for; [`DONE`] when it is done itself.
    waiting: Vec<AtomicUsize>,
    /// Steps from here on do not start any more.
    end: AtomicUsize,
    /// Jobs that were released and cannot run on any thread.
    parked: Mutex<Vec<usize>>,
}

const DONE: usize = usize::MAX;

impl Progress {
    /// The progress of jobs that wait for so many others.
    pub(crate) fn new(waits_for: &[usize]) -> Self {
        let mut waiting = Vec::with_capacity(waits_for.len());
        for &count in waits_for {
            waiting.push(AtomicUsize::new(count));
        }
        Self {
            waiting,
            end: AtomicUsize::new(usize::MAX),
            parked: Mutex::new(Vec::new()),
        }
    }

    /// Says that a job is done; its successors have to be [released](Self::release) next.
    pub(crate) fn set_done(&self, job: usize) {
        self.waiting[job].store(DONE, Ordering::Relaxed);
    }

    /// Says that a job need not wait any more for one of those that it waited for; true if that was the last one.
    pub(crate) fn release(&self, job: usize) -> bool {
        // Release: whoever takes the count to zero sees what was done here. Acquire: it sees what all the others did.
        self.waiting[job].fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Whether all jobs are done, else the first one that is not. Exact only when nothing runs.
    pub(crate) fn undone(&self) -> Option<usize> {
        let mut waiting = self.waiting.iter();
        waiting.position(|count| count.load(Ordering::Relaxed) != DONE)
    }

    /// Says that a step failed so that no later one may start. Earlier ones may, as if nothing had happened to them yet.
    pub(crate) fn fail(&self, step: usize) {
        self.end.fetch_min(step, Ordering::Relaxed);
    }

    /// Whether a step may still start.
    pub(crate) fn may_start(&self, step: usize) -> bool {
        step < self.end.load(Ordering::Relaxed)
    }

    /// Leaves a released job to the thread that runs the schedule.
    pub(crate) fn park(&self, job: usize) {
        let mut parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        parked.push(job);
    }

    /// Takes what was left to the thread that runs the schedule.
    pub(crate) fn take_parked(&self) -> Vec<usize> {
        let mut parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        core::mem::take(&mut *parked)
    }
}

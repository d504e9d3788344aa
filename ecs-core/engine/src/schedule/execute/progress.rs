//! The progress of a run: the only state that synchronises its threads.
//!
//! Works with plain numbers, so that models of threads can use it unchanged.

use alloc::vec::Vec;

use crate::sync::{AtomicUsize, Mutex, Ordering, PoisonError};

/// The progress of a run.
///
/// A job is *released* when the last job that it waits for is done: exactly once, to exactly one thread, which sees all
/// effects of the jobs before it.
pub(crate) struct RunProgress {
    /// The number of jobs that each one still waits for; [`DONE`] when it is done itself.
    waiting: Vec<AtomicUsize>,
    /// Steps from here on must not start any more.
    end: AtomicUsize,
    /// Released jobs that cannot run on any thread.
    parked: Mutex<Vec<usize>>,
}

const DONE: usize = usize::MAX;

impl RunProgress {
    /// Creates the progress of jobs that each wait for this number of others.
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

    /// Marks a job as done. Its successors have to be [released](Self::release) next.
    pub(crate) fn set_done(&self, job: usize) {
        self.waiting[job].store(DONE, Ordering::Relaxed);
    }

    /// Removes one dependency of a job; returns true if it was the last one.
    pub(crate) fn release(&self, job: usize) -> bool {
        // Release: the thread that takes the count to zero sees the effects of this one. Acquire: it sees the effects of all
        // others.
        self.waiting[job].fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Returns the first job that is not done, if any. The result is exact only when nothing runs.
    pub(crate) fn undone(&self) -> Option<usize> {
        let mut waiting = self.waiting.iter();
        waiting.position(|count| count.load(Ordering::Relaxed) != DONE)
    }

    /// Marks a step as failed, so that no later one may start. Earlier ones still may.
    pub(crate) fn fail(&self, step: usize) {
        self.end.fetch_min(step, Ordering::Relaxed);
    }

    /// Returns true if a step may still start.
    pub(crate) fn may_start(&self, step: usize) -> bool {
        step < self.end.load(Ordering::Relaxed)
    }

    /// Hands a released job to the thread that runs the schedule.
    pub(crate) fn park(&self, job: usize) {
        let mut parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        parked.push(job);
    }

    /// Takes the jobs handed to the thread that runs the schedule.
    pub(crate) fn take_parked(&self) -> Vec<usize> {
        let mut parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        core::mem::take(&mut *parked)
    }
}

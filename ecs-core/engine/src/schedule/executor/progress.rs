//! Who may start when: the one thing that the threads of a run agree on.
//!
//! Knows nothing but numbers, so that models of threads can be run on it as it is.

use crate::sync::{AtomicUsize, Mutex, Ordering};
use std::sync::PoisonError;

/// Which parts wait for which. Parts are numbered, and wait for lower numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// How many parts each one waits for.
    waits_for: Vec<usize>,
    /// Where in `next` the successors of each part end; those of the next part start there.
    ends: Vec<usize>,
    next: Vec<usize>,
}

impl Graph {
    /// Successors of a part are kept in the order of the edges.
    pub(crate) fn new(count: usize, edges: &[(usize, usize)]) -> Self {
        let (mut waits_for, mut ends) = (vec![0; count], vec![0; count]);
        for &(first, second) in edges {
            waits_for[second] += 1;
            ends[first] += 1;
        }
        // From how many successors each part has to where they start; putting them there moves that to where they end.
        let mut start = 0;
        for end in &mut ends {
            start += core::mem::replace(end, start);
        }
        let mut next = vec![0; edges.len()];
        for &(first, second) in edges {
            next[ends[first]] = second;
            ends[first] += 1;
        }
        Self {
            waits_for,
            ends,
            next,
        }
    }

    /// The parts that wait for nothing.
    pub(crate) fn first(&self) -> impl Iterator<Item = usize> {
        (0..self.waits_for.len()).filter(|&n| self.waits_for[n] == 0)
    }

    /// The parts that wait for this one.
    pub(crate) fn successors(&self, part: usize) -> &[usize] {
        let start = part.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.next[start..self.ends[part]]
    }
}

/// How far a run is.
///
/// A part is *released* when the last one that it waits for is done: exactly once, to exactly one thread, which sees all
/// that the parts before it did.
pub(crate) struct Progress {
    /// How many parts each one still waits for; [`DONE`] when it is done itself.
    waiting: Vec<AtomicUsize>,
    /// Steps from here on do not start any more.
    end: AtomicUsize,
    /// Parts that were released and cannot run on any thread.
    parked: Mutex<Vec<usize>>,
}

const DONE: usize = usize::MAX;

impl Progress {
    pub(crate) fn new(graph: &Graph) -> Self {
        let mut waiting = Vec::with_capacity(graph.waits_for.len());
        for &count in &graph.waits_for {
            waiting.push(AtomicUsize::new(count));
        }
        Self {
            waiting,
            end: AtomicUsize::new(usize::MAX),
            parked: Mutex::new(Vec::new()),
        }
    }

    /// Says that a part is done; its successors have to be [released](Self::release) next.
    pub(crate) fn set_done(&self, part: usize) {
        self.waiting[part].store(DONE, Ordering::Relaxed);
    }

    /// Says that a part need not wait any more for one of those that it waited for; true if that was the last one.
    pub(crate) fn release(&self, part: usize) -> bool {
        // Release: whoever takes the count to zero sees what was done here. Acquire: it sees what all the others did.
        self.waiting[part].fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Whether all parts are done, else the first one that is not. Exact only when nothing runs.
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

    /// Leaves a released part to the thread that runs the schedule.
    pub(crate) fn park(&self, part: usize) {
        let mut parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        parked.push(part);
    }

    /// Takes what was left to the thread that runs the schedule.
    pub(crate) fn take_parked(&self) -> Vec<usize> {
        let mut parked = self.parked.lock().unwrap_or_else(PoisonError::into_inner);
        core::mem::take(&mut *parked)
    }
}

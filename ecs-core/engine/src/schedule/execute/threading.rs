//! The choice between sequential and parallel runs, by measured times.

use core::mem::replace;
use core::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::Duration;

use crate::schedule::plan::Plan;

/// The way to do the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Sequential,
    /// Sequential, and timed as a whole: two readings of the clock, which cost next to nothing.
    Whole,
    /// Sequential, and timed step by step.
    Steps,
    Parallel {
        timed: bool,
    },
}

/// One out of so many runs is timed, and some early ones.
const EVERY: u32 = 16;
/// Shorter runs are not timed step by step (ns).
const SHORT: f32 = 2.0 * OVERHEAD;
/// The one-time cost of timing steps: starting threads, and per pair of steps computing the dependency (ns).
const STEP_TIMING: f32 = EVERY as f32 * SHORT;
const STEP_TIMING_PER_PAIR: f32 = 10.0;
/// The overhead of a parallel run: waking threads, and handing over each step (ns).
const OVERHEAD: f32 = 20_000.0;
const OVERHEAD_PER_STEP: f32 = 100.0;
/// The number of timed sequential runs after parallel ones that were slower: at first, and at most.
const BACKOFF: u32 = 4;
const MAX_BACKOFF: u32 = 1024;

/// Chooses between sequential and parallel runs by the times of earlier ones.
#[derive(Debug)]
pub(crate) struct ThreadingHeuristic {
    runs: u32,
    threads: usize,
    is_parallel: bool,
    next: Next,
    /// The average time of each step, in the order of the plan (ns).
    steps: Vec<f32>,
    /// The least possible time of a parallel run with these steps (ns).
    lower_bound: f32,
    /// The number of timed parallel runs that were faster than sequential ones.
    faster: u32,
    /// The time of a parallel run that was slower than earlier sequential ones (ns).
    slower_run: Option<f32>,
    /// The number of timed runs until threads are tried again, and that number after the next failure.
    wait: u32,
    backoff: u32,
}

/// The treatment of the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Timed or not by its number.
    AsUsual,
    /// Timed; step by step if sequential.
    Timed,
    /// May start the threads and begins with cold caches: the run after it is timed.
    First,
}

impl Default for ThreadingHeuristic {
    fn default() -> Self {
        Self {
            runs: 0,
            threads: available_parallelism().map_or(1, NonZeroUsize::get),
            is_parallel: false,
            next: Next::AsUsual,
            steps: Vec::new(),
            lower_bound: 0.0,
            faster: 0,
            slower_run: None,
            wait: 0,
            backoff: BACKOFF,
        }
    }
}

impl ThreadingHeuristic {
    /// Returns the way to do the next run.
    #[inline]
    pub(crate) fn next(&mut self) -> Mode {
        if self.threads == 1 {
            return Mode::Sequential;
        }
        self.runs = self.runs.wrapping_add(1);
        // The first run has cold caches.
        let is_early = 1 < self.runs && self.runs < EVERY && self.runs.is_power_of_two();
        let is_due = is_early || self.runs.is_multiple_of(EVERY);
        match (self.is_parallel, replace(&mut self.next, Next::AsUsual)) {
            (true, Next::First) => {
                self.next = Next::Timed;
                Mode::Parallel { timed: false }
            }
            (true, next) => Mode::Parallel {
                timed: is_due || next == Next::Timed,
            },
            (false, Next::AsUsual) if is_due => Mode::Whole,
            (false, Next::AsUsual) => Mode::Sequential,
            (false, _) => Mode::Steps,
        }
    }

    /// Records the time of a sequential run with this number of steps.
    ///
    /// Steps are timed as soon as all runs together took as long as that costs, so that a schedule that runs only a few
    /// times loses no more by it than by the lack of threads.
    pub(crate) fn record_whole(&mut self, time: Duration, steps: usize) {
        let time = time.as_nanos() as f32;
        let all = time * self.runs as f32;
        if time >= SHORT && all >= STEP_TIMING + STEP_TIMING_PER_PAIR * (steps * steps / 2) as f32 {
            self.next = Next::Timed;
        }
    }

    /// Records the times of the steps of a sequential run (ns); fewer if it panicked, and then it does not count.
    pub(crate) fn record_steps(&mut self, plan: &Plan, times: &[f32]) {
        if times.len() != plan.steps().len() {
            return;
        }
        if self.steps.len() == times.len() && self.slower_run.is_none() {
            for (average, time) in self.steps.iter_mut().zip(times) {
                *average += (time - *average) / 4.0;
            }
        } else {
            self.steps = times.to_vec();
        }
        let total: f32 = self.steps.iter().sum();
        self.lower_bound = self.critical_path(plan).max(total / self.threads as f32);
        let overhead = OVERHEAD + OVERHEAD_PER_STEP * self.steps.len() as f32;
        if let Some(slower_run) = self.slower_run.take() {
            if slower_run < total {
                // The work has grown: the parallel run was slower for that reason.
                self.switch(true);
            } else {
                self.wait = self.backoff;
                self.backoff = (self.backoff * 2).min(MAX_BACKOFF);
            }
        } else if self.wait > 0 {
            self.wait -= 1;
        } else if self.lower_bound + overhead < 0.8 * total {
            self.switch(true);
        }
    }

    /// Records the time of a parallel run.
    pub(crate) fn record_parallel(&mut self, time: Duration) {
        let time = time.as_nanos() as f32;
        if time < self.steps.iter().sum() {
            self.slower_run = None;
            self.backoff = BACKOFF;
            self.faster = self.faster.wrapping_add(1);
            // Faster than possible with these steps: the work has shrunk. Where overhead dominates this does not show,
            // so short runs are compared again from time to time; that costs a short sequential run.
            let is_doubtful = time < 2.0 * SHORT && self.faster.is_power_of_two();
            if time < 0.8 * self.lower_bound || is_doubtful {
                self.steps.clear();
                self.switch(false);
            }
        } else if let Some(other) = self.slower_run {
            self.slower_run = Some(time.min(other));
            self.switch(false);
        } else {
            // A single slow run may be noise.
            self.slower_run = Some(time);
            self.next = Next::Timed;
        }
    }

    fn switch(&mut self, parallel: bool) {
        self.is_parallel = parallel;
        self.next = if parallel { Next::First } else { Next::Timed };
    }

    /// Returns the time of the longest chain of steps that wait for each other (ns).
    fn critical_path(&self, plan: &Plan) -> f32 {
        let (mut ends, mut last) = (Vec::with_capacity(self.steps.len()), 0.0_f32);
        for (number, time) in self.steps.iter().enumerate() {
            let mut start = 0.0_f32;
            for before in plan.step(number).waits_for() {
                start = start.max(ends[before.number()]);
            }
            ends.push(start + time);
            last = last.max(start + time);
        }
        last
    }
}

#[cfg(test)]
#[path = "threading_tests.rs"]
mod tests;

//! The choice between sequential and parallel runs, by measured times.

use alloc::vec::Vec;
use core::mem::replace;
use core::num::NonZeroUsize;
use core::time::Duration;
use std::sync::OnceLock;
use std::thread::available_parallelism;

use crate::schedule::plan::SchedulePlan;

/// The way to run next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Sequential,
    /// Sequential, and timed as a whole: the clock is read twice.
    Whole,
    /// Sequential, and timed step by step: the clock is read once per step.
    Steps,
    Parallel {
        timed: bool,
    },
}

/// One in this number of sequential runs is timed step by step, or as a whole if runs are short.
const EVERY: u32 = 16;
/// Runs that take less are short: timing each of them would cost too much (ns).
const SHORT: f32 = 10_000.0;
/// Threads never pay off for runs that take less (ns).
const LEAST: f32 = 2.0 * OVERHEAD;
/// The one-time cost of threads: starting them, and computing the dependency of each pair of steps (ns).
const START: f32 = 100_000.0;
const START_PER_PAIR: f32 = 7.0;
/// The overhead of a parallel run: waking threads, and handing over each step (ns).
const OVERHEAD: f32 = 20_000.0;
const OVERHEAD_PER_STEP: f32 = 100.0;
/// A run that takes this many times as long may do different work than before.
const GROWTH: f32 = 1.5;
/// Threads are given up after this many slower runs in a row. Two can be bad luck: the system may delay a thread that was
/// woken.
const MISSES: u32 = 3;
/// The number of sequential runs after slower parallel ones: at first, and at most.
const BACKOFF: u32 = 16;
const MAX_BACKOFF: u32 = 1024;

/// Chooses between sequential and parallel runs by the times of earlier ones.
#[derive(Debug)]
pub(crate) struct ThreadingHeuristic {
    runs: u32,
    threads: usize,
    is_parallel: bool,
    next: NextRun,
    /// The average time of each step, in the order of the plan (ns).
    steps: Vec<f32>,
    /// The least possible time of a parallel run with these steps (ns).
    lower_bound: f32,
    /// False if the last timed run was [`SHORT`].
    is_long: bool,
    /// The time of the first run after the last one that was timed step by step (ns).
    usual: Option<f32>,
    /// The number of parallel runs that were faster than sequential ones.
    faster: u32,
    /// The least time of the last parallel runs that were slower than earlier sequential ones (ns), and their number.
    slower_run: Option<f32>,
    misses: u32,
    /// The next run that tries threads again, and the number of runs to wait after the next failure.
    retry: u32,
    backoff: u32,
    /// The time of all steps when the heuristic gave threads up (ns).
    given_up: f32,
}

/// The way to time the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NextRun {
    /// Timed or not, depending on its number and length.
    AsUsual,
    /// Timed, and step by step if it is sequential.
    Timed,
    /// Not timed: it may start the threads, and begins with cold caches. The run after it is timed.
    First,
}

/// The number of threads that can run at once. Asking takes about 26 us on Linux, where the system reads files for it.
static THREADS: OnceLock<usize> = OnceLock::new();

impl Default for ThreadingHeuristic {
    fn default() -> Self {
        Self {
            runs: 0,
            threads: *THREADS.get_or_init(|| available_parallelism().map_or(1, NonZeroUsize::get)),
            is_parallel: false,
            next: NextRun::First,
            steps: Vec::new(),
            lower_bound: 0.0,
            is_long: false,
            usual: None,
            faster: 0,
            slower_run: None,
            misses: 0,
            retry: 0,
            backoff: BACKOFF,
            given_up: 0.0,
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
        self.runs = self.runs.saturating_add(1);
        match (self.is_parallel, replace(&mut self.next, NextRun::AsUsual)) {
            (is_parallel, NextRun::First) => {
                self.next = NextRun::Timed;
                if is_parallel {
                    Mode::Parallel { timed: false }
                } else {
                    Mode::Sequential
                }
            }
            (true, _) => Mode::Parallel { timed: true },
            (false, NextRun::Timed) => Mode::Steps,
            (false, NextRun::AsUsual) if self.is_long || self.is_due() => Mode::Whole,
            (false, NextRun::AsUsual) => Mode::Sequential,
        }
    }

    fn is_due(&self) -> bool {
        self.runs.is_multiple_of(EVERY)
    }

    /// Records the time of a sequential run. The steps of the next run are timed if this one took unusually long, and also
    /// from time to time, because other steps may add up to the same time.
    pub(crate) fn record_whole(&mut self, time: Duration) {
        let time = time.as_nanos() as f32;
        self.is_long = time >= SHORT;
        let has_grown = time > GROWTH * *self.usual.get_or_insert(time);
        if has_grown {
            // The averages are out of date.
            self.steps.clear();
        }
        if time >= LEAST && (has_grown || self.is_due()) {
            self.next = NextRun::Timed;
        }
    }

    /// Records the time of a sequential run, and the shares of its steps in any unit. If there are fewer shares, the run
    /// panicked and does not count.
    pub(crate) fn record_steps(&mut self, plan: &SchedulePlan, time: Duration, shares: &[f32]) {
        let all: f32 = shares.iter().sum();
        if shares.len() != plan.steps().len() || all <= 0.0 {
            return;
        }
        let unit = time.as_nanos() as f32 / all;
        if self.steps.len() != shares.len() || self.slower_run.is_some() {
            self.steps.clear();
        }
        if self.steps.is_empty() {
            self.steps.extend(shares.iter().map(|share| share * unit));
        } else {
            for (average, share) in self.steps.iter_mut().zip(shares) {
                *average += (share * unit - *average) / 4.0;
            }
        }
        let steps = self.steps.len() as f32;
        let total: f32 = self.steps.iter().sum();
        self.is_long = total >= SHORT;
        self.usual = None;
        let most = 0.8 * total - OVERHEAD - OVERHEAD_PER_STEP * steps;
        let share = total / self.threads as f32;
        if self.slower_run.is_none() {
            if total < LEAST || share >= most {
                return;
            }
            if self.runs as f32 * total < START + START_PER_PAIR * steps * steps / 2.0 {
                // A schedule that runs only a few times must not lose more by finding out than by the lack of threads: wait
                // until this much time has passed. A further measurement costs next to nothing.
                self.next = NextRun::Timed;
                return;
            }
        }
        self.lower_bound = self.critical_path(plan).max(share);
        if let Some(slower_run) = self.slower_run.take() {
            if slower_run < total {
                // The work has grown, and that is why the parallel run was slower.
                self.switch(true);
            } else {
                self.given_up = total;
                self.retry = self.runs.saturating_add(self.backoff);
                self.backoff = (self.backoff * 2).min(MAX_BACKOFF);
            }
        } else if (self.runs >= self.retry || total > GROWTH * self.given_up)
            && self.lower_bound < most
        {
            self.switch(true);
        }
    }

    /// Records the time of a parallel run.
    pub(crate) fn record_parallel(&mut self, time: Duration) {
        let time = time.as_nanos() as f32;
        if time < self.steps.iter().sum() {
            (self.slower_run, self.misses) = (None, 0);
            self.backoff = BACKOFF;
            self.faster = self.faster.wrapping_add(1);
            // Faster than possible with these steps, so the work has shrunk. If overhead dominates, this does not show:
            // compare short runs again from time to time, at the cost of a short sequential run.
            let is_checked = self.faster.is_power_of_two() || self.faster.is_multiple_of(1024);
            if time < 0.8 * self.lower_bound || time < 2.0 * LEAST && is_checked {
                self.steps.clear();
                self.switch(false);
            }
        } else {
            self.slower_run = Some(self.slower_run.map_or(time, |other| time.min(other)));
            self.misses += 1;
            if self.misses == MISSES {
                self.misses = 0;
                self.switch(false);
            }
        }
    }

    fn switch(&mut self, parallel: bool) {
        self.is_parallel = parallel;
        self.next = if parallel {
            NextRun::First
        } else {
            NextRun::Timed
        };
    }

    /// Returns the time of the longest chain of steps that wait for each other (ns).
    fn critical_path(&self, plan: &SchedulePlan) -> f32 {
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

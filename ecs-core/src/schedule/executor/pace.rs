//! Whether threads pay: a choice between sequential and parallel runs by what they took.

use core::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::Duration;

use crate::schedule::plan::Plan;

/// How the next run is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::schedule) enum Mode {
    Sequential,
    /// Sequential, and timed as a whole: two looks at the clock, which cost nothing.
    Whole,
    /// Sequential, and timed step by step.
    Steps,
    Parallel {
        timed: bool,
    },
}

/// One out of so many runs is timed.
const EVERY: u32 = 16;
/// Runs that are shorter are not worth a closer look (ns).
const SHORT: f32 = 2.0 * START;
/// What a parallel run costs more than its longest chain of systems: waking threads, and handing steps over (ns).
const START: f32 = 20_000.0;
const STEP: f32 = 100.0;
/// How long sequential runs go on after a parallel one that was slower: at first, and at most (timed runs).
const PATIENCE: u32 = 4;
const MAX_PATIENCE: u32 = 1024;

/// Remembers what runs took.
#[derive(Debug)]
pub(in crate::schedule) struct Pace {
    runs: u32,
    threads: usize,
    is_parallel: bool,
    /// The next run is timed, if sequential step by step, whatever its number is.
    is_new: bool,
    /// What each step takes, on average, in the order of the plan (ns).
    steps: Vec<f32>,
    /// What a parallel run took that was slower than sequential ones had been before (ns).
    rival: Option<f32>,
    /// How many timed runs there are to go before threads are tried again, and how many after the next failure.
    wait: u32,
    patience: u32,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            runs: 0,
            threads: available_parallelism().map_or(1, NonZeroUsize::get),
            is_parallel: false,
            is_new: false,
            steps: Vec::new(),
            rival: None,
            wait: 0,
            patience: PATIENCE,
        }
    }
}

impl Pace {
    /// How the next run is to be.
    #[inline]
    pub(in crate::schedule) fn next(&mut self) -> Mode {
        if self.threads == 1 {
            return Mode::Sequential;
        }
        self.runs = self.runs.wrapping_add(1);
        let is_due = self.runs.is_multiple_of(EVERY);
        match (self.is_parallel, core::mem::take(&mut self.is_new)) {
            (true, is_new) => Mode::Parallel {
                timed: is_new || is_due,
            },
            (false, true) => Mode::Steps,
            (false, false) if is_due => Mode::Whole,
            (false, false) => Mode::Sequential,
        }
    }

    /// Says what a sequential run took.
    pub(in crate::schedule) fn was_whole(&mut self, time: Duration) {
        self.is_new = time.as_nanos() as f32 >= SHORT;
    }

    /// Says what the steps of a sequential run took (ns); fewer of them if it panicked, and then it does not count.
    pub(in crate::schedule) fn was_sequential(&mut self, plan: &Plan, times: &[f32]) {
        if times.len() != plan.steps().len() {
            return;
        }
        if self.steps.len() == times.len() && self.rival.is_none() {
            for (average, time) in self.steps.iter_mut().zip(times) {
                *average += (time - *average) / 4.0;
            }
        } else {
            self.steps = times.to_vec();
        }
        let total: f32 = self.steps.iter().sum();
        if let Some(rival) = self.rival.take() {
            if rival < total {
                // There was more to do by now, which was not the threads' fault.
                self.switch(true);
            } else {
                self.wait = self.patience;
                self.patience = (self.patience * 2).min(MAX_PATIENCE);
            }
        } else if self.wait > 0 {
            self.wait -= 1;
        } else if self.estimate(plan, total) < 0.8 * total {
            self.switch(true);
        }
    }

    /// Says what a parallel run took.
    pub(in crate::schedule) fn was_parallel(&mut self, time: Duration) {
        let time = time.as_nanos() as f32;
        if time < self.steps.iter().sum() {
            self.patience = PATIENCE;
        } else {
            self.rival = Some(time);
            self.switch(false);
        }
    }

    fn switch(&mut self, parallel: bool) {
        self.is_parallel = parallel;
        self.is_new = true;
    }

    /// What a parallel run will take, at best (ns).
    fn estimate(&self, plan: &Plan, total: f32) -> f32 {
        // The longest chain of steps that wait for each other.
        let mut ends: Vec<f32> = Vec::with_capacity(self.steps.len());
        for (step, time) in plan.steps().zip(&self.steps) {
            let start = step.waits_for().map(|before| ends[before.number()]);
            ends.push(start.fold(0.0, f32::max) + time);
        }
        let chain = ends.into_iter().fold(0.0, f32::max);
        chain.max(total / self.threads as f32) + START + STEP * self.steps.len() as f32
    }
}

#[cfg(test)]
#[path = "pace_tests.rs"]
mod tests;

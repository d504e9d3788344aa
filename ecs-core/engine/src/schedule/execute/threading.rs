//! Whether threads pay: a choice between sequential and parallel runs by what they took.

use core::mem::replace;
use core::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::Duration;

use crate::schedule::plan::Plan;

/// How the next run is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Sequential,
    /// Sequential, and timed as a whole: two looks at the clock, which cost next to nothing.
    Whole,
    /// Sequential, and timed step by step.
    Steps,
    Parallel {
        timed: bool,
    },
}

/// One out of so many runs is timed, and before that some early ones.
const EVERY: u32 = 16;
/// Runs that are shorter are not worth a closer look (ns).
const SHORT: f32 = 2.0 * START;
/// What a closer look costs, once: to start threads, and per pair of steps to find out whether one waits for the other (ns).
const LOOK: f32 = EVERY as f32 * SHORT;
const PAIR: f32 = 10.0;
/// What a parallel run costs more than its longest chain of systems: waking threads, and handing steps over (ns).
const START: f32 = 20_000.0;
const STEP: f32 = 100.0;
/// How long sequential runs go on after parallel ones that were slower: at first, and at most (timed runs).
const PATIENCE: u32 = 4;
const MAX_PATIENCE: u32 = 1024;

/// Remembers what runs took.
#[derive(Debug)]
pub(crate) struct ThreadingHeuristic {
    runs: u32,
    threads: usize,
    is_parallel: bool,
    next: Next,
    /// What each step takes, on average, in the order of the plan (ns).
    steps: Vec<f32>,
    /// What a parallel run takes at least if the steps take that (ns).
    least: f32,
    /// How many timed parallel runs were faster than sequential ones.
    faster: u32,
    /// What a parallel run took that was slower than sequential ones had been before (ns).
    rival: Option<f32>,
    /// How many timed runs there are to go before threads are tried again, and how many after the next failure.
    wait: u32,
    patience: u32,
}

/// What is done with the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Its number says whether it is timed.
    AsUsual,
    /// It is timed, if sequential step by step.
    Timed,
    /// It may start the threads, and finds their caches cold: the one after it is timed.
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
            least: 0.0,
            faster: 0,
            rival: None,
            wait: 0,
            patience: PATIENCE,
        }
    }
}

impl ThreadingHeuristic {
    /// How the next run is to be.
    #[inline]
    pub(crate) fn next(&mut self) -> Mode {
        if self.threads == 1 {
            return Mode::Sequential;
        }
        self.runs = self.runs.wrapping_add(1);
        // The first run finds everything cold.
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

    /// Says what a sequential run took, which had so many steps.
    ///
    /// It is worth a closer look as soon as all runs together have taken what that costs: whoever runs a schedule a few
    /// times loses no more by it than was lost without threads.
    pub(crate) fn was_whole(&mut self, time: Duration, steps: usize) {
        let time = time.as_nanos() as f32;
        let all = time * self.runs as f32;
        if time >= SHORT && all >= LOOK + PAIR * (steps * steps / 2) as f32 {
            self.next = Next::Timed;
        }
    }

    /// Says what the steps of a sequential run took (ns); fewer of them if it panicked, and then it does not count.
    pub(crate) fn was_sequential(&mut self, plan: &Plan, times: &[f32]) {
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
        self.least = self.chain(plan).max(total / self.threads as f32);
        let overhead = START + STEP * self.steps.len() as f32;
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
        } else if self.least + overhead < 0.8 * total {
            self.switch(true);
        }
    }

    /// Says what a parallel run took.
    pub(crate) fn was_parallel(&mut self, time: Duration) {
        let time = time.as_nanos() as f32;
        if time < self.steps.iter().sum() {
            self.rival = None;
            self.patience = PATIENCE;
            self.faster = self.faster.wrapping_add(1);
            // Faster than threads can make it: there is less to do than there was. Where overhead is most of the run that
            // does not show, so short ones are compared anew from time to time; that costs a short run.
            let is_doubtful = time < 2.0 * SHORT && self.faster.is_power_of_two();
            if time < 0.8 * self.least || is_doubtful {
                self.steps.clear();
                self.switch(false);
            }
        } else if let Some(other) = self.rival {
            self.rival = Some(time.min(other));
            self.switch(false);
        } else {
            // Once may be chance.
            self.rival = Some(time);
            self.next = Next::Timed;
        }
    }

    fn switch(&mut self, parallel: bool) {
        self.is_parallel = parallel;
        self.next = if parallel { Next::First } else { Next::Timed };
    }

    /// What the longest chain of steps that wait for each other takes (ns).
    fn chain(&self, plan: &Plan) -> f32 {
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

//! Looking on while steps run.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use super::failure::Doing;
use crate::schedule::step::Step;

/// Is told what is done for which step; chosen once per run.
pub(in crate::schedule) trait Watch {
    /// Calls `work`, which is `doing` for the step.
    fn during<T>(&self, step: Step<'_>, doing: Doing, work: impl FnOnce() -> T) -> T;
}

/// Looks away.
pub(in crate::schedule) struct Off;

impl Watch for Off {
    #[inline]
    fn during<T>(&self, step: Step<'_>, doing: Doing, work: impl FnOnce() -> T) -> T {
        let _span = enter(step, doing);
        work()
    }
}

/// Takes note of when and where what was done.
pub(in crate::schedule) struct Recorder {
    start: Instant,
    notes: Mutex<Notes>,
}

/// What was noted in a run.
pub(in crate::schedule) struct Notes {
    pub(in crate::schedule) spans: Vec<Span>,
    /// The threads that took part, and their names; the first one is the calling one.
    pub(in crate::schedule) threads: Vec<(ThreadId, Option<String>)>,
}

/// Something that was done, counted from the start of the run. What panicked is not noted.
pub(in crate::schedule) struct Span {
    pub(in crate::schedule) step: usize,
    pub(in crate::schedule) doing: Doing,
    /// Which of the threads.
    pub(in crate::schedule) thread: usize,
    pub(in crate::schedule) start: Duration,
    pub(in crate::schedule) end: Duration,
}

impl Recorder {
    /// Of a run that starts now, on this thread.
    pub(in crate::schedule) fn new() -> Self {
        let mut notes = Notes {
            spans: Vec::new(),
            threads: Vec::new(),
        };
        notes.this_thread();
        Self {
            start: Instant::now(),
            notes: Mutex::new(notes),
        }
    }

    /// What was noted, in the order in which it ended.
    pub(in crate::schedule) fn finish(self) -> Notes {
        let notes = self.notes.into_inner();
        notes.unwrap_or_else(PoisonError::into_inner)
    }
}

impl Notes {
    /// The number of the thread that asks.
    fn this_thread(&mut self) -> usize {
        let this = thread::current();
        let known = self.threads.iter().position(|(id, _)| *id == this.id());
        known.unwrap_or_else(|| {
            self.threads
                .push((this.id(), this.name().map(str::to_owned)));
            self.threads.len() - 1
        })
    }
}

impl Watch for Recorder {
    fn during<T>(&self, step: Step<'_>, doing: Doing, work: impl FnOnce() -> T) -> T {
        let start = self.start.elapsed();
        let result = Off.during(step, doing, work);
        let end = self.start.elapsed();
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = notes.this_thread();
        notes.spans.push(Span {
            step: step.number(),
            doing,
            thread,
            start,
            end,
        });
        result
    }
}

impl<W: Watch> Watch for Option<&W> {
    #[inline]
    fn during<T>(&self, step: Step<'_>, doing: Doing, work: impl FnOnce() -> T) -> T {
        match self {
            None => Off.during(step, doing, work),
            Some(watch) => watch.during(step, doing, work),
        }
    }
}

/// Enters a span of the crate `tracing`.
#[cfg(feature = "tracing")]
fn enter(step: Step<'_>, doing: Doing) -> tracing::span::EnteredSpan {
    let name = step.name();
    match doing {
        Doing::Asking(index) => {
            let condition = &step.plan.conditions[index].name;
            tracing::info_span!("condition", name = &**condition, system = name).entered()
        }
        Doing::Running => system_span(name),
        Doing::Applying => tracing::info_span!("commands", system = name).entered(),
    }
}

/// Enters the span of a system of the crate `tracing`.
#[cfg(feature = "tracing")]
pub(in crate::schedule) fn system_span(name: &'static str) -> tracing::span::EnteredSpan {
    tracing::info_span!("system", name).entered()
}

/// Stands for a span where there are none.
#[cfg(not(feature = "tracing"))]
struct NoSpan;

#[cfg(not(feature = "tracing"))]
#[inline]
fn enter(_: Step<'_>, _: Doing) -> NoSpan {
    NoSpan
}

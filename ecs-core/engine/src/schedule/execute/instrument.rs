//! Looking on while steps run.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use super::failure::Phase;
use crate::schedule::plan::Step;

/// Is told what is done for which step; chosen once per run.
pub(crate) trait Instrument {
    /// What is remembered until it is done.
    type Started;

    /// `doing` starts for the step.
    fn start(&self, step: Step<'_>, doing: Phase) -> Self::Started;

    /// It is done; never called of what panicked.
    fn done(&self, started: Self::Started);
}

/// Looks away.
pub(crate) struct NoInstrument;

impl Instrument for NoInstrument {
    type Started = EnteredSpan;

    #[inline]
    fn start(&self, step: Step<'_>, doing: Phase) -> EnteredSpan {
        enter(step, doing)
    }

    #[inline]
    fn done(&self, _: EnteredSpan) {}
}

/// Takes note of when and where what was done.
pub(crate) struct Recorder {
    start: Instant,
    notes: Mutex<Notes>,
}

/// What was noted in a run.
pub(crate) struct Notes {
    pub(crate) spans: Vec<Span>,
    /// The threads that took part, and their names; the first one is the calling one.
    pub(crate) threads: Vec<(ThreadId, Option<String>)>,
}

/// Something that was done, counted from the start of the run. What panicked is not noted.
pub(crate) struct Span {
    pub(crate) step: usize,
    pub(crate) doing: Phase,
    /// Which of the threads.
    pub(crate) thread: usize,
    pub(crate) start: Duration,
    pub(crate) end: Duration,
}

impl Recorder {
    /// Of a run that starts now, on this thread.
    pub(crate) fn new() -> Self {
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
    pub(crate) fn finish(self) -> Notes {
        let notes = self.notes.into_inner();
        notes.unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, step: usize, doing: Phase, start: Duration) {
        let end = self.start.elapsed();
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = notes.this_thread();
        notes.spans.push(Span {
            step,
            doing,
            thread,
            start,
            end,
        });
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

/// Something that was started, and has to be noted if there is a recorder.
pub(crate) struct Started {
    step: usize,
    doing: Phase,
    start: Duration,
    span: EnteredSpan,
}

impl Instrument for Option<&Recorder> {
    type Started = Started;

    #[inline]
    fn start(&self, step: Step<'_>, doing: Phase) -> Started {
        Started {
            step: step.number(),
            doing,
            start: self.map_or(Duration::ZERO, |recorder| recorder.start.elapsed()),
            span: enter(step, doing),
        }
    }

    #[inline]
    fn done(&self, started: Started) {
        let Started {
            step,
            doing,
            start,
            span,
        } = started;
        NoInstrument.done(span);
        if let Some(recorder) = self {
            recorder.note(step, doing, start);
        }
    }
}

#[cfg(feature = "tracing")]
use tracing::span::EnteredSpan;

/// Enters a span of the crate `tracing`.
#[cfg(feature = "tracing")]
fn enter(step: Step<'_>, doing: Phase) -> EnteredSpan {
    let name = step.name();
    match doing {
        Phase::Asking(index) => {
            let condition = &step.plan.conditions[index].name;
            tracing::info_span!("condition", name = &**condition, system = name).entered()
        }
        Phase::Running => system_span(name),
        Phase::Applying => tracing::info_span!("commands", system = name).entered(),
    }
}

/// Enters the span of a system of the crate `tracing`.
#[cfg(feature = "tracing")]
pub(crate) fn system_span(name: &'static str) -> EnteredSpan {
    tracing::info_span!("system", name).entered()
}

/// Stands for a span where there are none.
#[cfg(not(feature = "tracing"))]
pub(crate) struct EnteredSpan;

#[cfg(not(feature = "tracing"))]
#[inline]
fn enter(_: Step<'_>, _: Phase) -> EnteredSpan {
    EnteredSpan
}

//! Instrumentation of steps.

use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use super::failure::Phase;
use crate::schedule::plan::Step;

/// Measures the phases of steps; chosen once per run.
pub(crate) trait Instrument {
    /// Runs a phase of the step. What panics is not recorded.
    fn measure<T>(&self, step: Step<'_>, phase: Phase, run: impl FnOnce() -> T) -> T;

    /// Returns what records, for the schedules inside a step.
    fn recorder(&self) -> Option<&Recorder>;
}

/// Records nothing.
pub(crate) struct NoInstrument;

impl Instrument for NoInstrument {
    #[inline]
    fn measure<T>(&self, step: Step<'_>, phase: Phase, run: impl FnOnce() -> T) -> T {
        let _span = enter(step, phase);
        run()
    }

    fn recorder(&self) -> Option<&Recorder> {
        None
    }
}

/// Records when and on which thread each phase ran.
pub(crate) struct Recorder {
    start: Instant,
    recording: Mutex<Recording>,
}

/// The measurements of a run.
pub(crate) struct Recording {
    pub(crate) spans: Vec<Span>,
    /// The threads that took part, and their names; the first one is the calling one.
    pub(crate) threads: Vec<(ThreadId, Option<String>)>,
}

/// One phase of a step; times count from the start of the run. Phases that panicked are not recorded.
pub(crate) struct Span {
    /// The number of the step [in the outermost plan](crate::schedule::plan::Plan::id_of).
    pub(crate) step: usize,
    pub(crate) phase: Phase,
    /// The index of the thread.
    pub(crate) thread: usize,
    pub(crate) start: Duration,
    pub(crate) end: Duration,
}

impl Recorder {
    /// Creates the recorder of a run that starts now, on this thread.
    pub(crate) fn new() -> Self {
        let mut recording = Recording {
            spans: Vec::new(),
            threads: Vec::new(),
        };
        recording.this_thread();
        Self {
            start: Instant::now(),
            recording: Mutex::new(recording),
        }
    }

    /// Returns the measurements, in the order in which the phases ended.
    pub(crate) fn finish(self) -> Recording {
        let recording = self.recording.into_inner();
        recording.unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, step: usize, phase: Phase, start: Duration) {
        let end = self.start.elapsed();
        let mut recording = self
            .recording
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let thread = recording.this_thread();
        recording.spans.push(Span {
            step,
            phase,
            thread,
            start,
            end,
        });
    }
}

impl Recording {
    /// Returns the index of the current thread.
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

impl Instrument for Option<&Recorder> {
    fn measure<T>(&self, step: Step<'_>, phase: Phase, run: impl FnOnce() -> T) -> T {
        let Some(recorder) = self else {
            return NoInstrument.measure(step, phase, run);
        };
        let start = recorder.start.elapsed();
        let result = NoInstrument.measure(step, phase, run);
        recorder.record(step.id_in_tree(), phase, start);
        result
    }

    fn recorder(&self) -> Option<&Recorder> {
        *self
    }
}

#[cfg(feature = "tracing")]
use tracing::span::EnteredSpan;

/// Enters a span of the crate `tracing`.
#[cfg(feature = "tracing")]
fn enter(step: Step<'_>, phase: Phase) -> EnteredSpan {
    let name = step.name();
    match phase {
        Phase::Evaluating(index) => {
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

/// Replaces `tracing`'s span without the feature.
#[cfg(not(feature = "tracing"))]
pub(crate) struct EnteredSpan;

#[cfg(not(feature = "tracing"))]
#[inline]
fn enter(_: Step<'_>, _: Phase) -> EnteredSpan {
    EnteredSpan
}

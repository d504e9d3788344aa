//! The measurements of a run.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::time::Duration;
use std::thread::{self, ThreadId};

use super::failure::StepPhase;
use super::instrument::{Instrument, NoInstrument};
use crate::clock::Instant;
use crate::schedule::plan::Step;
use crate::sync::{Mutex, PoisonError};

/// Records when and on which thread each phase ran.
pub(crate) struct StepRecorder {
    start: Instant,
    recording: Mutex<StepRecording>,
}

/// The measurements of a run.
pub(crate) struct StepRecording {
    pub(crate) start: Instant,
    pub(crate) spans: Vec<Span>,
    /// The threads that took part, and their names; the first one is the calling one.
    pub(crate) threads: Vec<(ThreadId, Option<String>)>,
}

/// One phase of a step. Times count from the start of the run. Phases that panicked are not recorded.
pub(crate) struct Span {
    /// The number of the step [in the outermost plan](crate::schedule::plan::SchedulePlan::id_of).
    pub(crate) step: usize,
    pub(crate) phase: StepPhase,
    /// The index of the thread.
    pub(crate) thread: usize,
    pub(crate) start: Duration,
    pub(crate) end: Duration,
}

impl StepRecorder {
    /// Creates the recorder of a run that starts now, on this thread.
    pub(crate) fn new() -> Self {
        let start = Instant::now();
        let mut recording = StepRecording {
            start,
            spans: Vec::new(),
            threads: Vec::new(),
        };
        recording.this_thread();
        Self {
            start,
            recording: Mutex::new(recording),
        }
    }

    /// Returns the measurements, sorted by the ends of the phases.
    pub(crate) fn finish(self) -> StepRecording {
        let recording = self.recording.into_inner();
        recording.unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, step: usize, phase: StepPhase, start: Duration) {
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

impl StepRecording {
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

impl Instrument for Option<&StepRecorder> {
    fn measure<T>(&self, step: Step<'_>, phase: StepPhase, run: impl FnOnce() -> T) -> T {
        let Some(recorder) = self else {
            return NoInstrument.measure(step, phase, run);
        };
        let start = recorder.start.elapsed();
        let result = NoInstrument.measure(step, phase, run);
        recorder.record(step.id_in_tree(), phase, start);
        result
    }

    fn recorder(&self) -> Option<&StepRecorder> {
        *self
    }
}

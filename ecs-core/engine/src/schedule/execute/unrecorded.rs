//! Empty recorders and records, for programs without a clock.

use alloc::string::String;
use alloc::vec::Vec;

use super::failure::StepPhase;
use super::instrument::{Instrument, NoInstrument};
use crate::schedule::plan::{SchedulePlan, Step};

/// Never created.
pub(crate) enum StepRecorder {}

impl Instrument for Option<&StepRecorder> {
    fn measure<T>(&self, step: Step<'_>, phase: StepPhase, run: impl FnOnce() -> T) -> T {
        NoInstrument.measure(step, phase, run)
    }

    fn recorder(&self) -> Option<&StepRecorder> {
        None
    }
}

/// Never created.
pub(crate) enum Trace {}

impl Trace {
    pub(crate) fn put_inside(&mut self, _: &str) {
        match *self {}
    }
}

/// No records.
#[derive(Default)]
pub(crate) struct Records;

impl Records {
    #[inline]
    pub(crate) fn recorder(&self) -> Option<StepRecorder> {
        None
    }

    #[inline]
    pub(crate) fn recorder_if(&self, _: bool) -> Option<StepRecorder> {
        None
    }

    #[inline]
    pub(crate) fn is_tracing(&self) -> bool {
        false
    }

    pub(crate) fn remove(&mut self, _: usize, _: usize) {}

    pub(crate) fn insert(&mut self, _: usize, _: Vec<(String, &'static str)>) {}

    pub(crate) fn replace(&mut self, _: usize, _: &'static str) {}

    pub(crate) fn add(
        &mut self,
        recorder: StepRecorder,
        _: &SchedulePlan,
        _: Vec<Trace>,
        _: Option<&mut Option<Trace>>,
    ) {
        match recorder {}
    }
}

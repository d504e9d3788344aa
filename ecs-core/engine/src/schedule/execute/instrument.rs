//! Instrumentation of steps.

use super::StepRecorder;
use super::failure::StepPhase;
use crate::schedule::plan::Step;

/// Measures the phases of steps; chosen once per run.
pub(crate) trait Instrument {
    /// Runs a phase of the step. A phase that panics is not recorded.
    fn measure<T>(&self, step: Step<'_>, phase: StepPhase, run: impl FnOnce() -> T) -> T;

    /// Returns the recorder, for the schedules inside a step.
    fn recorder(&self) -> Option<&StepRecorder>;
}

/// Records nothing.
pub(crate) struct NoInstrument;

impl Instrument for NoInstrument {
    #[inline]
    fn measure<T>(&self, step: Step<'_>, phase: StepPhase, run: impl FnOnce() -> T) -> T {
        let _span = enter(step, phase);
        run()
    }

    fn recorder(&self) -> Option<&StepRecorder> {
        None
    }
}

#[cfg(feature = "tracing")]
use tracing::span::EnteredSpan;

/// Enters a span of the crate `tracing`.
#[cfg(feature = "tracing")]
fn enter(step: Step<'_>, phase: StepPhase) -> EnteredSpan {
    let name = step.name();
    match phase {
        StepPhase::Evaluating(index) => {
            let condition = &step.plan.conditions[index].name;
            tracing::info_span!("condition", name = &**condition, system = name).entered()
        }
        StepPhase::Running => system_span(name),
        StepPhase::Applying | StepPhase::Watching => {
            tracing::info_span!("commands", system = name).entered()
        }
    }
}

/// Enters the span of a system of the crate `tracing`.
#[cfg(feature = "tracing")]
pub(crate) fn system_span(name: &'static str) -> EnteredSpan {
    tracing::info_span!("system", name).entered()
}

/// Replaces the spans when the feature `tracing` is off.
#[cfg(not(feature = "tracing"))]
pub(crate) struct EnteredSpan;

#[cfg(not(feature = "tracing"))]
#[inline]
fn enter(_: Step<'_>, _: StepPhase) -> EnteredSpan {
    EnteredSpan
}

//! Panics during a run, and the systems that caused them.

use alloc::boxed::Box;
use alloc::string::String;
use core::any::Any;

use crate::schedule::plan::{SchedulePlan, Step};
use crate::unwind::{AssertUnwindSafe, catch_unwind, resume_unwind};
use crate::world::CommandQueue;

/// The current step, and its phase.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepPosition {
    pub(crate) step: usize,
    pub(crate) phase: StepPhase,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum StepPhase {
    /// Evaluating the condition with this index.
    Evaluating(usize),
    /// Running the system.
    Running,
    /// Applying the deferred commands.
    Applying,
}

impl StepPosition {
    /// The position before the first step.
    pub(crate) const START: Self = Self {
        step: 0,
        phase: StepPhase::Applying,
    };

    /// The position of a running system.
    #[inline]
    pub(crate) fn running(step: Step<'_>) -> Self {
        Self {
            step: step.number(),
            phase: StepPhase::Running,
        }
    }
}

/// A panic and its origin.
pub(crate) struct Failure {
    pub(crate) at: StepPosition,
    pub(crate) panic: Box<dyn Any + Send>,
}

impl Failure {
    /// Resumes the panic, and adds the name of the system or condition to its message. The panic hook has already reported
    /// the bare message, so this one is for callers that catch the panic. A panic without a message stays unchanged.
    pub(crate) fn raise(self, plan: &SchedulePlan) -> ! {
        let panic = self.panic;
        let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(message), _) => *message,
            (_, Some(message)) => message.as_str(),
            (None, None) => resume_unwind(panic),
        };
        let step = plan.step(self.at.step);
        let system = step.name();
        let message = match self.at.phase {
            StepPhase::Evaluating(index) => {
                let condition = &plan.conditions[index].name;
                format!("condition `{condition}` of system `{system}` panicked: {message}")
            }
            StepPhase::Running => format!("system `{system}` panicked: {message}"),
            StepPhase::Applying => format!("a command of system `{system}` panicked: {message}"),
        };
        resume_unwind(Box::new(message))
    }
}

/// Drops commands unapplied. Swallows panics of their destructors, because they would hide the original one.
pub(crate) fn discard(queue: &mut CommandQueue) {
    drop(catch_unwind(AssertUnwindSafe(|| queue.clear())));
}

//! Panics during a run, and the systems that caused them.

use alloc::boxed::Box;
use core::any::Any;

use crate::schedule::plan::{SchedulePlan, Step};
use crate::unwind::{AssertUnwindSafe, catch_unwind, resume_unwind};
use crate::world::{CommandQueue, World, message_of};

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
    /// Calling the function that watches the run.
    Watching,
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
    /// the bare message, so this one is for callers that catch the panic. A panic without a message stays unchanged. The
    /// world notes the names.
    pub(crate) fn raise(self, plan: &SchedulePlan, world: &mut World) -> ! {
        let system = plan.step(self.at.step).name();
        let inside = world.take_run_panic(&*self.panic);
        let is_of_watcher = matches!(self.at.phase, StepPhase::Watching);
        let panic = self.with_name(plan, system);
        world.note_panic(system, inside.as_deref(), &*panic);
        world.nesting.step = None;
        if is_of_watcher {
            world.note_watcher();
        }
        resume_unwind(panic)
    }

    fn with_name(self, plan: &SchedulePlan, system: &str) -> Box<dyn Any + Send> {
        let Some(message) = message_of(&*self.panic) else {
            return self.panic;
        };
        Box::new(match self.at.phase {
            StepPhase::Evaluating(index) => {
                let condition = &plan.conditions[index].name;
                format!("condition `{condition}` of system `{system}` panicked: {message}")
            }
            StepPhase::Running => format!("system `{system}` panicked: {message}"),
            StepPhase::Applying => format!("a command of system `{system}` panicked: {message}"),
            StepPhase::Watching => {
                format!("the function called after system `{system}` panicked: {message}")
            }
        })
    }
}

/// Drops commands unapplied. Swallows panics of their destructors, because they would hide the original one.
pub(crate) fn discard(queue: &mut CommandQueue) {
    drop(catch_unwind(AssertUnwindSafe(|| queue.clear())));
}

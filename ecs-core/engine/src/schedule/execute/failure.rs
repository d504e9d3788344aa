//! Panics during a run, and whom to blame for them.

use core::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::schedule::plan::Plan;
use crate::world::CommandQueue;

/// What is being done, and for which step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) step: usize,
    pub(crate) doing: Phase,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Phase {
    /// Asking the condition of that number.
    Asking(usize),
    /// Running the system.
    Running,
    /// Applying what it had put off.
    Applying,
}

impl Position {
    /// Before anything is done.
    pub(crate) const START: Self = Self {
        step: 0,
        doing: Phase::Applying,
    };
}

/// A panic, and where it came from.
pub(crate) struct Failure {
    pub(crate) at: Position,
    pub(crate) panic: Box<dyn Any + Send>,
}

impl Failure {
    /// Goes on panicking, with the name of the culprit added to the message. The panic hook has reported the bare
    /// message by now; this one is for those who catch the panic. A panic without a message stays as it is.
    pub(crate) fn raise(self, plan: &Plan) -> ! {
        let panic = self.panic;
        let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
            (Some(message), _) => *message,
            (_, Some(message)) => message.as_str(),
            (None, None) => resume_unwind(panic),
        };
        let step = plan.step(self.at.step);
        let system = step.name();
        let message = match self.at.doing {
            Phase::Asking(index) => {
                let condition = &plan.conditions[index].name;
                format!("condition `{condition}` of system `{system}` panicked: {message}")
            }
            Phase::Running => format!("system `{system}` panicked: {message}"),
            Phase::Applying => format!("a command of system `{system}` panicked: {message}"),
        };
        resume_unwind(Box::new(message))
    }
}

/// Drops commands unapplied. A panic of their destructors would only hide the one that came before.
pub(crate) fn discard(queue: &mut CommandQueue) {
    drop(catch_unwind(AssertUnwindSafe(|| queue.clear())));
}

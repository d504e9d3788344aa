//! One system after the other, on the calling thread.

use core::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::schedule::build::Condition;
use crate::schedule::error::SystemError;
use crate::schedule::plan::{Plan, Step};
use crate::system::Runner;
use crate::world::{CommandQueue, World};

/// The built parts of a schedule, in list order, for one run.
pub(in crate::schedule) struct Parts<'a> {
    pub(in crate::schedule) systems: &'a mut [Runner],
    pub(in crate::schedule) conditions: &'a mut [Condition],
    /// Empty; lends its buffer.
    pub(in crate::schedule) queue: &'a mut CommandQueue,
}

/// What is being done for a step; says whom to blame for a panic.
#[derive(Clone, Copy)]
enum Doing {
    Asking(usize),
    Running,
    Applying,
}

/// Runs all steps in order and returns the errors of systems.
///
/// A panic of a system, a condition or a command ends the run and goes on to the caller, with the name added to its
/// message. What the culprit queued is discarded: with half of its work done nobody knows whether the rest makes sense.
pub(in crate::schedule) fn run(
    plan: &Plan,
    mut parts: Parts<'_>,
    world: &mut World,
) -> Vec<SystemError> {
    let mut errors = Vec::new();
    let mut at = None;
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        for condition in &mut *parts.conditions {
            condition.answer = None;
        }
        // What was deferred before this run is older than anything that the systems do.
        parts.settle(world);
        for step in plan.steps() {
            let result = parts.step(step, world, |doing| at = Some((step, doing)));
            if let Err(error) = result {
                errors.push(error);
            }
        }
    }));
    match (outcome, at) {
        (Ok(()), _) => errors,
        (Err(panic), None) => resume_unwind(panic),
        (Err(panic), Some((step, doing))) => {
            parts.discard(step, doing, world);
            resume_unwind(name_the_culprit(panic, step, doing))
        }
    }
}

impl Parts<'_> {
    fn step<'p>(
        &mut self,
        step: Step<'p>,
        world: &mut World,
        mut note: impl FnMut(Doing),
    ) -> Result<(), SystemError> {
        for &index in step.condition_indices() {
            note(Doing::Asking(index));
            if !self.ask(index, world) {
                return Ok(());
            }
        }
        note(Doing::Running);
        let result = match &mut self.systems[step.listed()] {
            Runner::Shared(system) => {
                // SAFETY: nobody else has the world.
                let result = unsafe { system.run(world, ()) };
                system.flush(self.queue);
                result
            }
            Runner::Exclusive(system) => system.run(world, ()),
        };
        note(Doing::Applying);
        self.settle(world);
        result.map_err(|error| SystemError {
            system: step.name(),
            error,
        })
    }

    /// The condition's answer for this run; asks at the first call.
    fn ask(&mut self, index: usize, world: &mut World) -> bool {
        let condition = &mut self.conditions[index];
        if let Some(answer) = condition.answer {
            return answer;
        }
        // SAFETY: nobody else has the world.
        let answer = unsafe { condition.system.run(world, ()) };
        condition.system.flush(self.queue);
        condition.answer = Some(answer);
        self.settle(world);
        answer
    }

    /// Does what was put off by a system: what it deferred through the world first, then its own commands, and gives
    /// the entities that it reserved their places.
    #[inline]
    fn settle(&mut self, world: &mut World) {
        if !self.queue.is_empty() {
            self.queue.apply(world);
        }
        world.flush();
    }

    /// Drops what was queued by the system or condition that panicked, directly or through the world.
    fn discard(&mut self, step: Step<'_>, doing: Doing, world: &mut World) {
        match doing {
            Doing::Asking(index) => self.conditions[index].system.flush(self.queue),
            Doing::Running | Doing::Applying => {
                if let Runner::Shared(system) = &mut self.systems[step.listed()] {
                    system.flush(self.queue);
                }
            }
        }
        for queue in [&mut *self.queue, world.pending()] {
            // A second panic, of a command's destructor, would only hide the first one.
            drop(catch_unwind(AssertUnwindSafe(|| queue.clear())));
        }
    }
}

/// Adds to a panic's message who panicked. The panic hook has reported the bare message by now; this one is for those
/// who catch the panic. A panic without a message stays as it is.
fn name_the_culprit(
    panic: Box<dyn Any + Send>,
    step: Step<'_>,
    doing: Doing,
) -> Box<dyn Any + Send> {
    let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(message), _) => *message,
        (_, Some(message)) => message.as_str(),
        (None, None) => return panic,
    };
    let system = step.name();
    Box::new(match doing {
        Doing::Asking(index) => {
            let position = step.condition_indices().iter().position(|&n| n == index);
            let condition = position.and_then(|n| step.conditions().nth(n));
            let condition = condition.map_or("", |meta| &meta.name);
            format!("condition `{condition}` of system `{system}` panicked: {message}")
        }
        Doing::Running => format!("system `{system}` panicked: {message}"),
        Doing::Applying => format!("a command of system `{system}` panicked: {message}"),
    })
}

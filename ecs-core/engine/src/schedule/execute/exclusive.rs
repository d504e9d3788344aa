//! Steps that run while nothing else runs: all steps of a sequential run, and in other runs the steps that need the world
//! alone.

use alloc::vec::Vec;
use core::ptr::NonNull;

use super::build::{BuiltCondition, BuiltStep, evaluate};
use super::failure::{Failure, StepPhase, StepPosition, discard};
use super::instrument::Instrument;
use super::runs::{BuiltInner, RunMode};
use super::skip::mark_skipped;
use super::turn_cell::TurnCell;
use crate::schedule::declare::Flush;
use crate::schedule::declare::SystemError;
use crate::schedule::plan::SchedulePlan;
use crate::schedule::plan::Step;
use crate::sort::sort_by_number;
use crate::system::{BoxError, DynSystem};
use crate::unwind::{AssertUnwindSafe, catch_unwind};
use crate::world::{CommandQueue, World};

/// Commands deferred until the next flush point, by step.
pub(crate) type Later = Vec<(usize, CommandQueue)>;

/// The state of a run as long as no other thread takes part in it.
pub(crate) struct ExclusiveRun<'a, W> {
    pub(crate) world: &'a mut World,
    /// Empty between steps.
    pub(crate) queue: &'a mut CommandQueue,
    pub(crate) conditions: &'a [BuiltCondition],
    pub(crate) later: Later,
    /// The current step, for the message of a panic.
    pub(crate) at: StepPosition,
    pub(crate) instrument: &'a W,
    /// True if schedules inside steps choose how they run; otherwise they run on this thread.
    pub(crate) chooses: bool,
}

impl<W: Instrument> ExclusiveRun<'_, W> {
    /// Runs a system without conditions or deferred commands.
    #[inline]
    pub(crate) fn call(
        &mut self,
        step: Step<'_>,
        system: &mut dyn DynSystem<(), Result<(), BoxError>>,
    ) -> Result<(), BoxError> {
        self.at.phase = StepPhase::Running;
        let world = NonNull::from(&mut *self.world);
        // SAFETY: `world` is borrowed mutably by `self`, so no other code accesses it.
        let run = || unsafe { system.run(world, ()) };
        self.instrument.measure(step, StepPhase::Running, run)
    }

    /// Asks the step's conditions, and applies their deferred commands immediately.
    pub(crate) fn evaluate(&mut self, step: Step<'_>) -> bool {
        let queue = &mut *self.queue;
        let apply = |condition: &BuiltCondition, world: &mut &mut World| {
            if condition.defers {
                condition.system.take().flush(queue);
                apply_deferred(queue, world, step);
            }
        };
        let (world, at) = (&mut *self.world, &mut self.at);
        // SAFETY: `world` is borrowed mutably, so no other code accesses it.
        let runs = unsafe { evaluate(step, self.conditions, world, at, self.instrument, apply) };
        if !runs {
            mark_skipped(step, self.conditions);
        }
        runs
    }

    /// Runs the system, and applies its deferred commands unless they wait for a flush point. A step with schedules inside
    /// runs those instead, each by its measured times if the run `chooses`, and adds the errors of their systems to
    /// `errors`.
    pub(crate) fn run(
        &mut self,
        step: Step<'_>,
        built: &mut BuiltStep,
        errors: &mut Vec<SystemError>,
    ) -> Result<(), BoxError> {
        let result = match built {
            BuiltStep::Shared(system) => {
                let result = self.call(step, &mut **system);
                if !step.system_defers() {
                    return result;
                }
                system.flush(self.queue);
                result
            }
            BuiltStep::Exclusive(system) => {
                self.at = StepPosition::running(step);
                let instrument = self.instrument;
                self.world.change_for(step.name(), |world| {
                    let world = NonNull::from(world);
                    // SAFETY: `world` is borrowed mutably by `self`, so no other code accesses it.
                    let run = || unsafe { system.run(world, ()) };
                    instrument.measure(step, StepPhase::Running, run)
                })
            }
            BuiltStep::Inner(inner) => {
                let how = if self.chooses {
                    RunMode::Choose
                } else {
                    RunMode::Sequential
                };
                self.run_inner(step, inner, how, errors)
            }
        };
        self.apply(step);
        result
    }

    /// Runs the schedules inside the step, and adds the errors of their systems to `errors`.
    pub(crate) fn run_inner(
        &mut self,
        step: Step<'_>,
        inner: &mut BuiltInner,
        how: RunMode<'_>,
        errors: &mut Vec<SystemError>,
    ) -> Result<(), BoxError> {
        self.at = StepPosition::running(step);
        let recorder = self.instrument.recorder();
        let run = || inner.run(step, self.world, how, recorder, errors);
        self.instrument.measure(step, StepPhase::Running, run)
    }

    /// Applies the deferred commands of the step unless they wait for a flush point.
    pub(super) fn apply(&mut self, step: Step<'_>) {
        self.at.phase = StepPhase::Applying;
        match step.flush() {
            Flush::After if self.queue.is_empty() => self.world.flush_for(step.name()),
            Flush::After => {
                let apply = || apply_deferred(self.queue, self.world, step);
                self.instrument.measure(step, StepPhase::Applying, apply);
            }
            Flush::Later => {
                let mut all = self.world.take_new_commands();
                all.append(self.queue);
                if !all.is_empty() {
                    self.later.push((step.number(), all));
                }
            }
            Flush::Point => {
                let (world, at) = (&mut *self.world, &mut self.at);
                let apply = || apply_later(&mut self.later, step.plan, world, at);
                self.instrument.measure(step, StepPhase::Applying, apply);
            }
        }
    }

    /// Drops the deferred commands of the system or condition that panicked: its own, and the ones in the world.
    pub(crate) fn discard(&mut self, plan: &SchedulePlan, systems: &[TurnCell<BuiltStep>]) {
        match self.at.phase {
            StepPhase::Evaluating(index) => self.conditions[index].system.take().flush(self.queue),
            StepPhase::Running | StepPhase::Applying | StepPhase::Watching => {
                if let BuiltStep::Shared(system) =
                    &mut *systems[plan.step(self.at.step).list_index()].take()
                {
                    system.flush(self.queue);
                }
            }
        }
        discard(self.queue);
        discard(&mut self.world.take_new_commands());
    }
}

/// Applies the deferred commands of a system, first the ones deferred through the world, then its own. Gives the entities
/// that it reserved their rows.
#[inline]
pub(crate) fn apply_deferred(queue: &mut CommandQueue, world: &mut World, step: Step<'_>) {
    if !queue.is_empty() {
        world.change_for(step.name(), |world| queue.apply(world));
    }
    world.flush_for(step.name());
}

/// Applies the commands that steps have deferred so far, in the order of the steps.
fn apply_later(later: &mut Later, plan: &SchedulePlan, world: &mut World, at: &mut StepPosition) {
    // Mostly sorted already. Reversed, so that they can be taken from the end.
    sort_by_number(later, |&(step, _)| step as u64);
    later.reverse();
    at.phase = StepPhase::Applying;
    // Taken one by one: after a panic, the caller handles the rest.
    while let Some((step, mut queue)) = later.pop() {
        at.step = step;
        world.change_for(plan.step(step).name(), |world| queue.apply(world));
    }
    world.flush();
}

/// Ends a run: applies the remaining commands and returns the errors. After a failure, only commands of earlier steps are
/// applied.
///
/// # Panics
/// With the failure, or with the panic of a command that is applied now.
pub(crate) fn end(
    plan: &SchedulePlan,
    mut later: Later,
    world: &mut World,
    failure: Option<Failure>,
    errors: Vec<SystemError>,
) -> Vec<SystemError> {
    let mut at = StepPosition::START;
    if let Some(failure) = &failure {
        // Earlier steps succeeded, so their commands are applied.
        for (step, mut queue) in core::mem::take(&mut later) {
            if step < failure.at.step {
                later.push((step, queue));
            } else {
                discard(&mut queue);
            }
        }
    }
    let apply = AssertUnwindSafe(|| apply_later(&mut later, plan, world, &mut at));
    let applied = catch_unwind(apply);
    for (_, mut queue) in later {
        discard(&mut queue);
    }
    match (failure, applied) {
        (Some(failure), _) => failure.raise(plan, world),
        (None, Err(panic)) => Failure { at, panic }.raise(plan, world),
        (None, Ok(())) => errors,
    }
}

//! Steps that run while nothing else runs: all steps of a sequential run, and those steps of other runs that need the
//! world alone.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::build::Condition;
use super::error::SystemError;
use super::failure::{Failure, Phase, Position, discard};
use super::instrument::Instrument;
use super::turn_cell::TurnCell;
use crate::schedule::declare::Flush;
use crate::schedule::plan::Plan;
use crate::schedule::plan::Step;
use crate::sort::sort_short;
use crate::system::{BoxError, DynSystem, Runner};
use crate::world::{CommandQueue, World};

/// Commands deferred until the next flush point, by step.
pub(crate) type Later = Vec<(usize, CommandQueue)>;

/// Evaluates the step's conditions, up to the first `false`; their deferred commands are applied at once.
pub(crate) fn evaluate(
    step: Step<'_>,
    conditions: &[Condition],
    world: &mut World,
    queue: &mut CommandQueue,
    at: &mut Position,
    instrument: &impl Instrument,
) -> bool {
    for &index in step.condition_indices() {
        at.phase = Phase::Evaluating(index);
        let condition = &conditions[index];
        let answer = match condition.answer() {
            Some(answer) => answer,
            None => {
                let started = instrument.start(step, at.phase);
                // SAFETY: `world` is borrowed mutably, so no other code accesses it.
                let answer = unsafe { condition.evaluate(world) };
                instrument.done(started);
                if condition.defers {
                    condition.system.take().flush(queue);
                    apply_deferred(queue, world);
                }
                answer
            }
        };
        if !answer {
            return false;
        }
    }
    true
}

/// Runs the system, and applies its deferred commands unless they wait for a flush point.
pub(crate) fn run(
    step: Step<'_>,
    runner: &mut Runner,
    world: &mut World,
    queue: &mut CommandQueue,
    later: &mut Later,
    at: &mut Position,
    instrument: &impl Instrument,
) -> Result<(), BoxError> {
    at.phase = Phase::Running;
    let result = match runner {
        Runner::Shared(system) => {
            let result = call(step, &mut **system, world, instrument);
            if !step.system_defers() {
                return result;
            }
            system.flush(queue);
            result
        }
        Runner::Exclusive(system) => {
            let started = instrument.start(step, Phase::Running);
            let result = system.run(world, ());
            instrument.done(started);
            result
        }
    };
    apply(step, world, queue, later, at, instrument);
    result
}

/// Calls the system, without applying deferred commands.
#[inline]
pub(crate) fn call(
    step: Step<'_>,
    system: &mut dyn DynSystem<(), Result<(), BoxError>>,
    world: &mut World,
    instrument: &impl Instrument,
) -> Result<(), BoxError> {
    let started = instrument.start(step, Phase::Running);
    // SAFETY: `world` is borrowed mutably, so no other code accesses it.
    let result = unsafe { system.run(world, ()) };
    instrument.done(started);
    result
}

/// Applies the deferred commands of the step unless they wait for a flush point.
fn apply(
    step: Step<'_>,
    world: &mut World,
    queue: &mut CommandQueue,
    later: &mut Later,
    at: &mut Position,
    instrument: &impl Instrument,
) {
    at.phase = Phase::Applying;
    match step.flush() {
        Flush::After if queue.is_empty() => world.flush(),
        Flush::After => {
            let started = instrument.start(step, Phase::Applying);
            apply_deferred(queue, world);
            instrument.done(started);
        }
        Flush::Later => {
            let mut all = world.take_new_commands();
            all.append(queue);
            if !all.is_empty() {
                later.push((step.number(), all));
            }
        }
        Flush::Point => {
            let started = instrument.start(step, Phase::Applying);
            apply_later(later, world, at);
            instrument.done(started);
        }
    }
}

/// Applies the deferred commands of a system: those deferred through the world first, then its own, and gives the
/// entities that it reserved their rows.
#[inline]
pub(crate) fn apply_deferred(queue: &mut CommandQueue, world: &mut World) {
    if !queue.is_empty() {
        queue.apply(world);
    }
    world.flush();
}

/// Applies the commands that steps have deferred until now, in the order of the steps.
pub(crate) fn apply_later(later: &mut Later, world: &mut World, at: &mut Position) {
    // Mostly sorted already; reversed to be taken from the end.
    sort_short(later, |&(step, _)| step);
    later.reverse();
    at.phase = Phase::Applying;
    // Taken one by one: after a panic the rest is left to the caller.
    while let Some((step, mut queue)) = later.pop() {
        at.step = step;
        queue.apply(world);
    }
    world.flush();
}

/// Drops the deferred commands of the system or condition that panicked, its own and those in the world.
pub(crate) fn discard_of(
    at: Position,
    plan: &Plan,
    systems: &[TurnCell<Runner>],
    conditions: &[Condition],
    queue: &mut CommandQueue,
    world: &mut World,
) {
    match at.phase {
        Phase::Evaluating(index) => conditions[index].system.take().flush(queue),
        Phase::Running | Phase::Applying => {
            if let Runner::Shared(system) = &mut *systems[plan.step(at.step).list_index()].take() {
                system.flush(queue);
            }
        }
    }
    discard(queue);
    discard(&mut world.take_new_commands());
}

/// Ends a run: applies the remaining commands, only those of steps before the failure if there is one, and returns the
/// errors.
///
/// # Panics
/// With the failure, or with the panic of a command that is applied now.
pub(crate) fn end(
    plan: &Plan,
    mut later: Later,
    world: &mut World,
    failure: Option<Failure>,
    errors: Vec<SystemError>,
) -> Vec<SystemError> {
    let mut at = Position::START;
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
    let apply = AssertUnwindSafe(|| apply_later(&mut later, world, &mut at));
    let applied = catch_unwind(apply);
    for (_, mut queue) in later {
        discard(&mut queue);
    }
    match (failure, applied) {
        (Some(failure), _) => failure.raise(plan),
        (None, Err(panic)) => Failure { at, panic }.raise(plan),
        (None, Ok(())) => errors,
    }
}

//! What is done while nothing else runs: whole steps of a sequential run, and those steps of any other one that need
//! the world alone.

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

/// What steps put off until the next flush point.
pub(crate) type Later = Vec<(usize, CommandQueue)>;

/// Asks the step's conditions, up to the first one that says no; what they put off is done at once.
pub(crate) fn ask(
    step: Step<'_>,
    conditions: &[Condition],
    world: &mut World,
    queue: &mut CommandQueue,
    at: &mut Position,
    watch: &impl Instrument,
) -> bool {
    for &index in step.condition_indices() {
        at.doing = Phase::Asking(index);
        let condition = &conditions[index];
        let answer = match condition.answer() {
            Some(answer) => answer,
            None => {
                let started = watch.start(step, at.doing);
                // SAFETY: nobody else has the world.
                let answer = unsafe { condition.ask(world) };
                watch.done(started);
                if condition.defers {
                    condition.system.take().flush(queue);
                    settle(queue, world);
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

/// Runs the system, and does what it put off unless that waits.
pub(crate) fn run(
    step: Step<'_>,
    runner: &mut Runner,
    world: &mut World,
    queue: &mut CommandQueue,
    later: &mut Later,
    at: &mut Position,
    watch: &impl Instrument,
) -> Result<(), BoxError> {
    at.doing = Phase::Running;
    let result = match runner {
        Runner::Shared(system) => {
            let result = call(step, &mut **system, world, watch);
            if !step.system_defers() {
                return result;
            }
            system.flush(queue);
            result
        }
        Runner::Exclusive(system) => {
            let started = watch.start(step, Phase::Running);
            let result = system.run(world, ());
            watch.done(started);
            result
        }
    };
    apply(step, world, queue, later, at, watch);
    result
}

/// Calls the system, and does no more.
#[inline]
pub(crate) fn call(
    step: Step<'_>,
    system: &mut dyn DynSystem<(), Result<(), BoxError>>,
    world: &mut World,
    watch: &impl Instrument,
) -> Result<(), BoxError> {
    let started = watch.start(step, Phase::Running);
    // SAFETY: nobody else has the world.
    let result = unsafe { system.run(world, ()) };
    watch.done(started);
    result
}

/// Does what the step put off unless that waits.
fn apply(
    step: Step<'_>,
    world: &mut World,
    queue: &mut CommandQueue,
    later: &mut Later,
    at: &mut Position,
    watch: &impl Instrument,
) {
    at.doing = Phase::Applying;
    match step.flush() {
        Flush::After if queue.is_empty() => world.flush(),
        Flush::After => {
            let started = watch.start(step, Phase::Applying);
            settle(queue, world);
            watch.done(started);
        }
        Flush::Later => {
            let mut all = world.take_due();
            all.append(queue);
            if !all.is_empty() {
                later.push((step.number(), all));
            }
        }
        Flush::Point => {
            let started = watch.start(step, Phase::Applying);
            apply_later(later, world, at);
            watch.done(started);
        }
    }
}

/// Does what was put off by a system: what it deferred through the world first, then its own commands, and gives the
/// entities that it reserved their places.
#[inline]
pub(crate) fn settle(queue: &mut CommandQueue, world: &mut World) {
    if !queue.is_empty() {
        queue.apply(world);
    }
    world.flush();
}

/// Does what steps had put off until now, in their order.
pub(crate) fn apply_later(later: &mut Later, world: &mut World, at: &mut Position) {
    // In that order they mostly come; taken from the end.
    sort_short(later, |&(step, _)| step);
    later.reverse();
    at.doing = Phase::Applying;
    // Taken out one by one: those after a panic are left to whoever catches it.
    while let Some((step, mut queue)) = later.pop() {
        at.step = step;
        queue.apply(world);
    }
    world.flush();
}

/// Drops what was put off by the system or condition that panicked, directly or through the world.
pub(crate) fn discard_of(
    at: Position,
    plan: &Plan,
    systems: &[TurnCell<Runner>],
    conditions: &[Condition],
    queue: &mut CommandQueue,
    world: &mut World,
) {
    match at.doing {
        Phase::Asking(index) => conditions[index].system.take().flush(queue),
        Phase::Running | Phase::Applying => {
            if let Runner::Shared(system) = &mut *systems[plan.step(at.step).listed()].take() {
                system.flush(queue);
            }
        }
    }
    discard(queue);
    discard(&mut world.take_due());
}

/// Ends a run: does what waits until now, of the steps before the failure if there is one, and reports.
///
/// # Panics
/// With the failure, or with the panic of a command that is done now.
pub(crate) fn end(
    plan: &Plan,
    mut later: Later,
    world: &mut World,
    failure: Option<Failure>,
    errors: Vec<SystemError>,
) -> Vec<SystemError> {
    let mut at = Position::START;
    if let Some(failure) = &failure {
        // Earlier steps had succeeded, so all that they did is to be there.
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

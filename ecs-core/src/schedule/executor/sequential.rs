//! One system after the other, on the calling thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use super::alone::{self, Later};
use super::failure::{At, Failure};
use super::watch::Watch;
use crate::schedule::build::{Condition, Turn};
use crate::schedule::error::SystemError;
use crate::schedule::plan::Plan;
use crate::system::Runner;
use crate::world::{CommandQueue, World};

/// The built parts of a schedule, in list order, for one run.
pub(in crate::schedule) struct Built<'a> {
    pub(in crate::schedule) systems: &'a mut [Turn<Runner>],
    pub(in crate::schedule) conditions: &'a mut [Condition],
    /// Empty; lends its buffer.
    pub(in crate::schedule) queue: &'a mut CommandQueue,
}

impl Built<'_> {
    /// Runs all steps in order and returns the errors of systems.
    ///
    /// A panic of a system, a condition or a command ends the run and goes on to the caller, with the name added to its
    /// message. What the culprit queued is discarded: with half of its work done nobody knows whether the rest makes
    /// sense.
    pub(in crate::schedule) fn run(
        self,
        plan: &Plan,
        world: &mut World,
        times: Option<&mut Vec<f32>>,
        watch: &impl Watch,
    ) -> Vec<SystemError> {
        match times {
            Some(times) => {
                let mut last = Instant::now();
                self.run_and(plan, world, watch, || {
                    let now = Instant::now();
                    times.push(now.duration_since(last).as_nanos() as f32);
                    last = now;
                })
            }
            None => self.run_and(plan, world, watch, || {}),
        }
    }

    /// As [`run`](Self::run); calls `then` after each step.
    fn run_and(
        self,
        plan: &Plan,
        world: &mut World,
        watch: &impl Watch,
        mut then: impl FnMut(),
    ) -> Vec<SystemError> {
        let Self {
            systems,
            conditions,
            queue,
        } = self;
        let (mut errors, mut later, mut at) = (Vec::new(), Later::new(), At::START);
        // What was deferred before this run is older than anything that the systems do.
        alone::settle(queue, world);
        conditions.iter_mut().for_each(Condition::forget);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            for step in plan.steps() {
                at.step = step.number();
                let may_run = step.condition_indices().is_empty()
                    || alone::ask(step, conditions, world, queue, &mut at, watch);
                if may_run {
                    let runner = systems[step.listed()].get_mut();
                    let result = alone::run(step, runner, world, queue, &mut later, &mut at, watch);
                    if let Err(error) = result {
                        let system = step.name();
                        errors.push(SystemError { system, error });
                    }
                }
                then();
            }
        }));
        let failure = outcome.err().map(|panic| {
            alone::discard_of(at, plan, systems, conditions, queue, world);
            Failure { at, panic }
        });
        alone::end(plan, later, world, failure, errors)
    }
}

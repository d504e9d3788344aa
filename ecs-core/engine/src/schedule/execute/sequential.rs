//! One system after the other, on the calling thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use super::build::Built;
use super::error::SystemError;
use super::exclusive::{self, Later};
use super::failure::{Failure, Phase, Position};
use super::instrument::Instrument;
use crate::schedule::plan::Plan;
use crate::schedule::plan::Step;
use crate::system::{BoxError, Runner};
use crate::world::World;

impl Built {
    /// Runs all steps in order and returns the errors of systems; notes in `times` what each step took (ns).
    ///
    /// A panic of a system, a condition or a command ends the run and goes on to the caller, with the name added to its
    /// message. What the culprit queued is discarded: with half of its work done nobody knows whether the rest makes
    /// sense.
    pub(crate) fn run(
        &mut self,
        plan: &Plan,
        world: &mut World,
        times: Option<&mut Vec<f32>>,
        watch: &impl Instrument,
    ) -> Vec<SystemError> {
        // What was deferred before this run is older than anything that the systems do.
        exclusive::settle(&mut self.queue, world);
        for condition in &mut self.conditions {
            condition.forget();
        }
        let mut walk = Walk {
            built: self,
            world,
            watch,
            at: Position::START,
            later: Later::new(),
            errors: Vec::new(),
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| match times {
            None => {
                for step in plan.steps() {
                    walk.step(step);
                }
            }
            Some(times) => {
                let mut last = Instant::now();
                for step in plan.steps() {
                    walk.step(step);
                    let now = Instant::now();
                    times.push(now.duration_since(last).as_nanos() as f32);
                    last = now;
                }
            }
        }));
        let Walk {
            built,
            world,
            at,
            later,
            errors,
            ..
        } = walk;
        let failure = outcome.err().map(|panic| {
            let Built {
                systems,
                conditions,
                queue,
            } = built;
            exclusive::discard_of(at, plan, systems, conditions, queue, world);
            Failure { at, panic }
        });
        exclusive::end(plan, later, world, failure, errors)
    }
}

/// A run on its way through the steps.
struct Walk<'a, W> {
    built: &'a mut Built,
    world: &'a mut World,
    watch: &'a W,
    at: Position,
    later: Later,
    errors: Vec<SystemError>,
}

impl<W: Instrument> Walk<'_, W> {
    // Most steps are no more than a call: that is inlined, all else is not.
    #[inline]
    fn step(&mut self, step: Step<'_>) {
        self.at.step = step.number();
        let runner = self.built.systems[step.listed()].get_mut();
        match runner {
            Runner::Shared(system) if step.is_plain() => {
                self.at.doing = Phase::Running;
                if let Err(error) = exclusive::call(step, &mut **system, self.world, self.watch) {
                    self.note(step, error);
                }
            }
            _ => self.step_with_more(step),
        }
    }

    /// A step with conditions, one that may put something off, or an exclusive system.
    #[inline(never)]
    fn step_with_more(&mut self, step: Step<'_>) {
        let Self {
            built,
            world,
            watch,
            at,
            later,
            ..
        } = self;
        let Built {
            systems,
            conditions,
            queue,
        } = &mut **built;
        if exclusive::ask(step, conditions, world, queue, at, *watch) {
            let runner = systems[step.listed()].get_mut();
            if let Err(error) = exclusive::run(step, runner, world, queue, later, at, *watch) {
                self.note(step, error);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn note(&mut self, step: Step<'_>, error: BoxError) {
        let system = step.name();
        self.errors.push(SystemError { system, error });
    }
}

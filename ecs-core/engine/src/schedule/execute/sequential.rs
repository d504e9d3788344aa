//! Sequential runs on the calling thread.

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
    /// Runs all steps in order and returns the errors of systems; pushes the time of each step to `times` (ns).
    ///
    /// A panic of a system, a condition or a command ends the run and is resumed, with the name added to its message.
    /// The commands that the panicking system queued are discarded: they may be incomplete.
    pub(crate) fn run(
        &mut self,
        plan: &Plan,
        world: &mut World,
        times: Option<&mut Vec<f32>>,
        instrument: &impl Instrument,
    ) -> Vec<SystemError> {
        // Commands deferred before this run come before those of its systems.
        exclusive::apply_deferred(&mut self.queue, world);
        for condition in &mut self.conditions {
            condition.forget();
        }
        let mut run = SequentialRun {
            built: self,
            world,
            instrument,
            at: Position::START,
            later: Later::new(),
            errors: Vec::new(),
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| match times {
            None => {
                for step in plan.steps() {
                    run.step(step);
                }
            }
            Some(times) => {
                let mut last = Instant::now();
                for step in plan.steps() {
                    run.step(step);
                    let now = Instant::now();
                    times.push(now.duration_since(last).as_nanos() as f32);
                    last = now;
                }
            }
        }));
        let SequentialRun {
            built,
            world,
            at,
            later,
            errors,
            ..
        } = run;
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

/// The state of a sequential run.
struct SequentialRun<'a, W> {
    built: &'a mut Built,
    world: &'a mut World,
    instrument: &'a W,
    at: Position,
    later: Later,
    errors: Vec<SystemError>,
}

impl<W: Instrument> SequentialRun<'_, W> {
    // Most steps are plain calls, so only those are inlined.
    #[inline]
    fn step(&mut self, step: Step<'_>) {
        self.at.step = step.number();
        let runner = self.built.systems[step.list_index()].get_mut();
        match runner {
            Runner::Shared(system) if step.is_plain() => {
                self.at.phase = Phase::Running;
                if let Err(error) =
                    exclusive::call(step, &mut **system, self.world, self.instrument)
                {
                    self.record_error(step, error);
                }
            }
            _ => self.step_slow(step),
        }
    }

    /// Slow path of `step`: conditions, deferred commands, or an exclusive system.
    #[inline(never)]
    fn step_slow(&mut self, step: Step<'_>) {
        let Self {
            built,
            world,
            instrument,
            at,
            later,
            ..
        } = self;
        let Built {
            systems,
            conditions,
            queue,
        } = &mut **built;
        if exclusive::evaluate(step, conditions, world, queue, at, *instrument) {
            let runner = systems[step.list_index()].get_mut();
            if let Err(error) = exclusive::run(step, runner, world, queue, later, at, *instrument) {
                self.record_error(step, error);
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn record_error(&mut self, step: Step<'_>, error: BoxError) {
        let system = step.name();
        self.errors.push(SystemError { system, error });
    }
}

//! Runs that stop after each step, on the calling thread.
//!
//! # Run one step at a time
//! Between two steps the world and the schedule are borrowed by nothing. A [`HaltedRun`] has everything that a sequential run
//! keeps on its stack: the position, at all depths, the commands that wait for a flush point, and the errors. The answers of
//! conditions are in the conditions, and the progress of fixed steps is in their drivers.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::take;

use super::build::{Built, BuiltStep, error_of, run_marked};
use super::exclusive::{self, ExclusiveRun, Later};
use super::failure::{Failure, StepPosition, discard};
use super::instrument::NoInstrument;
use super::runs::{BuiltInner, Driving, Watch};
use super::sequential::{record_error, watched};
use crate::bits::Bits;
use crate::schedule::declare::SystemError;
use crate::schedule::plan::{SchedulePlan, Step};
use crate::system::BoxError;
use crate::unwind::{AssertUnwindSafe, catch_unwind};
use crate::world::World;

/// A run that stopped between two steps.
pub(crate) struct HaltedRun {
    /// The number of the next step, or of the step around `inside`.
    next: usize,
    later: Later,
    errors: Vec<SystemError>,
    inside: Option<Box<HaltedInner>>,
}

/// A step with schedules inside that has begun.
#[derive(Default)]
struct HaltedInner {
    /// The position of the step in the list.
    listed: usize,
    /// The schedule that runs, and its run; `None` before the driver names the next one.
    run: Option<(usize, HaltedRun)>,
    /// The schedules that have run, if the others have to skip their turn.
    ran: Bits,
}

impl HaltedRun {
    /// Begins a run.
    pub(crate) fn new(built: &mut Built, world: &mut World) -> Self {
        built.begin(world);
        Self {
            next: 0,
            later: Later::new(),
            errors: Vec::new(),
            inside: None,
        }
    }

    /// Returns the errors of a run that has ended.
    pub(crate) fn into_errors(self) -> Vec<SystemError> {
        self.errors
    }

    /// Drops the rest of the run: its commands are not applied, and its conditions have had no turn.
    pub(crate) fn abandon(self, built: &mut Built) {
        for condition in &built.conditions {
            condition.forget_turn();
        }
        for (_, mut queue) in self.later {
            discard(&mut queue);
        }
        if let Some(inside) = self.inside
            && let Some((index, run)) = inside.run
            && let Some(step) = built.systems.get_mut(inside.listed)
            && let BuiltStep::Inner(inner) = step.get_mut()
        {
            run.abandon(&mut inner.schedules[index].built);
        }
    }

    /// Returns the step that is the next one, or that has begun.
    fn next_step<'p>(&self, plan: &'p SchedulePlan) -> Option<Step<'p>> {
        (self.next < plan.steps.len()).then(|| plan.step(self.next))
    }
}

impl Built {
    /// Runs steps until a system has run, and returns its step. `None` at the end of the run, whose errors are in `halted`.
    ///
    /// A panic ends the run, as in [`Built::run`].
    pub(crate) fn run_next<'p>(
        &mut self,
        plan: &'p SchedulePlan,
        world: &mut World,
        halted: &mut HaltedRun,
        watch: &mut Watch<'_>,
    ) -> Option<Step<'p>> {
        let Self {
            systems,
            conditions,
            queue,
            ..
        } = self;
        let mut run = ExclusiveRun {
            world,
            queue,
            conditions,
            later: take(&mut halted.later),
            at: StepPosition::START,
            instrument: &NoInstrument,
            chooses: false,
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            while let Some(step) = halted.next_step(plan) {
                let built = systems[step.list_index()].get_mut();
                if let Some(ran) = advance(&mut run, built, halted, step, watch) {
                    return Some(ran);
                }
            }
            None
        }));
        let (at, failure) = match outcome {
            Ok(Some(step)) => {
                halted.later = run.later;
                return Some(step);
            }
            Ok(None) => (run.at, None),
            Err(panic) => {
                run.discard(plan, systems);
                (run.at, Some(panic))
            }
        };
        let ExclusiveRun { world, later, .. } = run;
        for condition in &*conditions {
            condition.settle();
        }
        let failure = failure.map(|panic| Failure { at, panic });
        halted.errors = exclusive::end(plan, later, world, failure, take(&mut halted.errors));
        None
    }
}

/// Runs a step, or one step inside it. Returns the system that ran; `None` if that was none, and the next step follows.
fn advance<'p>(
    run: &mut ExclusiveRun<'_, NoInstrument>,
    built: &mut BuiltStep,
    halted: &mut HaltedRun,
    step: Step<'p>,
    watch: &mut Watch<'_>,
) -> Option<Step<'p>> {
    run.at = StepPosition::running(step);
    let begins = halted.inside.is_none();
    if begins && !run.evaluate(step) {
        run.skip(step, built);
        if let Some(error) = error_of(step, run.conditions) {
            record_error(&mut halted.errors, step, error);
        }
        halted.next += 1;
        return None;
    }
    let mut ran = Some(step);
    let result = run_marked(step, run.conditions, || match built {
        BuiltStep::Inner(inner) => {
            run.at = StepPosition::running(step);
            let mut inside = halted.inside.take().unwrap_or_default();
            inside.listed = step.list_index();
            let errors = &mut halted.errors;
            let result = inner.run_next(step, run.world, (&mut inside, begins), errors, watch);
            ran = *result.as_ref().unwrap_or(&None);
            if ran.is_some() {
                halted.inside = Some(inside);
            } else {
                run.apply(step);
            }
            result.map(drop)
        }
        built => run.run(step, built, &mut halted.errors),
    });
    if halted.inside.is_none() {
        halted.next += 1;
        watched(run, step, watch);
        if let Err(error) = result {
            record_error(&mut halted.errors, step, error);
        }
    }
    ran
}

impl BuiltInner {
    /// Runs steps of the schedules that the driver names until a system has run, and returns its step; `None` at their end.
    ///
    /// # Errors
    /// If the world lacks a value that the step needs.
    fn run_next<'p>(
        &mut self,
        step: Step<'p>,
        world: &mut World,
        (inside, begins): (&mut HaltedInner, bool),
        errors: &mut Vec<SystemError>,
        watch: &mut Watch<'_>,
    ) -> Result<Option<Step<'p>>, BoxError> {
        let started = if begins {
            self.driver.start(world)
        } else {
            Ok(())
        };
        let plans = step.plan.inner_of(step.list_index());
        while started.is_ok() {
            if inside.run.is_none()
                && let Some(index) = self.driver.next(world)
            {
                inside.ran.insert(index);
                // The driver has to know of a panic from here on.
                let driving = Driving::new(&mut *self.driver, world);
                let built = &mut self.schedules[index].built;
                inside.run = Some((index, HaltedRun::new(built, driving.world)));
                driving.end();
            }
            let Some((index, halted)) = &mut inside.run else {
                break;
            };
            let (name, plan) = &plans[*index];
            let driving = Driving::new(&mut *self.driver, world);
            let built = &mut self.schedules[*index].built;
            let ran = built.run_next(plan, driving.world, halted, watch);
            driving.end();
            if ran.is_some() {
                return Ok(ran);
            }
            for mut error in take(&mut halted.errors) {
                error.put_inside(step.name(), name, step.data.on_error);
                errors.push(error);
            }
            inside.run = None;
        }
        if self.sleeps && step.has_readers() {
            self.skip_others(step, &inside.ran, world);
        }
        started.map(|()| None)
    }
}

//! Sequential runs on the calling thread.

use alloc::vec::Vec;

use super::build::{Built, BuiltStep, error_of, run_marked};
use super::exclusive::{self, ExclusiveRun, Later};
use super::failure::{Failure, StepPhase, StepPosition};
use super::instrument::Instrument;
use super::runs::{RunMode, Watch};
use super::turn_cell::TurnCell;
use crate::clock;
use crate::schedule::declare::SystemError;
use crate::schedule::plan::SchedulePlan;
use crate::schedule::plan::{Step, Stretch};
use crate::system::BoxError;
use crate::unwind::{AssertUnwindSafe, catch_unwind};
use crate::world::World;

/// The action of a run after each step.
pub(crate) enum AfterStep<'a, 'w> {
    Nothing,
    /// Pushes the time of the step; see [`clock`].
    #[cfg_attr(
        not(feature = "parallel"),
        expect(dead_code, reason = "times decide about threads alone")
    )]
    Times(&'a mut Vec<f32>),
    Watch(&'a mut Watch<'w>),
}

impl Built {
    /// Runs all steps in order and returns the errors of systems. Schedules inside steps run on this thread too, unless the
    /// run `chooses`. Takes the action `between` after each step.
    ///
    /// If a system, a condition or a command panics, the run ends, and resumes the panic with the name added to its message.
    /// The commands that the panicking system queued are discarded, because they may be incomplete.
    pub(crate) fn run(
        &mut self,
        plan: &SchedulePlan,
        world: &mut World,
        between: AfterStep<'_, '_>,
        chooses: bool,
        instrument: &impl Instrument,
    ) -> Vec<SystemError> {
        self.begin(world);
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
            later: Later::new(),
            at: StepPosition::START,
            instrument,
            chooses,
        };
        let mut errors = Vec::new();
        let outcome = catch_unwind(AssertUnwindSafe(|| match between {
            AfterStep::Nothing => {
                for stretch in &plan.stretches {
                    run_stretch(&mut run, plan, stretch, systems, &mut errors);
                }
            }
            AfterStep::Times(ticks) => {
                let mut last = clock::ticks();
                for step in plan.steps() {
                    run_step(
                        &mut run,
                        &mut systems[step.list_index()],
                        &mut errors,
                        step,
                        step.is_plain(),
                    );
                    let now = clock::ticks();
                    ticks.push(now.saturating_sub(last) as f32);
                    last = now;
                }
            }
            AfterStep::Watch(watch) => {
                for step in plan.steps() {
                    let built = systems[step.list_index()].get_mut();
                    run_watched(&mut run, built, &mut errors, step, watch);
                }
            }
        }));
        let failure = outcome.err().map(|panic| {
            run.discard(plan, systems);
            Failure { at: run.at, panic }
        });
        let ExclusiveRun { world, later, .. } = run;
        for condition in &*conditions {
            condition.settle();
        }
        exclusive::end(plan, later, world, failure, errors)
    }
}

/// Runs adjacent steps. Plain ones are a loop over two slices, so that a step costs little more than the call.
#[inline]
fn run_stretch<W: Instrument>(
    run: &mut ExclusiveRun<'_, W>,
    plan: &SchedulePlan,
    stretch: &Stretch,
    systems: &mut [TurnCell<BuiltStep>],
    errors: &mut Vec<SystemError>,
) {
    let (first, listed, len) = (stretch.first, stretch.listed, stretch.len);
    let steps = &plan.steps[first..first + len];
    let systems = &mut systems[listed..listed + len];
    let all = steps.iter().zip(systems);
    let all = all.map(|(data, system)| (Step { plan, data }, system));
    // Two loops, because the first one is short.
    if stretch.is_plain {
        all.for_each(|(step, system)| run_step(run, system, errors, step, true));
    } else {
        all.for_each(|(step, system)| run_slow(run, system.get_mut(), errors, step));
    }
}

// Most steps are plain calls, so only these are inlined.
#[inline]
fn run_step<W: Instrument>(
    run: &mut ExclusiveRun<'_, W>,
    system: &mut TurnCell<BuiltStep>,
    errors: &mut Vec<SystemError>,
    step: Step<'_>,
    is_plain: bool,
) {
    let built = system.get_mut();
    match built {
        BuiltStep::Shared(system) if is_plain => {
            run.at.step = step.number();
            if let Err(error) = run.call(step, &mut **system) {
                record_error(errors, step, error);
            }
        }
        _ => run_slow(run, built, errors, step),
    }
}

/// Runs a step with conditions, deferred commands, an exclusive system, or schedules inside.
#[inline(never)]
fn run_slow<W: Instrument>(
    run: &mut ExclusiveRun<'_, W>,
    built: &mut BuiltStep,
    errors: &mut Vec<SystemError>,
    step: Step<'_>,
) {
    run.at.step = step.number();
    let error = if run.evaluate(step) {
        run_marked(step, run.conditions, || run.run(step, built, errors)).err()
    } else {
        run.skip(step, built);
        error_of(step, run.conditions)
    };
    if let Some(error) = error {
        record_error(errors, step, error);
    }
}

/// Runs a step, applies its commands at their usual place, and lets the watcher see it unless it was skipped.
#[inline(never)]
fn run_watched<W: Instrument>(
    run: &mut ExclusiveRun<'_, W>,
    built: &mut BuiltStep,
    errors: &mut Vec<SystemError>,
    step: Step<'_>,
    watch: &mut Watch<'_>,
) {
    run.at.step = step.number();
    let error = if run.evaluate(step) {
        let result = run_marked(step, run.conditions, || match built {
            BuiltStep::Inner(inner) => {
                let result = run.run_inner(step, inner, RunMode::Watched(watch), errors);
                run.apply(step);
                result
            }
            built => run.run(step, built, errors),
        });
        watched(run, step, watch);
        result.err()
    } else {
        run.skip(step, built);
        error_of(step, run.conditions)
    };
    if let Some(error) = error {
        record_error(errors, step, error);
    }
}

/// Lets the watcher see the world after a step.
pub(crate) fn watched<W: Instrument>(
    run: &mut ExclusiveRun<'_, W>,
    step: Step<'_>,
    watch: &mut Watch<'_>,
) {
    run.at = StepPosition {
        step: step.number(),
        phase: StepPhase::Watching,
    };
    watch(step, run.world);
}

#[cold]
#[inline(never)]
pub(crate) fn record_error(errors: &mut Vec<SystemError>, step: Step<'_>, error: BoxError) {
    errors.push(SystemError::new(step.name(), error, step.data.on_error));
}

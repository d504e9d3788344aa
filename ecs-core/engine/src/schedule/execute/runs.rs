//! One run of a schedule: chooses how the schedule and the schedules inside its steps run.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::build::Built;
use super::instrument::NoInstrument;
#[cfg(feature = "parallel")]
use super::pool::Pool;
use super::run::Run;
use super::sequential::AfterStep;
#[cfg(feature = "parallel")]
use super::threading::{Mode, ThreadingHeuristic};
use super::{Executor, StepRecorder};
use crate::bits::Bits;
#[cfg(feature = "parallel")]
use crate::clock::Instant;
use crate::schedule::declare::Driver;
use crate::schedule::declare::SystemError;
use crate::schedule::plan::{SchedulePlan, Step};
use crate::system::BoxError;
use crate::world::World;

/// The built systems of a schedule, and the known times of its runs.
#[derive(Default)]
pub(crate) struct Runs {
    pub(crate) built: Built,
    #[cfg(feature = "parallel")]
    threading: ThreadingHeuristic,
}

/// The way to run a schedule, and the schedules inside its steps.
pub(crate) enum RunMode<'e> {
    /// On this thread.
    Sequential,
    /// Each schedule decides by its measured times.
    Choose,
    /// On this executor.
    By(&'e mut dyn Executor),
    /// On this thread, with a call of a function after each step that was not skipped.
    Watched(&'e mut Watch<'e>),
}

/// Sees the world after a step. It sees the steps of an inner schedule before the step around it.
pub(crate) type Watch<'a> = dyn FnMut(Step<'_>, &World) + 'a;

/// The schedules inside a step, built.
pub(crate) struct BuiltInner {
    pub(crate) driver: Box<dyn Driver>,
    /// True if a schedule sleeps when the driver does not name it: its turn is skipped.
    pub(crate) sleeps: bool,
    pub(crate) schedules: Vec<Runs>,
}

impl Runs {
    /// Runs all steps and returns the errors of systems, including systems inside steps.
    #[inline]
    pub(crate) fn run(
        &mut self,
        plan: &SchedulePlan,
        world: &mut World,
        how: RunMode<'_>,
        recorder: Option<&StepRecorder>,
    ) -> Vec<SystemError> {
        match how {
            RunMode::Sequential => {
                self.sequential(plan, world, AfterStep::Nothing, false, recorder)
            }
            RunMode::Watched(watch) => {
                self.sequential(plan, world, AfterStep::Watch(watch), false, recorder)
            }
            RunMode::Choose => self.choose(plan, world, recorder),
            RunMode::By(executor) => {
                let mut run = Run::new(plan, &mut self.built, world, recorder);
                run.lends = run.is_known();
                loop {
                    executor.run(&mut run);
                    let executor = &mut *executor;
                    if !run.run_between(executor) {
                        return run.end();
                    }
                }
            }
        }
    }

    #[cfg(not(feature = "parallel"))]
    fn choose(
        &mut self,
        plan: &SchedulePlan,
        world: &mut World,
        recorder: Option<&StepRecorder>,
    ) -> Vec<SystemError> {
        self.sequential(plan, world, AfterStep::Nothing, false, recorder)
    }

    #[cfg(feature = "parallel")]
    #[inline]
    fn choose(
        &mut self,
        plan: &SchedulePlan,
        world: &mut World,
        recorder: Option<&StepRecorder>,
    ) -> Vec<SystemError> {
        match self.threading.next() {
            Mode::Sequential => self.sequential(plan, world, AfterStep::Nothing, true, recorder),
            Mode::Whole => {
                let start = Instant::now();
                let errors = self.sequential(plan, world, AfterStep::Nothing, true, recorder);
                self.threading.record_whole(start.elapsed());
                errors
            }
            Mode::Steps => {
                let mut ticks = Vec::with_capacity(plan.steps.len());
                let start = Instant::now();
                let errors =
                    self.sequential(plan, world, AfterStep::Times(&mut ticks), true, recorder);
                self.threading.record_steps(plan, start.elapsed(), &ticks);
                errors
            }
            Mode::Parallel { timed } => {
                let start = timed.then(Instant::now);
                let mut run = Run::new(plan, &mut self.built, world, recorder);
                let errors = loop {
                    Pool(None).run(&mut run);
                    if !run.run_inner(RunMode::Choose) {
                        break run.end();
                    }
                };
                if let Some(start) = start {
                    self.threading.record_parallel(start.elapsed());
                }
                errors
            }
        }
    }

    /// Runs all steps on this thread. Schedules inside do the same, unless the run `chooses`: then they may use several
    /// threads.
    #[inline]
    fn sequential(
        &mut self,
        plan: &SchedulePlan,
        world: &mut World,
        between: AfterStep<'_, '_>,
        chooses: bool,
        recorder: Option<&StepRecorder>,
    ) -> Vec<SystemError> {
        match recorder {
            None => self.built.run(plan, world, between, chooses, &NoInstrument),
            some => self.built.run(plan, world, between, chooses, &some),
        }
    }
}

impl BuiltInner {
    /// Runs the schedules of a step that its driver names, and adds the errors of their systems to `errors`.
    ///
    /// # Errors
    /// If the world lacks a value that the step needs.
    pub(crate) fn run(
        &mut self,
        step: Step<'_>,
        world: &mut World,
        mut how: RunMode<'_>,
        recorder: Option<&StepRecorder>,
        errors: &mut Vec<SystemError>,
    ) -> Result<(), BoxError> {
        let skips = self.sleeps && step.has_readers();
        let mut ran = Bits::default();
        let started = self.driver.start(world);
        while started.is_ok()
            && let Some(index) = self.driver.next(world)
        {
            if skips {
                ran.insert(index);
            }
            let (name, plan) = &step.plan.inner_of(step.list_index())[index];
            let how = match &mut how {
                RunMode::Sequential => RunMode::Sequential,
                RunMode::Choose => RunMode::Choose,
                RunMode::By(executor) => RunMode::By(&mut **executor),
                RunMode::Watched(watch) => RunMode::Watched(&mut **watch),
            };
            let driving = Driving::new(&mut *self.driver, world);
            let found = self.schedules[index].run(plan, driving.world, how, recorder);
            driving.end();
            for mut error in found {
                error.put_inside(step.name(), name, step.data.on_error);
                errors.push(error);
            }
        }
        if skips {
            self.skip_others(step, &ran, world);
        }
        started
    }
}

/// A driver, while a schedule that it named runs.
pub(crate) struct Driving<'a> {
    driver: &'a mut dyn Driver,
    pub(crate) world: &'a mut World,
    /// True until the schedule has ended.
    panics: bool,
}

impl<'a> Driving<'a> {
    #[inline]
    pub(crate) fn new(driver: &'a mut dyn Driver, world: &'a mut World) -> Self {
        Self {
            driver,
            world,
            panics: true,
        }
    }

    /// Notes that nothing has panicked.
    #[inline]
    pub(crate) fn end(mut self) {
        self.panics = false;
    }
}

impl Drop for Driving<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.panics {
            self.driver.abort(self.world);
        }
    }
}

//! A run, seen by the calling thread: rounds, and between them the steps that need the world alone.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

#[cfg(feature = "std")]
use super::OuterRun;
use super::build::{Built, BuiltStep, error_of, run_marked};
use super::exclusive::{self, ExclusiveRun};
use super::failure::{Failure, StepPhase, StepPosition, discard};
use super::instrument::Instrument as _;
use super::progress::RunProgress;
use super::runs::RunMode;
use super::shared_run::SharedRun;
use super::task::Round;
use super::turn_cell::Answer;
use super::{Executor, StepRecorder};
use crate::bits::Bits;
use crate::schedule::declare::SystemError;
use crate::schedule::plan::SchedulePlan;
use crate::schedule::plan::{Job, ThreadPlacement};
use crate::sort::sort_by_number;
use crate::sync::{Mutex, PoisonError};
use crate::unwind::{AssertUnwindSafe, catch_unwind};
use crate::world::{CommandQueue, World};

/// One run of a schedule, seen by an [`Executor`]: [rounds](Self::round) of tasks.
pub struct Run<'r> {
    world: &'r mut World,
    shared: SharedRun<'r>,
    /// A field only to reuse its buffer.
    queue: &'r mut CommandQueue,
    /// Jobs that were released but not yet handed to the executor, by place.
    ready: Bits,
    local: Bits,
    alone: Bits,
    /// The job of a step with schedules inside, which runs between two calls of the executor.
    inner: Option<usize>,
    /// True if the run lends the executor to steps that run alone; these then run between two calls of the executor too.
    pub(crate) lends: bool,
    /// Makes the run `!Send`: some systems have to stay on this thread.
    not_send: PhantomData<*const ()>,
}

impl<'r> Run<'r> {
    pub(crate) fn new(
        plan: &'r SchedulePlan,
        built: &'r mut Built,
        world: &'r mut World,
        instrument: Option<&'r StepRecorder>,
    ) -> Self {
        built.begin(world);
        let jobs = plan.jobs();
        let mut answers = Vec::with_capacity(plan.steps.len());
        for _ in &plan.steps {
            answers.push(Answer::default());
        }
        let mut run = Self {
            world,
            shared: SharedRun {
                plan,
                jobs,
                systems: &built.systems,
                conditions: &built.conditions,
                progress: RunProgress::new(jobs.graph.waits_for()),
                answers,
                outcome: Mutex::default(),
                instrument,
            },
            queue: &mut built.queue,
            ready: Bits::default(),
            local: Bits::default(),
            alone: Bits::default(),
            inner: None,
            lends: false,
            not_send: PhantomData,
        };
        for job in jobs.graph.first() {
            run.admit(job);
        }
        run
    }

    /// Returns the plan of this run.
    #[must_use]
    pub fn plan(&self) -> &'r SchedulePlan {
        self.shared.plan
    }

    /// Returns the next round: tasks that can run at the same time, and the tasks that they release in turn. `None` if no
    /// work is left.
    ///
    /// Runs exclusive systems, and applies deferred commands, on this thread, because these need the world alone. So all
    /// tasks of the last round have to be gone.
    pub fn round(&mut self) -> Option<Round<'_>> {
        loop {
            for job in self.shared.progress.take_parked() {
                self.admit(job);
            }
            let shared = &self.shared;
            for jobs in [&mut self.ready, &mut self.local] {
                let mut next = 0;
                while let Some(job) = jobs.from(next) {
                    next = job + 1;
                    if !shared.progress.may_start(shared.job(job).step) {
                        jobs.remove(job);
                    }
                }
            }
            if !self.ready.is_empty() || !self.local.is_empty() {
                break;
            }
            if self.inner.is_some() || self.lends || !self.go_on_alone() {
                return None;
            }
        }
        Some(Round {
            world: self.world,
            shared: &self.shared,
            ready: &mut self.ready,
            local: &mut self.local,
            alone: &mut self.alone,
            not_send: PhantomData,
        })
    }

    /// Applies the deferred commands of a step, or runs a step that needs the world alone. Returns false if there is none,
    /// or if it is left to [`run_inner`](Self::run_inner).
    fn go_on_alone(&mut self) -> bool {
        let done = self.flush_one().or_else(|| self.run_one_alone(None));
        if let Some(done) = done {
            self.set_done(done);
        }
        done.is_some()
    }

    /// Returns true if the world keeps track of its runs, so that systems can run schedules by hand.
    pub(crate) fn is_known(&self) -> bool {
        self.world.outer_run.is_some()
    }

    /// Runs the work between two calls of the executor. Returns false at the end of the run.
    pub(crate) fn run_between(&mut self, executor: &mut dyn Executor) -> bool {
        let is_idle = self.inner.is_none() && self.ready.is_empty() && self.local.is_empty();
        if self.lends && is_idle && self.lend(executor) {
            return true;
        }
        self.run_inner(RunMode::By(executor))
    }

    /// Runs a step that needs the world alone, and lends the executor to the schedules that it runs by hand.
    #[cfg(feature = "std")]
    fn lend(&mut self, executor: &mut dyn Executor) -> bool {
        match OuterRun::of(self.world) {
            Some(outer) => outer.lent.during(executor, || self.go_on_alone()),
            None => self.go_on_alone(),
        }
    }

    #[cfg(not(feature = "std"))]
    fn lend(&mut self, _: &mut dyn Executor) -> bool {
        self.go_on_alone()
    }

    /// Runs the schedules inside the step that ended the last call of the executor. Returns false if that was the end of
    /// the run.
    pub(crate) fn run_inner(&mut self, how: RunMode<'_>) -> bool {
        let Some(job) = self.inner.take() else {
            return false;
        };
        self.alone.insert(job);
        if let Some(done) = self.run_one_alone(Some(how)) {
            self.set_done(done);
        }
        true
    }

    fn set_done(&mut self, done: usize) {
        self.shared.progress.set_done(done);
        for &job in self.shared.jobs.graph.successors(done) {
            if self.shared.progress.release(job) {
                self.admit(job);
            }
        }
    }

    /// Queues a job that was released.
    fn admit(&mut self, job: usize) {
        match self.shared.job(job).place {
            ThreadPlacement::Anywhere => self.ready.insert(job),
            ThreadPlacement::CallingThread => self.local.insert(job),
            ThreadPlacement::Alone => self.alone.insert(job),
        };
    }

    /// Applies the deferred commands of the first step that has some; all earlier steps are done.
    fn flush_one(&mut self) -> Option<usize> {
        let outcome = self.shared.outcome.get_mut();
        let outcome = outcome.unwrap_or_else(PoisonError::into_inner);
        let (mut index, mut first) = (0, outcome.unflushed.first()?.0);
        for (other, &(job, _)) in outcome.unflushed.iter().enumerate() {
            if job < first {
                (index, first) = (other, job);
            }
        }
        let step = self.shared.jobs.list[first].step;
        if !self.shared.progress.may_start(step) {
            // An earlier step failed, so this one counts as not run.
            return None;
        }
        let (job, mut queue) = outcome.unflushed.swap_remove(index);
        let instrument = self.shared.instrument;
        let apply = AssertUnwindSafe(|| {
            let step = self.shared.plan.step(step);
            let apply = || exclusive::apply_deferred(&mut queue, self.world, step);
            instrument.measure(step, StepPhase::Applying, apply);
        });
        if let Err(panic) = catch_unwind(apply) {
            let phase = StepPhase::Applying;
            let at = StepPosition { step, phase };
            self.shared.fail(Failure { at, panic });
            return None;
        }
        outcome.spare.push(queue);
        Some(job)
    }

    /// Runs a job that needs the world alone. `None` if it failed, or if it is left to [`run_inner`](Self::run_inner), which
    /// knows how schedules run.
    fn run_one_alone(&mut self, how: Option<RunMode<'_>>) -> Option<usize> {
        let job = self.alone.from(0)?;
        let (shared, world, queue) = (&self.shared, &mut *self.world, &mut *self.queue);
        let Job {
            step,
            evaluates_conditions,
            ..
        } = shared.job(job);
        if !shared.progress.may_start(step) {
            return None;
        }
        self.alone.remove(job);
        let step = shared.plan.step(step);
        let mut built = shared.systems[step.list_index()].take();
        let runs = !evaluates_conditions && !shared.skips(step);
        if runs && how.is_none() && matches!(*built, BuiltStep::Inner(_)) {
            self.inner = Some(job);
            return None;
        }
        let mut errors = Vec::new();
        let mut run = ExclusiveRun {
            world,
            queue,
            conditions: shared.conditions,
            later: core::mem::take(&mut shared.outcome().later),
            at: StepPosition::running(step),
            instrument: &shared.instrument,
            chooses: false,
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if evaluates_conditions {
                let yes = run.evaluate(step);
                shared.skip_unless(yes, step);
                Ok(())
            } else if !runs {
                run.skip(step, &mut built);
                Ok(())
            } else {
                run_marked(step, run.conditions, || match (&mut *built, how) {
                    (BuiltStep::Inner(inner), Some(how)) => {
                        run.run_inner(step, inner, how, &mut errors)
                    }
                    (built, _) => run.run(step, built, &mut errors),
                })
            }
        }));
        drop(built);
        if outcome.is_err() {
            run.discard(shared.plan, shared.systems);
        }
        let ExclusiveRun { at, later, .. } = run;
        shared.outcome().later = later;
        match outcome {
            Ok(result) => {
                let number = step.number();
                let errors = errors.into_iter().map(|error| (number, error));
                shared.outcome().errors.extend(errors);
                shared.record_result(step, result);
                Some(job)
            }
            Err(panic) => {
                shared.fail(Failure { at, panic });
                None
            }
        }
    }

    /// Finishes the run and returns the errors.
    ///
    /// # Panics
    /// With the first failure in the order of steps, or if the executor did not run all tasks.
    pub(crate) fn end(self) -> Vec<SystemError> {
        let SharedRun {
            plan,
            jobs,
            progress,
            outcome,
            conditions,
            answers,
            ..
        } = self.shared;
        let mut outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
        if !conditions.is_empty() {
            for step in plan.steps() {
                if answers[step.number()].get() == Some(false)
                    && let Some(error) = error_of(step, conditions)
                {
                    let error = SystemError::new(step.name(), error, step.data.on_error);
                    outcome.errors.push((step.number(), error));
                }
            }
        }
        for condition in conditions {
            condition.settle();
        }
        for (_, mut queue) in outcome.unflushed {
            discard(&mut queue);
        }
        let mut first: Option<Failure> = None;
        for failure in outcome.failures {
            let other = match &first {
                Some(first) if first.at.step <= failure.at.step => Some(failure),
                _ => first.replace(failure),
            };
            // The destructor of a panic payload is user code too, and may panic.
            drop(catch_unwind(AssertUnwindSafe(|| drop(other))));
        }
        if first.is_none()
            && let Some(job) = progress.undone()
        {
            let system = plan.step(jobs.list[job].step).name();
            panic!(
                "the executor did not run system `{system}`; help: run every task, and call `round` until it returns `None`"
            );
        }
        let mut found_errors = outcome.errors;
        // Pushed when each system ended, so nearly sorted.
        sort_by_number(&mut found_errors, |&(step, _)| step as u64);
        let mut errors = Vec::with_capacity(found_errors.len());
        for (_, error) in found_errors {
            errors.push(error);
        }
        exclusive::end(plan, outcome.later, self.world, first, errors)
    }
}

impl fmt::Debug for Run<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Run").field(self.plan()).finish()
    }
}

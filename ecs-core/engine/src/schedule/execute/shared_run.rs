//! The state that all threads of a run share, and the execution of one job.

use alloc::vec::Vec;
use core::ptr::NonNull;

use super::StepRecorder;
use super::build::{BuiltCondition, BuiltStep, evaluate, run_marked};
use super::exclusive::Later;
use super::failure::{Failure, StepPhase, StepPosition, discard};
use super::instrument::Instrument as _;
use super::progress::RunProgress;
use super::skip::{after_false, discards, mark_skipped};
use super::turn_cell::{Answer, TurnCell};
use crate::schedule::declare::Flush;
use crate::schedule::declare::SystemError;
use crate::schedule::plan::SchedulePlan;
use crate::schedule::plan::Step;
use crate::schedule::plan::{Job, Jobs};
use crate::sync::{Mutex, MutexGuard, PoisonError};
use crate::system::BoxError;
use crate::unwind::{AssertUnwindSafe, catch_unwind};
use crate::world::{CommandQueue, World};

/// The state that all threads of a run share.
pub(crate) struct SharedRun<'r> {
    pub(crate) plan: &'r SchedulePlan,
    /// The jobs of the plan.
    pub(crate) jobs: &'r Jobs,
    pub(crate) systems: &'r [TurnCell<BuiltStep>],
    pub(crate) conditions: &'r [BuiltCondition],
    pub(crate) progress: RunProgress,
    /// By step: the combined result of its conditions, if it has any.
    pub(crate) answers: Vec<Answer>,
    pub(crate) outcome: Mutex<RunOutcome>,
    pub(crate) instrument: Option<&'r StepRecorder>,
}

/// The results of the steps so far.
#[derive(Default)]
pub(crate) struct RunOutcome {
    pub(crate) errors: Vec<(usize, SystemError)>,
    pub(crate) failures: Vec<Failure>,
    /// Jobs that are done except for applying their commands.
    pub(crate) unflushed: Vec<(usize, CommandQueue)>,
    pub(crate) later: Later,
    /// Empty queues, kept for their buffers.
    pub(crate) spare: Vec<CommandQueue>,
}

impl SharedRun<'_> {
    pub(crate) fn job(&self, job: usize) -> Job {
        self.jobs.list[job]
    }

    pub(crate) fn outcome(&self) -> MutexGuard<'_, RunOutcome> {
        // No code that holds the lock can panic halfway through a change.
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn record_result(&self, step: Step<'_>, result: Result<(), BoxError>) {
        if let Err(error) = result {
            let error = SystemError::new(step.name(), error, step.data.on_error);
            self.outcome().errors.push((step.number(), error));
        }
    }

    pub(crate) fn fail(&self, failure: Failure) {
        self.progress.fail(failure.at.step);
        self.outcome().failures.push(failure);
    }

    pub(crate) fn skips(&self, step: Step<'_>) -> bool {
        // The job that evaluates the conditions was done before the job that runs the system was released.
        self.answers[step.number()].get() == Some(false)
    }

    pub(crate) fn skip_unless(&self, yes: bool, step: Step<'_>) {
        self.answers[step.number()].give(yes);
    }

    /// Runs the job, possibly at the same time as others; returns true if it is completely done.
    ///
    /// # Safety
    /// `world` is the world of the run. The job was released in this run, and this is called once for it.
    pub(crate) unsafe fn work(&self, number: usize, world: &World) -> bool {
        let job = self.job(number);
        if !self.progress.may_start(job.step) {
            return false;
        }
        let step = self.plan.step(job.step);
        let mut at = StepPosition::running(step);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if job.evaluates_conditions {
                let (conditions, instrument) = (self.conditions, &self.instrument);
                // SAFETY: jobs that conflict by their metadata wait for each other (`JobAccesses::wait`), and this one was
                // released (caller's contract). If a condition has no result, no other job evaluates it, and its metadata
                // counts for this job (`Evaluators`). Conditions with `&World` make the job run alone, and so do conditions
                // that defer commands.
                let runs =
                    unsafe { evaluate(step, conditions, world, &mut at, instrument, |_, _| {}) };
                self.skip_unless(runs, step);
                if !runs {
                    mark_skipped(step, conditions);
                }
                return true;
            }
            let skips = self.skips(step);
            if skips && !step.has_readers() {
                return true;
            }
            let mut runner = self.systems[step.list_index()].take();
            let BuiltStep::Shared(system) = &mut *runner else {
                unreachable!("a step with `&mut World` runs alone")
            };
            if skips {
                if discards(step, after_false(step, self.conditions)) {
                    // SAFETY: this has the contract of `run`, below, and the job runs nothing else.
                    unsafe { system.skip(world) };
                }
                return true;
            }
            // SAFETY: jobs that conflict by their metadata wait for each other (`JobAccesses::wait`), and this one was
            // released (caller's contract), so the jobs before it are done and the jobs after it wait. Systems with `&World`
            // or `&mut World` can borrow anything, so they run alone (`ThreadPlacement::Alone`), when there are no tasks.
            let run = || unsafe { system.run(NonNull::from(world), ()) };
            let run = || self.instrument.measure(step, StepPhase::Running, run);
            let result = run_marked(step, self.conditions, run);
            self.record_result(step, result);
            !job.defers || {
                let mut queue = self.outcome().spare.pop().unwrap_or_default();
                system.flush(&mut queue);
                self.collect(number, step, queue, world)
            }
        }));
        outcome.unwrap_or_else(|panic| {
            let mut queue = CommandQueue::new();
            if let (StepPhase::Running, BuiltStep::Shared(system)) =
                (at.phase, &mut *self.systems[step.list_index()].take())
            {
                system.flush(&mut queue);
            }
            discard(&mut queue);
            self.fail(Failure { at, panic });
            false
        })
    }

    /// Takes the deferred commands of a system. Returns false if later jobs can't start before they are applied.
    fn collect(&self, job: usize, step: Step<'_>, queue: CommandQueue, world: &World) -> bool {
        let mut outcome = self.outcome();
        let is_empty = queue.is_empty();
        match step.flush() {
            Flush::Later if !is_empty => outcome.later.push((step.number(), queue)),
            Flush::Later => outcome.spare.push(queue),
            _ if is_empty && !world.has_pending() => outcome.spare.push(queue),
            _ => {
                outcome.unflushed.push((job, queue));
                return false;
            }
        }
        true
    }
}

//! What all threads of a run share, and the work on one job.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::build::Condition;
use super::exclusive::Later;
use super::failure::{Failure, Phase, Position, discard};
use super::instrument::{Instrument as _, Recorder};
use super::progress::Progress;
use super::turn_cell::{Answer, TurnCell};
use crate::schedule::declare::Flush;
use crate::schedule::plan::Plan;
use crate::schedule::plan::Step;
use crate::schedule::plan::{Job, Jobs};
use crate::system::{BoxError, Runner};
use crate::world::{CommandQueue, World};

/// What all threads of a run see.
pub(crate) struct SharedRun<'r> {
    pub(crate) plan: &'r Plan,
    /// Those of the plan.
    pub(crate) jobs: &'r Jobs,
    pub(crate) systems: &'r [TurnCell<Runner>],
    pub(crate) conditions: &'r [Condition],
    pub(crate) progress: Progress,
    /// By step: what its conditions said together, if it has any.
    pub(crate) answers: Vec<Answer>,
    pub(crate) found: Mutex<RunOutcome>,
    pub(crate) watch: Option<&'r Recorder>,
}

/// What came out of the steps so far.
#[derive(Default)]
pub(crate) struct RunOutcome {
    pub(crate) errors: Vec<(usize, BoxError)>,
    pub(crate) failures: Vec<Failure>,
    /// Jobs that are done but for what they put off.
    pub(crate) unflushed: Vec<(usize, CommandQueue)>,
    pub(crate) later: Later,
    /// Empty ones, for their buffers.
    pub(crate) spare: Vec<CommandQueue>,
}

impl SharedRun<'_> {
    pub(crate) fn job(&self, job: usize) -> Job {
        self.jobs.list[job]
    }

    pub(crate) fn found(&self) -> MutexGuard<'_, RunOutcome> {
        // Nothing that is done under the lock panics half-way.
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn note(&self, step: Step<'_>, result: Result<(), BoxError>) {
        if let Err(error) = result {
            self.found().errors.push((step.number(), error));
        }
    }

    pub(crate) fn fail(&self, failure: Failure) {
        self.progress.fail(failure.at.step);
        self.found().failures.push(failure);
    }

    pub(crate) fn skips(&self, step: Step<'_>) -> bool {
        // The job that asked was done before the one that runs was released.
        self.answers[step.number()].get() == Some(false)
    }

    pub(crate) fn skip_unless(&self, yes: bool, step: Step<'_>) {
        self.answers[step.number()].give(yes);
    }

    /// Does the job beside others, and says whether it is done with all that belongs to it.
    ///
    /// # Safety
    /// `world` is that of the run. The job was released in this run, and this is done once.
    pub(crate) unsafe fn work(&self, number: usize, world: &World) -> bool {
        let job = self.job(number);
        if !self.progress.may_start(job.step) {
            return false;
        }
        let (step, doing) = (self.plan.step(job.step), Phase::Running);
        let mut at = Position {
            step: job.step,
            doing,
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if job.asks {
                // SAFETY: the caller's promise, see `ask`.
                let yes = unsafe { self.ask(step, world, &mut at) };
                self.skip_unless(yes, step);
                return true;
            }
            if self.skips(step) {
                return true;
            }
            let mut runner = self.systems[step.listed()].take();
            let Runner::Shared(system) = &mut *runner else {
                unreachable!("a system with `&mut World` runs alone")
            };
            let started = self.watch.start(step, Phase::Running);
            // SAFETY: jobs that conflict by their metadata wait for each other (`Reaches::wait`), and this one was
            // released, so those before it are done and those after it wait. Borrows through `&World` are made by systems
            // that run alone, as does all that has `&mut World`: while there are tasks the world is shared.
            let result = unsafe { system.run(world, ()) };
            self.watch.done(started);
            self.note(step, result);
            !job.defers || {
                let mut queue = self.found().spare.pop().unwrap_or_default();
                system.flush(&mut queue);
                self.collect(number, step, queue, world)
            }
        }));
        outcome.unwrap_or_else(|panic| {
            let mut queue = CommandQueue::new();
            if let (Phase::Running, Runner::Shared(system)) =
                (at.doing, &mut *self.systems[step.listed()].take())
            {
                system.flush(&mut queue);
            }
            discard(&mut queue);
            self.fail(Failure { at, panic });
            false
        })
    }

    /// # Safety
    /// As [`work`](Self::work), of the job that asks for the step.
    unsafe fn ask(&self, step: Step<'_>, world: &World, at: &mut Position) -> bool {
        for &index in step.condition_indices() {
            at.doing = Phase::Asking(index);
            let condition = &self.conditions[index];
            let answer = match condition.answer() {
                Some(answer) => answer,
                None => {
                    let started = self.watch.start(step, at.doing);
                    // SAFETY: as for systems. Nobody has asked before, so the metadata of the condition count for this
                    // job (`Askers`).
                    let answer = unsafe { condition.ask(world) };
                    self.watch.done(started);
                    answer
                }
            };
            if !answer {
                return false;
            }
        }
        true
    }

    /// Takes what a system has put off; says whether nothing has to be done with it before the next ones may start.
    fn collect(&self, job: usize, step: Step<'_>, queue: CommandQueue, world: &World) -> bool {
        let mut found = self.found();
        let is_empty = queue.is_empty();
        match step.flush() {
            Flush::Later if !is_empty => found.later.push((step.number(), queue)),
            Flush::Later => found.spare.push(queue),
            _ if is_empty && !world.has_pending() => found.spare.push(queue),
            _ => {
                found.unflushed.push((job, queue));
                return false;
            }
        }
        true
    }
}

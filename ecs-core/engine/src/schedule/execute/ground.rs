//! What all threads of a run share, and the work on one part.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::alone::Later;
use super::build::Condition;
use super::failure::{At, Doing, Failure, discard};
use super::progress::Progress;
use super::turn::{Answer, Turn};
use super::watch::{Recorder, Watch as _};
use crate::schedule::declare::Flush;
use crate::schedule::plan::Plan;
use crate::schedule::plan::Step;
use crate::schedule::plan::{Part, Parts};
use crate::system::{BoxError, Runner};
use crate::world::{CommandQueue, World};

/// What all threads of a run see.
pub(crate) struct Ground<'r> {
    pub(crate) plan: &'r Plan,
    /// Those of the plan.
    pub(crate) parts: &'r Parts,
    pub(crate) systems: &'r [Turn<Runner>],
    pub(crate) conditions: &'r [Condition],
    pub(crate) progress: Progress,
    /// By step: what its conditions said together, if it has any.
    pub(crate) answers: Vec<Answer>,
    pub(crate) found: Mutex<Found>,
    pub(crate) watch: Option<&'r Recorder>,
}

/// What came out of the steps so far.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) errors: Vec<(usize, BoxError)>,
    pub(crate) failures: Vec<Failure>,
    /// Parts that are done but for what they put off.
    pub(crate) unflushed: Vec<(usize, CommandQueue)>,
    pub(crate) later: Later,
    /// Empty ones, for their buffers.
    pub(crate) spare: Vec<CommandQueue>,
}

impl Ground<'_> {
    pub(crate) fn part(&self, part: usize) -> Part {
        self.parts.list[part]
    }

    pub(crate) fn found(&self) -> MutexGuard<'_, Found> {
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
        // The part that asked was done before the one that runs was released.
        self.answers[step.number()].get() == Some(false)
    }

    pub(crate) fn skip_unless(&self, yes: bool, step: Step<'_>) {
        self.answers[step.number()].give(yes);
    }

    /// Does the part beside others, and says whether it is done with all that belongs to it.
    ///
    /// # Safety
    /// `world` is that of the run. The part was released in this run, and this is done once.
    pub(crate) unsafe fn work(&self, number: usize, world: &World) -> bool {
        let part = self.part(number);
        if !self.progress.may_start(part.step) {
            return false;
        }
        let (step, doing) = (self.plan.step(part.step), Doing::Running);
        let mut at = At {
            step: part.step,
            doing,
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if part.asks {
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
            let started = self.watch.start(step, Doing::Running);
            // SAFETY: parts that conflict by their metadata wait for each other (`Reaches::wait`), and this one was
            // released, so those before it are done and those after it wait. Borrows through `&World` are made by systems
            // that run alone, as does all that has `&mut World`: while there are tasks the world is shared.
            let result = unsafe { system.run(world, ()) };
            self.watch.done(started);
            self.note(step, result);
            !part.defers || {
                let mut queue = self.found().spare.pop().unwrap_or_default();
                system.flush(&mut queue);
                self.collect(number, step, queue, world)
            }
        }));
        outcome.unwrap_or_else(|panic| {
            let mut queue = CommandQueue::new();
            if let (Doing::Running, Runner::Shared(system)) =
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
    /// As [`work`](Self::work), of the part that asks for the step.
    unsafe fn ask(&self, step: Step<'_>, world: &World, at: &mut At) -> bool {
        for &index in step.condition_indices() {
            at.doing = Doing::Asking(index);
            let condition = &self.conditions[index];
            let answer = match condition.answer() {
                Some(answer) => answer,
                None => {
                    let started = self.watch.start(step, at.doing);
                    // SAFETY: as for systems. Nobody has asked before, so the metadata of the condition count for this
                    // part (`Askers`).
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
    fn collect(&self, part: usize, step: Step<'_>, queue: CommandQueue, world: &World) -> bool {
        let mut found = self.found();
        let is_empty = queue.is_empty();
        match step.flush() {
            Flush::Later if !is_empty => found.later.push((step.number(), queue)),
            Flush::Later => found.spare.push(queue),
            _ if is_empty && !world.has_pending() => found.spare.push(queue),
            _ => {
                found.unflushed.push((part, queue));
                return false;
            }
        }
        true
    }
}

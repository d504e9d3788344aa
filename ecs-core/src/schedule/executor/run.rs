//! A run as the calling thread sees it: rounds, and between them what needs the world alone.

use core::cmp::Reverse;
use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::AtomicBool;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use super::alone;
use super::failure::{At, Doing, Failure, discard};
use super::ground::Ground;
use super::progress::Progress;
use super::sequential::Built;
use super::task::Round;
use super::watch::{Recorder, Watch as _};
use crate::schedule::build::Condition;
use crate::schedule::error::SystemError;
use crate::schedule::parts::{Part, Place};
use crate::schedule::plan::Plan;
use crate::world::{CommandQueue, World};

/// One run of a schedule, as an [`Executor`](super::Executor) sees it: [rounds](Self::round) of tasks.
pub struct Run<'r> {
    world: &'r mut World,
    ground: Ground<'r>,
    /// Lends its buffer.
    queue: &'r mut CommandQueue,
    /// Parts that were released and not given to the executor yet, by place.
    ready: Vec<usize>,
    local: Vec<usize>,
    alone: Vec<usize>,
    /// Has to stay on its thread, as some systems do.
    stays: PhantomData<*const ()>,
}

impl<'r> Run<'r> {
    pub(in crate::schedule) fn new(
        plan: &'r Plan,
        built: Built<'r>,
        world: &'r mut World,
        watch: Option<&'r Recorder>,
    ) -> Self {
        built.conditions.iter_mut().for_each(Condition::forget);
        // What was deferred before this run is older than anything that the systems do.
        alone::settle(built.queue, world);
        let parts = plan.parts();
        let mut run = Self {
            world,
            ground: Ground {
                plan,
                parts,
                systems: built.systems,
                conditions: built.conditions,
                progress: Progress::new(&parts.graph),
                skipped: plan.steps().map(|_| AtomicBool::new(false)).collect(),
                found: Mutex::default(),
                watch,
            },
            queue: built.queue,
            ready: Vec::new(),
            local: Vec::new(),
            alone: Vec::new(),
            stays: PhantomData,
        };
        for part in parts.graph.first() {
            run.admit(part);
        }
        run
    }

    /// What is run.
    #[must_use]
    pub fn plan(&self) -> &'r Plan {
        self.ground.plan
    }

    /// The next round: tasks that can run at the same time, and those that they release in turn. `None` if nothing is
    /// left to do.
    ///
    /// What needs the world alone is done in here, on this thread: exclusive systems, and the changes that systems have
    /// put off. That is why all tasks of the last round have to be gone.
    pub fn round(&mut self) -> Option<Round<'_>> {
        loop {
            for part in self.ground.progress.take_parked() {
                self.admit(part);
            }
            let ground = &self.ground;
            let may_start = |&part: &usize| ground.progress.may_start(ground.part(part).step);
            self.ready.retain(may_start);
            self.local.retain(may_start);
            if !self.ready.is_empty() || !self.local.is_empty() {
                break;
            }
            let done = self.flush_one().or_else(|| self.run_one_alone())?;
            self.ground.progress.set_done(done);
            for &part in self.ground.parts.graph.successors(done) {
                if self.ground.progress.release(part) {
                    self.admit(part);
                }
            }
        }
        // They are taken from the end; what comes first in the plan is started first.
        self.ready.sort_unstable_by_key(|&part| Reverse(part));
        self.local.sort_unstable_by_key(|&part| Reverse(part));
        Some(Round {
            world: self.world,
            ground: &self.ground,
            ready: &mut self.ready,
            local: &mut self.local,
            alone: &mut self.alone,
            stays: PhantomData,
        })
    }

    /// Takes note of a part that was released.
    fn admit(&mut self, part: usize) {
        match self.ground.part(part).place {
            Place::Anywhere => self.ready.push(part),
            Place::CallingThread => self.local.push(part),
            Place::Alone => self.alone.push(part),
        }
    }

    /// Does what a step has put off; all earlier steps are done.
    fn flush_one(&mut self) -> Option<usize> {
        let found = self.ground.found.get_mut();
        let found = found.unwrap_or_else(PoisonError::into_inner);
        let parts = found.unflushed.iter().enumerate();
        let (index, _) = parts.min_by_key(|(_, (part, _))| *part)?;
        let step = self.ground.parts.list[found.unflushed[index].0].step;
        if !self.ground.progress.may_start(step) {
            // A failure earlier in the order: as if this step had never run.
            return None;
        }
        let (part, mut queue) = found.unflushed.swap_remove(index);
        let watch = self.ground.watch;
        let apply = AssertUnwindSafe(|| {
            let step = self.ground.plan.step(step);
            let started = watch.start(step, Doing::Applying);
            alone::settle(&mut queue, self.world);
            watch.done(started);
        });
        if let Err(panic) = catch_unwind(apply) {
            let doing = Doing::Applying;
            let at = At { step, doing };
            self.ground.fail(Failure { at, panic });
            return None;
        }
        found.spare.push(queue);
        Some(part)
    }

    /// Runs a part that needs the world alone.
    fn run_one_alone(&mut self) -> Option<usize> {
        let (index, &part) = self
            .alone
            .iter()
            .enumerate()
            .min_by_key(|(_, part)| **part)?;
        let (ground, world, queue) = (&self.ground, &mut *self.world, &mut *self.queue);
        let Part { step, asks, .. } = ground.part(part);
        if !ground.progress.may_start(step) {
            return None;
        }
        self.alone.swap_remove(index);
        let (step, doing) = (ground.plan.step(step), Doing::Running);
        let mut at = At {
            step: step.number(),
            doing,
        };
        let mut later = core::mem::take(&mut ground.found().later);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            if asks {
                let yes = alone::ask(
                    step,
                    ground.conditions,
                    world,
                    queue,
                    &mut at,
                    &ground.watch,
                );
                ground.skip_unless(yes, step);
                Ok(())
            } else if ground.skips(step) {
                Ok(())
            } else {
                let runner = &mut *ground.systems[step.listed()].take();
                alone::run(
                    step,
                    runner,
                    world,
                    queue,
                    &mut later,
                    &mut at,
                    &ground.watch,
                )
            }
        }));
        ground.found().later = later;
        match outcome {
            Ok(result) => {
                ground.note(step, result);
                Some(part)
            }
            Err(panic) => {
                let (systems, conditions) = (ground.systems, ground.conditions);
                alone::discard_of(at, ground.plan, systems, conditions, queue, world);
                ground.fail(Failure { at, panic });
                None
            }
        }
    }

    /// Does what is left to the end, and reports.
    ///
    /// # Panics
    /// With the first failure in the order of steps, or if the executor left something undone.
    pub(in crate::schedule) fn end(self) -> Vec<SystemError> {
        let Ground {
            plan,
            parts,
            progress,
            found,
            ..
        } = self.ground;
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (_, mut queue) in found.unflushed {
            discard(&mut queue);
        }
        let mut failures = found.failures.into_iter();
        let first = failures.by_ref().reduce(|one, two| {
            // Dropping what somebody panicked with is the user's code too.
            let (first, other) = if two.at.step < one.at.step {
                (two, one)
            } else {
                (one, two)
            };
            drop(catch_unwind(AssertUnwindSafe(|| drop(other))));
            first
        });
        if first.is_none()
            && let Some(part) = progress.undone()
        {
            let system = plan.step(parts.list[part].step).name();
            panic!(
                "the executor did not run system `{system}`: it has to run every task, and to ask for rounds until there is none"
            );
        }
        let mut errors = found.errors;
        errors.sort_by_key(|&(step, _)| step);
        let named = |(step, error)| SystemError {
            system: plan.step(step).name(),
            error,
        };
        let errors = errors.into_iter().map(named).collect();
        alone::end(plan, found.later, self.world, first, errors)
    }
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Run").field(self.plan()).finish()
    }
}

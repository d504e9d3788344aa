//! A run as the calling thread sees it: rounds, and between them what needs the world alone.

use core::fmt;
use core::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use super::alone;
use super::build::Built;
use super::error::SystemError;
use super::failure::{At, Doing, Failure, discard};
use super::ground::Ground;
use super::progress::Progress;
use super::task::Round;
use super::turn::Answer;
use super::watch::{Recorder, Watch as _};
use crate::bits::Bits;
use crate::schedule::plan::Plan;
use crate::schedule::plan::{Part, Place};
use crate::sort::sort_short;
use crate::world::{CommandQueue, World};

/// One run of a schedule, as an [`Executor`](super::Executor) sees it: [rounds](Self::round) of tasks.
pub struct Run<'r> {
    world: &'r mut World,
    ground: Ground<'r>,
    /// Lends its buffer.
    queue: &'r mut CommandQueue,
    /// Parts that were released and not given to the executor yet, by place.
    ready: Bits,
    local: Bits,
    alone: Bits,
    /// Has to stay on its thread, as some systems do.
    stays: PhantomData<*const ()>,
}

impl<'r> Run<'r> {
    pub(crate) fn new(
        plan: &'r Plan,
        built: &'r mut Built,
        world: &'r mut World,
        watch: Option<&'r Recorder>,
    ) -> Self {
        for condition in &mut built.conditions {
            condition.forget();
        }
        // What was deferred before this run is older than anything that the systems do.
        alone::settle(&mut built.queue, world);
        let parts = plan.parts();
        let mut answers = Vec::with_capacity(plan.steps.len());
        for _ in &plan.steps {
            answers.push(Answer::default());
        }
        let mut run = Self {
            world,
            ground: Ground {
                plan,
                parts,
                systems: &built.systems,
                conditions: &built.conditions,
                progress: Progress::new(parts.graph.waits_for()),
                answers,
                found: Mutex::default(),
                watch,
            },
            queue: &mut built.queue,
            ready: Bits::default(),
            local: Bits::default(),
            alone: Bits::default(),
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
            for parts in [&mut self.ready, &mut self.local] {
                let mut next = 0;
                while let Some(part) = parts.from(next) {
                    next = part + 1;
                    if !ground.progress.may_start(ground.part(part).step) {
                        parts.remove(part);
                    }
                }
            }
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
            Place::Anywhere => self.ready.insert(part),
            Place::CallingThread => self.local.insert(part),
            Place::Alone => self.alone.insert(part),
        };
    }

    /// Does what a step has put off; all earlier steps are done.
    fn flush_one(&mut self) -> Option<usize> {
        let found = self.ground.found.get_mut();
        let found = found.unwrap_or_else(PoisonError::into_inner);
        let (mut index, mut first) = (0, found.unflushed.first()?.0);
        for (other, &(part, _)) in found.unflushed.iter().enumerate() {
            if part < first {
                (index, first) = (other, part);
            }
        }
        let step = self.ground.parts.list[first].step;
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
        let part = self.alone.from(0)?;
        let (ground, world, queue) = (&self.ground, &mut *self.world, &mut *self.queue);
        let Part { step, asks, .. } = ground.part(part);
        if !ground.progress.may_start(step) {
            return None;
        }
        self.alone.remove(part);
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
    pub(crate) fn end(self) -> Vec<SystemError> {
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
        let mut first: Option<Failure> = None;
        for failure in found.failures {
            let other = match &first {
                Some(first) if first.at.step <= failure.at.step => Some(failure),
                _ => first.replace(failure),
            };
            // Dropping what somebody panicked with is the user's code too.
            drop(catch_unwind(AssertUnwindSafe(|| drop(other))));
        }
        if first.is_none()
            && let Some(part) = progress.undone()
        {
            let system = plan.step(parts.list[part].step).name();
            panic!(
                "the executor did not run system `{system}`: it has to run every task, and to ask for rounds until there is none"
            );
        }
        let mut found_errors = found.errors;
        // They come in the order in which systems ended, which is nearly the same.
        sort_short(&mut found_errors, |&(step, _)| step);
        let mut errors = Vec::with_capacity(found_errors.len());
        for (step, error) in found_errors {
            let system = plan.step(step).name();
            errors.push(SystemError { system, error });
        }
        alone::end(plan, found.later, self.world, first, errors)
    }
}

impl fmt::Debug for Run<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Run").field(self.plan()).finish()
    }
}

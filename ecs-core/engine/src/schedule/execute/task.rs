//! Rounds and tasks, which an executor receives.

use core::fmt;
use core::marker::PhantomData;

use super::shared_run::SharedRun;
use crate::bits::Bits;
use crate::schedule::plan::Step;
use crate::schedule::plan::ThreadPlacement;
use crate::world::World;

/// Tasks that can run at the same time.
///
/// Returned by [`Run::round`](super::Run::round). Tasks need not be taken all at once: the rest comes in a later round.
pub struct Round<'a> {
    pub(crate) world: &'a World,
    pub(crate) shared: &'a SharedRun<'a>,
    pub(crate) ready: &'a mut Bits,
    pub(crate) local: &'a mut Bits,
    pub(crate) alone: &'a mut Bits,
    pub(crate) not_send: PhantomData<*const ()>,
}

impl<'a> Round<'a> {
    /// Returns the next task for any thread, out of the tasks at the start of the round; [`Task::run`] returns the later
    /// ones.
    pub fn next_task(&mut self) -> Option<Task<'a>> {
        let job = self.ready.take_first()?;
        Some(self.task(job))
    }

    /// Returns the next task that has to run on this thread, also tasks released during the round.
    pub fn next_local(&mut self) -> Option<LocalTask<'a>> {
        for job in self.shared.progress.take_parked() {
            match self.shared.job(job).place {
                ThreadPlacement::CallingThread => self.local.insert(job),
                _ => self.alone.insert(job),
            };
        }
        let job = self.local.take_first()?;
        Some(LocalTask {
            task: self.task(job),
            not_send: PhantomData,
        })
    }

    fn task(&self, job: usize) -> Task<'a> {
        Task {
            world: self.world,
            shared: self.shared,
            job,
        }
    }
}

/// A unit of work of a step, for any thread: evaluates its conditions, or runs its system.
///
/// Everything that the task waits for is done.
#[must_use = "every task has to be run"]
pub struct Task<'a> {
    world: &'a World,
    shared: &'a SharedRun<'a>,
    /// Invariant 1: the job was released, and has no other task.
    job: usize,
}

impl<'a> Task<'a> {
    /// Returns the step that it belongs to.
    #[must_use]
    pub fn step(&self) -> Step<'a> {
        self.shared.plan.step(self.shared.job(self.job).step)
    }

    /// Runs the task, and returns the tasks that may run from now on.
    ///
    /// Never panics: the run reports panics of systems when the executor is done. After a panic, no step that comes later in
    /// the plan starts any more.
    pub fn run(self) -> Released<'a> {
        let Self { world, shared, job } = self;
        // SAFETY: the job was released and has no other task by invariant 1, and `self` is consumed, so it runs once.
        // `world` is the world of the run: `Round` and `Released` pass it on with `shared`.
        let is_done = unsafe { shared.work(job, world) };
        let next: &[usize] = if is_done {
            shared.progress.set_done(job);
            shared.jobs.graph.successors(job)
        } else {
            &[]
        };
        Released {
            world,
            shared,
            next: next.iter(),
        }
    }
}

/// A [`Task`] for a step that has to stay on its thread.
#[must_use = "every task has to be run"]
pub struct LocalTask<'a> {
    task: Task<'a>,
    not_send: PhantomData<*const ()>,
}

impl<'a> LocalTask<'a> {
    /// Returns the step that it belongs to.
    #[must_use]
    pub fn step(&self) -> Step<'a> {
        self.task.step()
    }

    /// Runs the task; see [`Task::run`].
    pub fn run(self) -> Released<'a> {
        self.task.run()
    }
}

/// The tasks that a finished one releases; an iterator that has to be exhausted.
#[must_use = "every task has to be run"]
pub struct Released<'a> {
    world: &'a World,
    shared: &'a SharedRun<'a>,
    next: core::slice::Iter<'a, usize>,
}

impl<'a> Iterator for Released<'a> {
    type Item = Task<'a>;

    fn next(&mut self) -> Option<Task<'a>> {
        let (world, shared) = (self.world, self.shared);
        for &job in self.next.by_ref() {
            if shared.progress.release(job) {
                if shared.job(job).place == ThreadPlacement::Anywhere {
                    return Some(Task { world, shared, job });
                }
                shared.progress.park(job);
            }
        }
        None
    }
}

impl fmt::Debug for Round<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut list = f.debug_list();
        for mut jobs in [self.ready.clone(), self.local.clone()] {
            while let Some(job) = jobs.take_last() {
                list.entry(&self.task(job).step().name());
            }
        }
        list.finish()
    }
}

impl fmt::Debug for Task<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Task").field(&self.step()).finish()
    }
}

impl fmt::Debug for LocalTask<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LocalTask").field(&self.step()).finish()
    }
}

impl fmt::Debug for Released<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Released").finish_non_exhaustive()
    }
}

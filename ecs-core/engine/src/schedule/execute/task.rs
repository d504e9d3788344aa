//! What is handed to executors: rounds and tasks.

use core::fmt;
use core::marker::PhantomData;

use super::shared_run::SharedRun;
use crate::bits::Bits;
use crate::schedule::plan::Place;
use crate::schedule::plan::Step;
use crate::world::World;

/// Tasks that can run at the same time.
///
/// Made by [`Run::round`](super::Run::round). What is in it need not be taken all at once: a round that comes back from [`Run::round`](super::Run::round) later
/// has what was left.
pub struct Round<'a> {
    pub(crate) world: &'a World,
    pub(crate) shared: &'a SharedRun<'a>,
    pub(crate) ready: &'a mut Bits,
    pub(crate) local: &'a mut Bits,
    pub(crate) alone: &'a mut Bits,
    pub(crate) stays: PhantomData<*const ()>,
}

impl<'a> Round<'a> {
    /// The next task that any thread may run, of those with which the round started; the others come from
    /// [`Task::run`].
    pub fn next_task(&mut self) -> Option<Task<'a>> {
        let job = self.ready.take_first()?;
        Some(self.task(job))
    }

    /// The next task that has to be run on this thread, whenever it was released.
    pub fn next_local(&mut self) -> Option<LocalTask<'a>> {
        for job in self.shared.progress.take_parked() {
            match self.shared.job(job).place {
                Place::CallingThread => self.local.insert(job),
                _ => self.alone.insert(job),
            };
        }
        let job = self.local.take_first()?;
        Some(LocalTask {
            task: self.task(job),
            stays: PhantomData,
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

/// Something to be done for a step, on any thread: to run its system, or to ask its conditions.
///
/// All that it has to wait for is done.
#[must_use = "every task has to be run"]
pub struct Task<'a> {
    world: &'a World,
    shared: &'a SharedRun<'a>,
    /// Invariant 1: was released, and has no other task.
    job: usize,
}

impl<'a> Task<'a> {
    /// The step that it belongs to.
    #[must_use]
    pub fn step(&self) -> Step<'a> {
        self.shared.plan.step(self.shared.job(self.job).step)
    }

    /// Does it, and returns the tasks that may run from now on.
    ///
    /// Never panics: panics of systems are reported when the executor is done. After one nothing is started any more that
    /// comes later in the order of the plan.
    pub fn run(self) -> Released<'a> {
        let Self { world, shared, job } = self;
        // SAFETY: by invariant 1, and as the task is gone now.
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

/// As [`Task`], for a step that has to stay on its thread.
#[must_use = "every task has to be run"]
pub struct LocalTask<'a> {
    task: Task<'a>,
    stays: PhantomData<*const ()>,
}

impl<'a> LocalTask<'a> {
    /// The step that it belongs to.
    #[must_use]
    pub fn step(&self) -> Step<'a> {
        self.task.step()
    }

    /// Does it; see [`Task::run`].
    pub fn run(self) -> Released<'a> {
        self.task.run()
    }
}

/// The tasks that the end of one releases; an iterator that has to be used up.
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
                if shared.job(job).place == Place::Anywhere {
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

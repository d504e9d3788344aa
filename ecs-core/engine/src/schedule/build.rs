//! Systems and conditions that are built when a world is there.

use super::turn::{Answer, Turn};
use crate::system::BoxCondition;
use crate::world::World;

/// Makes a `T` for a world.
pub(super) type Build<T> = Box<dyn FnOnce(&World) -> T + Send>;

/// A list that is added to unbuilt and built from front to back.
pub(super) struct BuildList<T> {
    /// The first ones of the list.
    built: Vec<T>,
    /// The whole list; `None` where something was built, or where building it panicked. In turns only so that schedules
    /// can be shared, as resources are.
    builders: Vec<Turn<Option<Build<T>>>>,
}

impl<T> BuildList<T> {
    pub(super) fn push(&mut self, build: Build<T>) {
        self.builders.push(Turn::new(Some(build)));
    }

    /// Builds what is unbuilt; the error is the position of something that cannot be built because the attempt to do so
    /// panicked earlier.
    pub(super) fn build(&mut self, world: &World) -> Result<&mut [T], usize> {
        while let Some(builder) = self.builders.get_mut(self.built.len()) {
            // Taken out before it is called: one that panics leaves the lists in step.
            let build = builder.get_mut().take().ok_or(self.built.len())?;
            self.built.push(build(world));
        }
        Ok(&mut self.built)
    }
}

impl<T> Default for BuildList<T> {
    fn default() -> Self {
        Self {
            built: Vec::new(),
            builders: Vec::new(),
        }
    }
}

/// A built condition and what it said in the current run.
pub(super) struct Condition {
    pub(super) system: Turn<BoxCondition>,
    /// Whether it can put changes of the world off.
    pub(super) defers: bool,
    answer: Answer,
}

impl Condition {
    pub(super) fn new(system: BoxCondition, defers: bool) -> Self {
        Self {
            system: Turn::new(system),
            defers,
            answer: Answer::default(),
        }
    }

    /// Forgets the answer of the last run.
    pub(super) fn forget(&mut self) {
        self.answer.forget();
    }

    /// What it said in this run, if it was asked by a part that the caller's one waits for.
    pub(super) fn answer(&self) -> Option<bool> {
        self.answer.get()
    }

    /// Asks.
    ///
    /// # Safety
    /// As [`DynSystem::run`](crate::system::DynSystem::run).
    pub(super) unsafe fn ask(&self, world: &World) -> bool {
        // SAFETY: the caller's promise.
        let answer = unsafe { self.system.take().run(world, ()) };
        self.answer.give(answer);
        answer
    }
}

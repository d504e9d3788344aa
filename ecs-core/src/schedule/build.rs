//! Systems and conditions that are built when a world is there.

use crate::system::DynSystem;
use crate::world::World;

/// Makes a `T` for a world.
pub(super) type Build<T> = Box<dyn FnOnce(&World) -> T + Send>;

/// A list that is added to unbuilt and built from front to back.
pub(super) struct BuildList<T> {
    /// The first ones of the list.
    built: Vec<T>,
    /// The whole list; `None` where something was built, or where building it panicked.
    builders: Vec<Option<Build<T>>>,
}

impl<T> BuildList<T> {
    pub(super) fn push(&mut self, build: Build<T>) {
        self.builders.push(Some(build));
    }

    /// Builds what is unbuilt; the error is the position of something that cannot be built because the attempt to do so
    /// panicked earlier.
    pub(super) fn build(&mut self, world: &World) -> Result<&mut [T], usize> {
        while let Some(builder) = self.builders.get_mut(self.built.len()) {
            // Taken out before it is called: one that panics leaves the lists in step.
            let build = builder.take().ok_or(self.built.len())?;
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
    pub(super) system: Box<dyn DynSystem<(), bool>>,
    /// Forgotten at the beginning of each run.
    pub(super) answer: Option<bool>,
}

//! Systems and conditions that are built when a world is there.

use core::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};

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

/// Something that threads use in turns, which the plan gives them.
#[derive(Default)]
pub(super) struct Turn<T>(Mutex<T>);

impl<T> Turn<T> {
    pub(super) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// For the thread that has the schedule alone.
    #[inline]
    pub(super) fn get_mut(&mut self) -> &mut T {
        // A panic of a system leaves the system as it leaves it; that is its author's business.
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// For the thread whose turn it is; never waits.
    pub(super) fn take(&self) -> MutexGuard<'_, T> {
        match self.0.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                unreachable!("the plan lets two threads run one system at a time")
            }
        }
    }
}

/// A built condition and what it said in the current run.
pub(super) struct Condition {
    pub(super) system: Turn<BoxCondition>,
    /// Whether it can put changes of the world off.
    pub(super) defers: bool,
    answer: AtomicU8,
}

const UNASKED: u8 = 2;

impl Condition {
    pub(super) fn new(system: BoxCondition, defers: bool) -> Self {
        Self {
            system: Turn::new(system),
            defers,
            answer: AtomicU8::new(UNASKED),
        }
    }

    /// Forgets the answer of the last run.
    pub(super) fn forget(&mut self) {
        *self.answer.get_mut() = UNASKED;
    }

    /// What it said in this run, if it was asked by a part that the caller's one waits for.
    pub(super) fn answer(&self) -> Option<bool> {
        // The plan orders those who ask and those who want to know.
        match self.answer.load(Ordering::Relaxed) {
            UNASKED => None,
            answer => Some(answer != 0),
        }
    }

    /// Asks.
    ///
    /// # Safety
    /// As [`DynSystem::run`](crate::system::DynSystem::run).
    pub(super) unsafe fn ask(&self, world: &World) -> bool {
        // SAFETY: the caller's promise.
        let answer = unsafe { self.system.take().run(world, ()) };
        self.answer.store(answer.into(), Ordering::Relaxed);
        answer
    }
}

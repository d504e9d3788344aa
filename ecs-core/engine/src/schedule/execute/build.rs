//! Systems and conditions that are built when a world is there.

use std::borrow::Cow;

use super::turn_cell::{Answer, TurnCell};
use crate::schedule::declare::List;
use crate::system::{BoxCondition, Runner};
use crate::world::{CommandQueue, World};

/// The built systems and conditions of a schedule, in list order.
#[derive(Default)]
pub(crate) struct Built {
    pub(crate) systems: Vec<TurnCell<Runner>>,
    pub(crate) conditions: Vec<Condition>,
    /// Empty between runs; keeps its buffer.
    pub(crate) queue: CommandQueue,
}

impl Built {
    /// Builds what is unbuilt; the error is the name of something that cannot be built because the attempt to do so
    /// panicked earlier.
    pub(crate) fn build(
        &mut self,
        list: &mut List,
        world: &World,
    ) -> Result<(), Cow<'static, str>> {
        while let Some(listed) = list.systems.get_mut(self.systems.len()) {
            // Taken out before it is called: one that panics leaves the lists in step.
            let build = listed.build.take().ok_or(listed.meta.name)?;
            self.systems.push(TurnCell::new(build(world)));
        }
        while let Some(listed) = list.conditions.get_mut(self.conditions.len()) {
            let build = listed
                .build
                .take()
                .ok_or_else(|| listed.meta.name.clone())?;
            let defers = listed.meta.parts.iter().any(|part| part.defers());
            self.conditions.push(Condition::new(build(world), defers));
        }
        Ok(())
    }
}

/// A built condition and what it said in the current run.
pub(crate) struct Condition {
    pub(crate) system: TurnCell<BoxCondition>,
    /// Whether it can put changes of the world off.
    pub(crate) defers: bool,
    answer: Answer,
}

impl Condition {
    pub(crate) fn new(system: BoxCondition, defers: bool) -> Self {
        Self {
            system: TurnCell::new(system),
            defers,
            answer: Answer::default(),
        }
    }

    /// Forgets the answer of the last run.
    pub(crate) fn forget(&mut self) {
        self.answer.forget();
    }

    /// What it said in this run, if it was asked by a job that the caller's one waits for.
    pub(crate) fn answer(&self) -> Option<bool> {
        self.answer.get()
    }

    /// Asks.
    ///
    /// # Safety
    /// As [`DynSystem::run`](crate::system::DynSystem::run).
    pub(crate) unsafe fn ask(&self, world: &World) -> bool {
        // SAFETY: the caller's promise.
        let answer = unsafe { self.system.take().run(world, ()) };
        self.answer.give(answer);
        answer
    }
}

//! The memory of the systems and conditions of a schedule, from run to run.

use super::Schedule;
use super::declare::{StepBody, StepList};
use super::execute::{Built, BuiltStep};
use crate::system::{Memory, Remembered};
use crate::world::WorldId;

/// A function that is called with the name of a system or condition, and one piece of its memory.
pub(crate) type Visit<'a> = dyn FnMut(&str, Remembered<'_>) + 'a;

impl Schedule {
    /// Returns true if everything that runs is built for a world.
    pub(crate) fn is_prepared_for(&self, world: WorldId) -> bool {
        self.is_prepared && self.world == Some(world)
    }

    /// Returns true if systems were built for this world. They are never built for a second one.
    pub(crate) fn is_built_for(&self, world: WorldId) -> bool {
        self.world == Some(world)
    }

    /// Calls a function with everything that the systems and conditions remember from run to run. The order depends on the
    /// schedule alone. Unbuilt systems remember nothing.
    #[inline]
    pub(crate) fn remembered(&mut self, visit: &mut Visit<'_>) {
        of_list(&self.list, &mut self.runs.built, visit);
    }
}

fn of_list(list: &StepList, built: &mut Built, visit: &mut Visit<'_>) {
    for (listed, step) in list.systems.iter().zip(&mut built.systems) {
        let name = listed.meta.name;
        match step.get_mut() {
            BuiltStep::Shared(system) => system.remembered(&mut |memory| visit(name, memory)),
            BuiltStep::Exclusive(system) => system.remembered(&mut |memory| visit(name, memory)),
            BuiltStep::Inner(built) => {
                built.driver.remembered(&mut |memory| visit(name, memory));
                if let StepBody::Inner(inner) = &listed.body {
                    for (schedule, runs) in inner.schedules.iter().zip(&mut built.schedules) {
                        of_list(&schedule.list, &mut runs.built, visit);
                    }
                }
            }
        }
    }
    for (listed, condition) in list.conditions.iter().zip(&mut built.conditions) {
        let meta = &listed.meta;
        condition.system.get_mut().remembered(&mut |memory| {
            if meta.captures || !matches!(memory.0, Memory::Captured) {
                visit(&meta.name, memory);
            }
        });
    }
}

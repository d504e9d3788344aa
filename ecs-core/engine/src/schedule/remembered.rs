//! The memory of the systems and conditions of a schedule, from run to run.

use super::Schedule;
use alloc::boxed::Box;
use core::any::{Any, TypeId};

use super::declare::{FindResource, StepBody, StepList};
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

    /// Returns the resource of a type, if a step computes it from other resources.
    pub(crate) fn computed(
        &mut self,
        id: TypeId,
        find: FindResource<'_>,
    ) -> Option<Box<dyn Any + Send + Sync>> {
        computed_in(&self.list, &mut self.runs.built, id, find)
    }

    /// Calls a function with the names of all systems, also in schedules that are steps.
    pub(crate) fn visit_systems(&self, visit: &mut dyn FnMut(&'static str)) {
        visit_list(&self.list, visit);
    }

    /// Calls a function with everything that the systems and conditions remember from run to run. The order depends on the
    /// schedule alone. Unbuilt systems remember nothing.
    #[inline]
    pub(crate) fn remembered(&mut self, visit: &mut Visit<'_>) {
        of_list(&self.list, &mut self.runs.built, visit);
    }

    /// Calls a function with the [`Local`](crate::Local)s of a type that built systems and conditions have, in an order that depends
    /// on the schedule alone.
    #[doc(hidden)]
    pub fn for_each_local<T: 'static>(&mut self, mut f: impl FnMut(&mut T)) {
        self.remembered(&mut |_, Remembered(memory)| {
            if let Memory::Value(value, ..) = memory
                && let Some(value) = value.downcast_mut::<T>()
            {
                f(value);
            }
        });
    }
}

fn computed_in(
    list: &StepList,
    built: &mut Built,
    id: TypeId,
    find: FindResource<'_>,
) -> Option<Box<dyn Any + Send + Sync>> {
    for (listed, step) in list.systems.iter().zip(&mut built.systems) {
        let (BuiltStep::Inner(built), StepBody::Inner(inner)) = (step.get_mut(), &listed.body)
        else {
            continue;
        };
        if let Some(found) = built.driver.computed(id, find) {
            return Some(found);
        }
        for (schedule, runs) in inner.schedules.iter().zip(&mut built.schedules) {
            if let Some(found) = computed_in(&schedule.list, &mut runs.built, id, find) {
                return Some(found);
            }
        }
    }
    None
}

fn visit_list(list: &StepList, visit: &mut dyn FnMut(&'static str)) {
    for listed in &list.systems {
        visit(listed.meta.name);
        if let StepBody::Inner(inner) = &listed.body {
            for schedule in &inner.schedules {
                visit_list(&schedule.list, visit);
            }
        }
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

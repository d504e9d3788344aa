//! Copies of the memory of systems outside of schedules: observers, registered systems, and systems that are called as functions.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::any::TypeId;
use core::mem::{replace, take};

use super::schedules::{KnownValues, MemoryCopy, Uncopied};
use crate::entity::Entity;
use crate::sync::PoisonError;
use crate::system::{
    CalledSystem, KeptStates, LentStates, Memory, ObserverCondition, Remember, Remembered,
};
use crate::unwind::{AssertUnwindSafe, catch_unwind, resume_unwind};
use crate::world::World;

/// A system outside of schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outside {
    /// An observer of all entities, by its number.
    Observer(u64),
    /// An observer of one entity, by its number.
    OfEntity(u64, Entity),
    /// The condition of an observer, by the number and the entity of the observer.
    Condition(u64, Option<Entity>),
    /// A registered system, by its number.
    Registered(u64),
    /// A system that is called as a function, by its type.
    Called(TypeId),
}

impl Outside {
    /// Returns the kind in bytes; `None` if they do not have the system.
    pub(super) fn kind(self) -> Option<u8> {
        match self {
            Self::Observer(_) => Some(0),
            Self::Registered(_) => Some(1),
            Self::Condition(_, None) => Some(2),
            Self::OfEntity(..) | Self::Condition(..) | Self::Called(_) => None,
        }
    }

    /// Returns the systems of a world that bytes may have, in the order of registration.
    pub(super) fn of_world(world: &World) -> Vec<(Self, &'static str)> {
        let mut found: Vec<(Self, &'static str)> = Vec::new();
        for (number, name, has_condition) in world.observer_names() {
            found.push((Self::Observer(number), name));
            found.extend(has_condition.then_some((Self::Condition(number, None), name)));
        }
        world.each_registered(|number, name, _| found.push((Self::Registered(number), name)));
        found
    }
}

/// Parts that cannot be copied.
#[derive(Default)]
pub(super) struct UncopiedOutside {
    pub(super) memories: Vec<Uncopied>,
    /// The names of closures with captured values.
    pub(super) closures: Vec<&'static str>,
    /// The names of systems that are called as functions, if the copy has to become bytes.
    pub(super) called: Vec<&'static str>,
}

/// A copy of the memory of systems outside of schedules.
#[derive(Default)]
pub(super) struct OutsideCopy {
    /// In the order of [`Outside`]; `None` if the snapshot is without them.
    pub(super) systems: Option<Vec<OutsideSystem>>,
    /// False if it was read, because bytes do not have the systems that are called as functions.
    has_called: bool,
    /// The observers that made their states for a return.
    made: Vec<Outside>,
}

pub(super) struct OutsideSystem {
    pub(super) id: Outside,
    pub(super) name: &'static str,
    /// `None` if it has not run, or is registered and ran at that moment.
    pub(super) memories: Option<Vec<MemoryCopy>>,
}

/// The memory of a system outside of schedules.
enum OutsideMemory<'a> {
    States(&'a mut KeptStates),
    Registered(&'a mut dyn FnMut(&mut Remember<'_>) -> bool),
    Condition(&'a mut ObserverCondition),
}

impl OutsideMemory<'_> {
    /// Calls a function with each thing in it. Returns false if the system has not run, or is registered and runs now.
    fn remembered(&mut self, remember: &mut Remember<'_>) -> bool {
        match self {
            Self::States(states) => states.remembered(remember),
            Self::Registered(remembered) => remembered(remember),
            Self::Condition(condition) => {
                condition.remembered(remember);
                true
            }
        }
    }
}

/// Receives a system, its name and its memory. Returns true if an observer is to make its states: it is received again then.
type Visit<'v> = dyn FnMut(Outside, &'static str, OutsideMemory<'_>) -> bool + 'v;

/// Calls a function with each system outside of schedules.
fn each(world: &mut World, visit: &mut Visit<'_>) {
    world.each_observer(&mut |observer| {
        let id = match observer.entity {
            Some(entity) => Outside::OfEntity(observer.number, entity),
            None => Outside::Observer(observer.number),
        };
        let mut makes = false;
        loop {
            let mut lent = LentStates {
                makes,
                ..LentStates::default()
            };
            (observer.call)(&mut lent);
            let LentStates {
                states, condition, ..
            } = &mut lent;
            let visit = || {
                if let Some(condition) = condition {
                    let id = Outside::Condition(observer.number, observer.entity);
                    visit(id, observer.name, OutsideMemory::Condition(condition));
                }
                visit(id, observer.name, OutsideMemory::States(states))
            };
            let again = catch_unwind(AssertUnwindSafe(visit));
            lent.makes = false;
            (observer.call)(&mut lent);
            let again = again.unwrap_or_else(|panic| resume_unwind(panic));
            if !again || replace(&mut makes, true) {
                return;
            }
        }
    });
    world.each_registered(|number, name, remembered| {
        let memory = OutsideMemory::Registered(remembered);
        visit(Outside::Registered(number), name, memory);
    });
    let states = world.system_states.get_mut();
    for (id, kept) in states.unwrap_or_else(PoisonError::into_inner).iter_mut() {
        if let Some(CalledSystem { name, states }) = kept.downcast_mut::<CalledSystem>() {
            visit(Outside::Called(id), name, OutsideMemory::States(states));
        }
    }
}

/// Returns the parts that cannot be copied.
pub(super) fn without_copier(world: &mut World, values: KnownValues<'_>) -> UncopiedOutside {
    let mut found = UncopiedOutside {
        closures: world.capturing_observers(),
        ..UncopiedOutside::default()
    };
    each(world, &mut |id, system, mut memory| {
        if matches!(id, Outside::Called(_)) && values.is_written.is_some() {
            if memory.remembered(&mut |_| {}) {
                found.called.push(system);
            }
            return false;
        }
        memory.remembered(&mut |Remembered(memory)| match memory {
            Memory::Value(_, id, name) if values.find(id).is_none() => {
                found.memories.push((system.to_string(), name));
            }
            Memory::Unknown(name) => found.memories.push((system.to_string(), name)),
            Memory::Captured => found.closures.push(system),
            _ => {}
        });
        false
    });
    found
}

impl OutsideCopy {
    /// Copies the memories of all systems outside of schedules, and of the observers of entities that are part of the snapshot.
    ///
    /// # Panics
    /// If a `Clone` panics; in that case the copy is incomplete.
    pub(super) fn take(
        &mut self,
        world: &mut World,
        values: KnownValues<'_>,
        is_part: &dyn Fn(Entity) -> bool,
    ) {
        let mut systems = Vec::new();
        each(world, &mut |id, name, mut memory| {
            let is_taken = match id {
                Outside::OfEntity(_, entity) | Outside::Condition(_, Some(entity)) => {
                    values.is_written.is_none() && is_part(entity)
                }
                Outside::Called(_) => values.is_written.is_none(),
                _ => true,
            };
            if is_taken {
                let mut memories = Vec::new();
                let has_run = memory.remembered(&mut |Remembered(memory)| {
                    memories.extend(MemoryCopy::of(memory, values));
                });
                let memories = has_run.then_some(memories);
                systems.push(OutsideSystem { id, name, memories });
            }
            false
        });
        systems.sort_unstable_by_key(|system| system.id);
        self.systems = Some(systems);
        self.has_called = values.is_written.is_none();
    }

    /// Makes it the copy of systems that were read.
    pub(super) fn set(&mut self, mut systems: Vec<OutsideSystem>) {
        systems.sort_unstable_by_key(|system| system.id);
        self.systems = Some(systems);
    }

    fn find(&mut self, id: Outside) -> Option<&mut OutsideSystem> {
        let systems = self.systems.as_mut()?;
        let place = systems.binary_search_by_key(&id, |system| system.id);
        systems.get_mut(place.ok()?)
    }

    /// Clones the values that will be exchanged, and lets observers make the states that values will be given to. Returns false if
    /// a system remembers other things than the copy.
    ///
    /// # Panics
    /// If a `Clone` or the initialisation of a `Local` panics.
    pub(super) fn stage(&mut self, world: &mut World) -> bool {
        let systems = self.systems.iter_mut().flatten();
        for memory in systems.flat_map(|system| system.memories.iter_mut().flatten()) {
            memory.stage();
        }
        let mut fits = true;
        self.made.clear();
        each(world, &mut |id, _, mut memory| {
            let copy = self.find(id).and_then(|system| system.memories.as_ref());
            let Some(copy) = copy else {
                return false;
            };
            let mut copies = copy.iter();
            let has_run = memory.remembered(&mut |Remembered(memory)| {
                if !memory.is_not_copied() {
                    fits &= copies.next().is_some_and(|copy| copy.fits(&memory));
                }
            });
            if has_run {
                fits &= copies.next().is_none();
            } else {
                self.made.push(id);
            }
            !has_run
        });
        fits
    }

    /// Returns the states that were made by [`stage`](Self::stage), which observers have no longer.
    pub(super) fn unstage(&mut self, world: &mut World) -> Vec<KeptStates> {
        let made = take(&mut self.made);
        let mut gone = Vec::new();
        if made.is_empty() {
            return gone;
        }
        each(world, &mut |id, _, memory| {
            if let OutsideMemory::States(states) = memory
                && made.contains(&id)
            {
                gone.push(take(states));
            }
            false
        });
        gone
    }

    /// Gives the systems their [staged](Self::stage) values, and returns the states of systems that had not run. Calls no code of
    /// the user.
    pub(super) fn put_back(&mut self, world: &mut World) -> Vec<KeptStates> {
        let mut gone = Vec::new();
        if self.systems.is_none() {
            return gone;
        }
        let has_called = self.has_called;
        each(world, &mut |id, _, mut memory| {
            let is_new = match self.find(id).map(|system| &mut system.memories) {
                Some(Some(memories)) => {
                    let mut copies = memories.iter_mut();
                    memory.remembered(&mut |Remembered(memory)| {
                        if !memory.is_not_copied()
                            && let Some(copy) = copies.next()
                        {
                            copy.give_to(memory);
                        }
                    });
                    false
                }
                Some(None) => true,
                None => has_called && matches!(id, Outside::Called(_)),
            };
            if let OutsideMemory::States(states) = memory
                && is_new
            {
                gone.push(take(states));
            }
            false
        });
        gone
    }
}

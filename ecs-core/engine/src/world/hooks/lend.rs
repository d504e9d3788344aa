//! Reaches the states that observers keep from call to call.

use alloc::vec::Vec;
use core::any::Any;

use super::entity_observers::EntityObservers;
use super::observed::{Call, EventPath};
use super::{DeferredWorld, Observer, ObserverId};
use crate::entity::Entity;
use crate::sort::sort_by_number;
use crate::unwind::{AssertUnwindSafe, catch_unwind, resume_unwind};
use crate::world::World;

/// An observer that a function is called with.
pub(crate) struct LentObserver<'a> {
    /// The number of the observer among all that were registered with the world.
    pub(crate) number: u64,
    pub(crate) name: &'static str,
    /// The entity whose events are observed; `None` for all entities.
    pub(crate) entity: Option<Entity>,
    /// Calls it with a value in place of an event.
    pub(crate) call: &'a mut dyn FnMut(&mut dyn Any),
}

impl World {
    /// Returns the numbers and names of the observers of all entities, and whether they have conditions, in the order of registration.
    pub(crate) fn observer_names(&self) -> Vec<(u64, &'static str, bool)> {
        let mut names = Vec::new();
        self.observers.each(&mut |id, observer| {
            names.push((id.number, observer.name, observer.has_condition));
        });
        sort_by_number(&mut names, |&(number, ..)| number);
        names
    }

    /// Returns the names of the observers that are closures with captured values: of the world, and of entities once each.
    pub(crate) fn capturing_observers(&self) -> Vec<&'static str> {
        let mut found: Vec<&'static str> = Vec::new();
        let captures = |observer: &Observer| observer.captures.then_some(observer.name);
        self.observers
            .each(&mut |_, observer| found.extend(captures(observer)));
        for entity in self.observed_entities(usize::MAX) {
            if let Some(own) = self.get::<EntityObservers>(entity) {
                own.list().each(&mut |_, observer| {
                    let name = captures(observer).filter(|name| !found.contains(name));
                    found.extend(name);
                });
            }
        }
        found
    }

    /// Calls a function with each observer of the world and of entities, in an order that depends on nothing else.
    ///
    /// # Panics
    /// If the function panics; the world keeps its observers.
    pub(crate) fn each_observer(&mut self, f: &mut dyn FnMut(LentObserver<'_>)) {
        self.lend_observers(None, f);
        for entity in self.observed_entities(usize::MAX) {
            self.lend_observers(Some(entity), f);
        }
    }

    /// Moves the observers out of the world for the calls, like a trigger.
    fn lend_observers(&mut self, of: Option<Entity>, f: &mut dyn FnMut(LentObserver<'_>)) {
        let Some(place) = self.observers_of(of) else {
            return;
        };
        let mut observers = core::mem::take(place);
        let result = catch_unwind(AssertUnwindSafe(|| {
            observers.each_mut(&mut |ObserverId { number, .. }, observer| {
                let mut call = |event: &mut dyn Any| {
                    let path = EventPath::NONE;
                    (observer.function)(Call { event, path }, DeferredWorld::new(self));
                };
                f(LentObserver {
                    number,
                    name: observer.name,
                    entity: of,
                    call: &mut call,
                });
            });
        }));
        if let Some(place) = self.observers_of(of) {
            *place = observers;
        }
        if let Err(panic) = result {
            resume_unwind(panic);
        }
    }
}

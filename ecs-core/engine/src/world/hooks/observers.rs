//! The observers of a world or of an entity.

use alloc::vec::Vec;
use core::any::TypeId;
use hashbrown::HashMap;

use super::observed::ObservedSubject;
use super::observer::{Function, ObserverConstraint};
use super::{Lifecycle, Observer, ObserverCycle, ObserverId};
use crate::component::{ComponentId, LifecycleSet};
use crate::entity::Entity;
use crate::graph;
use crate::hash::BuildTypeIdHasher;
use crate::sort::sort_by_number;
use crate::world::WorldId;

/// The observers of a world or of an entity.
#[derive(Default)]
pub(crate) struct Observers {
    /// Sorted by subject. No list is empty.
    by_subject: Vec<(ObservedSubject, ObserverList)>,
}

/// The observers of one subject.
#[derive(Default)]
struct ObserverList {
    /// In the order of registration. Removing an observer leaves its place empty, until half of the places are empty.
    places: Vec<(ObserverId, Option<Observer>)>,
    /// The number of empty places.
    empty: usize,
    constraints: Constraints,
    /// The places in the order of calls. Invariant 1: each place occurs once, unless there are no constraints or `is_stale`.
    order: Vec<usize>,
    /// True if the observers have changed since `order` was made.
    is_stale: bool,
}

/// The constraints of all observers of a list: for each system, the number of observers to be called before and after it.
#[derive(Clone, Default)]
struct Constraints(HashMap<TypeId, [usize; 2], BuildTypeIdHasher>);

impl Constraints {
    fn add(&mut self, constraint: &ObserverConstraint) {
        self.0.entry(constraint.other).or_default()[usize::from(constraint.is_before)] += 1;
    }

    fn remove(&mut self, constraint: &ObserverConstraint) {
        if let Some(counts) = self.0.get_mut(&constraint.other) {
            counts[usize::from(constraint.is_before)] -= 1;
            if *counts == [0; 2] {
                self.0.remove(&constraint.other);
            }
        }
    }

    /// Returns true if an observer may have others on both sides. If not, it is in no cycle.
    fn may_close_cycle(&self, observer: &Observer) -> bool {
        let others = observer.system.and_then(|system| self.0.get(&system));
        let [mut waits_for_it, mut awaited] =
            others.map_or([false; 2], |&[after, before]| [after > 0, before > 0]);
        for constraint in &observer.constraints {
            match constraint.is_before {
                true => waits_for_it = true,
                false => awaited = true,
            }
        }
        waits_for_it && awaited
    }
}

impl Observers {
    /// Adds an observer, which has this number in this world. O(log of observers), unless the observer could be part of a
    /// cycle.
    ///
    /// # Errors
    /// If its constraints and the constraints of others contradict each other. The function is returned, to be dropped once
    /// the world is consistent.
    pub(super) fn add(
        &mut self,
        (world, number): (WorldId, u64),
        entity: Option<Entity>,
        observer: Observer,
    ) -> Result<ObserverId, (ObserverCycle, Function)> {
        let subject = observer.subject;
        let id = ObserverId {
            world,
            number,
            subject,
            entity,
        };
        let found = match self.find(subject) {
            Ok(found) => found,
            Err(place) => {
                self.by_subject
                    .insert(place, (subject, ObserverList::default()));
                place
            }
        };
        let list = &mut self.by_subject[found].1;
        let Err(observers) = list.add(id, observer) else {
            return Ok(id);
        };
        let refused = self.remove(id).expect("it was added");
        let event = refused.event;
        Err((ObserverCycle { event, observers }, refused.function))
    }

    /// Removes an observer and returns it, to be dropped once the world is consistent. O(log of observers), amortised.
    pub(super) fn remove(&mut self, id: ObserverId) -> Option<Observer> {
        let found = self.find(id.subject).ok()?;
        let list = &mut self.by_subject[found].1;
        let removed = list.remove(id)?;
        if list.empty == list.places.len() {
            self.by_subject.remove(found);
        }
        Some(removed)
    }

    /// Returns the index of a subject's observers, or the index at which to insert them.
    fn find(&self, subject: ObservedSubject) -> Result<usize, usize> {
        self.by_subject
            .binary_search_by(|(other, _)| other.cmp(&subject))
    }

    /// Returns a copy of the observers whose functions are shared: of all those of an entity.
    pub(super) fn copy(&self) -> Self {
        let by_subject = self.by_subject.iter();
        let by_subject = by_subject.map(|(subject, list)| (*subject, list.copy()));
        Self {
            by_subject: by_subject.collect(),
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.by_subject.is_empty()
    }

    /// Calls a function with each observer, by subject.
    pub(super) fn each<'a>(&'a self, f: &mut dyn FnMut(ObserverId, &'a Observer)) {
        for (id, observer) in self.by_subject.iter().flat_map(|(_, list)| &list.places) {
            if let Some(observer) = observer {
                f(*id, observer);
            }
        }
    }

    /// Like [`each`](Self::each), with exclusive access.
    #[cfg(feature = "snapshot")]
    pub(super) fn each_mut(&mut self, f: &mut dyn FnMut(ObserverId, &mut Observer)) {
        for (_, list) in &mut self.by_subject {
            for (id, observer) in &mut list.places {
                if let Some(observer) = observer {
                    f(*id, observer);
                }
            }
        }
    }

    /// Returns the observed lifecycle events of a component.
    pub(super) fn observed(&self, component: ComponentId) -> LifecycleSet {
        let mut observed = LifecycleSet::NOTHING;
        for kind in Lifecycle::ALL {
            if self
                .find(ObservedSubject::Component(component.index(), kind))
                .is_ok()
            {
                observed = observed.and(LifecycleSet::of(kind));
            }
        }
        observed
    }

    /// Calls a function with each observer of a lifecycle event of a component, in the order of calls.
    pub(super) fn each_of_component(
        &mut self,
        component: ComponentId,
        kind: Lifecycle,
        f: impl FnMut(&mut Function),
    ) {
        self.each_of(ObservedSubject::Component(component.index(), kind), f);
    }

    /// Calls a function with each observer of a type of events, in the order of calls.
    pub(super) fn each_of_event(&mut self, event: TypeId, f: impl FnMut(&mut Function)) {
        self.each_of(ObservedSubject::Event(event), f);
    }

    fn each_of(&mut self, subject: ObservedSubject, mut f: impl FnMut(&mut Function)) {
        let Ok(found) = self.find(subject) else {
            return;
        };
        let list = &mut self.by_subject[found].1;
        if list.constraints.0.is_empty() {
            for (_, observer) in &mut list.places {
                if let Some(observer) = observer {
                    f(&mut observer.function);
                }
            }
            return;
        }
        if list.is_stale {
            // A cycle would have been refused.
            let _ = list.arrange();
        }
        for &place in &list.order {
            if let Some(observer) = &mut list.places[place].1 {
                f(&mut observer.function);
            }
        }
    }
}

impl ObserverList {
    fn copy(&self) -> Self {
        let places = self.places.iter();
        let places = places.map(|(id, observer)| (*id, observer.as_ref().and_then(Observer::copy)));
        Self {
            places: places.collect(),
            empty: self.empty,
            constraints: self.constraints.clone(),
            order: self.order.clone(),
            is_stale: self.is_stale,
        }
    }

    /// Adds an observer.
    ///
    /// # Errors
    /// The names of observers that now wait for each other; the observer is added nevertheless.
    fn add(&mut self, id: ObserverId, observer: Observer) -> Result<(), Vec<&'static str>> {
        for constraint in &observer.constraints {
            self.constraints.add(constraint);
        }
        let may_close_cycle = self.constraints.may_close_cycle(&observer);
        self.places.push((id, Some(observer)));
        self.is_stale = true;
        if may_close_cycle {
            self.arrange()
        } else {
            Ok(())
        }
    }

    fn remove(&mut self, id: ObserverId) -> Option<Observer> {
        let place = self
            .places
            .binary_search_by_key(&id.number, |(id, _)| id.number);
        let (known, observer) = &mut self.places[place.ok()?];
        let removed = if *known == id {
            observer.take()?
        } else {
            return None;
        };
        for constraint in &removed.constraints {
            self.constraints.remove(constraint);
        }
        self.is_stale = true;
        self.empty += 1;
        if self.empty * 2 > self.places.len() && self.empty < self.places.len() {
            self.places.retain(|(_, observer)| observer.is_some());
            self.empty = 0;
        }
        Some(removed)
    }

    /// Computes the order of calls: the order of registration, changed as little as constraints require. The next one is
    /// always the first registered observer that does not wait for another one.
    ///
    /// # Errors
    /// The names of observers that wait for each other.
    fn arrange(&mut self) -> Result<(), Vec<&'static str>> {
        let mut by_system: HashMap<TypeId, Vec<usize>, BuildTypeIdHasher> = HashMap::default();
        let observers = || self.places.iter().enumerate();
        let observers = || observers().filter_map(|(place, (_, one))| Some((place, one.as_ref()?)));
        for (place, one) in observers() {
            if let Some(system) = one.system {
                by_system.entry(system).or_default().push(place);
            }
        }
        let mut edges = Vec::new();
        for (place, one) in observers() {
            for constraint in &one.constraints {
                for &other in by_system.get(&constraint.other).into_iter().flatten() {
                    edges.push(match constraint.is_before {
                        true => (place, other),
                        false => (other, place),
                    });
                }
            }
        }
        match graph::order(self.places.len(), &edges) {
            Ok(order) => {
                self.order = order;
                self.is_stale = false;
                Ok(())
            }
            Err(cycle) => {
                let name = |place: usize| self.places[place].1.as_ref().map(|one| one.name);
                Err(cycle.into_iter().filter_map(name).collect())
            }
        }
    }
}

impl Drop for Observers {
    /// Drops the functions in the order of registration.
    fn drop(&mut self) {
        // While observers are called, the world has such an empty list in their place.
        if self.is_empty() {
            return;
        }
        let mut all = Vec::new();
        for (_, list) in &mut self.by_subject {
            all.append(&mut list.places);
        }
        sort_by_number(&mut all, |(id, _)| id.number);
    }
}

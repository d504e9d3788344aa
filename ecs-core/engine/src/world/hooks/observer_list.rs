//! The list of a world's observers, for tools.

use alloc::vec::Vec;
use core::any::TypeId;

use super::Lifecycle;
use super::entity_observers::EntityObservers;
use super::observed::ObservedSubject;
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::meta::ParamInfo;
use crate::sort::sort_by_number;
use crate::world::World;

/// An observer of a world; see [`World::observer_list`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ListedObserver {
    /// The name of the function, or of the closure's type.
    pub name: &'static str,
    /// The name of the event: `OnAdd<game::Health>`, or the path of a triggered type.
    pub event: &'static str,
    /// The type of a triggered event; `None` for a component's lifecycle.
    pub event_type: Option<TypeId>,
    /// The component whose lifecycle is observed; `None` for a triggered event.
    pub component: Option<ComponentId>,
    /// The moment in the component's lifecycle; `None` for a triggered event.
    pub lifecycle: Option<Lifecycle>,
    /// The entity whose events are observed; `None` for all entities.
    pub entity: Option<Entity>,
    /// The parameters beside the event, with their accesses; empty if the observer takes a `DeferredWorld`.
    pub params: &'static [ParamInfo],
}

impl World {
    /// Returns the observers of all entities, in the order of registration. O(observers).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::world::hooks::Trigger;
    ///
    /// struct Hit(u32);
    ///
    /// #[system]
    /// fn count_damage(hit: Trigger<Hit>, mut damage: ResMut<u32>) {
    ///     *damage += hit.0;
    /// }
    ///
    /// let mut world = World::new();
    /// world.observe(count_damage);
    /// let observers = world.observer_list();
    /// assert!(observers[0].name.ends_with("count_damage"));
    /// assert!(observers[0].event.ends_with("Hit"));
    /// ```
    #[must_use]
    #[inline]
    pub fn observer_list(&self) -> Vec<ListedObserver> {
        self.observers.list()
    }

    /// Returns the observers of one entity, in the order of registration; none if it is not alive, or the world is in the middle of
    /// a call of its observers. O(observers of the entity).
    #[must_use]
    #[inline]
    pub fn observer_list_of(&self, entity: Entity) -> Vec<ListedObserver> {
        match self.get::<EntityObservers>(entity) {
            Some(own) => own.list().list(),
            None => Vec::new(),
        }
    }

    /// Returns the entities that have observers of their own, at most `limit`. O(limit).
    #[must_use]
    #[inline]
    pub fn observed_entities(&self, limit: usize) -> Vec<Entity> {
        let Ok(view) = self.try_view_erased(Self::own_observers()) else {
            return Vec::new();
        };
        let chunks = view.chunks().flat_map(|chunk| chunk.entities().to_vec());
        chunks.take(limit).collect()
    }
}

impl super::Observers {
    #[inline]
    fn list(&self) -> Vec<ListedObserver> {
        let mut found = Vec::new();
        self.each(&mut |id, observer| {
            let (component, lifecycle, event_type) = match observer.subject {
                ObservedSubject::Component(index, kind) => {
                    (Some(ComponentId::from_index(index)), Some(kind), None)
                }
                ObservedSubject::Event(event) => (None, None, Some(event)),
            };
            let listed = ListedObserver {
                name: observer.name,
                event: observer.event,
                event_type,
                component,
                lifecycle,
                entity: id.entity,
                params: observer.params,
            };
            found.push((id.number, listed));
        });
        sort_by_number(&mut found, |&(number, _)| number);
        found.into_iter().map(|(_, listed)| listed).collect()
    }
}

//! Registers observers, and triggers events.

use core::any::TypeId;
use core::cell::Cell;

use super::entity_observers::EntityObservers;
use super::lifecycle_events::HookOrigin;
use super::observed::{Call, EventPath, Stopped};
use super::{
    IntoObserver, Observer, ObserverCycle, ObserverId, Observers, OfTrigger, StructuralChange,
};
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::type_name::type_name;
use crate::world::{NoSuchEntity, World, WorldId};

impl World {
    /// Registers a function that is called when an event is [triggered](Self::trigger) or, for [`OnAdd<T>`](super::OnAdd)
    /// and the like, when a component is inserted into an entity or removed from it.
    ///
    /// Any number of functions can observe the same event. Only this world calls them, in the order of registration unless
    /// [constraints](crate::observer) change it. [`world::hooks`](super) describes the kinds of observers, the times of
    /// their calls and the changes that they may make.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::world::hooks::{OnAdd, Trigger};
    ///
    /// #[derive(Component)] struct Health(i32);
    /// struct Hit { damage: i32 }
    ///
    /// #[system]
    /// fn hurt(hit: Trigger<Hit>, mut health: CompMut<Health>, mut commands: Commands) {
    ///     let Some(health) = health.get_mut(hit.entity()) else { return };
    ///     health.0 -= hit.damage;
    ///     if health.0 <= 0 {
    ///         commands.despawn(hit.entity());
    ///     }
    /// }
    ///
    /// let mut world = World::new();
    /// world.observe(hurt);
    /// let counting = world.observe(|_: OnAdd<Health>, mut count: ResMut<u32>| *count += 1);
    /// world.insert_resource(0_u32);
    ///
    /// let rat = world.spawn(Health(3));
    /// world.trigger_on(rat, Hit { damage: 2 })?;
    /// assert_eq!(world.get::<Health>(rat).unwrap().0, 1);
    /// world.trigger_on(rat, Hit { damage: 2 })?;
    /// assert!(!world.contains(rat));
    ///
    /// assert!(world.unobserve(counting));
    /// world.spawn(Health(1));
    /// assert_eq!(*world.resource::<u32>(), 1);
    /// # Ok::<(), ecs_core::world::NoSuchEntity>(())
    /// ```
    ///
    /// O(1) for events; the first observer of a lifecycle event of a component also visits all tables.
    ///
    /// # Panics
    /// If the observer and others wait for each other ([`try_observe`](Self::try_observe) returns an error instead), or if
    /// its own parameters conflict in a way that no constant can detect.
    #[track_caller]
    #[doc(alias = "add_observer")]
    #[doc(alias = "observer")]
    pub fn observe<M>(&mut self, observer: impl IntoObserver<M>) -> ObserverId {
        registered(self.try_observe(observer))
    }

    /// Registers an observer like [`observe`](Self::observe), but returns an error instead of a panic.
    ///
    /// # Errors
    /// If its [constraints](crate::system::ObserverConfig::before) contradict the constraints of other observers of the same
    /// event. The error names the observers. This one is dropped, and the others stay as they were.
    pub fn try_observe<M>(
        &mut self,
        observer: impl IntoObserver<M>,
    ) -> Result<ObserverId, ObserverCycle> {
        let observer = observer.into_observer().completed(self);
        let (number, params) = (self.next_observer(), observer.params);
        // The refused observer is dropped here, after the change.
        let id = self
            .observers
            .add(number, None, observer)
            .map_err(|(cycle, _)| cycle)?;
        self.make_params_known(params);
        self.update_observed(id);
        Ok(id)
    }

    fn next_observer(&mut self) -> (WorldId, u64) {
        self.observer_count += 1;
        (self.id, self.observer_count)
    }

    /// Registers a function that is called when an event is [triggered on](Self::trigger_on) this entity, after the
    /// observers of the world.
    ///
    /// The function is dropped when the entity is despawned. Lifecycle events ([`OnAdd<T>`](super::OnAdd) and the like) can
    /// be observed only for all entities, by [`observe`](Self::observe).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::world::hooks::{DeferredWorld, Trigger};
    ///
    /// struct Pressed;
    ///
    /// let mut world = World::new();
    /// let [quit, help] = [(); 2].map(|()| world.spawn(()));
    /// world.insert_resource(false);
    /// world.observe_on(quit, |_: Trigger<Pressed>, world: DeferredWorld| *world.resource_mut() = true)?;
    ///
    /// world.trigger_on(help, Pressed)?;
    /// assert!(!*world.resource::<bool>());
    /// world.trigger_on(quit, Pressed)?;
    /// assert!(*world.resource::<bool>());
    /// # Ok::<(), ecs_core::world::NoSuchEntity>(())
    /// ```
    ///
    /// O(1).
    ///
    /// # Errors
    /// If the entity does not exist; the function is dropped.
    ///
    /// # Panics
    /// In the same cases as [`observe`](Self::observe). Constraints apply among the observers of this entity.
    #[track_caller]
    pub fn observe_on<M: OfTrigger>(
        &mut self,
        entity: Entity,
        observer: impl IntoObserver<M>,
    ) -> Result<ObserverId, NoSuchEntity> {
        self.observe_erased(entity, observer.into_observer())
    }

    #[track_caller]
    #[inline]
    pub(crate) fn observe_erased(
        &mut self,
        entity: Entity,
        observer: Observer,
    ) -> Result<ObserverId, NoSuchEntity> {
        if self.observers_of(Some(entity)).is_none() {
            self.insert(entity, EntityObservers::default())?;
        }
        let observer = observer.completed(self).into_shared();
        let (number, params) = (self.next_observer(), observer.params);
        self.make_params_known(params);
        let own = self.observers_of(Some(entity));
        let own = own.ok_or(NoSuchEntity { entity })?;
        let added = own.add(number, Some(entity), observer);
        Ok(registered(added.map_err(|(cycle, _)| cycle)))
    }

    /// The component of entities that have observers of their own.
    #[inline]
    pub(crate) fn own_observers() -> ComponentId {
        ComponentId::of::<EntityObservers>()
    }

    /// Returns the observers of the entity, or of the world if none is given. `None` if the entity has no observers.
    pub(super) fn observers_of(&mut self, entity: Option<Entity>) -> Option<&mut Observers> {
        match entity {
            None => Some(&mut self.observers),
            Some(entity) => self
                .get_mut::<EntityObservers>(entity)
                .map(EntityObservers::observers),
        }
    }

    /// Unregisters an observer and drops it; returns false if it is not, or no longer, registered with this world.
    ///
    /// O(observers of the same event). Removing the last observer of a lifecycle event of a component also visits all tables.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::world::hooks::Trigger;
    ///
    /// struct Bell;
    ///
    /// let mut world = World::new();
    /// world.insert_resource(0_u32);
    /// let id = world.observe(|_: Trigger<Bell>, mut rung: ResMut<u32>| *rung += 1);
    /// world.trigger(Bell);
    /// assert!(world.unobserve(id));
    /// world.trigger(Bell);
    /// assert_eq!(*world.resource::<u32>(), 1);
    /// ```
    pub fn unobserve(&mut self, id: ObserverId) -> bool {
        let observers = self.observers_of(id.entity());
        let Some(function) = observers.and_then(|observers| observers.remove(id)) else {
            return false;
        };
        self.update_observed(id);
        drop(function);
        true
    }

    /// Updates the set of observed events of the component whose observers have changed.
    fn update_observed(&mut self, id: ObserverId) {
        let Some(component) = id.component() else {
            return;
        };
        let observed = self.observers.observed(component);
        self.storage.register(component);
        let store = self.storage.store_mut(component);
        let observed = store.info.observed().and(observed);
        if store.observed != observed {
            store.observed = observed;
            self.storage.update_observed();
            self.bundles.update_observed(&self.storage);
        }
    }

    /// Calls the [observers](Self::observe) of an event, and applies the commands that they queue. Returns the event, which observers
    /// [may change](crate::world::hooks::Trigger).
    ///
    /// An event is a value of any type. It is not stored. For events that are read later, use [`Events`](crate::Events).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::world::hooks::Trigger;
    ///
    /// struct Bell(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(0_u32);
    /// world.observe(|bell: Trigger<Bell>, mut rung: ResMut<u32>| *rung += bell.0);
    /// world.trigger(Bell(3));
    /// assert_eq!(*world.resource::<u32>(), 3);
    /// ```
    ///
    /// # Panics
    /// If an observer panics; the remaining ones are not called in that case.
    pub fn trigger<E: 'static>(&mut self, mut event: E) -> E {
        let stopped = Cell::new(Stopped::No);
        let path = EventPath {
            target: None,
            origin: None,
            stopped: Some(&stopped),
        };
        let mut change = StructuralChange::new(self);
        call_observers::<E>(
            &mut change,
            None,
            &mut Call {
                event: &mut event,
                path,
            },
        );
        change.finish();
        event
    }

    /// Calls the [observers](Self::observe) of an event on an entity, and applies the commands that they queue. Returns the event,
    /// which observers [may change](crate::world::hooks::Trigger).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::world::hooks::Trigger;
    ///
    /// struct Pressed;
    ///
    /// let mut world = World::new();
    /// let button = world.spawn(());
    /// world.observe(|pressed: Trigger<Pressed>, mut commands: Commands| {
    ///     commands.despawn(pressed.target().unwrap());
    /// });
    /// world.trigger_on(button, Pressed).unwrap();
    /// assert!(!world.contains(button));
    /// ```
    ///
    /// # Errors
    /// If the entity does not exist.
    ///
    /// # Panics
    /// If an observer panics; the remaining ones are not called in that case.
    #[doc(alias = "trigger_targets")]
    #[doc(alias = "emit")]
    pub fn trigger_on<E: 'static>(&mut self, entity: Entity, event: E) -> Result<E, NoSuchEntity> {
        if !self.contains(entity) {
            return Err(NoSuchEntity { entity });
        }
        Ok(self.trigger_along(&[entity], event))
    }

    /// Calls the observers of an event for each of these entities in turn, until it is stopped. All of them are alive. Returns the
    /// event.
    pub(crate) fn trigger_along<E: 'static>(&mut self, path: &[Entity], mut event: E) -> E {
        let stopped = Cell::new(Stopped::No);
        let mut change = StructuralChange::new(self);
        for &entity in path {
            let mut call = Call {
                event: &mut event,
                path: EventPath {
                    target: Some(entity),
                    origin: path.first().copied(),
                    stopped: Some(&stopped),
                },
            };
            call_observers::<E>(&mut change, None, &mut call);
            call_observers::<E>(&mut change, Some(entity), &mut call);
            if stopped.get() != Stopped::No {
                break;
            }
        }
        change.finish();
        event
    }
}

/// Returns the id, or panics if observers wait for each other.
#[track_caller]
fn registered(result: Result<ObserverId, ObserverCycle>) -> ObserverId {
    result.unwrap_or_else(|cycle| panic!("{cycle}"))
}

/// Calls the observers of events of type `E`: the observers of the world, or of an entity.
fn call_observers<E: 'static>(
    change: &mut StructuralChange<'_>,
    of: Option<Entity>,
    call: &mut Call<'_>,
) {
    let origin = HookOrigin::Event(type_name::<E>());
    change.with_observers(of, |change, observers| {
        observers.each_of_event(TypeId::of::<E>(), |observer| {
            if call
                .path
                .stopped
                .is_none_or(|stopped| stopped.get() != Stopped::All)
            {
                change.call(origin, |world| observer(call.reborrow(), world));
            }
        });
    });
}

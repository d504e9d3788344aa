//! Registering observers, and triggering events.

use core::any::{TypeId, type_name};
use core::cell::Cell;

use super::announce::HookOrigin;
use super::observer::Call;
use super::own::Own;
use super::{IntoObserver, ObserverId, Observers, StructuralChange, Trigger};
use crate::entity::Entity;
use crate::world::{NoSuchEntity, World, WorldId};

impl World {
    /// Calls a function whenever something happens: when an event is [triggered](Self::trigger), or, for
    /// [`OnAdd<T>`](super::OnAdd) and the like, when a component comes to an entity or leaves it.
    ///
    /// Any number of functions can observe the same; they are called in the order in which they were registered, and only
    /// by this world. When exactly, and what they may do, stands in [`world::hooks`](super). To use a `#[system]`, call it.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)] struct Health(i32);
    /// struct Hit { damage: i32 }
    ///
    /// #[system]
    /// fn hurt(victim: Entity, damage: i32, mut health: CompMut<Health>, mut commands: Commands) {
    ///     let Some(health) = health.get_mut(victim) else { return };
    ///     health.0 -= damage;
    ///     if health.0 <= 0 {
    ///         commands.despawn(victim);
    ///     }
    /// }
    ///
    /// let mut world = World::new();
    /// world.observe(|hit: Trigger<Hit>, world: DeferredWorld| hurt(hit.entity(), hit.damage, &world));
    /// let counting = world.observe(|_: OnAdd<Health>, world: DeferredWorld| *world.resource_mut::<u32>() += 1);
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
    /// O(1) for events; the first observer of something that happens to a component also visits all tables.
    pub fn observe<M>(&mut self, observer: impl IntoObserver<M>) -> ObserverId {
        let number = self.next_observer();
        let observer = observer.into_observer();
        let id = self.observers.add(number, None, observer);
        self.watch_again(id);
        id
    }

    fn next_observer(&mut self) -> (WorldId, u64) {
        self.observed += 1;
        (self.id, self.observed)
    }

    /// Calls a function whenever an event is [triggered on](Self::trigger_on) this entity, after the observers of the world.
    ///
    /// It goes with the entity. What comes to an entity and leaves it ([`OnAdd<T>`](super::OnAdd) and the like) is observed
    /// by [`observe`](Self::observe), for all entities.
    ///
    /// ```
    /// use ecs_core::prelude::*;
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
    /// If there is no such entity (any more); the function is dropped.
    pub fn observe_on<E: 'static>(
        &mut self,
        entity: Entity,
        observer: impl IntoObserver<fn(Trigger<'static, E>)>,
    ) -> Result<ObserverId, NoSuchEntity> {
        let observer = observer.into_observer();
        if self.observers_of(Some(entity)).is_none() {
            self.insert(entity, Own::default())?;
        }
        let number = self.next_observer();
        let own = self.observers_of(Some(entity));
        let own = own.ok_or(NoSuchEntity { entity })?;
        Ok(own.add(number, Some(entity), observer))
    }

    /// The observers of an entity, if it has some, or of the world.
    pub(super) fn observers_of(&mut self, entity: Option<Entity>) -> Option<&mut Observers> {
        match entity {
            None => Some(&mut self.observers),
            Some(entity) => self.get_mut::<Own>(entity).map(Own::observers),
        }
    }

    /// Takes an observer out and drops it; `false` if this world has it not (any more).
    ///
    /// O(observers of the same), and all tables are visited after the last one of something that happens to a component.
    pub fn unobserve(&mut self, id: ObserverId) -> bool {
        let observers = self.observers_of(id.entity());
        let Some(function) = observers.and_then(|observers| observers.remove(id)) else {
            return false;
        };
        self.watch_again(id);
        drop(function);
        true
    }

    /// Brings the notes about the component up to date whose observers have changed.
    fn watch_again(&mut self, id: ObserverId) {
        let Some(component) = id.component() else {
            return;
        };
        let observed = self.observers.watch(component);
        self.storage.register(component);
        let store = self.storage.store_mut(component);
        let watch = store.info.watch().and(observed);
        if store.watch != watch {
            store.watch = watch;
            self.storage.watch_leaving();
            self.bundles.watch_again(&self.storage);
        }
    }

    /// Calls the [observers](Self::observe) of an event, and applies what they queue.
    ///
    /// An event is a value of any type. Nobody keeps it: whoever wants to look at events later reads
    /// [`Events`](crate::Events).
    ///
    /// # Panics
    /// If an observer panics; the others are not called then.
    pub fn trigger<E: 'static>(&mut self, event: E) {
        let call = Call {
            event: &event,
            target: None,
            origin: None,
            stopped: &Cell::new(false),
        };
        let mut verb = StructuralChange::new(self);
        tell::<E>(&mut verb, None, call);
        verb.settle();
    }

    /// Calls the [observers](Self::observe) of an event that is about an entity, and applies what they queue.
    ///
    /// # Errors
    /// If there is no such entity (any more).
    ///
    /// # Panics
    /// As [`trigger`](Self::trigger).
    pub fn trigger_on<E: 'static>(&mut self, entity: Entity, event: E) -> Result<(), NoSuchEntity> {
        if !self.contains(entity) {
            return Err(NoSuchEntity { entity });
        }
        self.trigger_along(&[entity], &event);
        Ok(())
    }

    /// Calls the observers of an event that is about these entities, one after the other until it is stopped. They live.
    pub(crate) fn trigger_along<E: 'static>(&mut self, path: &[Entity], event: &E) {
        let stopped = Cell::new(false);
        let mut verb = StructuralChange::new(self);
        for &entity in path {
            let call = Call {
                event,
                target: Some(entity),
                origin: path.first().copied(),
                stopped: &stopped,
            };
            tell::<E>(&mut verb, None, call);
            tell::<E>(&mut verb, Some(entity), call);
            if stopped.get() {
                break;
            }
        }
        verb.settle();
    }
}

/// Calls those observers of the world, or of an entity, that observe events of the type `E`.
fn tell<E: 'static>(verb: &mut StructuralChange<'_>, of: Option<Entity>, call: Call<'_>) {
    let cause = HookOrigin::Event(type_name::<E>());
    verb.with_observers(of, |verb, observers| {
        for observer in observers.of_event(TypeId::of::<E>()) {
            verb.call(cause, |world| observer(call, world));
        }
    });
}

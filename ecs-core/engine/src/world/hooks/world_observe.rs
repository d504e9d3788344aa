//! Registering observers, and triggering events.

use core::any::{TypeId, type_name};

use super::announce::Cause;
use super::{IntoObserver, ObserverId, Verb};
use crate::entity::Entity;
use crate::world::{NoSuchEntity, World};

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
        let id = self.observers.add(observer.into_observer());
        self.watch_again(id);
        id
    }

    /// Takes an observer out and drops it; `false` if this world has it not (any more).
    ///
    /// O(observers of the same), and all tables are visited after the last one of something that happens to a component.
    pub fn unobserve(&mut self, id: ObserverId) -> bool {
        let function = self.observers.remove(id);
        self.watch_again(id);
        function.is_some()
    }

    /// Brings the notes about the component up to date whose observers have changed.
    fn watch_again(&mut self, id: ObserverId) {
        let Some(component) = id.component() else {
            return;
        };
        let observed = self.observers.watch(component);
        let store = self.storage.component_or_new(component);
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
        self.trigger_at(None, &event);
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
        self.trigger_at(Some(entity), &event);
        Ok(())
    }

    fn trigger_at<E: 'static>(&mut self, target: Option<Entity>, event: &E) {
        let mut verb = Verb::new(self);
        let cause = Cause::Event(type_name::<E>());
        verb.with_observers(|verb, observers| {
            for observer in observers.of_event(TypeId::of::<E>()) {
                verb.call(cause, |world| observer(event, target, world));
            }
        });
        verb.settle();
    }
}

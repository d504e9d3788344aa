//! Events that propagate along a relation.

use core::any::{Any, type_name};

use super::ToOne;
use crate::command::Commands;
use crate::entity::Entity;
use crate::world::{NoSuchEntity, World};

impl World {
    /// [Triggers](Self::trigger_on) an event on an entity, then on its target, on the target of that, and so on, until
    /// an observer [stops](crate::world::hooks::Trigger::stop) it: a click propagates from a label to the button that
    /// contains it, and to the window.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::world::hooks::{DeferredWorld, Trigger};
    ///
    /// #[derive(Relation)]
    /// #[relation(tree)]
    /// struct ChildOf;
    /// struct Click;
    ///
    /// let mut world = World::new();
    /// let window = world.spawn(());
    /// let button = world.spawn(ChildOf.to(window));
    /// let label = world.spawn(ChildOf.to(button));
    /// world.insert_resource("no observer");
    /// world.observe_on(button, move |click: Trigger<Click>, world: DeferredWorld| {
    ///     assert_eq!(click.origin(), Some(label));
    ///     *world.resource_mut() = "the button";
    ///     click.stop();
    /// })?;
    /// world.observe_on(window, |_: Trigger<Click>, world: DeferredWorld| *world.resource_mut() = "the window")?;
    ///
    /// world.trigger_up::<ChildOf, _>(label, Click)?;
    /// assert_eq!(*world.resource::<&str>(), "the button");
    /// world.trigger_up::<ChildOf, _>(window, Click)?;
    /// assert_eq!(*world.resource::<&str>(), "the window");
    /// # Ok::<(), ecs_core::world::NoSuchEntity>(())
    /// ```
    ///
    /// Commands of observers are applied after all observers were called, so the path is the one at the time of the
    /// call. Each entity is visited once, even if the relation has cycles. O([ancestors](Self::ancestors) + observers).
    ///
    /// # Errors
    /// If the entity does not exist.
    ///
    /// # Panics
    /// If an observer panics; the remaining ones are not called.
    pub fn trigger_up<R: ToOne, E: Any>(
        &mut self,
        entity: Entity,
        event: E,
    ) -> Result<E, NoSuchEntity> {
        if !self.contains(entity) {
            return Err(NoSuchEntity { entity });
        }
        let mut path = vec![entity];
        path.extend(self.ancestors::<R>(entity));
        Ok(self.trigger_along(&path, event))
    }
}

impl<D> Commands<'_, D> {
    /// Triggers an event that propagates from an entity along a relation; see [`World::trigger_up`]. Does nothing if
    /// the entity does not exist when the command is applied.
    pub fn trigger_up<R: ToOne>(&mut self, entity: Entity, event: impl Any + Send) {
        self.queue(move |world| {
            if let Err(error) = world.trigger_up::<R, _>(entity, event) {
                world.command_failed("trigger_up", type_name::<R>(), entity, error);
            }
        });
    }
}

//! Commands for one entity.

use core::fmt;

use super::Commands;
use crate::bundle::Bundle;
use crate::entity::Entity;
use crate::view::Entities;
use crate::world::hooks::{IntoObserver, Observer, OfTrigger};
use crate::world::{CommandQueue, Despawn, Insert, NoSuchEntity, Remove, World};

/// Defers changes of one entity; see [`Commands`].
///
/// Returned by [`Commands::spawn`](super::Commands::spawn) and [`Commands::entity`](super::Commands::entity).
pub struct EntityCommands<'c> {
    entity: Entity,
    queue: &'c mut CommandQueue,
    entities: Entities<'c>,
}

impl<'c> EntityCommands<'c> {
    pub(super) fn new(entity: Entity, queue: &'c mut CommandQueue, entities: Entities<'c>) -> Self {
        Self {
            entity,
            queue,
            entities,
        }
    }

    /// Returns the entity.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// let rat = world.run(|mut commands: Commands| commands.spawn(()).id());
    /// assert!(world.contains(rat));
    /// ```
    #[must_use]
    pub fn id(&self) -> Entity {
        self.entity
    }

    /// Returns commands for the same queue.
    pub(crate) fn commands(&mut self) -> Commands<'_> {
        Commands::new(self.queue, self.entities)
    }

    pub(crate) fn queue_mut(&mut self) -> &mut CommandQueue {
        self.queue
    }

    /// Inserts the components of `bundle` into the entity. Values that it already has are replaced and dropped.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// # #[derive(Component, Debug, PartialEq)] struct Name(&'static str);
    /// let mut world = World::new();
    /// let rat = world.spawn(());
    /// world.run(|mut commands: Commands| {
    ///     commands.entity(rat).insert((Name("rat"), Health(3)));
    /// });
    /// assert!(world.has::<Health>(rat));
    /// ```
    #[doc(alias = "add")]
    #[doc(alias = "set")]
    #[doc(alias = "with")]
    #[doc(alias = "insert_bundle")]
    pub fn insert<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        let () = B::DISTINCT;
        insert(self.queue, self.entity, bundle);
        self
    }

    /// Makes all later commands of this entity do nothing if the entity does not exist when they are applied,
    /// whatever the [policy](crate::World::on_command_error) of the world is.
    ///
    /// This holds until the end of the queue, or until the next `if_exists` or [`on_missing`](Self::on_missing) for an
    /// entity that is gone.
    #[doc(alias = "try_insert")]
    pub fn if_exists(&mut self) -> &mut Self {
        self.on_missing(|_, _| ())
    }

    /// Calls a function if the entity does not exist when this command is applied. Then later commands of the
    /// entity do nothing, whatever the [policy](crate::World::on_command_error) of the world is; see
    /// [`if_exists`](Self::if_exists).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Poisoned;
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Vec::<String>::new());
    /// let rat = world.spawn(());
    /// world.despawn(rat)?;
    /// world.run(move |mut commands: Commands| {
    ///     let mut rat = commands.entity(rat);
    ///     rat.on_missing(|world, error| world.resource_mut::<Vec<String>>().push(error.to_string()));
    ///     rat.insert(Poisoned);
    /// });
    /// assert_eq!(world.resource::<Vec<String>>().len(), 1);
    /// # Ok::<(), ecs_core::world::NoSuchEntity>(())
    /// ```
    pub fn on_missing(
        &mut self,
        f: impl FnOnce(&mut World, NoSuchEntity) + Send + 'static,
    ) -> &mut Self {
        let entity = self.entity;
        self.queue.push(move |world: &mut World| {
            if !world.contains(entity) {
                world.command_errors.expected = Some(entity);
                f(world, NoSuchEntity { entity });
            }
        });
        self
    }

    /// Removes and drops the components of `B` that the entity has.
    pub fn remove<B: Bundle>(&mut self) -> &mut Self {
        remove::<B>(self.queue, self.entity);
        self
    }

    /// Observes the events of the entity; see [`World::observe_on`](crate::World::observe_on).
    pub fn observe<M: OfTrigger>(&mut self, observer: impl IntoObserver<M>) -> &mut Self {
        observe(self.queue, self.entity, observer.into_observer());
        self
    }

    /// Despawns the entity.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// let rat = world.spawn(());
    /// world.run(|mut commands: Commands| commands.entity(rat).despawn());
    /// assert!(!world.contains(rat));
    /// ```
    #[doc(alias = "despawn_recursive")]
    #[doc(alias = "destruct")]
    #[doc(alias = "destroy")]
    pub fn despawn(&mut self) {
        despawn(self.queue, self.entity);
    }
}

impl fmt::Debug for EntityCommands<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EntityCommands").field(&self.entity).finish()
    }
}

pub(super) fn insert<B: Bundle>(queue: &mut CommandQueue, entity: Entity, bundle: B) {
    queue.push(Insert { entity, bundle });
}

pub(super) fn remove<B: Bundle>(queue: &mut CommandQueue, entity: Entity) {
    queue.push(Remove::<B>::new(entity));
}

pub(super) fn observe(queue: &mut CommandQueue, entity: Entity, observer: Observer) {
    queue.push(move |world: &mut World| {
        if let Err(error) = world.observe_erased(entity, observer) {
            world.command_failed("observe_on", "", entity, error);
        }
    });
}

pub(super) fn despawn(queue: &mut CommandQueue, entity: Entity) {
    queue.push(Despawn { entity });
}

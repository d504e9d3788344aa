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

    /// The entity.
    #[must_use]
    pub fn id(&self) -> Entity {
        self.entity
    }

    /// Commands for the same queue.
    pub(crate) fn commands(&mut self) -> Commands<'_> {
        Commands::new(self.queue, self.entities)
    }

    pub(crate) fn queue_mut(&mut self) -> &mut CommandQueue {
        self.queue
    }

    /// Inserts the components of `bundle` into the entity; values that it has already are replaced and dropped.
    pub fn insert<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        let () = B::DISTINCT;
        insert(self.queue, self.entity, bundle);
        self
    }

    /// Calls a function if the entity does not exist (any more) when this command is applied: other commands do nothing then.
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
    ///     commands.entity(rat).insert(Poisoned).on_missing(|world, error| {
    ///         world.resource_mut::<Vec<String>>().push(error.to_string());
    ///     });
    /// });
    /// assert_eq!(world.resource::<Vec<String>>().len(), 1);
    /// # Ok::<(), ecs_core::world::NoSuchEntity>(())
    /// ```
    ///
    /// A function that panics makes it a failure; one that prints, a warning.
    pub fn on_missing(
        &mut self,
        f: impl FnOnce(&mut World, NoSuchEntity) + Send + 'static,
    ) -> &mut Self {
        let entity = self.entity;
        self.queue.push(move |world: &mut World| {
            if !world.contains(entity) {
                f(world, NoSuchEntity { entity });
            }
        });
        self
    }

    /// Removes and drops those components of `B` that the entity has.
    pub fn remove<B: Bundle>(&mut self) -> &mut Self {
        remove::<B>(self.queue, self.entity);
        self
    }

    /// Observes its events; see [`World::observe_on`](crate::World::observe_on).
    pub fn observe<M: OfTrigger>(&mut self, observer: impl IntoObserver<M>) -> &mut Self {
        observe(self.queue, self.entity, observer.into_observer());
        self
    }

    /// Despawns the entity.
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
        let _ = world.observe_erased(entity, observer);
    });
}

pub(super) fn despawn(queue: &mut CommandQueue, entity: Entity) {
    queue.push(Despawn { entity });
}

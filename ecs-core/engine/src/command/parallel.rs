//! Commands of loops that run on several threads.

use core::fmt;

use super::Commands;
use super::entity;
use crate::bundle::Bundle;
use crate::entity::Entity;
use crate::query::{Item, Query, QueryData, QueryFilter};
use crate::world::{Command, CommandQueue, World};

/// The commands of one part of a parallel loop; see [`Query::par_for_each_commands`].
///
/// It has the methods of [`Commands`] that return no id, because the id of a new entity would depend on threads. A command
/// that needs the id spawns by [`queue`](Self::queue).
#[derive(Default)]
pub struct ParCommands {
    queue: CommandQueue,
}

impl ParCommands {
    /// Spawns an entity.
    pub fn spawn<B: Bundle>(&mut self, bundle: B) {
        let () = B::DISTINCT;
        self.queue(|world| {
            world.spawn(bundle);
        });
    }

    /// Inserts the components of `bundle` into the entity. Values that it already has are replaced and dropped.
    pub fn insert<B: Bundle>(&mut self, entity: Entity, bundle: B) {
        let () = B::DISTINCT;
        entity::insert(&mut self.queue, entity, bundle);
    }

    /// Removes and drops the components of `B` that the entity has.
    pub fn remove<B: Bundle>(&mut self, entity: Entity) {
        entity::remove::<B>(&mut self.queue, entity);
    }

    /// Despawns the entity.
    pub fn despawn(&mut self, entity: Entity) {
        entity::despawn(&mut self.queue, entity);
    }

    /// Defers any other change: `commands.queue(|world| ..)`.
    pub fn queue(&mut self, command: impl FnOnce(&mut World) + Send + 'static) {
        self.queue.push(command);
    }

    /// Defers a [`Command`] that has its own type.
    pub fn push<C: Command>(&mut self, command: C) {
        self.queue.push(command);
    }
}

impl fmt::Debug for ParCommands {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParCommands")
            .field("len", &self.queue.len())
            .finish()
    }
}

impl<D: QueryData, F: QueryFilter> Query<'_, D, F> {
    /// Calls `f` with commands and the items of each entity, from several threads at once; see
    /// [`Join::par_for_each`](crate::Join::par_for_each).
    ///
    /// The commands are added to `commands` when the loop ends, in the order of rows: the result is the same as in a loop on
    /// one thread, down to the ids.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)] struct Health(i32);
    /// #[derive(Component)] struct Ghost;
    ///
    /// #[system]
    /// fn die(mut all: Query<(Entity, &mut Health)>, mut commands: Commands) {
    ///     all.par_for_each_commands(&mut commands, |commands, (entity, health)| {
    ///         health.0 -= 1;
    ///         if health.0 <= 0 {
    ///             commands.despawn(entity);
    ///             commands.spawn(Ghost);
    ///         }
    ///     });
    /// }
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..100).map(Health));
    /// world.run(die);
    /// assert_eq!(world.query::<&Health>().count(), 98);
    /// assert_eq!(world.query::<&Ghost>().count(), 2);
    /// ```
    ///
    /// # Panics
    /// If `f` panics; the commands of the loop are then dropped.
    #[doc(alias = "ParallelCommands")]
    pub fn par_for_each_commands<'a, G, B>(&'a mut self, commands: &mut Commands<'_, B>, f: G)
    where
        G: Fn(&mut ParCommands, Item<'a, D>) + Sync,
        Item<'a, D>: Send,
    {
        for mut part in self.par_fold_parts::<_, ParCommands>(f) {
            commands.append(&mut part.queue);
        }
    }
}

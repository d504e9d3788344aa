//! Commands that relate and unrelate entities.

use core::any::type_name;

use super::Relation;
use crate::command::{Commands, EntityCommands};
use crate::entity::Entity;
use crate::world::{CommandQueue, World};

impl<D> Commands<'_, D> {
    /// Relates `source` to `target`; see [`World::relate`]. Does nothing if that returns an error.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::relation::Sources;
    ///
    /// #[derive(Relation)]
    /// #[relation(many)]
    /// struct Sees;
    /// #[derive(Component)]
    /// struct At(i32);
    ///
    /// #[system]
    /// fn look(beings: Query<(Entity, &At)>, mut commands: Commands) {
    ///     for (a, at) in &beings {
    ///         for (b, other) in &beings {
    ///             if a != b && (at.0 - other.0).abs() < 3 {
    ///                 commands.relate(a, Sees, b);
    ///             }
    ///         }
    ///     }
    /// }
    ///
    /// let mut world = World::new();
    /// let [a, b, c] = [0, 2, 4].map(|x| world.spawn(At(x)));
    /// world.run(look);
    /// assert_eq!(**world.get::<Sources<Sees>>(b).unwrap(), [a, c]);
    /// assert!(!world.is_related::<Sees>(a, c));
    /// ```
    pub fn relate<R: Relation>(&mut self, source: Entity, relation: R, target: Entity) {
        relate(self.queue_mut(), source, relation, target);
    }

    /// Removes the edge from `source` to `target`, if there is one; see [`World::unrelate`].
    pub fn unrelate<R: Relation>(&mut self, source: Entity, target: Entity) {
        unrelate::<R>(self.queue_mut(), source, target);
    }
}

impl EntityCommands<'_> {
    /// Relates the entity to `target`; see [`Commands::relate`].
    pub fn relate<R: Relation>(&mut self, relation: R, target: Entity) -> &mut Self {
        let source = self.id();
        relate(self.queue_mut(), source, relation, target);
        self
    }

    /// Removes the edge from the entity to `target`; see [`Commands::unrelate`].
    pub fn unrelate<R: Relation>(&mut self, target: Entity) -> &mut Self {
        let source = self.id();
        unrelate::<R>(self.queue_mut(), source, target);
        self
    }
}

fn relate<R: Relation>(queue: &mut CommandQueue, source: Entity, relation: R, target: Entity) {
    // An entity may have been despawned, or others related, since the command was queued.
    queue.push(move |world: &mut World| {
        if let Err(error) = world.relate(source, relation, target) {
            world.command_failed("relate", type_name::<R>(), source, error);
        }
    });
}

fn unrelate<R: Relation>(queue: &mut CommandQueue, source: Entity, target: Entity) {
    queue.push(move |world: &mut World| {
        if let Err(error) = world.unrelate::<R>(source, target) {
            world.command_failed("unrelate", type_name::<R>(), source, error);
        }
    });
}

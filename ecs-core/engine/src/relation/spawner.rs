//! Functions that spawn the sources of an entity.

use core::fmt;

use super::Relation;
use crate::bundle::Bundle;
use crate::command::{Commands, EntityCommands};
use crate::entity::Entity;
use crate::world::{EntityMut, World};

/// Spawns sources of an entity; see [`EntityMut::with_related`].
pub struct SourceSpawner<'w, R> {
    world: &'w mut World,
    target: Entity,
    relation: R,
}

impl<R: Relation + Clone> SourceSpawner<'_, R> {
    /// The entity that the sources are related to.
    #[must_use]
    pub fn target(&self) -> Entity {
        self.target
    }

    /// Spawns an entity with the components of `bundle` that is related to the target; see [`World::spawn`].
    ///
    /// # Panics
    /// In the same cases as [`World::spawn`], and if a command that a hook queued has despawned the target or the new entity.
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> EntityMut<'_> {
        assert!(
            self.world.contains(self.target),
            "the target of a `SourceSpawner` was despawned by a hook's command; help: check in the hook whether the entity is complete"
        );
        let edge = self.relation.clone().to(self.target);
        let source = self.world.spawn((bundle, edge));
        let source = self.world.entity_mut(source);
        source.expect("a new entity exists unless a hook's command despawned it")
    }
}

impl<R> fmt::Debug for SourceSpawner<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SourceSpawner").field(&self.target).finish()
    }
}

impl EntityMut<'_> {
    /// Calls a function that spawns entities that are related to this one, each with a clone of `relation`.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Relation, Clone)]
    /// #[relation(tree, sources = "despawn")]
    /// struct PartOf;
    /// #[derive(Component)]
    /// struct Mass(u32);
    ///
    /// let mut world = World::new();
    /// let ship = world.spawn(Mass(10));
    /// world.entity_mut(ship)?.with_related(PartOf, |parts| {
    ///     parts.spawn(Mass(1)).with_related(PartOf, |parts| {
    ///         for mass in 2..4 {
    ///             parts.spawn(Mass(mass));
    ///         }
    ///     });
    ///     parts.spawn(Mass(4));
    /// });
    /// let parts = world.descendants::<PartOf>(ship);
    /// assert!(parts.map(|part| world.get::<Mass>(part).unwrap().0).eq([1, 2, 3, 4]));
    /// # Ok::<(), ecs_core::world::NoSuchEntity>(())
    /// ```
    ///
    /// [`related!`](crate::relation::related) does the same in a bundle, if the ids are not needed during the spawn.
    pub fn with_related<R: Relation + Clone>(
        &mut self,
        relation: R,
        spawn: impl FnOnce(&mut SourceSpawner<'_, R>),
    ) -> &mut Self {
        let target = self.id();
        spawn(&mut SourceSpawner {
            world: self.world_mut(),
            target,
            relation,
        });
        self
    }
}

/// Spawns sources of an entity by commands; see [`EntityCommands::with_related`].
pub struct SourceCommands<'c, R> {
    commands: Commands<'c>,
    target: Entity,
    relation: R,
}

impl<R: Relation + Clone> SourceCommands<'_, R> {
    /// The entity that the sources are related to.
    #[must_use]
    pub fn target(&self) -> Entity {
        self.target
    }

    /// Spawns an entity with the components of `bundle` that is related to the target; see [`Commands::spawn`].
    ///
    /// If the target does not exist when the command is applied, the entity is spawned without it.
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> EntityCommands<'_> {
        let edge = self.relation.clone().to(self.target);
        self.commands.spawn((bundle, edge))
    }
}

impl<R> fmt::Debug for SourceCommands<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SourceCommands").field(&self.target).finish()
    }
}

impl EntityCommands<'_> {
    /// Calls a function that spawns entities that are related to this one, each with a clone of `relation`.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Relation, Clone)] struct PartOf;
    /// # #[derive(Component)] struct Mass(u32);
    /// #[system]
    /// fn build(mut commands: Commands) -> Entity {
    ///     let mut ship = commands.spawn(Mass(10));
    ///     ship.with_related(PartOf, |parts| {
    ///         parts.spawn(Mass(1)).with_related(PartOf, |parts| {
    ///             parts.spawn(Mass(2));
    ///         });
    ///     });
    ///     ship.id()
    /// }
    ///
    /// let mut world = World::new();
    /// let ship = build(&world);
    /// world.flush();
    /// assert_eq!(world.descendants::<PartOf>(ship).count(), 2);
    /// ```
    pub fn with_related<R: Relation + Clone>(
        &mut self,
        relation: R,
        spawn: impl FnOnce(&mut SourceCommands<'_, R>),
    ) -> &mut Self {
        let target = self.id();
        spawn(&mut SourceCommands {
            commands: self.commands(),
            target,
            relation,
        });
        self
    }
}

//! The handle that systems use to defer structural changes.

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;

use super::{EntityCommands, entity};
use crate::bundle::Bundle;
use crate::entity::Entity;
use crate::invariant::Invariant;
use crate::query::QueryFilter;
use crate::thread_safe::ThreadSafe;
use crate::view::Entities;
use crate::world::hooks::{IntoObserver, OfTrigger};
use crate::world::{Command, CommandQueue, Spawn, World};

/// Defers changes of the world; a system parameter.
///
/// Commands are applied in the order of the queue: in a schedule directly after the system and before the next one, and for
/// a system that was called as a function at the next [`World::flush`]. Commands of a system that panics are discarded.
/// Systems with `Commands` can run at the same time as any others.
///
/// # Declared components
/// `Commands<(Spark, Name)>` is the same, and declares which components the commands insert or remove; any bundle will do.
/// The world knows these components from the beginning: a program that has not spawned a spark yet can load a save with
/// sparks, and [`SystemMeta::commands`](crate::meta::SystemMeta::commands) lists them. The commands are not limited to these
/// components, neither by the compiler nor in a run: contracts and checks of determinism believe the list.
/// [`reborrow`](Self::reborrow) returns plain `Commands`.
///
/// # Despawned entities
/// If an entity is no longer alive when a command for it is applied, the command does nothing, and drops the values that it
/// would have inserted. Two systems may find the same entity dying: one despawns it while the other inserts a burning
/// corpse. Each is right about the world that it saw, and neither can prevent the other. So, as in flecs, this is not an
/// error, and cannot end a program at run time, unless the world has another [policy](World::on_command_error): print, panic,
/// or call a function. To decide for a single command, use [`if_exists`](EntityCommands::if_exists) or
/// [`on_missing`](EntityCommands::on_missing), or [`queue`](Self::queue) a function that checks the result of the
/// [`World`]'s method.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Fuse { ticks: u32 }
/// #[derive(Component)]
/// struct Crater;
///
/// #[system]
/// fn explode(bombs: Query<(Entity, &Fuse)>, mut commands: Commands) {
///     for (bomb, fuse) in &bombs {
///         if fuse.ticks == 0 {
///             commands.despawn(bomb);
///             let crater = commands.spawn(Crater).id();
///             commands.insert_resource(crater);
///         }
///     }
/// }
///
/// let mut world = World::new();
/// let bomb = world.spawn(Fuse { ticks: 0 });
/// world.run(explode);
/// assert!(!world.contains(bomb));
/// let crater = *world.resource::<Entity>();
/// assert!(world.has::<Crater>(crater));
/// ```
#[doc(alias = "CommandBuffer")]
pub struct Commands<'g, D = ()> {
    queue: &'g mut CommandQueue,
    entities: Entities<'g>,
    of: Invariant<D>,
}

impl<'g, D> Commands<'g, D> {
    pub(crate) fn declared(queue: &'g mut CommandQueue, entities: Entities<'g>) -> Self {
        Self {
            queue,
            entities,
            of: PhantomData,
        }
    }

    pub(crate) fn queue_mut(&mut self) -> &mut CommandQueue {
        self.queue
    }

    /// Spawns an entity with the components of `bundle`.
    ///
    /// The id can be used immediately, in other commands and in components. The entity is alive from now on, and gets
    /// its components when the command is applied.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// # #[derive(Component, Debug, PartialEq)] struct Name(&'static str);
    /// let mut world = World::new();
    /// world.run(|mut commands: Commands| {
    ///     let rat = commands.spawn(Health(3)).id();
    ///     commands.insert(rat, Name("rat"));
    /// });
    /// assert_eq!(world.query::<(&Health, &Name)>().count(), 1);
    /// ```
    #[inline]
    #[doc(alias = "create_entity")]
    #[doc(alias = "add_entity")]
    #[doc(alias = "create")]
    #[doc(alias = "spawn_bundle")]
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> EntityCommands<'_> {
        let () = B::DISTINCT;
        let entity = self.entities.reserve();
        self.queue.push(Spawn { entity, bundle });
        self.entity(entity)
    }

    /// Spawns an entity without components.
    pub fn spawn_empty(&mut self) -> EntityCommands<'_> {
        let entity = self.entities.reserve();
        // Needs no command: a flush places reserved entities in the table without components.
        self.entity(entity)
    }

    /// Spawns an entity for each bundle of the iterator, which is consumed when the command is applied.
    ///
    /// Faster than one by one; see [`World::spawn_batch`].
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.run(|mut commands: Commands| commands.spawn_batch((0..10).map(Health)));
    /// assert_eq!(world.len(), 10);
    /// ```
    pub fn spawn_batch<I>(&mut self, bundles: I)
    where
        I: IntoIterator<Item: Bundle> + Send + 'static,
    {
        let () = I::Item::DISTINCT;
        self.queue.push(|world: &mut World| {
            world.spawn_batch(bundles);
        });
    }

    /// Inserts a bundle into each entity of the iterator, which is consumed when the command is applied; see
    /// [`World::insert_batch`].
    pub fn insert_batch<B, I>(&mut self, batch: I)
    where
        B: Bundle,
        I: IntoIterator<Item = (Entity, B)> + Send + 'static,
    {
        let () = B::DISTINCT;
        self.queue(|world| {
            world.insert_batch(batch);
        });
    }

    /// Removes and drops the components of `B` from the entities of the iterator; components that an entity lacks are
    /// skipped. The iterator is consumed when the command is applied; see [`World::remove_batch`].
    pub fn remove_batch<B: Bundle>(
        &mut self,
        entities: impl IntoIterator<Item = Entity> + Send + 'static,
    ) {
        self.queue(|world| {
            world.remove_batch::<B>(entities);
        });
    }

    /// Despawns the entities of the iterator, which is consumed when the command is applied; see [`World::despawn_batch`].
    pub fn despawn_batch(&mut self, entities: impl IntoIterator<Item = Entity> + Send + 'static) {
        self.queue(|world| {
            world.despawn_batch(entities);
        });
    }

    /// Despawns all entities that pass the filter when the command is applied, also those that earlier commands of the queue
    /// have spawned; see [`World::despawn_all`].
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component)] struct Bullet;
    /// # #[derive(Component)] struct Player;
    /// #[system]
    /// fn clear_level(mut commands: Commands) {
    ///     commands.despawn_all::<With<Bullet>>();
    /// }
    ///
    /// let mut world = World::new();
    /// let player = world.spawn(Player);
    /// world.spawn_batch((0..100).map(|_| Bullet));
    /// world.run(clear_level);
    /// assert!(world.len() == 1 && world.contains(player));
    /// ```
    ///
    /// The filter is tested by the world and not by the system: each value passes [`Added`](crate::query::Added) and
    /// [`Changed`](crate::query::Changed), however long ago it changed. To despawn what has changed since the last run of the system,
    /// pass the entities of its query to [`despawn_batch`](Self::despawn_batch).
    pub fn despawn_all<F: QueryFilter>(&mut self) {
        // A pointer, because a filter may name a lifetime, and its type would be part of the function's.
        let despawn_all: fn(&mut World) = World::despawn_all::<F>;
        self.queue(despawn_all);
    }

    /// Commands for one entity.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// # #[derive(Component, Debug, PartialEq)] struct Name(&'static str);
    /// let mut world = World::new();
    /// let rat = world.spawn(Health(3));
    /// world.run(|mut commands: Commands| {
    ///     commands.entity(rat).insert(Name("rat")).remove::<Health>();
    /// });
    /// assert!(world.has::<Name>(rat) && !world.has::<Health>(rat));
    /// ```
    pub fn entity(&mut self, entity: Entity) -> EntityCommands<'_> {
        EntityCommands::new(entity, self.queue, self.entities)
    }

    /// Inserts the components of `bundle` into the entity. Values that it already has are replaced and dropped.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let rat = world.spawn(());
    /// world.run(|mut commands: Commands| commands.insert(rat, Health(3)));
    /// assert!(world.has::<Health>(rat));
    /// ```
    #[doc(alias = "insert_one")]
    #[doc(alias = "add_component")]
    #[doc(alias = "emplace")]
    pub fn insert<B: Bundle>(&mut self, entity: Entity, bundle: B) {
        let () = B::DISTINCT;
        entity::insert(self.queue, entity, bundle);
    }

    /// Removes and drops the components of `B` that the entity has.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let rat = world.spawn(Health(3));
    /// world.run(|mut commands: Commands| commands.remove::<Health>(rat));
    /// assert!(!world.has::<Health>(rat));
    /// ```
    #[doc(alias = "remove_one")]
    #[doc(alias = "remove_component")]
    #[doc(alias = "delete_component")]
    pub fn remove<B: Bundle>(&mut self, entity: Entity) {
        entity::remove::<B>(self.queue, entity);
    }

    /// Despawns the entity.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn_batch([Health(0), Health(4)]);
    /// world.run(|query: Query<(Entity, &Health)>, mut commands: Commands| {
    ///     for (entity, health) in &query {
    ///         if health.0 == 0 {
    ///             commands.despawn(entity);
    ///         }
    ///     }
    /// });
    /// assert_eq!(world.len(), 1);
    /// ```
    #[doc(alias = "despawn_recursive")]
    #[doc(alias = "destroy")]
    #[doc(alias = "delete")]
    #[doc(alias = "delete_entity")]
    pub fn despawn(&mut self, entity: Entity) {
        entity::despawn(self.queue, entity);
    }

    /// Inserts a resource; an existing value of the same type is dropped.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// world.run(|mut commands: Commands| commands.insert_resource(7_u32));
    /// assert_eq!(*world.resource::<u32>(), 7);
    /// ```
    pub fn insert_resource<T: ThreadSafe>(&mut self, value: T) {
        self.queue.push(|world: &mut World| {
            world.insert_resource(value);
        });
    }

    /// Removes and drops the resource, if there is one.
    pub fn remove_resource<T: Send + Sync + 'static>(&mut self) {
        self.queue.push(|world: &mut World| {
            world.remove_resource::<T>();
        });
    }

    /// Calls the observers of an event; see [`World::trigger`].
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::world::hooks::Trigger;
    ///
    /// struct Bell;
    ///
    /// let mut world = World::new();
    /// world.insert_resource(0_u32);
    /// world.observe(|_: Trigger<Bell>, mut rung: ResMut<u32>| *rung += 1);
    /// world.run(|mut commands: Commands| commands.trigger(Bell));
    /// assert_eq!(*world.resource::<u32>(), 1);
    /// ```
    pub fn trigger<E: Send + 'static>(&mut self, event: E) {
        self.queue
            .push(|world: &mut World| _ = world.trigger(event));
    }

    /// Calls the observers of an event on an entity; see [`World::trigger_on`].
    #[doc(alias = "trigger_targets")]
    #[doc(alias = "emit")]
    pub fn trigger_on<E: Send + 'static>(&mut self, entity: Entity, event: E) {
        self.queue.push(move |world: &mut World| {
            if let Err(error) = world.trigger_on(entity, event) {
                world.command_failed("trigger_on", type_name::<E>(), entity, error);
            }
        });
    }

    /// Observes the events of one entity; see [`World::observe_on`]. The observer is dropped if the entity is no longer
    /// alive.
    pub fn observe_on<M: OfTrigger>(&mut self, entity: Entity, observer: impl IntoObserver<M>) {
        entity::observe(self.queue, entity, observer.into_observer());
    }

    /// Defers any other change: `commands.queue(|world| ..)`.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// world.run(|mut commands: Commands| commands.queue(|world| _ = world.spawn(())));
    /// assert_eq!(world.len(), 1);
    /// ```
    #[doc(alias = "add")]
    #[doc(alias = "add_command")]
    #[doc(alias = "exec")]
    #[doc(alias = "exec_mut")]
    pub fn queue(&mut self, command: impl FnOnce(&mut World) + Send + 'static) {
        self.queue.push(command);
    }

    /// Moves all commands of a queue to the end of this one.
    pub fn append(&mut self, queue: &mut CommandQueue) {
        self.queue.append(queue);
    }

    /// Defers a [`Command`] that has its own type.
    pub fn push<C: Command>(&mut self, command: C) {
        self.queue.push(command);
    }

    /// Returns the same commands without the declared components, for functions that take a `&mut Commands`.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Spark;
    ///
    /// fn three_sparks(commands: &mut Commands) {
    ///     commands.spawn_batch([(); 3].map(|()| Spark));
    /// }
    ///
    /// #[system]
    /// fn strike(mut commands: Commands<Spark>) {
    ///     three_sparks(&mut commands.reborrow());
    /// }
    ///
    /// let mut world = World::new();
    /// world.run(strike);
    /// assert_eq!(world.len(), 3);
    /// ```
    #[must_use]
    pub fn reborrow(&mut self) -> Commands<'_> {
        Commands::declared(self.queue, self.entities)
    }
}

impl<'g> Commands<'g> {
    /// Creates commands that are appended to `queue` and are meant for the world of `entities`.
    ///
    /// As a system parameter it is created by the library.
    ///
    /// ```
    /// use ecs_core::World;
    /// use ecs_core::command::{CommandQueue, Commands};
    ///
    /// let mut world = World::new();
    /// let mut queue = CommandQueue::new();
    /// let mut commands = Commands::new(&mut queue, world.entities());
    /// let entity = commands.spawn_empty().id();
    /// commands.insert_resource(5_u8);
    /// assert!(world.contains(entity), "an id can be used at once");
    /// assert!(!world.contains_resource::<u8>());
    /// queue.apply(&mut world);
    /// assert!(world.contains_resource::<u8>());
    /// ```
    #[must_use]
    pub fn new(queue: &'g mut CommandQueue, entities: Entities<'g>) -> Self {
        Self::declared(queue, entities)
    }
}

impl<D> fmt::Debug for Commands<'_, D> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Commands").field(&self.queue).finish()
    }
}

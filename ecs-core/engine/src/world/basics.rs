//! The methods about all entities, deferred commands and time.

use super::hooks::StructuralChange;
use super::queue::CommandQueue;
use super::{World, WorldId};
use crate::component::{Component, ComponentId};
use crate::entity::{Entity, TableId};
use crate::sync::PoisonError;
use crate::tick::Tick;

impl World {
    /// Returns the identifier of this world.
    #[must_use]
    pub fn id(&self) -> WorldId {
        self.id
    }

    /// Returns the number of living entities, including reserved ones.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// world.spawn_batch([(), ()]);
    /// assert_eq!(world.len(), 2);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.storage.entities.len()
    }

    /// Returns true if no entity is alive.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if the entity is alive. O(1).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// let old = world.spawn(());
    /// world.despawn(old).unwrap();
    /// let new = world.spawn(()); // has the same index, but another generation
    /// assert!(world.contains(new) && !world.contains(old));
    /// ```
    #[must_use]
    #[doc(alias = "is_alive")]
    #[doc(alias = "is_entity_alive")]
    #[doc(alias = "valid")]
    #[doc(alias = "contains_entity")]
    #[doc(alias = "exists")]
    pub fn contains(&self, entity: Entity) -> bool {
        self.storage.entities.contains(entity)
    }

    /// Returns true if the entity is alive and not [disabled](crate::Disabled), so that loops visit it. O(1).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::Disabled;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Disabled);
    /// assert!(world.contains(entity) && !world.is_enabled(entity));
    /// world.remove::<Disabled>(entity)?;
    /// assert!(world.is_enabled(entity));
    /// # Ok::<(), ecs_core::world::NoSuchEntity>(())
    /// ```
    #[must_use]
    pub fn is_enabled(&self, entity: Entity) -> bool {
        self.storage.is_entity_enabled(entity)
    }

    /// Registers a component, which fixes its position in the [order](#order) of the components.
    ///
    /// This call is needed only before [`CompMut::insert`](crate::CompMut::insert), which has only a shared world: all
    /// structural changes through `&mut World` register components themselves. O(1).
    pub fn register<T: Component>(&mut self) {
        self.storage.register(ComponentId::of::<T>());
    }

    /// Despawns all entities and keeps the resources. Existing ids become invalid for good.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// world.insert_resource(7_u32);
    /// world.spawn(());
    /// world.clear();
    /// assert!(world.is_empty() && world.contains_resource::<u32>());
    /// ```
    ///
    /// # Panics
    /// If the `Drop` of a component panics. All entities are despawned nevertheless, and all other components dropped.
    #[doc(alias = "clear_entities")]
    #[doc(alias = "delete_all")]
    #[doc(alias = "despawn_all_entities")]
    #[doc(alias = "clear_all")]
    pub fn clear(&mut self) {
        self.storage.place_reserved();
        let mut tables = self.storage.tables().iter();
        if tables.all(|table| !table.is_observed()) {
            self.storage.clear();
            return;
        }
        let mut change = StructuralChange::new(self);
        for table in 0..change.world.storage.tables().len() as TableId {
            change.before_despawn_table(table);
        }
        // Entities that hooks have reserved meanwhile belong to commands that are still queued: they stay.
        change.world.storage.clear();
        change.finish();
    }

    /// Allocates the id of a new entity through a shared reference, for example to queue a command that inserts its
    /// components.
    ///
    /// The entity is alive immediately ([`contains`](Self::contains) is true), without any component. It becomes
    /// visible to queries when a structural change through `&mut World` first uses it, at the latest at the next
    /// [`flush`](Self::flush); a schedule flushes after each system.
    ///
    /// Can be called from many threads at once; takes a short lock. Threads that reserve at the same time, for example in a
    /// `par_for_each`, get ids in the order of their calls, which differs between runs. Reserve before the loop, or spawn
    /// after it.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let rat = world.reserve_entity(); // needs only a `&World`
    /// world.insert(rat, Health(3)).unwrap();
    /// assert!(world.has::<Health>(rat));
    /// ```
    ///
    /// # Panics
    /// If all 2^32 - 1 entity indices are in use. The structural change that gives reserved entities their rows panics if
    /// the table has no room for all of them (2^26 rows at most). The first ones then have rows, and the others are dead.
    #[must_use]
    pub fn reserve_entity(&self) -> Entity {
        self.storage.entities.reserve()
    }

    /// Moves the queue's commands to the world's own queue, which the next [`flush`](Self::flush) applies.
    ///
    /// Can be called from many threads at once; commands are queued in the order of the calls, which differs between runs if
    /// threads of a `par_for_each` make them.
    pub fn defer(&self, queue: &mut CommandQueue) {
        if !queue.is_empty() {
            // An append moves all commands or none, so the queue is consistent even if the lock is poisoned.
            self.deferred
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .append(queue);
        }
    }

    /// Applies the [deferred](Self::defer) commands, and those that they defer in turn, and gives reserved entities their
    /// rows.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::CommandQueue;
    ///
    /// let mut world = World::new();
    /// let rat = world.spawn(());
    /// let mut queue = CommandQueue::new();
    /// queue.push(move |world: &mut World| _ = world.despawn(rat));
    /// world.defer(&mut queue);
    /// assert!(world.contains(rat));
    /// world.flush();
    /// assert!(!world.contains(rat));
    /// ```
    ///
    /// # Panics
    /// If a command panics; see [`CommandQueue::apply`].
    #[inline]
    pub fn flush(&mut self) {
        if !self.pending().is_empty() {
            self.apply_pending();
        }
        self.storage.place_reserved();
        self.storage.keep_time();
    }

    /// Calls a function that changes the world for a step of a schedule.
    #[inline]
    pub(crate) fn change_for<R>(
        &mut self,
        step: &'static str,
        change: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let outer = self.nesting.step.replace(step);
        let result = change(self);
        self.nesting.step = outer;
        result
    }

    /// Like [`flush`](Self::flush), after a step of a schedule.
    #[inline]
    pub(crate) fn flush_for(&mut self, step: &'static str) {
        if !self.pending().is_empty() {
            self.change_for(step, Self::apply_pending);
        }
        self.flush();
    }

    /// Returns true if [`flush`](Self::flush) has commands to apply or reserved entities to place.
    pub(crate) fn has_pending(&self) -> bool {
        let deferred = self.deferred.lock();
        !deferred.unwrap_or_else(PoisonError::into_inner).is_empty()
            || self.storage.entities.any_reserved()
    }

    /// Like [`has_pending`](Self::has_pending), without a lock.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn waits_for_flush(&mut self) -> bool {
        !self.pending().is_empty() || self.storage.entities.has_reserved()
    }

    /// Returns the current tick. Earlier changes count as older than it, later ones as newer.
    ///
    /// Ticks do not measure time. The clock advances when tracked data is locked and when this function is called, so each
    /// call returns a greater tick. See [`Comp::since`](crate::Comp::since).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[derive(Component)]
    /// #[component(track)]
    /// struct Health(i32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// let tick = world.tick();
    /// assert_eq!(world.view::<Health>().since(tick).changed().iter().count(), 0);
    /// ```
    #[must_use]
    pub fn tick(&self) -> Tick {
        self.storage.clock.tick()
    }

    /// Returns how often this world was restored from a snapshot (`Snapshotter::restore`).
    ///
    /// The values that a restore writes count as unchanged. So if you compute something from changes, remember this number,
    /// and compute it anew once the number differs.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::snapshot::Snapshotter;
    ///
    /// let mut world = World::new();
    /// let mut before = Snapshotter::new().take(&mut world)?;
    /// assert_eq!(world.restores(), 0);
    /// Snapshotter::new().restore(&mut world, &mut before)?;
    /// assert_eq!(world.restores(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn restores(&self) -> u64 {
        self.storage.clock.returns()
    }

    /// Returns two numbers that stay while no deferred change is applied: no command, and no entity that was reserved. Systems have
    /// changed no more than the values that their metadata names then. The numbers mean nothing beyond that.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn deferred_changes(&self) -> (u64, usize) {
        (self.nesting.applied(), self.len())
    }

    /// Outlined, so that `flush` stays cheap for schedules when nothing is pending.
    #[cold]
    #[inline(never)]
    fn apply_pending(&mut self) {
        // Applying any queue applies the world's pending commands first.
        CommandQueue::new().apply(self);
    }
}

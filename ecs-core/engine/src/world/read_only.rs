//! `ReadOnlyWorld`: a world that no code can change for a while.

use core::fmt;

use super::World;
use crate::component::{Component, ComponentId};
use crate::entity::Entity;
use crate::join::{Fetch as _, ReadFetch};
use crate::resource::Res;

impl World {
    /// Returns a handle that can only read the world, from any number of threads, without run-time borrows.
    ///
    /// It borrows the world exclusively, so nothing can be written meanwhile, and values are plain references.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Health(i32);
    /// #[derive(Component)]
    /// struct Target(Entity);
    ///
    /// /// The health of the entity's target.
    /// fn aimed_at<'w>(world: ReadOnlyWorld<'w>, entity: Entity) -> Option<&'w Health> {
    ///     world.get(world.get::<Target>(entity)?.0)
    /// }
    ///
    /// let mut world = World::new();
    /// let fox = world.spawn(Health(3));
    /// let wolf = world.spawn(Target(fox));
    /// let world = world.read_only();
    /// assert_eq!(aimed_at(world, wolf).unwrap().0, 3);
    /// assert!(aimed_at(world, fox).is_none());
    /// ```
    #[inline]
    #[must_use]
    pub fn read_only(&mut self) -> ReadOnlyWorld<'_> {
        ReadOnlyWorld { world: self }
    }
}

/// A world that no code can change during `'w`; see [`World::read_only`].
///
/// Looking up one value takes no run-time borrow, so it costs about a third of [`World::get`].
#[derive(Clone, Copy)]
pub struct ReadOnlyWorld<'w> {
    /// Invariant 1: it was borrowed exclusively for `'w`, and is not passed on as a `&World`. So during `'w` no code writes
    /// or moves a value of a component, and no view or query exists that could.
    pub(crate) world: &'w World,
}

impl<'w> ReadOnlyWorld<'w> {
    /// Returns the entity's `T`, or `None` if it has none or was despawned. O(1).
    #[inline]
    #[must_use]
    pub fn get<T: Component>(self, entity: Entity) -> Option<&'w T> {
        let storage = &self.world.storage;
        let at = storage.entities.get(entity)?;
        let store = storage.component(ComponentId::of_known::<T>());
        // SAFETY: the store belongs to `T`, and by invariant 1 no code writes, inserts or removes values as long as `'w`,
        // which is stronger than a run-time borrow.
        let fetch = unsafe { ReadFetch::<T>::new(store) };
        // SAFETY: `at` is the location of the entity, and all items of it are shared, because by invariant 1 nothing writes.
        unsafe { fetch.get(storage, entity, at) }
    }

    /// Returns true if the entity is alive and has a `T`. O(1).
    #[inline]
    #[must_use]
    pub fn has<T: Component>(self, entity: Entity) -> bool {
        self.get::<T>(entity).is_some()
    }

    /// Returns true if the entity is alive. O(1).
    #[inline]
    #[must_use]
    pub fn contains(self, entity: Entity) -> bool {
        self.world.contains(entity)
    }

    /// The number of entities. O(1).
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        self.world.len()
    }

    /// Returns true if there is no entity.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.world.is_empty()
    }

    /// Returns a resource; `None` if it is missing. It has a run-time borrow, because resources have no other form of
    /// handle.
    ///
    /// # Panics
    /// If a handle that writes it was leaked by [`forget`](core::mem::forget).
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn get_resource<T: Send + Sync + 'static>(self) -> Option<Res<'w, T>> {
        self.world.get_resource()
    }
}

impl fmt::Debug for ReadOnlyWorld<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.world.fmt(f)
    }
}

//! Resources of a world.

use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::NonNull;

use super::World;
use crate::meta::ConstTypeIdOf;
use crate::resource::{Res, ResMut, Resource, ResourceError, ResourceMap};
use crate::thread_safe::ThreadSafe;

/// Allows a world to be a resource of another one.
impl Resource for World {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_core::World", "World");
}

/// The resources of a world.
pub(super) enum WorldResources {
    /// Resources owned by the world.
    Own(ResourceMap),
    /// The resources of a borrowed map, in a [`MapWorld`]. Invariant 1: the map is borrowed as long as the world is
    /// reachable, and the world is reachable only by shared reference.
    Lent(NonNull<ResourceMap>),
}

// SAFETY: `ResourceMap` is `Send` and `Sync`; the pointer in `Lent` acts as a shared reference to one (invariant 1).
unsafe impl Send for WorldResources {}
// SAFETY: `ResourceMap` is `Sync`; the pointer in `Lent` acts as a shared reference to one (invariant 1).
unsafe impl Sync for WorldResources {}

impl Default for WorldResources {
    fn default() -> Self {
        Self::Own(ResourceMap::new())
    }
}

impl Deref for WorldResources {
    type Target = ResourceMap;

    #[inline]
    fn deref(&self) -> &ResourceMap {
        match self {
            Self::Own(map) => map,
            // SAFETY: by invariant 1 the map is borrowed as long as `self` is reachable.
            Self::Lent(map) => unsafe { map.as_ref() },
        }
    }
}

impl WorldResources {
    #[inline]
    pub(super) fn own(&mut self) -> &mut ResourceMap {
        match self {
            Self::Own(map) => map,
            Self::Lent(_) => unreachable!("a world over a lent map is only ever shared"),
        }
    }
}

impl fmt::Debug for WorldResources {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// An empty world that borrows the resources of a [`ResourceMap`] during a call.
///
/// It lets a `#[system]` function run with only a map.
pub struct MapWorld<'a> {
    /// Invariant 1: no other code gets a `&mut World` of it, or a `&World` that outlives `'a`.
    world: World,
    map: PhantomData<&'a ResourceMap>,
}

impl<'a> MapWorld<'a> {
    #[inline]
    pub(crate) fn new(map: &'a ResourceMap) -> Self {
        let world = World {
            resources: WorldResources::Lent(NonNull::from(map)),
            ..World::new()
        };
        let map = PhantomData;
        Self { world, map }
    }
}

impl Deref for MapWorld<'_> {
    type Target = World;

    #[inline]
    fn deref(&self) -> &World {
        &self.world
    }
}

impl World {
    /// Inserts a resource and returns the previous value of the same type.
    ///
    /// This call does not register the resource as data: saves, hashes and differences include it only if a system names it
    /// (`Res<Score>`), or after `register_data_resource::<Score>()`.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// assert_eq!(world.insert_resource(7_u32), None);
    /// assert_eq!(world.insert_resource(8_u32), Some(7));
    /// ```
    #[doc(alias = "add_resource")]
    #[doc(alias = "add_unique")]
    #[doc(alias = "insert_singleton")]
    #[doc(alias = "add_singleton")]
    pub fn insert_resource<T: ThreadSafe>(&mut self, value: T) -> Option<T> {
        self.resources.own().insert(value)
    }

    /// Removes a resource and returns it.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// world.insert_resource(7_u32);
    /// assert_eq!(world.remove_resource::<u32>(), Some(7));
    /// assert!(!world.contains_resource::<u32>());
    /// ```
    pub fn remove_resource<T: Send + Sync + 'static>(&mut self) -> Option<T> {
        self.resources.own().remove()
    }

    /// Returns true if there is a resource of the type. O(1).
    #[must_use]
    pub fn contains_resource<T: Send + Sync + 'static>(&self) -> bool {
        self.resources.contains::<T>()
    }

    /// Borrows a resource for reading.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// world.insert_resource(7_u32);
    /// assert_eq!(*world.resource::<u32>(), 7);
    /// ```
    ///
    /// # Panics
    /// If it is missing or borrowed mutably.
    #[track_caller]
    #[must_use]
    #[doc(alias = "fetch")]
    #[doc(alias = "read_resource")]
    #[doc(alias = "get_unique")]
    #[doc(alias = "singleton")]
    pub fn resource<T: Send + Sync + 'static>(&self) -> Res<'_, T> {
        self.resources.borrow()
    }

    /// Borrows a resource for writing. Different resources can be borrowed at the same time.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// world.insert_resource(7_u32);
    /// *world.resource_mut::<u32>() += 1;
    /// assert_eq!(*world.resource::<u32>(), 8);
    /// ```
    ///
    /// # Panics
    /// If it is missing or borrowed.
    #[track_caller]
    #[must_use]
    #[doc(alias = "fetch_mut")]
    #[doc(alias = "write_resource")]
    #[doc(alias = "get_unique_mut")]
    pub fn resource_mut<T: Send + Sync + 'static>(&self) -> ResMut<'_, T> {
        self.resources.borrow_mut()
    }

    /// Borrows a resource for reading; `None` if it is missing.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let world = World::new();
    /// assert!(world.get_resource::<u32>().is_none());
    /// ```
    ///
    /// # Panics
    /// If it is borrowed mutably.
    #[track_caller]
    #[must_use]
    pub fn get_resource<T: Send + Sync + 'static>(&self) -> Option<Res<'_, T>> {
        present(self.resources.try_borrow())
    }

    /// Borrows a resource for writing; `None` if it is missing.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// world.insert_resource(7_u32);
    /// if let Some(mut number) = world.get_resource_mut::<u32>() {
    ///     *number += 1;
    /// }
    /// assert_eq!(*world.resource::<u32>(), 8);
    /// ```
    ///
    /// # Panics
    /// If it is borrowed.
    #[track_caller]
    #[must_use]
    pub fn get_resource_mut<T: Send + Sync + 'static>(&self) -> Option<ResMut<'_, T>> {
        present(self.resources.try_borrow_mut())
    }

    /// Returns the resources.
    #[must_use]
    pub fn resources(&self) -> &ResourceMap {
        &self.resources
    }

    /// Returns the resources for writing.
    #[must_use]
    #[inline]
    pub fn resources_mut(&mut self) -> &mut ResourceMap {
        self.resources.own()
    }
}

#[track_caller]
fn present<T>(result: Result<T, ResourceError>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(ResourceError::Missing { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

//! Reading and writing single components.

use core::ptr::NonNull;

use super::{BorrowError, Ref, World, borrow};
use crate::borrow::SharedBorrow;
use crate::component::{Component, ComponentId, MutOf, StorageKind};
use crate::entity::Entity;
use crate::guarded::Guarded;
use crate::join::{Fetch as _, WriteFetch};
use crate::meta::refuse_immutable;
use crate::storage::{Frozen, Storage};

impl World {
    /// Returns the entity's `T`, or `None` if it has none or was despawned. O(1).
    ///
    /// Each call takes and releases a run-time borrow, which other threads see. This costs two locked instructions, some
    /// nanoseconds. To look up many entities, borrow a [view](Self::view) once and use that. With a `&mut World`,
    /// [`get_mut`](Self::get_mut) needs no run-time borrow.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let rat = world.spawn(Health(3));
    /// assert_eq!(*world.get::<Health>(rat).unwrap(), Health(3));
    /// ```
    ///
    /// # Panics
    /// If `T` is being written through a view or query; [`try_get`](Self::try_get) returns an error instead.
    #[track_caller]
    #[must_use]
    #[doc(alias = "get_component")]
    #[doc(alias = "try_get")]
    #[doc(alias = "get_one")]
    pub fn get<T: Component>(&self, entity: Entity) -> Option<Ref<'_, T>> {
        self.try_get(entity)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns the entity's `T`, or `None` if it has none or was despawned. O(1).
    ///
    /// # Errors
    /// If `T` is being written through a view or query.
    pub fn try_get<T: Component>(&self, entity: Entity) -> Result<Option<Ref<'_, T>>, BorrowError> {
        let id = ComponentId::of_known::<T>();
        // SAFETY: the kind and the flag belong to `T`, which `value_of` requires.
        match unsafe { self.value_of(id, T::STORAGE, T::IMMEDIATE, entity) } {
            Ok(Some((column, row, borrow))) => {
                // SAFETY: `value_of` returned a column of the store with `T`'s id, which holds `T`s, and a row of it.
                let value = unsafe { column.cast::<T>().add(row) };
                // SAFETY: the value belongs to a living entity and stays in place while the world is borrowed. `borrow`
                // is a shared borrow of the component, which excludes writers.
                let value = unsafe { Guarded::new(value, borrow) };
                Ok(Some(Ref { value }))
            }
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the column that holds the entity's value of the component, and its row, borrowed for reading. Not generic, so
    /// it is compiled once.
    ///
    /// # Safety
    /// `kind` is the component's kind, and `immediate` is true if and only if the component is immediate.
    #[inline]
    unsafe fn value_of(
        &self,
        component: ComponentId,
        kind: StorageKind,
        immediate: bool,
        entity: Entity,
    ) -> Result<Option<(NonNull<u8>, usize, SharedBorrow<'_>)>, BorrowError> {
        let Some(store) = self.storage.component(component) else {
            return Ok(None);
        };
        // Views insert and remove immediate components, so the borrow has to come before the lookup.
        let early = if immediate {
            Some(borrow(store)?)
        } else {
            None
        };
        // SAFETY: an immediate component was borrowed above; by the caller's contract `immediate` is correct.
        let found = unsafe { Frozen::new(store) };
        let at = self.storage.entities.get(entity);
        let Some((column, row)) = at.and_then(|at| found.find(kind, entity, at)) else {
            return Ok(None);
        };
        let borrow = match early {
            Some(borrow) => borrow,
            None => borrow(store)?,
        };
        Ok(Some((column, row, borrow)))
    }

    /// Returns the entity's `T` for writing: a `&mut T`, or a [`Mut<T>`](crate::Mut) if `T` is tracked; `None` if it has none
    /// or was despawned. O(1), without run-time borrow.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let rat = world.spawn(Health(3));
    /// world.get_mut::<Health>(rat).unwrap().0 -= 1;
    /// assert_eq!(*world.get::<Health>(rat).unwrap(), Health(2));
    /// ```
    #[must_use]
    #[doc(alias = "get_component_mut")]
    #[doc(alias = "get_one_mut")]
    pub fn get_mut<T: Component>(&mut self, entity: Entity) -> Option<MutOf<'_, T>> {
        const { refuse_immutable(&T::IDENT) };
        self.value_mut::<T>(entity)
    }

    /// Implements [`get_mut`](Self::get_mut), which the methods that users call check themselves, so that the compiler names
    /// the user's line.
    pub(crate) fn value_mut<T: Component>(&mut self, entity: Entity) -> Option<MutOf<'_, T>> {
        let at = self.storage.entities.get(entity)?;
        let store = self.storage.component(ComponentId::of_known::<T>());
        // SAFETY: the store belongs to `T`, and the world is borrowed exclusively as long as the result.
        let fetch = unsafe { WriteFetch::<T>::new(store, self.storage.clock.exclusive()) };
        // SAFETY: `at` is the location of the entity, and this is the only item of the fetch.
        unsafe { fetch.get(&self.storage, entity, at) }
    }

    /// Returns the entity's value for one end of a relation, for writing. The caller keeps the two ends consistent.
    pub(crate) fn end_mut<T: Component>(&mut self, entity: Entity) -> Option<&mut T> {
        debug_assert!(T::LINK.is_some() && T::STORAGE.is_by_entity());
        let store = self.storage.component(ComponentId::of_known::<T>())?;
        let value = store.frozen_shared().set().get(entity)?;
        // SAFETY: the store with `T`'s id holds `T`s, and the world is borrowed exclusively as long as the reference.
        Some(unsafe { &mut *value.cast::<T>() })
    }

    /// Returns true if the entity is alive and has a `T`. O(1).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// # #[derive(Component, Debug, PartialEq)] struct Name(&'static str);
    /// let mut world = World::new();
    /// let rat = world.spawn(Health(3));
    /// assert!(world.has::<Health>(rat) && !world.has::<Name>(rat));
    /// ```
    ///
    /// # Panics
    /// If `T` is [immediate](crate::ImmediateComponent) and is being written through a view or query.
    #[track_caller]
    #[must_use]
    #[doc(alias = "all_of")]
    #[doc(alias = "any_of")]
    #[doc(alias = "has_component")]
    #[doc(alias = "has_components")]
    #[doc(alias = "satisfies")]
    pub fn has<T: Component>(&self, entity: Entity) -> bool {
        let _borrow = if T::IMMEDIATE {
            let store = self.storage.component(ComponentId::of_known::<T>());
            store.map(|store| borrow(store).unwrap_or_else(|error| panic!("{error}")))
        } else {
            None
        };
        // SAFETY: the component is not immediate, or `_borrow` borrows it.
        unsafe { has_component(&self.storage, entity, ComponentId::of_known::<T>()) }
    }

    /// Like [`has`](Self::has).
    ///
    /// # Errors
    /// If the component is being written.
    pub(crate) fn has_id(
        &self,
        entity: Entity,
        component: ComponentId,
    ) -> Result<bool, BorrowError> {
        let Some(store) = self.storage.component(component) else {
            return Ok(false);
        };
        let _borrow = borrow(store)?;
        // SAFETY: `_borrow` borrows the component.
        Ok(unsafe { has_component(&self.storage, entity, component) })
    }

    /// Like [`has`](Self::has), but exclusive, so it needs no run-time borrow.
    pub(super) fn has_component(&mut self, entity: Entity, component: ComponentId) -> bool {
        // SAFETY: the world is borrowed exclusively.
        unsafe { has_component(&self.storage, entity, component) }
    }
}

/// Returns true if the entity is alive and has the component.
///
/// # Safety
/// The component is borrowed at run time or not immediate, or the storage is borrowed exclusively.
#[inline]
unsafe fn has_component(storage: &Storage, entity: Entity, component: ComponentId) -> bool {
    let at = storage.entities.get(entity);
    let store = storage.component(component);
    at.zip(store).is_some_and(|(at, store)| {
        // SAFETY: by the caller's contract no view can insert or remove the component now.
        unsafe { Frozen::new(store) }.has(entity, at)
    })
}

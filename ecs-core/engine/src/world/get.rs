//! Reading and writing single components.

use core::ptr::NonNull;

use super::{BorrowError, Ref, World, borrow};
use crate::borrow::SharedBorrow;
use crate::component::{Component, ComponentId, MutOf};
use crate::entity::Entity;
use crate::guarded::Guarded;
use crate::join::{Fetch as _, WriteFetch};
use crate::storage::{Frozen, Storage};

impl World {
    /// The entity's `T`, or `None` if it has none or is gone. O(1).
    ///
    /// To look up many entities, borrow a [view](Self::view) once and ask that.
    ///
    /// # Panics
    /// If `T` is being written through a view or query; [`try_get`](Self::try_get) returns an error instead.
    #[track_caller]
    #[must_use]
    pub fn get<T: Component>(&self, entity: Entity) -> Option<Ref<'_, T>> {
        self.try_get(entity)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// The entity's `T`, or `None` if it has none or is gone. O(1).
    ///
    /// # Errors
    /// If `T` is being written through a view or query.
    pub fn try_get<T: Component>(&self, entity: Entity) -> Result<Option<Ref<'_, T>>, BorrowError> {
        // SAFETY: `T` says whether it is immediate.
        match unsafe { self.value_of(ComponentId::of::<T>(), T::IMMEDIATE, entity) } {
            Ok(Some((value, borrow))) => Ok(Some(Ref {
                // SAFETY: the store of `T`'s id holds `T`s; the value is one of a living entity's, and stays in place while
                // the world is borrowed. The shared borrow is one of the component, and keeps writers away.
                value: unsafe { Guarded::new(value.cast(), borrow) },
            })),
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The entity's value of the component, borrowed for reading. Compiled once, and not for each type.
    ///
    /// # Safety
    /// `immediate` says whether the component is.
    #[inline]
    unsafe fn value_of(
        &self,
        component: ComponentId,
        immediate: bool,
        entity: Entity,
    ) -> Result<Option<(NonNull<u8>, SharedBorrow<'_>)>, BorrowError> {
        let Some(store) = self.storage.component(component) else {
            return Ok(None);
        };
        // To look for the value of an immediate component is to read it.
        let early = if immediate {
            Some(borrow(store)?)
        } else {
            None
        };
        // SAFETY: the component was borrowed if it is immediate, as the caller says.
        let found = unsafe { Frozen::new(store) };
        let at = self.storage.entities.get(entity);
        let value = at.and_then(|at| found.value(entity, at));
        let Some(value) = value.and_then(NonNull::new) else {
            return Ok(None);
        };
        let borrow = match early {
            Some(borrow) => borrow,
            None => borrow(store)?,
        };
        Ok(Some((value, borrow)))
    }

    /// The entity's `T`, to be changed: a `&mut T`, or a [`Mut<T>`](crate::Mut) if `T` is tracked; `None` if it has none or
    /// is gone. O(1), without run-time borrow.
    #[must_use]
    pub fn get_mut<T: Component>(&mut self, entity: Entity) -> Option<MutOf<'_, T>> {
        let at = self.storage.entities.get(entity)?;
        let store = self.storage.component(ComponentId::of::<T>());
        // SAFETY: the store is the one of `T`, and the world is borrowed exclusively as long as the reference.
        let fetch = unsafe { WriteFetch::<T>::new(store, self.storage.clock.exclusive()) };
        // SAFETY: the entity is placed there, and the term is used once.
        unsafe { fetch.get(&self.storage, entity, at) }
    }

    /// The entity's value of an end of a relation, to be changed by whoever keeps the two in line.
    pub(crate) fn end_mut<T: Component>(&mut self, entity: Entity) -> Option<&mut T> {
        debug_assert!(T::LINK.is_some() && T::STORAGE.is_sparse());
        let store = self.storage.component(ComponentId::of::<T>())?;
        let value = store.settled().set().get(entity)?;
        // SAFETY: the store of `T`'s id holds `T`s, and the world is borrowed exclusively as long as the reference.
        Some(unsafe { &mut *value.cast::<T>() })
    }

    /// Whether the entity lives and has a `T`. O(1).
    ///
    /// # Panics
    /// If `T` is [immediate](crate::ImmediateComponent) and is being written through a view or query.
    #[track_caller]
    #[must_use]
    pub fn has<T: Component>(&self, entity: Entity) -> bool {
        let _borrow = if T::IMMEDIATE {
            let store = self.storage.component(ComponentId::of::<T>());
            store.map(|store| borrow(store).unwrap_or_else(|error| panic!("{error}")))
        } else {
            None
        };
        // SAFETY: an immediate component is borrowed.
        unsafe { has_component(&self.storage, entity, ComponentId::of::<T>()) }
    }

    /// As [`has`](Self::has), of a world without views.
    pub(super) fn has_component(&mut self, entity: Entity, component: ComponentId) -> bool {
        // SAFETY: the world is borrowed exclusively.
        unsafe { has_component(&self.storage, entity, component) }
    }
}

/// # Safety
/// The component is borrowed at run time or not immediate, or the storage is borrowed exclusively.
#[inline]
unsafe fn has_component(storage: &Storage, entity: Entity, component: ComponentId) -> bool {
    let at = storage.entities.get(entity);
    let store = storage.component(component);
    at.zip(store).is_some_and(|(at, store)| {
        // SAFETY: the caller says that no view changes who has the component.
        unsafe { Frozen::new(store) }.has(entity, at)
    })
}

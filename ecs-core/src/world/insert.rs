//! Inserting components.

use core::mem::ManuallyDrop;
use core::ptr;

use super::{NoSuchEntity, World};
use crate::bundle::{Bundle, FieldVisitor};
use crate::component::{Component, ComponentId, Tracking as _};
use crate::entity::{Entity, Location};
use crate::storage::{Stamps, Storage};
use crate::tick::Stamp;

impl World {
    /// Gives the entity the components of `bundle`; values that it has already are replaced and dropped.
    ///
    /// O(table components of the entity) if it changes its table, which a bundle of sparse components never does.
    ///
    /// # Errors
    /// If there is no such entity (any more); the bundle is dropped.
    ///
    /// # Panics
    /// If the bundle has a component type twice, if a limit is hit (see [`spawn`](Self::spawn)), or if the `Drop` of a
    /// replaced value panics; the new values are in place then.
    pub fn insert<B: Bundle>(&mut self, entity: Entity, bundle: B) -> Result<(), NoSuchEntity> {
        let () = B::DISTINCT;
        let from = self.storage.locate(entity).ok_or(NoSuchEntity { entity })?;
        if B::IS_SPARSE_COMPONENT {
            let mut bundle = ManuallyDrop::new(bundle);
            let storage = &mut self.storage;
            let mut writer = SparseWriter { storage, entity };
            // SAFETY: as below.
            unsafe { B::fields(&raw mut *bundle, &mut writer) };
            self.storage.run_drops();
            return Ok(());
        }
        let info = self.bundles.info::<B>(&mut self.storage);
        let target = if info.is_sparse() {
            from.table
        } else {
            info.after_insert(from.table, &mut self.storage)
        };
        if info.has_sparse() {
            for &component in info.components() {
                let store = self.storage.store_mut(component);
                if store.info.storage.is_sparse() {
                    store.sparse.reserve(entity);
                }
            }
        }
        let mut at = from;
        if target != from.table {
            self.storage.reserve_rows(target, 1);
            // SAFETY: the tables differ and room was made. The new columns of the target are the bundle's, which are
            // written below without any user code in between; the old table's columns are all in the new one, so there
            // are no leftovers.
            at = unsafe { self.storage.move_entity(entity, from, target) }.0;
        }
        let mut bundle = ManuallyDrop::new(bundle);
        let mut writer = InsertWriter {
            storage: &mut self.storage,
            entity,
            from,
            at,
            components: info.components().iter(),
        };
        // SAFETY: the bundle is initialised, and being `ManuallyDrop` it is not dropped when its fields were moved out.
        unsafe { B::fields(&raw mut *bundle, &mut writer) };
        // The values that were replaced lie in `bundle` now.
        self.storage.run_drops();
        Ok(())
    }

    /// Gives the entity a component and hands back the value that it had.
    ///
    /// # Errors
    /// If there is no such entity (any more); `value` is dropped.
    pub fn replace<T: Component>(
        &mut self,
        entity: Entity,
        value: T,
    ) -> Result<Option<T>, NoSuchEntity> {
        if let Some(mut old) = self.get_mut::<T>(entity) {
            return Ok(Some(core::mem::replace(&mut *old, value)));
        }
        self.insert(entity, value).map(|()| None)
    }
}

/// Moves a sparse component to an entity, or exchanges the one that it has already.
struct SparseWriter<'a> {
    storage: &'a mut Storage,
    /// Invariant 1: it lives.
    entity: Entity,
}

impl FieldVisitor for SparseWriter<'_> {
    #[inline]
    unsafe fn visit<T: Component>(&mut self, value: *mut T) {
        let component = ComponentId::of::<T>();
        let now = now::<T>(self.storage);
        let store = self.storage.component_or_new(component);
        if let Some(place) = store.sparse.get(self.entity) {
            if let Some(stamps) = tracked::<T>(|| store.sparse.stamps_of(self.entity)) {
                // SAFETY: the places are those of a value, and the storage is borrowed exclusively.
                unsafe { stamps.change(now) };
            }
            // SAFETY: both are initialised `T`s in different memory: a bundle of the caller's, and a storage.
            unsafe { ptr::swap_nonoverlapping(place.cast(), value, 1) };
            let drop = store.info.drop;
            // SAFETY: the old value is now the bundle's field, which is initialised, given up by the caller, and not
            // touched before the list is run.
            unsafe { self.storage.drops.push(drop, value.cast(), 1) };
        } else {
            let member = store.member;
            store.sparse.reserve(self.entity);
            // SAFETY: the entity lives (invariant 1), is not in the set, and the place was reserved.
            let place = unsafe { store.sparse.push(self.entity) };
            // SAFETY: the caller gives the value up; the place is one for `T` and not initialised yet.
            unsafe { value.copy_to_nonoverlapping(place.cast(), 1) };
            if T::Tracking::TRACKED {
                self.storage.stamp_sparse(component, self.entity);
            }
            if member.is_grouped() {
                self.storage.enter(member, self.entity);
            }
        }
    }
}

/// Moves the fields of a bundle to an entity that has a place for each of them, and exchanges those that it has already.
struct InsertWriter<'a> {
    storage: &'a mut Storage,
    entity: Entity,
    /// Where the entity was before: tells which components it had.
    from: Location,
    /// Where it is now.
    at: Location,
    components: core::slice::Iter<'a, ComponentId>,
}

impl FieldVisitor for InsertWriter<'_> {
    #[inline]
    unsafe fn visit<T: Component>(&mut self, value: *mut T) {
        let &component = self
            .components
            .next()
            .expect("a bundle visits the fields that it named");
        let now = now::<T>(self.storage);
        let store = self.storage.store_mut(component);
        let (place, replaces) = if T::STORAGE.is_sparse() {
            match store.sparse.get(self.entity) {
                Some(place) => (place, true),
                // SAFETY: the place was reserved, the entity is alive and not in the set; the value is written below.
                None => (unsafe { store.sparse.push(self.entity) }, false),
            }
        } else {
            let place = store
                .value(self.entity, self.at)
                .expect("the entity was moved to a table with the component");
            (place, store.has(self.entity, self.from))
        };
        let place = place.cast::<T>();
        if let Some(stamps) = tracked::<T>(|| store.stamps_of(self.entity, self.at)) {
            if replaces {
                // SAFETY: the places are those of the value, and the storage is borrowed exclusively.
                unsafe { stamps.change(now) };
            } else {
                // SAFETY: as above.
                unsafe { stamps.add(now) };
            }
        }
        if replaces {
            // SAFETY: both are initialised `T`s in different memory: a bundle of the caller's, and a storage.
            unsafe { ptr::swap_nonoverlapping(place, value, 1) };
            let drop = store.info.drop;
            // SAFETY: the old value is now the bundle's field, which is initialised, given up by the caller, and not
            // touched before the list is run.
            unsafe { self.storage.drops.push(drop, value.cast(), 1) };
        } else {
            // SAFETY: the caller gives the value up; the place is one for `T` and not initialised yet.
            unsafe { value.copy_to_nonoverlapping(place, 1) };
            if T::STORAGE.is_sparse() {
                self.storage.enter_groups(component, self.entity);
            }
        }
    }
}

/// What is noted as the time of a change, if changes are.
#[inline]
fn now<T: Component>(storage: &Storage) -> Stamp {
    // Not asked for in vain: the clock is atomic, and compilers keep its loads.
    if T::Tracking::TRACKED {
        storage.clock.between()
    } else {
        Stamp::NEVER
    }
}

/// The ticks of a value, if its component has any.
#[inline]
fn tracked<T: Component>(stamps: impl FnOnce() -> Option<Stamps>) -> Option<Stamps> {
    if T::Tracking::TRACKED { stamps() } else { None }
}

//! Removing components.

use core::mem::needs_drop;

use super::hooks::{StructuralChange, note_removed};
use super::{NoSuchEntity, TakeError, World};
use crate::bundle::{Bundle, BundleInfo, Bundles, FieldSource, InfoFn, TypeVisitor};
use crate::component::{Component, ComponentId, LifecycleSet, Tracking as _};
use crate::entity::{Entity, Location, TableId};
use crate::storage::{DropList, Frozen, Storage, Unwatched};

impl World {
    /// Removes the components of the bundle type from the entity and drops them; those that it lacks are passed over.
    ///
    /// O(table components of the entity) if it changes its table.
    ///
    /// # Errors
    /// If there is no such entity (any more).
    ///
    /// # Panics
    /// If the `Drop` of a component panics. All of them are off the entity then, and the others are dropped.
    pub fn remove<B: Bundle>(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        let at = self.storage.locate(entity).ok_or(NoSuchEntity { entity })?;
        if B::IS_SPARSE_COMPONENT {
            let mut remover = SparseRemover {
                storage: &mut self.storage,
                entity,
                is_watched: false,
            };
            B::types(&mut remover);
            if remover.is_watched {
                self.remove_in_full::<B>(entity);
            }
            return Ok(());
        }
        let info = self.bundles.info::<B>(&mut self.storage);
        if info.is_plain() {
            remove::<false>(&mut self.storage, info, entity, at);
        } else {
            self.remove_in_full::<B>(entity);
        }
        Ok(())
    }

    /// Removes a bundle of which sparse sets or hooks must be told from an entity that lives.
    ///
    /// Looks again where it is, so that a sparse component alone does not pay for knowing that.
    #[inline(never)]
    fn remove_in_full<B: Bundle>(&mut self, entity: Entity) {
        if B::IS_SPARSE_COMPONENT {
            let mut registered = Registered(&self.storage, false);
            B::types(&mut registered);
            if !registered.1 {
                return;
            }
        }
        let at = self.storage.locate(entity).expect("the entity lives");
        let info = self.bundles.info::<B>(&mut self.storage);
        if !info.watch().has_any(LifecycleSet::REMOVAL) {
            remove::<true>(&mut self.storage, info, entity, at);
            return;
        }
        let change = self.before_remove((entity, at), Bundles::info::<B>);
        let info = change.world.bundles.info::<B>(&mut change.world.storage);
        remove::<true>(&mut change.world.storage, info, entity, at);
        change.finish();
    }

    /// Tells that the entity is about to lose the bundle's components, as far as it has them.
    fn before_remove(
        &mut self,
        (entity, at): (Entity, Location),
        info: InfoFn,
    ) -> StructuralChange<'_> {
        let mut change = StructuralChange::new(self);
        let World {
            bundles, storage, ..
        } = &mut *change.world;
        let components = info(bundles, storage).components();
        let events = &mut change.events;
        note_removed(Frozen::of(storage), events, components, (entity, at));
        let detached = storage.detached(entity, components, None);
        change.before(entity);
        change.before_detach(detached);
        change
    }

    /// Takes the components of the bundle type off the entity and hands them back: all of them, or none.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Name(&'static str);
    /// # #[derive(Component, Debug, PartialEq)] struct Age(u8);
    /// let mut world = World::new();
    /// let bob = world.spawn((Name("Bob"), Age(7)));
    /// assert_eq!(world.take::<(Age, Name)>(bob), Ok((Age(7), Name("Bob"))));
    /// assert!(world.take::<Age>(bob).is_err());
    /// assert!(world.contains(bob));
    /// ```
    ///
    /// # Errors
    /// If there is no such entity (any more), or it lacks one of the components; nothing has changed then. An
    /// `on_remove` hook or observer may have removed an [immediate](crate::component::ImmediateComponent) one itself: nothing is
    /// taken then either.
    pub fn take<B: Bundle>(&mut self, entity: Entity) -> Result<B, TakeError> {
        let at = self.storage.locate(entity).ok_or(NoSuchEntity { entity })?;
        let info = self.bundles.info::<B>(&mut self.storage);
        check_has_all(Frozen::of(&mut self.storage), info, (entity, at))?;
        if !info.watch().has_any(LifecycleSet::REMOVAL) {
            // No edge is cut, as none of them is an end of a relation.
            let mut drops = DropList::default();
            // SAFETY: it was checked above that the entity has all of them.
            return Ok(unsafe { take(&mut self.storage, info, (entity, at), &mut drops) });
        }
        let change = self.before_remove((entity, at), Bundles::info::<B>);
        let World {
            bundles, storage, ..
        } = &mut *change.world;
        let info = bundles.info::<B>(storage);
        // Once more, as hooks may have removed immediate components.
        let taken = check_has_all(Frozen::of(storage), info, (entity, at)).map(|()| {
            let mut drops = storage.take_drops();
            // SAFETY: it was just checked that the entity has all of them.
            let taken = unsafe { take(storage, info, (entity, at), &mut drops) };
            // What was taken is not among them, but the edges that were cut with it.
            storage.run(drops);
            taken
        });
        change.finish();
        taken
    }
}

/// Refuses an entity that lacks a component of the bundle.
fn check_has_all(
    storage: Frozen<'_, Storage>,
    info: &BundleInfo,
    (entity, at): (Entity, Location),
) -> Result<(), TakeError> {
    for &component in info.components() {
        let store = storage.store(component);
        if !store.has(entity, at) {
            let component = store.info.name;
            return Err(TakeError::Missing { entity, component });
        }
    }
    Ok(())
}

/// Removes and drops those components of a bundle that the entity at `at` has.
///
/// `MIXED` says whether any of them may be sparse.
#[inline]
fn remove<const MIXED: bool>(
    storage: &mut Storage,
    info: &mut BundleInfo,
    entity: Entity,
    at: Location,
) {
    let target = if MIXED && info.is_sparse() {
        at.table
    } else {
        info.after_remove(at.table, storage)
    };
    if target != at.table {
        // May panic, so it comes before anything is noted to be dropped.
        storage.reserve_rows(target, 1);
    }
    let keeps_list = MIXED || info.needs_drop();
    let mut drops = if keeps_list {
        storage.take_drops()
    } else {
        DropList::default()
    };
    if MIXED && info.has_sparse() {
        for &component in info.components() {
            storage.remove_sparse(component, entity, &mut drops);
        }
    }
    if target != at.table {
        let leftovers = leave(storage, entity, at, target);
        if info.needs_drop() {
            let left = Location {
                table: at.table,
                row: leftovers as u32,
            };
            note_leftovers(storage, info, left, &mut drops);
        }
    }
    if keeps_list {
        storage.run(drops);
    }
}

/// Notes the table values of a bundle that an entity has left in a row behind the last one of a table.
#[inline]
fn note_leftovers(storage: &Storage, info: &BundleInfo, left: Location, drops: &mut DropList) {
    for &component in info.components() {
        let store = storage.store(component);
        if store.info.storage.is_sparse() || store.info.drop.is_none() {
            continue;
        }
        if let Some(value) = store.row(left) {
            // SAFETY: the old table has the component, so its value was left behind the last row: initialised, where no
            // lookup leads, and its memory is not touched before the list is run.
            unsafe { drops.push(store.info.drop, value, 1) };
        }
    }
}

/// Takes the bundle `B`, of which `info` is, off the entity at `at`.
///
/// # Safety
/// The entity has all components of the bundle.
unsafe fn take<B: Bundle>(
    storage: &mut Storage,
    info: &mut BundleInfo,
    (entity, at): (Entity, Location),
    drops: &mut DropList,
) -> B {
    let target = info.after_remove(at.table, storage);
    let row = if target == at.table {
        at.row as usize
    } else {
        storage.reserve_rows(target, 1);
        leave(storage, entity, at, target)
    };
    let mut source = TakenRow {
        storage,
        entity,
        at: Location {
            table: at.table,
            row: row as u32,
        },
        components: info.components().iter(),
        drops,
    };
    // SAFETY: the caller vouches for the components. Sparse ones are still there; the others are the leftovers of the
    // old table, and are read once. Nothing else happens in between.
    unsafe { B::read(&mut source) }
}

/// Takes a sparse component off an entity.
struct SparseRemover<'a> {
    storage: &'a mut Storage,
    entity: Entity,
    /// Whether somebody wants to be told; nothing was removed then.
    is_watched: bool,
}

impl TypeVisitor for SparseRemover<'_> {
    #[inline]
    fn visit<T: Component>(&mut self) {
        // Where there is no id yet no entity has the component.
        let component = ComponentId::of_known::<T>();
        let (tracked, needs_drop) = (T::Tracking::TRACKED, needs_drop::<T>());
        let storage = &mut *self.storage;
        match storage.remove_unwatched(component, self.entity, tracked, needs_drop) {
            Unwatched::IsWatched => self.is_watched = true,
            // SAFETY: the value is a `T`, as the component is that of `T`; the set has given it up, and nothing else happens to the
            // set before it is dropped.
            Unwatched::ToDrop(value) => unsafe { value.cast::<T>().drop_in_place() },
            Unwatched::Done => {}
        }
    }
}

/// Determines whether a component is registered.
struct Registered<'a>(&'a Storage, bool);

impl TypeVisitor for Registered<'_> {
    fn visit<T: Component>(&mut self) {
        let store = self.0.component(ComponentId::of::<T>());
        self.1 = store.is_some_and(|store| store.is_registered());
    }
}

/// Moves the entity to a table with fewer components; returns the row of the old table that holds what it left behind.
#[inline]
fn leave(storage: &mut Storage, entity: Entity, at: Location, target: TableId) -> usize {
    storage.note_left(entity, at.table, target);
    // SAFETY: the target differs (it has fewer components) and the callers made room; it has no column that the old table has not;
    // both callers drop or take the leftovers at once.
    unsafe { storage.move_entity(entity, at, target) }.1
}

/// Hands out the components that an entity has just lost, or loses now.
struct TakenRow<'a> {
    storage: &'a mut Storage,
    entity: Entity,
    /// Where the table components lie, behind the last row of the old table.
    at: Location,
    components: core::slice::Iter<'a, ComponentId>,
    /// For the values of edges that are cut.
    drops: &'a mut DropList,
}

impl FieldSource for TakenRow<'_> {
    #[inline]
    unsafe fn take<T: Component>(&mut self) -> T {
        let &component = self
            .components
            .next()
            .expect("a bundle reads the types that it named");
        let value = if T::STORAGE.is_sparse() {
            self.storage.take_sparse(component, self.entity, self.drops)
        } else {
            self.storage.store(component).row(self.at)
        };
        let value = value.expect("the entity had all components of the bundle");
        // SAFETY: the caller promises that the value is there and read once.
        unsafe { value.cast::<T>().read() }
    }
}

//! Removing components.

use alloc::vec::Vec;
use core::mem::needs_drop;

use super::hooks::StructuralChange;
use super::{NoSuchEntity, TakeError, World};
use crate::bundle::{Bundle, BundleIndex, BundleInfo, Bundles, FieldSource, TypeVisitor};
use crate::component::{Component, ComponentId, Lifecycle, LifecycleSet, Tracking as _};
use crate::entity::{Entity, Location, TableId};
use crate::storage::{DropList, Frozen, Storage, Unobserved};

impl World {
    /// Removes the components of the bundle type from the entity and drops them; missing ones are skipped.
    ///
    /// O(table components of the entity) if the entity moves to another table.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// # #[derive(Component, Debug, PartialEq)] struct Name(&'static str);
    /// let mut world = World::new();
    /// let rat = world.spawn((Name("rat"), Health(3)));
    /// world.remove::<Health>(rat).unwrap();
    /// assert!(world.has::<Name>(rat) && !world.has::<Health>(rat));
    /// ```
    ///
    /// # Errors
    /// If the entity does not exist.
    ///
    /// # Panics
    /// If the `Drop` of a component panics. All of them are removed nevertheless, and the others are dropped.
    #[doc(alias = "remove_one")]
    #[doc(alias = "remove_component")]
    #[doc(alias = "delete_component")]
    pub fn remove<B: Bundle>(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        if B::IS_SPARSE_COMPONENT {
            let mut remover = SparseRemover {
                storage: &mut self.storage,
                entity,
                is_removed: false,
                is_observed: false,
            };
            B::types(&mut remover);
            let SparseRemover {
                is_removed,
                is_observed,
                ..
            } = remover;
            // An entity that had the component is alive.
            if !is_removed {
                self.storage.locate(entity).ok_or(NoSuchEntity { entity })?;
            }
            if is_observed {
                self.remove_in_full::<B>(entity);
            }
            return Ok(());
        }
        let Some(at) = self.storage.locate(entity) else {
            return Err(NoSuchEntity { entity });
        };
        let info = self.bundles.info::<B>(&mut self.storage);
        if info.is_plain() {
            remove::<false>(&mut self.storage, info, entity, at);
        } else {
            self.remove_in_full::<B>(entity);
        }
        Ok(())
    }

    /// Slow path of [`remove`](Self::remove) from a living entity: sparse or observed components.
    ///
    /// Locates the entity again, so the path of a single sparse component need not.
    #[inline(never)]
    fn remove_in_full<B: Bundle>(&mut self, entity: Entity) {
        if B::IS_SPARSE_COMPONENT {
            let mut registered = CheckRegistered(&self.storage, false);
            B::types(&mut registered);
            if !registered.1 {
                return;
            }
        }
        let at = self.storage.locate(entity).expect("the entity is alive");
        let info = self.bundles.info::<B>(&mut self.storage);
        if info.observed().has_any(LifecycleSet::REMOVAL) {
            let index = info.index();
            self.remove_observed((entity, at), index);
        } else {
            remove::<true>(&mut self.storage, info, entity, at);
        }
    }

    /// Removes a bundle from the entity at `at`, and calls hooks and observers.
    fn remove_observed(&mut self, (entity, at): (Entity, Location), index: BundleIndex) {
        let change = StructuralChange::begin(self, (entity, at), index, Lifecycle::Remove);
        let World {
            bundles, storage, ..
        } = &mut *change.world;
        let info = bundles.at(index);
        remove::<true>(storage, info, entity, at);
        change.finish();
    }

    /// Removes the components of the bundle type from the entity and returns them: all of them, or none. An `Option<B>` in the
    /// bundle is `Some` if the entity has all components of `B`; otherwise it is `None`, and the ones of `B` that are there stay.
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
    /// If the entity does not exist, or it lacks one of the components; nothing has changed in that case. The same happens
    /// if an `on_remove` hook or observer removes an [immediate](crate::component::ImmediateComponent) component of the
    /// bundle.
    pub fn take<B: Bundle>(&mut self, entity: Entity) -> Result<B, TakeError> {
        let at = self.storage.locate(entity).ok_or(NoSuchEntity { entity })?;
        let World {
            bundles, storage, ..
        } = &mut *self;
        let (info, parts) = find_all::<B>(bundles, storage, (entity, at))?;
        if !info.observed().has_any(LifecycleSet::REMOVAL) {
            // No edge is cut: ends of relations are always in `REMOVAL`.
            let mut drops = DropList::default();
            // SAFETY: `find_all` found that the entity has the components of `info`: the bundle's with `parts`.
            return Ok(unsafe { take(storage, (info, &parts), (entity, at), &mut drops) });
        }
        let index = info.index();
        let change = StructuralChange::begin(self, (entity, at), index, Lifecycle::Remove);
        let World {
            bundles, storage, ..
        } = &mut *change.world;
        // Found again, because hooks may have removed immediate components.
        let found = find_all::<B>(bundles, storage, (entity, at));
        let taken = found.map(|(info, parts)| {
            let mut drops = storage.take_drops();
            // SAFETY: the second `find_all` found that the entity has the components of `info`: the bundle's with `parts`.
            let taken = unsafe { take(storage, (info, &parts), (entity, at), &mut drops) };
            // The list has the values of cut edges, not the values that were taken.
            storage.run(drops);
            taken
        });
        change.finish();
        taken
    }
}

/// Returns the info of the components of the bundle that the entity has, and for each optional part whether the entity has
/// it; see [`FieldSource::has_optional`]. An error if the entity lacks a component of another part.
#[inline]
fn find_all<'b, B: Bundle>(
    bundles: &'b mut Bundles,
    storage: &mut Storage,
    at: (Entity, Location),
) -> Result<(&'b mut BundleInfo, Vec<bool>), TakeError> {
    if !B::IS_VARIABLE {
        let info = bundles.info::<B>(storage);
        check_has_all(Frozen::of(storage), info, at)?;
        return Ok((info, Vec::new()));
    }
    let mut found = FoundParts {
        storage: Frozen::of(storage),
        at,
        components: Vec::new(),
        parts: Vec::new(),
        missing: None,
    };
    B::types(&mut found);
    let FoundParts {
        components,
        parts,
        missing,
        ..
    } = found;
    if let Some(component) = missing {
        let (entity, component) = (at.0, component.name());
        return Err(TakeError::Missing { entity, component });
    }
    let info = bundles.info_of_list(&components, core::any::type_name::<B>, storage);
    Ok((info, parts))
}

/// Finds the components of a bundle with optional parts that an entity has.
struct FoundParts<'s> {
    storage: Frozen<'s, Storage>,
    at: (Entity, Location),
    components: Vec<ComponentId>,
    /// True for each optional part that the entity has. The parts inside of a missing one are left out.
    parts: Vec<bool>,
    /// The first component that the entity lacks and that is in no optional part.
    missing: Option<ComponentId>,
}

impl TypeVisitor for FoundParts<'_> {
    fn visit<T: Component>(&mut self) {
        let component = ComponentId::of::<T>();
        let (entity, at) = self.at;
        let is_known = self.storage.component(component).is_some();
        if is_known && self.storage.store(component).has(entity, at) {
            self.components.push(component);
        } else {
            self.missing.get_or_insert(component);
        }
    }

    fn optional<B: Bundle>(&mut self) {
        let (components, part) = (self.components.len(), self.parts.len());
        let missing = self.missing.take();
        self.parts.push(true);
        B::types(self);
        if self.missing.is_some() {
            self.components.truncate(components);
            self.parts.truncate(part);
            self.parts.push(false);
        }
        self.missing = missing;
    }
}

/// Returns an error if the entity lacks a component of the bundle.
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

/// Removes and drops the components of a bundle that the entity at `at` has.
///
/// `MIXED` must be true if a component may be sparse.
#[inline]
pub(super) fn remove<const MIXED: bool>(
    storage: &mut Storage,
    info: &mut BundleInfo,
    entity: Entity,
    at: Location,
) {
    let target = if MIXED && info.keeps_table() {
        at.table
    } else {
        info.after_remove(at.table, storage)
    };
    if target != at.table {
        // May panic, so it comes before any value is put into the drop list.
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
        let leftovers = move_out(storage, entity, at, target);
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

/// Puts the table values of a bundle into the drop list. The entity has moved, and the values are still after the last row
/// of its old table.
#[inline]
fn note_leftovers(storage: &Storage, info: &BundleInfo, left: Location, drops: &mut DropList) {
    for &component in info.components() {
        let store = storage.store(component);
        if store.info.drop.is_some()
            && let Some(value) = store.row(left)
        {
            // SAFETY: the old table has the component, so its value is still there, after the last row: initialised, not
            // reached by any lookup, and its memory is not touched before the list is run.
            unsafe { drops.push(store.info.drop, value, 1) };
        }
    }
}

/// Removes the bundle `B` with some of its optional `parts`, described by `info`, from the entity at `at` and returns it.
///
/// # Safety
/// The entity has all components of `info`, which are those of the bundle with these parts, in order.
unsafe fn take<B: Bundle>(
    storage: &mut Storage,
    (info, parts): (&mut BundleInfo, &[bool]),
    (entity, at): (Entity, Location),
    drops: &mut DropList,
) -> B {
    let target = info.after_remove(at.table, storage);
    let row = if target == at.table {
        at.row as usize
    } else {
        storage.reserve_rows(target, 1);
        move_out(storage, entity, at, target)
    };
    let mut source = TakenRow {
        storage,
        entity,
        at: Location {
            table: at.table,
            row: row as u32,
        },
        components: info.components().iter(),
        parts: parts.iter(),
        drops,
    };
    // SAFETY: by the caller's contract the entity had all components of the parts. Sparse ones are still in their sets; the
    // others are the leftovers of the old table. Each is read once, and nothing else happens in between.
    unsafe { B::read(&mut source) }
}

/// Removes a sparse component from an entity and drops it.
struct SparseRemover<'a> {
    storage: &'a mut Storage,
    entity: Entity,
    /// Set if there was a value; then it was removed.
    is_removed: bool,
    /// Set if the component needs the slow path; in that case nothing was removed.
    is_observed: bool,
}

impl TypeVisitor for SparseRemover<'_> {
    #[inline]
    fn visit<T: Component>(&mut self) {
        // A component without an id belongs to no entity.
        let component = ComponentId::of_known::<T>();
        let (tracked, needs_drop) = (T::Tracking::TRACKED, needs_drop::<T>());
        let storage = &mut *self.storage;
        let size = size_of::<T>();
        // SAFETY: the component belongs to `T`, so values have its size.
        let outcome = unsafe {
            storage.remove_unobserved(component, self.entity, size, (tracked, needs_drop))
        };
        self.is_removed = matches!(outcome, Unobserved::Done | Unobserved::ToDrop(_));
        match outcome {
            Unobserved::IsObserved => self.is_observed = true,
            // SAFETY: the component belongs to `T`, so the value is a `T`. The set has removed it, and nothing else happens
            // to the set before the value is dropped (contract of `Unobserved::ToDrop`).
            Unobserved::ToDrop(value) => unsafe { value.cast::<T>().drop_in_place() },
            Unobserved::Missing | Unobserved::Done => {}
        }
    }
}

/// Checks that a component is registered.
struct CheckRegistered<'a>(&'a Storage, bool);

impl TypeVisitor for CheckRegistered<'_> {
    fn visit<T: Component>(&mut self) {
        let store = self.0.component(ComponentId::of::<T>());
        self.1 = store.is_some_and(|store| store.is_registered());
    }
}

/// Moves the entity to a table with fewer components. Returns the row of the old table that holds the remaining values.
#[inline]
fn move_out(storage: &mut Storage, entity: Entity, at: Location, target: TableId) -> usize {
    storage.note_leaving(entity, at.table, target);
    // SAFETY: the target has fewer components, so it is another table, and it has no column that the old one lacks. Both
    // callers (`remove` and `take`) have reserved a row, and drop or take the leftovers immediately.
    unsafe { storage.move_entity(entity, at, target) }.1
}

/// The source of the components that are taken from an entity: leftovers of its old table, and values in sparse sets.
struct TakenRow<'a> {
    storage: &'a mut Storage,
    entity: Entity,
    /// The location of the leftovers, after the last row of the old table.
    at: Location,
    components: core::slice::Iter<'a, ComponentId>,
    /// Says of each optional part whether it is there.
    parts: core::slice::Iter<'a, bool>,
    /// Receives the values of cut edges.
    drops: &'a mut DropList,
}

impl FieldSource for TakenRow<'_> {
    #[inline]
    unsafe fn take<T: Component>(&mut self) -> T {
        let &component = self
            .components
            .next()
            .expect("a bundle reads the types that it named");
        let value =
            self.storage
                .take_component(component, T::STORAGE, (self.entity, self.at), self.drops);
        let value = value.expect("the entity had all components of the bundle");
        // SAFETY: by the contracts of `FieldSource::take` and of the free function `take`, the value is initialised and of type
        // `T`, and it is read once.
        unsafe { value.cast::<T>().read() }
    }

    #[inline]
    fn has_optional(&mut self) -> bool {
        let part = self.parts.next();
        *part.expect("a bundle reads the parts that it named")
    }
}

//! Inserting components.

use core::mem::{ManuallyDrop, needs_drop};
use core::ptr;

use super::hooks::{StructuralChange, note_added, note_inserted, note_replaced};
use super::required::{RequiredValue, Requirements, make_missing, write_all};
use super::{NoSuchEntity, World};
use crate::bundle::{Bundle, BundleInfo, Bundles, FieldVisitor, InfoFn};
use crate::component::{
    Component, ComponentId, Lifecycle, LifecycleSet, StorageKind, Tracking as _,
};
use crate::entity::{Entity, Location, TableId};
use crate::storage::{CompactTicks, DropList, Frozen, Storage, WrongEnd};
use crate::tick::CompactTick;

impl World {
    /// Gives the entity the components of `bundle`, and those that they [require](crate::component::Required) and it lacks;
    /// values of the bundle's components that it has already are replaced and dropped.
    ///
    /// O(table components of the entity) if it changes its table, which a bundle of sparse components that require nothing
    /// never does.
    ///
    /// # Errors
    /// If there is no such entity (any more); the bundle is dropped.
    ///
    /// # Panics
    /// If the bundle has a component type twice, if a limit is hit (see [`spawn`](Self::spawn)), or if the `Drop` of a
    /// replaced value panics; the new values are in place then. If making a required component panics; nothing has changed
    /// then but that `on_replace` [hooks](super::hooks) were called, and the bundle is dropped. If the entity would be
    /// [related](crate::relation) to itself, or would be its own ancestor in a tree; nothing has changed then either.
    pub fn insert<B: Bundle>(&mut self, entity: Entity, bundle: B) -> Result<(), NoSuchEntity> {
        let () = B::DISTINCT;
        let from = self.storage.locate(entity).ok_or(NoSuchEntity { entity })?;
        if B::IS_SPARSE_COMPONENT {
            let mut owner = Owner {
                bundle: ManuallyDrop::new(bundle),
                is_empty: false,
            };
            let mut writer = SparseWriter {
                storage: &mut self.storage,
                entity,
                is_watched: false,
                is_moved: &mut owner.is_empty,
            };
            // SAFETY: the bundle is initialised, and its owner does not drop it when its field was moved out.
            unsafe { B::fields(&raw mut *owner.bundle, &mut writer) };
            if writer.is_watched {
                self.insert_in_full(entity, owner.into_bundle());
            }
            // Else a value that was replaced lies in `owner`, which is dropped now.
            return Ok(());
        }
        let info = self.bundles.info::<B>(&mut self.storage);
        if info.is_plain() {
            // SAFETY: the entity was just found there; a plain bundle requires nothing.
            unsafe { insert::<B, false>(&mut self.storage, info, (entity, from), bundle, []) };
        } else {
            self.insert_in_full(entity, bundle);
        }
        Ok(())
    }

    /// Inserts a bundle of which sparse sets or hooks must be told, or that requires something, into an entity that lives.
    ///
    /// Apart, so that other bundles do not pay for the moves of a longer function. Looks again where the entity is, so that
    /// a sparse component alone does not pay for knowing that.
    #[inline(never)]
    fn insert_in_full<B: Bundle>(&mut self, entity: Entity, bundle: B) {
        let at = self.storage.locate(entity).expect("the entity lives");
        if B::MAY_REQUIRE {
            check_ends(&self.storage, entity, &bundle);
        }
        let info = self.bundles.info::<B>(&mut self.storage);
        let watch = info.watch();
        let detaches = self.storage.detaches(entity, info.components(), watch);
        if watch.has_any(LifecycleSet::INSERTION) || detaches {
            let change = self.before_insert((entity, at), Bundles::info::<B>);
            change.insert((entity, at), bundle);
        } else if B::MAY_REQUIRE {
            let storage = Frozen::of(&mut self.storage);
            let made = make_missing(storage, info.required::<B>(), (entity, at));
            // SAFETY: the entity was found there, and `made` is what it lacks; constructors have no world to change.
            unsafe { insert::<B, true>(&mut self.storage, info, (entity, at), bundle, made) };
        } else {
            // SAFETY: the entity was found there; the bundle requires nothing, as its type says.
            unsafe { insert::<B, true>(&mut self.storage, info, (entity, at), bundle, []) };
        }
    }

    /// Begins the verb, and calls the hooks and observers of values that will be replaced.
    fn before_insert(
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
        note_replaced(Frozen::of(storage), events, components, (entity, at));
        let detached = storage.detached(entity, components, None);
        change.before(entity);
        change.before_detach(detached);
        change
    }

    /// Gives the entity a component and hands back the value that it had, in which case no required components come.
    ///
    /// An `on_replace` hook or observer may remove an [immediate](crate::component::ImmediateComponent) value itself; then there
    /// is none to hand back, and `value` is inserted.
    ///
    /// # Errors
    /// If there is no such entity (any more); `value` is dropped.
    ///
    /// # Panics
    /// As [`insert`](Self::insert).
    pub fn replace<T: Component>(
        &mut self,
        entity: Entity,
        value: T,
    ) -> Result<Option<T>, NoSuchEntity> {
        let component = ComponentId::of::<T>();
        if !self.has_component(entity, component) {
            return self.insert(entity, value).map(|()| None);
        }
        if T::LINK.is_some() {
            check_ends(&self.storage, entity, &value);
        }
        let watch = self.storage.store(component).watch;
        Ok(
            if watch.has_any(LifecycleSet::INSERTION.and(LifecycleSet::LINK)) {
                self.replace_watched(entity, value)
            } else {
                Some(self.exchange(entity, value))
            },
        )
    }

    fn replace_watched<T: Component>(&mut self, entity: Entity, value: T) -> Option<T> {
        let component = ComponentId::of::<T>();
        let mut change = StructuralChange::new(self);
        let detached = change.world.storage.detached(entity, &[component], None);
        change.before_one(entity, component, Lifecycle::Replace);
        change.before_detach(detached);
        if !change.world.has_component(entity, component) {
            // It is immediate, and a hook has removed it.
            let at = change.world.storage.entities.get(entity);
            change.insert((entity, at.expect("it lives")), value);
            return None;
        }
        let old = change.world.exchange(entity, value);
        if change.world.has_component(entity, component) {
            change.after_one(entity, component, Lifecycle::Insert);
        }
        change.finish();
        Some(old)
    }

    fn exchange<T: Component>(&mut self, entity: Entity, value: T) -> T {
        let component = [ComponentId::of::<T>()];
        let storage = &mut self.storage;
        let mut drops = DropList::default();
        if T::LINK.is_some() {
            reserve_edges(storage, Some(entity), &value, &[]);
            // From here on nothing panics, and no code of the user runs, until all is written.
            drops = storage.take_drops();
            storage.unlink(&component, entity, &mut drops);
        }
        let at = storage.entities.get(entity).expect("the entity lives");
        let now = now::<T>(storage);
        let store = storage.store_mut(component[0]).frozen();
        if let Some(stamps) = tracked::<T>(|| store.stamps_of(entity, at)) {
            // SAFETY: the places are those of a value, and the storage is borrowed exclusively.
            unsafe { stamps.change(now) };
        }
        let place = store.value(entity, at);
        let place = place.expect("the entity has the component").cast::<T>();
        // SAFETY: the store of `T`'s id holds `T`s, and the storage is borrowed exclusively.
        let old = unsafe { ptr::replace(place, value) };
        if T::LINK.is_some() {
            storage.link(&component, entity, &mut drops);
            storage.run(drops);
        }
        old
    }
}

impl StructuralChange<'_> {
    /// Goes on after [`before_insert`](World::before_insert): inserts the bundle, and calls the hooks and observers of that.
    fn insert<B: Bundle>(self, at: (Entity, Location), bundle: B) {
        if B::MAY_REQUIRE {
            self.insert_with(at, bundle, make_missing);
        } else {
            self.insert_with(at, bundle, |_, _, _| []);
        }
    }

    /// `make` makes what is required and the entity lacks. That is found out only now, as hooks may have inserted and removed
    /// immediate components; from here on no code runs that could do so until all is written.
    fn insert_with<B: Bundle, M: IntoIterator<Item = RequiredValue> + AsRef<[RequiredValue]>>(
        mut self,
        (entity, at): (Entity, Location),
        bundle: B,
        make: fn(Frozen<'_, Storage>, &Requirements, (Entity, Location)) -> M,
    ) {
        let World {
            bundles, storage, ..
        } = &mut *self.world;
        let info = bundles.info::<B>(storage);
        let made = make(Frozen::of(storage), info.required::<B>(), (entity, at));
        let list = &mut self.events;
        note_inserted(Frozen::of(storage), list, info.components(), (entity, at));
        for made in made.as_ref() {
            note_added(storage, list, &[made.component()]);
        }
        // SAFETY: hooks move no rows, so the entity is where it was; `made` is what it lacks, found out after they ran, and
        // constructors have no world to change.
        unsafe { insert::<B, true>(storage, info, (entity, at), bundle, made) };
        if info.watch().is_linked() {
            self.drop_missing(entity);
        }
        self.after(entity);
        self.finish();
    }
}

/// Refuses ends of relations that the entity cannot have, before anything is changed.
#[inline]
pub(super) fn check_ends<B: Bundle>(storage: &Storage, entity: Entity, bundle: &B) {
    struct Check<'a>(&'a Storage, Entity, Result<(), WrongEnd>);

    impl FieldVisitor for Check<'_> {
        #[inline]
        unsafe fn visit<T: Component>(&mut self, value: *mut T) {
            if let Some(link) = &T::LINK
                && self.2.is_ok()
            {
                // SAFETY: the value is one of the component of which the link is, and only looked at.
                self.2 = unsafe { self.0.check_end(link, self.1, value.cast()) };
            }
        }
    }

    let mut check = Check(storage, entity, Ok(()));
    // SAFETY: the bundle is initialised, and the visitor only looks at it.
    unsafe { B::fields(core::ptr::from_ref(bundle).cast_mut(), &mut check) };
    if let Err(wrong) = check.2 {
        panic!("{wrong}");
    }
}

/// Makes room for the edges of those values that are ends of relations, before anything is changed. An entity that is not
/// spawned yet has no id.
pub(super) fn reserve_edges<B: Bundle>(
    storage: &mut Storage,
    entity: Option<Entity>,
    bundle: &B,
    made: &[RequiredValue],
) {
    struct Reserve<'a>(&'a mut Storage, Option<Entity>);

    impl FieldVisitor for Reserve<'_> {
        #[inline]
        unsafe fn visit<T: Component>(&mut self, value: *mut T) {
            if let Some(link) = &T::LINK {
                // SAFETY: the value is one of the component of which the link is, and only looked at.
                unsafe { self.0.reserve_edges(link, self.1, value.cast()) };
            }
        }
    }

    let mut reserve = Reserve(storage, entity);
    // SAFETY: the bundle is initialised, and the visitor only looks at it.
    unsafe { B::fields(core::ptr::from_ref(bundle).cast_mut(), &mut reserve) };
    for made in made {
        made.reserve_edges(storage, entity);
    }
}

/// Moves the bundle, and all values that were [made](make_missing) for it, to an entity that lives and is at `from`.
///
/// `MIXED` says whether any of the components may be sparse, or anything may be required.
///
/// # Safety
/// `info` is that of the bundle. The entity is at `from`. `made` has a value for each component that the bundle requires and
/// the entity lacks, and no other.
#[inline]
unsafe fn insert<B: Bundle, const MIXED: bool>(
    storage: &mut Storage,
    info: &mut BundleInfo,
    (entity, from): (Entity, Location),
    bundle: B,
    made: impl IntoIterator<Item = RequiredValue> + AsRef<[RequiredValue]>,
) {
    let target = if MIXED && info.is_sparse() && info.required::<B>().is_empty() {
        from.table
    } else {
        info.after_insert(from.table, storage)
    };
    let is_linked = MIXED && info.watch().is_linked();
    if is_linked {
        reserve_edges(storage, Some(entity), &bundle, made.as_ref());
    }
    if MIXED {
        reserve_sets(storage, info, entity);
    }
    if target != from.table {
        storage.reserve_rows(target, 1);
    }
    // From here on nothing panics, and no code of the user runs, until all is written.
    let keeps_list = MIXED || needs_drop::<B>();
    let mut drops = if keeps_list {
        storage.take_drops()
    } else {
        DropList::default()
    };
    if is_linked {
        storage.unlink(info.components(), entity, &mut drops);
    }
    // SAFETY: room was made. The target is that of the bundle: its new columns are the bundle's and those of what was made for
    // it, which are written below.
    let at = unsafe { move_to(storage, entity, from, target) };
    let mut bundle = ManuallyDrop::new(bundle);
    let mut writer = InsertWriter::<MIXED> {
        storage,
        entity,
        from,
        at,
        components: info.components().iter(),
        drops: &mut drops,
    };
    // SAFETY: the bundle is initialised, and being `ManuallyDrop` it is not dropped when its fields were moved out.
    unsafe { B::fields(&raw mut *bundle, &mut writer) };
    if MIXED && !info.required::<B>().is_empty() {
        // SAFETY: the caller promises that the entity lacked all of it, and the fields were other components; the row is its
        // own, in a table that has what the bundle requires, and there is room in the sets.
        unsafe { write_all(made, storage, (entity, at)) };
    }
    if is_linked {
        storage.link(info.sets(), entity, &mut drops);
    }
    if keeps_list {
        // The values that were replaced lie in `bundle` now.
        storage.run(drops);
    }
}

/// Makes room in the sparse sets of the bundle and of what it requires.
#[inline]
fn reserve_sets(storage: &mut Storage, info: &BundleInfo, entity: Entity) {
    for &component in info.sets() {
        storage.store_mut(component).set_mut().reserve(entity);
    }
}

/// Moves the entity to a table that has all columns of its own, unless it is there.
///
/// # Safety
/// The target has room for a row, unless the entity is there. The caller writes the values of the columns that the other table
/// lacks, before anything else happens.
#[inline]
unsafe fn move_to(
    storage: &mut Storage,
    entity: Entity,
    from: Location,
    target: TableId,
) -> Location {
    if target == from.table {
        return from;
    }
    // SAFETY: the tables differ; the caller promises room, and to write the new columns. There are no leftovers, as the target
    // has all columns of the old table.
    let (row, _) = unsafe { storage.move_entity(entity, from, target) };
    Location {
        table: target,
        row: row as u32,
    }
}

/// Drops a bundle, by a panic too, unless its fields were moved out.
struct Owner<B> {
    bundle: ManuallyDrop<B>,
    /// Invariant 1: whether the fields were moved out.
    is_empty: bool,
}

impl<B> Owner<B> {
    #[inline]
    fn into_bundle(mut self) -> B {
        debug_assert!(!self.is_empty);
        self.is_empty = true;
        // SAFETY: by invariant 1 the fields were there, and now they count as moved out.
        unsafe { ManuallyDrop::take(&mut self.bundle) }
    }
}

impl<B> Drop for Owner<B> {
    #[inline]
    fn drop(&mut self) {
        if !self.is_empty {
            // SAFETY: by invariant 1 the fields are there, and the bundle is not used any more.
            unsafe { ManuallyDrop::drop(&mut self.bundle) };
        }
    }
}

/// Moves a sparse component to an entity, or exchanges the one that it has already.
struct SparseWriter<'a> {
    storage: &'a mut Storage,
    /// Invariant 1: it lives.
    entity: Entity,
    /// Whether the component is watched; nothing was moved then.
    is_watched: bool,
    /// Whether the value was moved out; where it was exchanged for another one, there is that.
    is_moved: &'a mut bool,
}

impl FieldVisitor for SparseWriter<'_> {
    #[inline]
    unsafe fn visit<T: Component>(&mut self, value: *mut T) {
        let component = ComponentId::of::<T>();
        let now = now::<T>(self.storage);
        let store = self.storage.component_or_new(component);
        if !store.watch.is_nothing() {
            self.is_watched = true;
            return;
        }
        let is_grouped = store.member.is_grouped();
        let set = store.set_mut();
        if let Some(place) = set.get(self.entity) {
            if let Some(stamps) = tracked::<T>(|| set.stamps_of(self.entity)) {
                // SAFETY: the places are those of a value, and the storage is borrowed exclusively.
                unsafe { stamps.change(now) };
            }
            // SAFETY: both are initialised `T`s in different memory: a bundle of the caller's, and a storage.
            unsafe { ptr::swap_nonoverlapping(place.cast(), value, 1) };
        } else {
            set.reserve(self.entity);
            // SAFETY: the entity lives (invariant 1), is not in the set, as was just looked up, and room was made; the value is
            // written at once.
            let place = unsafe { set.push(self.entity) };
            *self.is_moved = true;
            // SAFETY: the bundle gives the value up (`FieldVisitor::visit`); the place is one for `T` and not initialised yet.
            unsafe { value.copy_to_nonoverlapping(place.cast(), 1) };
            if T::Tracking::TRACKED {
                self.storage.stamp_sparse(component, self.entity);
            }
            if is_grouped {
                self.storage.enter_groups(component, self.entity);
            }
        }
    }
}

/// Moves the fields of a bundle to an entity that has a place for each of them, and exchanges those that it has already.
///
/// `MIXED` makes two types of it, each of which is used in one place and inlined there.
struct InsertWriter<'a, const MIXED: bool> {
    storage: &'a mut Storage,
    entity: Entity,
    /// Where the entity was before: tells which components it had.
    from: Location,
    /// Where it is now.
    at: Location,
    components: core::slice::Iter<'a, ComponentId>,
    /// For the values that are replaced.
    drops: &'a mut DropList,
}

impl<const MIXED: bool> InsertWriter<'_, MIXED> {
    /// The next component, the place for its value, and whether there is a value already; notes the change.
    ///
    /// # Safety
    /// The value is written at once.
    #[inline]
    unsafe fn place(&mut self, kind: StorageKind, tracked: bool) -> (ComponentId, *mut u8, bool) {
        let &component = self
            .components
            .next()
            .expect("a bundle visits the fields that it named");
        // Not asked for in vain: the clock is atomic, and compilers keep its loads.
        let now = if tracked {
            self.storage.clock.between()
        } else {
            CompactTick::NEVER
        };
        let store = self.storage.store_mut(component);
        let (place, replaces) = if kind.is_sparse() {
            let set = store.set_mut();
            match set.get(self.entity) {
                Some(place) => (place, true),
                // SAFETY: `insert` has made room in the sets of the bundle; the entity lives, and is not in the set, as was
                // just looked up; the caller writes the value.
                None => (unsafe { set.push(self.entity) }, false),
            }
        } else {
            let place = store
                .row(self.at)
                .expect("the entity was moved to a table with the component");
            (place, !store.column(self.from.table).is_null())
        };
        if tracked && let Some(stamps) = store.frozen().stamps_of(self.entity, self.at) {
            if replaces {
                // SAFETY: the places are those of the value, and the storage is borrowed exclusively.
                unsafe { stamps.change(now) };
            } else {
                // SAFETY: the places are those of the value, and the storage is borrowed exclusively.
                unsafe { stamps.add(now) };
            }
        }
        (component, place, replaces)
    }
}

impl<const MIXED: bool> FieldVisitor for InsertWriter<'_, MIXED> {
    #[inline]
    unsafe fn visit<T: Component>(&mut self, value: *mut T) {
        // SAFETY: the value is written below.
        let (component, place, replaces) = unsafe { self.place(T::STORAGE, T::Tracking::TRACKED) };
        if replaces {
            // SAFETY: both are initialised `T`s in different memory: a bundle of the caller's, and a storage.
            unsafe { ptr::swap_nonoverlapping(place.cast(), value, 1) };
            if needs_drop::<T>() {
                let drop = self.storage.store(component).info.drop;
                // SAFETY: the old value is now the bundle's field: initialised, given up by the caller, and not touched before
                // the list is run, or dropped.
                unsafe { self.drops.push(drop, value.cast(), 1) };
            }
        } else {
            // SAFETY: the bundle gives the value up (`FieldVisitor::visit`); the place is one for `T` and not initialised yet.
            unsafe { value.copy_to_nonoverlapping(place.cast(), 1) };
            if T::STORAGE.is_sparse() {
                self.storage.enter_groups(component, self.entity);
            }
        }
    }
}

/// What is noted as the time of a change, if changes are.
#[inline]
fn now<T: Component>(storage: &Storage) -> CompactTick {
    // Not asked for in vain: the clock is atomic, and compilers keep its loads.
    if T::Tracking::TRACKED {
        storage.clock.between()
    } else {
        CompactTick::NEVER
    }
}

/// The ticks of a value, if its component has any.
#[inline]
fn tracked<T: Component>(stamps: impl FnOnce() -> Option<CompactTicks>) -> Option<CompactTicks> {
    if T::Tracking::TRACKED { stamps() } else { None }
}

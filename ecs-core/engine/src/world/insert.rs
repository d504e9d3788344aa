//! Inserting components.

use alloc::vec::Vec;
use core::mem::{ManuallyDrop, needs_drop};
use core::ptr;

use super::effects::with_effects;
use super::hooks::{NotedEvent, StructuralChange, note_added, note_inserted};
use super::place_erased::write_erased;
use super::required::{RequiredValue, Requirements, make_missing, write_all};
use super::{NoSuchEntity, World};
use crate::bundle::{Bundle, BundleInfo, FieldVisitor};
use crate::component::{Component, ComponentId, Lifecycle, LifecycleSet, Tracking as _};
use crate::entity::{Entity, Location, TableId};
use crate::storage::{CompactTicks, DropList, ErasedColumn, Frozen, Storage, WrongEnd};
use crate::tick::CompactTick;

impl World {
    /// Inserts the components of `bundle` into the entity, and any missing components that they
    /// [require](crate::component::Required). Previous values of the bundle's components are replaced and dropped.
    ///
    /// O(table components of the entity) if the entity moves to another table. A bundle of sparse components that require
    /// nothing never moves it.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// # #[derive(Component, Debug, PartialEq)] struct Name(&'static str);
    /// let mut world = World::new();
    /// let rat = world.spawn(Health(3));
    /// world.insert(rat, (Name("rat"), Health(9))).unwrap();
    /// assert_eq!(*world.get::<Health>(rat).unwrap(), Health(9));
    /// ```
    ///
    /// # Errors
    /// If the entity does not exist; the bundle is dropped.
    ///
    /// # Panics
    /// * If the bundle has a component type twice, or a limit is hit (see [`spawn`](Self::spawn)).
    /// * If the `Drop` of a replaced value panics; in that case the new values are in place.
    /// * If the constructor of a required component panics; then `on_replace` [hooks](super::hooks) were called, nothing
    ///   else has changed, and the bundle is dropped.
    /// * If the entity would be [related](crate::relation) to itself, or be its own ancestor in a tree; nothing has changed
    ///   then.
    #[doc(alias = "insert_one")]
    #[doc(alias = "add_component")]
    #[doc(alias = "emplace")]
    #[doc(alias = "emplace_or_replace")]
    pub fn insert<B: Bundle>(&mut self, entity: Entity, bundle: B) -> Result<(), NoSuchEntity> {
        let () = B::DISTINCT;
        let Some(from) = self.storage.locate(entity) else {
            return Err(NoSuchEntity { entity });
        };
        if B::IS_SPARSE_COMPONENT {
            self.insert_sparse(entity, bundle);
            return Ok(());
        }
        let info = self.bundles.info_of_value(&bundle, &mut self.storage);
        if info.is_plain_of::<B>() {
            // SAFETY: the entity was located at `from`, and `info` describes the bundle, which is plain.
            unsafe { insert_plain(&mut self.storage, info, (entity, from), bundle) };
        } else {
            self.insert_in_full(entity, bundle, false);
        }
        Ok(())
    }

    /// [`insert`](Self::insert) of a bundle that is one sparse component into a living entity.
    #[inline]
    fn insert_sparse<B: Bundle>(&mut self, entity: Entity, bundle: B) {
        let mut owner = BundleOwner {
            bundle: ManuallyDrop::new(bundle),
            is_empty: false,
        };
        let mut writer = SparseWriter {
            storage: &mut self.storage,
            entity,
            is_observed: false,
            is_moved: &mut owner.is_empty,
        };
        // SAFETY: the bundle is initialised, and by invariant 1 of `BundleOwner` it is not dropped after its field was moved
        // out.
        unsafe { B::fields(&raw mut *owner.bundle, &mut writer) };
        if writer.is_observed {
            self.insert_in_full(entity, owner.into_bundle(), false);
        }
        // A replaced value is in `owner` now, which drops it.
    }

    /// Slow path of [`insert`](Self::insert) into a living entity: sparse, observed or required components.
    ///
    /// Outlined, so the fast path does not pay for the moves of a longer function. Locates the entity again, so the path of
    /// a single sparse component need not. `is_checked` tells whether the caller has checked the values.
    #[inline(never)]
    pub(super) fn insert_in_full<B: Bundle>(
        &mut self,
        entity: Entity,
        bundle: B,
        is_checked: bool,
    ) {
        if B::HAS_EFFECTS {
            return with_effects(self, bundle, |world, bundle| {
                world.insert_parts(entity, bundle, is_checked);
                (entity, ())
            });
        }
        self.insert_parts(entity, bundle, is_checked);
    }

    /// Inserts the components of a bundle whose effects were taken.
    #[inline]
    fn insert_parts<B: Bundle>(&mut self, entity: Entity, bundle: B, is_checked: bool) {
        _ = is_checked;
        let at = self.storage.locate(entity).expect("the entity is alive");
        if B::MAY_REQUIRE {
            check_ends(&self.storage, entity, &bundle);
        }
        let info = self.bundles.info_of_value(&bundle, &mut self.storage);
        #[cfg(feature = "checks")]
        let info =
            if B::MAY_REQUIRE && !is_checked && info.observed().has_any(LifecycleSet::CHECKED) {
                self.check_new(Some(entity), &bundle);
                self.bundles.info_of_value(&bundle, &mut self.storage)
            } else {
                info
            };
        if calls_hooks(&self.storage, info, entity) {
            let index = info.index();
            let change = StructuralChange::begin(self, (entity, at), index, Lifecycle::Replace);
            change.insert((entity, at), bundle);
            return;
        }
        if B::MAY_REQUIRE {
            let storage = Frozen::of(&mut self.storage);
            let made = make_missing(storage, info.requirements(), (entity, at));
            // SAFETY: the entity was located at `at`, `info` describes the bundle, and `made` has the values that the entity lacks:
            // constructors have no access to the world, so nothing has changed since.
            unsafe { insert_mixed(&mut self.storage, info, (entity, at), bundle, made) };
        } else {
            // SAFETY: the entity was located at `at`, `info` describes the bundle, and by `B::MAY_REQUIRE` the bundle requires
            // nothing.
            unsafe { insert_mixed(&mut self.storage, info, (entity, at), bundle, []) };
        }
    }

    /// Inserts a component into the entity and returns its previous value. If there is one, no required components are
    /// inserted.
    ///
    /// An `on_replace` hook or observer may remove an [immediate](crate::component::ImmediateComponent) value itself. Then
    /// `value` is inserted, and `None` is returned.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let rat = world.spawn(Health(3));
    /// assert_eq!(world.replace(rat, Health(9)).unwrap(), Some(Health(3)));
    /// ```
    ///
    /// # Errors
    /// If the entity does not exist; `value` is dropped.
    ///
    /// # Panics
    /// In the same cases as [`insert`](Self::insert).
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
        #[cfg(feature = "checks")]
        if T::HOOKS.check().is_some() {
            self.check_new(Some(entity), &value);
        }
        let observed = self.storage.store(component).observed;
        Ok(
            if observed.has_any(LifecycleSet::INSERTION.and(LifecycleSet::LINK)) {
                self.replace_observed(entity, value)
            } else {
                Some(self.exchange(entity, value))
            },
        )
    }

    fn replace_observed<T: Component>(&mut self, entity: Entity, value: T) -> Option<T> {
        let component = ComponentId::of::<T>();
        let mut change = StructuralChange::new(self);
        let orphaned = change
            .world
            .storage
            .orphaned_sources(entity, [component], None);
        change.before_one(entity, component, Lifecycle::Replace);
        change.before_orphaned(orphaned);
        if !change.world.has_component(entity, component) {
            // The component is immediate, and a hook has removed it.
            let at = change.world.storage.entities.get(entity);
            change.insert((entity, at.expect("the entity is alive")), value);
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
            // From here on nothing panics and no user code runs until everything is written.
            drops = storage.take_drops();
            storage.unlink(&component, entity, &mut drops);
        }
        let at = storage.entities.get(entity).expect("the entity is alive");
        let now = now::<T>(storage);
        let place = storage.store_mut(component[0]).frozen().value(entity, at);
        // SAFETY: the entity has a `T` at the place.
        unsafe { note_toggle(storage, entity, place, &raw const value) };
        let store = storage.store_mut(component[0]).frozen();
        if let Some(ticks) = tracked::<T>(|| store.ticks_of(entity, at)) {
            // SAFETY: the ticks belong to a tracked value, and the storage is borrowed exclusively.
            unsafe { ticks.change(now) };
        }
        let place = store.value(entity, at);
        let place = place.expect("the entity has the component").cast::<T>();
        // SAFETY: `place` holds a value in the store with `T`'s id, which holds `T`s; the storage is borrowed exclusively.
        let old = unsafe { ptr::replace(place, value) };
        if T::LINK.is_some() {
            storage.link(&component, entity, &mut drops);
            storage.run(drops);
        }
        old
    }
}

impl StructuralChange<'_> {
    /// Continues after [`begin`](StructuralChange::begin): inserts the bundle, and calls hooks and observers of the
    /// inserted components.
    fn insert<B: Bundle>(mut self, at: (Entity, Location), bundle: B) {
        let World {
            bundles, storage, ..
        } = &mut *self.world;
        let info = bundles.info_of_value(&bundle, storage);
        let made = make_and_note(storage, &mut self.events, info, info.requirements(), at);
        if B::MAY_REQUIRE {
            // SAFETY: hooks move no rows, so the entity is still at `at`. `info` describes the bundle. `made` has the values that the
            // entity lacks: it was made after the hooks ran, and constructors have no access to the world.
            unsafe { insert_mixed(storage, info, at, bundle, made) };
        } else {
            // SAFETY: as above, and by `B::MAY_REQUIRE` the bundle requires nothing.
            unsafe { insert_mixed(storage, info, at, bundle, []) };
        }
        let is_linked = info.observed().is_linked();
        self.finish_insert(at.0, is_linked);
    }

    /// Calls hooks and observers of the events that [`make_and_note`] has noted. `is_linked` tells whether a component is an end
    /// of a relation.
    pub(super) fn finish_insert(mut self, entity: Entity, is_linked: bool) {
        if is_linked {
            self.drop_missing(entity);
        }
        self.after(entity);
        self.finish();
    }
}

/// Returns true if inserting the bundle into the entity calls hooks or observers.
#[inline]
pub(super) fn calls_hooks(storage: &Storage, info: &BundleInfo, entity: Entity) -> bool {
    let observed = info.observed();
    observed.has_any(LifecycleSet::INSERTION)
        || storage.orphans_any(entity, info.components(), observed)
}

/// Constructs the `required` values that the entity lacks, and notes the events that follow the insertion of the bundle and of
/// these values. Only now are they known: hooks may have inserted and removed immediate components. No code that could do so
/// runs until everything is written.
pub(super) fn make_and_note(
    storage: &mut Storage,
    events: &mut Vec<NotedEvent>,
    info: &BundleInfo,
    required: &Requirements,
    at: (Entity, Location),
) -> Vec<RequiredValue> {
    let made = make_missing(Frozen::of(storage), required, at);
    note_inserted(Frozen::of(storage), events, info.components(), at);
    for made in &made {
        note_added(storage, events, &[made.component()]);
    }
    made
}

/// Panics if a value of the bundle is an end of a relation that the entity cannot have. Runs before anything is changed.
#[inline]
pub(super) fn check_ends<B: Bundle>(storage: &Storage, entity: Entity, bundle: &B) {
    struct InsertCheck<'a>(&'a Storage, Entity, Result<(), WrongEnd>);

    impl FieldVisitor for InsertCheck<'_> {
        #[inline]
        unsafe fn visit<T: Component>(&mut self, value: *mut T) {
            if let Some(link) = &T::LINK
                && self.2.is_ok()
            {
                // SAFETY: `value` is initialised by the contract of `visit`, and `link` belongs to its type `T`.
                self.2 = unsafe { self.0.check_end(link, self.1, value.cast()) };
            }
        }

        unsafe fn visit_erased(&mut self, values: &mut Vec<ErasedColumn>) {
            for column in values {
                if let (Some(link), Some(value)) = (column.component().info().link, column.get(0))
                    && self.2.is_ok()
                {
                    // SAFETY: the value belongs to the column's component, and so does `link`.
                    self.2 = unsafe { self.0.check_raw(link, self.1, value) };
                }
            }
        }
    }

    let mut check = InsertCheck(storage, entity, Ok(()));
    // SAFETY: the bundle is initialised, and the visitor only reads it and moves nothing out.
    unsafe { B::fields(core::ptr::from_ref(bundle).cast_mut(), &mut check) };
    if let Err(wrong) = check.2 {
        panic!("{wrong}");
    }
}

/// Makes room for the edges of the bundle's relation ends, before anything is changed. `entity` is `None` if it has no id
/// yet.
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
                // SAFETY: `value` is initialised by the contract of `visit`, and `link` belongs to its type `T`.
                unsafe { self.0.reserve_edges(link, self.1, value.cast()) };
            }
        }

        unsafe fn visit_erased(&mut self, values: &mut Vec<ErasedColumn>) {
            for column in values {
                if let (Some(link), Some(value)) = (column.component().info().link, column.get(0)) {
                    // SAFETY: the value belongs to the column's component, and so does `link`. The component is registered.
                    unsafe { self.0.reserve_erased_edges(link, self.1, value) };
                }
            }
        }
    }

    let mut reserve = Reserve(storage, entity);
    // SAFETY: the bundle is initialised, and the visitor only reads it and moves nothing out.
    unsafe { B::fields(core::ptr::from_ref(bundle).cast_mut(), &mut reserve) };
    for made in made {
        made.reserve_edges(storage, entity);
    }
}

/// Moves a [plain](BundleInfo::is_plain) bundle into a living entity.
///
/// # Safety
/// 1. `info` describes the bundle, which is plain.
/// 2. The entity is at `from`.
#[inline]
unsafe fn insert_plain<B: Bundle>(
    storage: &mut Storage,
    info: &mut BundleInfo,
    (entity, from): (Entity, Location),
    bundle: B,
) {
    let target = info.after_insert(from.table, storage);
    if target != from.table {
        storage.reserve_rows(target, 1);
    }
    // From here on nothing panics and no user code runs until everything is written.
    let mut drops = if needs_drop::<B>() {
        storage.take_drops()
    } else {
        DropList::default()
    };
    // SAFETY: a row was reserved if the table changes. By clause 1 the new columns of the target belong to the bundle, which is
    // written below.
    let at = unsafe { move_to(storage, entity, from, target) };
    let mut bundle = ManuallyDrop::new(bundle);
    let mut writer = InsertWriter::<false> {
        storage,
        entity,
        from,
        at,
        components: info.components().iter(),
        drops: &mut drops,
        taken: Vec::new(),
    };
    // SAFETY: `bundle` is initialised, and `ManuallyDrop` keeps it from being dropped after its fields were moved out.
    unsafe { B::fields(&raw mut *bundle, &mut writer) };
    if needs_drop::<B>() {
        // Drops the replaced values, which are in `bundle` now.
        storage.run(drops);
    }
}

/// Moves any bundle, and all required values that were [made](make_missing) for it, into a living entity.
///
/// # Safety
/// 1. `info` describes the bundle.
/// 2. The entity is at `from`.
/// 3. `made` has a value for each component that the bundle requires and the entity lacks, and no other.
#[inline]
unsafe fn insert_mixed<B: Bundle>(
    storage: &mut Storage,
    info: &mut BundleInfo,
    (entity, from): (Entity, Location),
    bundle: B,
    made: impl IntoIterator<Item = RequiredValue> + AsRef<[RequiredValue]>,
) {
    // Edges come first, because their targets may get rows.
    if B::MAY_REQUIRE && info.observed().is_linked() {
        reserve_edges(storage, Some(entity), &bundle, made.as_ref());
    }
    // SAFETY: by clauses 1 and 3 the new columns of the target belong to the bundle and to the values in `made`, which are
    // written below; by clause 2 the entity is at `from`.
    let (at, mut drops) = unsafe { begin_mixed(storage, info, (entity, from)) };
    let mut bundle = ManuallyDrop::new(bundle);
    let mut writer = InsertWriter::<true> {
        storage,
        entity,
        from,
        at,
        components: info.components().iter(),
        drops: &mut drops,
        taken: Vec::new(),
    };
    // SAFETY: `bundle` is initialised, and `ManuallyDrop` keeps it from being dropped after its fields were moved out.
    unsafe { B::fields(&raw mut *bundle, &mut writer) };
    let taken = writer.taken;
    if B::MAY_REQUIRE {
        // SAFETY: by clause 3 the entity lacked all of them, and the fields of the bundle were other components. The row `at`
        // is the entity's, in a table with the required components, and `begin_mixed` made room in the sets.
        unsafe { write_all(made, storage, (entity, at)) };
        if info.observed().is_linked() {
            storage.link(info.sets(), entity, &mut drops);
        }
    }
    // Drops the replaced values, which are in `bundle` and in the memory of `taken` now.
    storage.run(drops);
    drop(taken);
}

/// Makes room for a bundle and its required components, whose edges have room already, and moves the entity to their table.
/// Returns its new place, and a list with the values of the edges that the bundle replaces.
///
/// Nothing panics and no user code runs after it until the list is run.
///
/// # Safety
/// The entity is at `from`. Before anything else happens, the caller writes the values of the columns that its old table lacks.
#[inline]
unsafe fn begin_mixed(
    storage: &mut Storage,
    info: &mut BundleInfo,
    (entity, from): (Entity, Location),
) -> (Location, DropList) {
    let target = if info.keeps_table() && info.requirements().is_empty() {
        from.table
    } else {
        info.after_insert(from.table, storage)
    };
    reserve_sets(storage, info);
    if target != from.table {
        storage.reserve_rows(target, 1);
    }
    let mut drops = storage.take_drops();
    if info.observed().is_linked() {
        storage.unlink(info.components(), entity, &mut drops);
    }
    // SAFETY: a row was reserved if the table changes, and the caller writes the values of the new columns.
    let at = unsafe { move_to(storage, entity, from, target) };
    (at, drops)
}

/// Makes room in the sparse sets of the bundle and of its required components.
#[inline]
pub(super) fn reserve_sets(storage: &mut Storage, info: &BundleInfo) {
    for &component in info.sets() {
        storage.store_mut(component).set_mut().reserve_values(1);
    }
}

/// Moves the entity to `target`, which has all columns of its table. Does nothing if the entity is in `target` already.
///
/// # Safety
/// Unless the entity is in `target` already, `target` has room for a row, and the caller writes the values of the columns
/// that the old table lacks before anything else happens.
#[inline]
pub(super) unsafe fn move_to(
    storage: &mut Storage,
    entity: Entity,
    from: Location,
    target: TableId,
) -> Location {
    if target == from.table {
        return from;
    }
    // SAFETY: `target != from.table`. By the caller's contract there is room, and the new columns are written. The target
    // has all columns of the old table, so there are no leftovers.
    let (row, _) = unsafe { storage.move_entity(entity, from, target) };
    Location {
        table: target,
        row: row as u32,
    }
}

/// A bundle that is dropped, also during a panic, unless its fields were moved out.
struct BundleOwner<B> {
    bundle: ManuallyDrop<B>,
    /// Invariant 1: true if and only if the fields were moved out.
    is_empty: bool,
}

impl<B> BundleOwner<B> {
    #[inline]
    fn into_bundle(mut self) -> B {
        debug_assert!(!self.is_empty);
        self.is_empty = true;
        // SAFETY: by invariant 1 the fields had not been moved out, and `is_empty` was set, so `drop` does not use them.
        unsafe { ManuallyDrop::take(&mut self.bundle) }
    }
}

impl<B> Drop for BundleOwner<B> {
    #[inline]
    fn drop(&mut self) {
        if !self.is_empty {
            // SAFETY: by invariant 1 the fields were not moved out, and the bundle is not used after this.
            unsafe { ManuallyDrop::drop(&mut self.bundle) };
        }
    }
}

/// Moves a sparse component into an entity, or swaps it with the value that the entity has.
struct SparseWriter<'a> {
    storage: &'a mut Storage,
    /// Invariant 1: alive.
    entity: Entity,
    /// Set if the component needs the slow path; in that case nothing was moved.
    is_observed: bool,
    /// Set if the value was moved out and not swapped.
    is_moved: &'a mut bool,
}

impl FieldVisitor for SparseWriter<'_> {
    #[inline]
    unsafe fn visit<T: Component>(&mut self, value: *mut T) {
        let component = ComponentId::of::<T>();
        if T::Tracking::TRACKED && T::turned().is_some() {
            // Tracked toggles are rarely replaced, and not here.
            self.is_observed = true;
            return;
        }
        let now = now::<T>(self.storage);
        // SAFETY: values of the component are `T`s. By invariant 1 the entity is alive. If the place holds no value, it and
        // its ticks are written below.
        let placed = unsafe {
            self.storage
                .place_unobserved(component, self.entity, size_of::<T>())
        };
        let Some((store, place, replaces)) = placed else {
            self.is_observed = true;
            return;
        };
        let ticks = tracked::<T>(|| store.set_mut().ticks_of(self.entity));
        if replaces {
            if let Some(ticks) = ticks {
                // SAFETY: the ticks belong to a tracked value, and the storage is borrowed exclusively.
                unsafe { ticks.change(now) };
            }
            // SAFETY: `place` holds a `T` of the storage, `value` holds one of the bundle (contract of `visit`): different
            // memory.
            unsafe { ptr::swap_nonoverlapping(place.cast(), value, 1) };
            return;
        }
        *self.is_moved = true;
        // SAFETY: `value` may be moved out by the contract of `visit`; `place` is for a `T` and not initialised yet.
        unsafe { value.copy_to_nonoverlapping(place.cast(), 1) };
        if let Some(ticks) = ticks {
            // SAFETY: the ticks belong to a tracked value, and the storage is borrowed exclusively.
            unsafe { ticks.add(now) };
        }
        let member = store.member;
        if member.is_grouped() {
            self.storage.enter(member, self.entity);
        }
    }
}

/// Moves the fields of a bundle into an entity whose row has a place for each. Swaps the fields that it had before.
///
/// `MIXED` yields two types; each is used once and therefore inlined.
struct InsertWriter<'a, const MIXED: bool> {
    storage: &'a mut Storage,
    entity: Entity,
    /// The previous location of the entity, which determines the components that it had.
    from: Location,
    /// The current location of the entity.
    at: Location,
    components: core::slice::Iter<'a, ComponentId>,
    /// Receives the replaced values.
    drops: &'a mut DropList,
    /// Columns without values. Their memory has replaced ones, so they outlive the list.
    taken: Vec<ErasedColumn>,
}

impl<const MIXED: bool> InsertWriter<'_, MIXED> {
    /// Writes the ticks of a tracked value that is about to be written to its place, and notes it if it is a toggle. `old` is the
    /// place if it holds a value.
    ///
    /// # Safety
    /// The pointers are valid for reading a `T`, which is the type of the component.
    #[inline]
    unsafe fn note_change<T: Component>(
        &mut self,
        component: ComponentId,
        old: Option<*mut u8>,
        value: *const T,
    ) {
        let now = self.storage.clock.between();
        // SAFETY: if there is a value, it is at the place, and both are `T`s by the caller's contract.
        unsafe { note_toggle(self.storage, self.entity, old, value) };
        let store = self.storage.store_mut(component).frozen();
        let Some(ticks) = store.ticks_of(self.entity, self.at) else {
            return;
        };
        if old.is_some() {
            // SAFETY: the ticks belong to a tracked value, and the storage is borrowed exclusively.
            unsafe { ticks.change(now) };
        } else {
            // SAFETY: the ticks belong to a tracked value, and the storage is borrowed exclusively.
            unsafe { ticks.add(now) };
        }
    }
}

impl<const MIXED: bool> FieldVisitor for InsertWriter<'_, MIXED> {
    #[inline]
    unsafe fn visit<T: Component>(&mut self, value: *mut T) {
        let &component = self
            .components
            .next()
            .expect("a bundle visits the fields that it named");
        let (kind, rows) = (T::STORAGE, (self.from, self.at));
        // SAFETY: the entity is alive and at `at`, in a table with the components of the bundle. `begin_mixed` has made room in
        // the sets. The value is written below, before anything else happens.
        let (place, replaces) = unsafe { self.storage.place(component, kind, self.entity, rows) };
        if T::Tracking::TRACKED {
            // SAFETY: the component belongs to `T`. If there is a value, it is at the place.
            unsafe { self.note_change(component, replaces.then_some(place), value) };
        }
        if T::DISABLES {
            self.storage.note_disabled();
        }
        if replaces {
            // SAFETY: `place` holds a `T` of the storage, `value` holds one of the bundle (contract of `visit`): different
            // memory.
            unsafe { ptr::swap_nonoverlapping(place.cast(), value, 1) };
            if needs_drop::<T>() {
                let drop = self.storage.store(component).info.drop;
                // SAFETY: the old value is in the field of the bundle now: initialised, of type `T`, and not used again by
                // the caller, who keeps the bundle in place until the list was run.
                unsafe { self.drops.push(drop, value.cast(), 1) };
            }
        } else {
            // SAFETY: `value` may be moved out by the contract of `visit`; `place` is for a `T` and not initialised yet.
            unsafe { value.copy_to_nonoverlapping(place.cast(), 1) };
            if kind.is_by_entity() {
                self.storage.enter_groups(component, self.entity);
            }
        }
    }

    unsafe fn visit_erased(&mut self, values: &mut Vec<ErasedColumn>) {
        let first = self.taken.len();
        // Not `append`, which leaves memory to a builder that is not dropped.
        self.taken.extend(core::mem::take(values));
        for column in &mut self.taken[first..] {
            self.components.next();
            let rows = (self.from, self.at);
            // SAFETY: the entity is alive and at `at`, in a table with the components of the bundle, and `begin_mixed` has made
            // room in the sets. Each column has a value, and is kept until the list was run.
            unsafe { write_erased(self.storage, (self.entity, rows), column, self.drops) };
        }
    }
}

/// Returns the tick of a change made now, if the component is tracked.
#[inline]
fn now<T: Component>(storage: &Storage) -> CompactTick {
    // Read only if needed: compilers do not remove unused atomic loads.
    if T::Tracking::TRACKED {
        storage.clock.between()
    } else {
        CompactTick::NEVER
    }
}

/// Notes that a value is about to be written over the value at a place, if the component is a tracked toggle.
///
/// # Safety
/// The pointers are valid for reading a `T`.
#[inline]
unsafe fn note_toggle<T: Component>(
    storage: &mut Storage,
    entity: Entity,
    place: Option<*mut u8>,
    value: *const T,
) {
    if T::Tracking::TRACKED
        && let Some(turned) = T::turned()
    {
        // SAFETY: there is a `T` at the place.
        let old = place.map(|place| unsafe { turned.is_on(place) });
        // SAFETY: the value is a `T`.
        let new = unsafe { turned.is_on(value.cast()) };
        let ids = [turned.component(), ComponentId::of::<T>()];
        storage.note_toggle(entity, ids, old, new);
    }
}

/// Returns the ticks of a value, if its component is tracked.
#[inline]
fn tracked<T: Component>(ticks: impl FnOnce() -> Option<CompactTicks>) -> Option<CompactTicks> {
    if T::Tracking::TRACKED { ticks() } else { None }
}

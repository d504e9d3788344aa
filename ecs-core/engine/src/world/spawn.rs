//! Spawning entities.

use alloc::vec::Vec;
use core::mem::ManuallyDrop;
use core::ops::ControlFlow;
use core::slice::Iter;

use super::World;
use super::batch_writer::BatchWriter;
use super::effects::with_effects;
use super::hooks::{StructuralChange, note_added};
use super::insert::{check_ends, reserve_edges};
use super::required::{RequiredValue, make_all, write_all};
use crate::bundle::{Bundle, BundleIndex, BundleInfo, FieldVisitor, TypeVisitor};
use crate::component::{Component, ComponentId, LifecycleSet, StorageKind, Tracking as _};
use crate::entity::{Entity, Location, TableId};
use crate::fail;
use crate::storage::{ColumnKind, CompactTicks, ErasedColumn, Storage, TableColumn};
use crate::tick::{CompactTick, TickClock};

impl World {
    /// Spawns an entity with the components of `bundle` and the components that they [require](crate::component::Required).
    /// A bundle is a component, a tuple, or a struct with `#[derive(Bundle)]`.
    ///
    /// Amortised O(components): a full table doubles its memory.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[derive(Component)]
    /// struct Name(&'static str);
    /// #[derive(Component)]
    /// struct Health(i32);
    ///
    /// let mut world = World::new();
    /// let bob = world.spawn((Name("Bob"), Health(3)));
    /// assert_eq!(world.get::<Name>(bob).unwrap().0, "Bob");
    /// ```
    ///
    /// # Panics
    /// * If the bundle has a component type twice.
    /// * If a limit is hit: 2^26 entities with the same components, 65,535 different sets of components, 2^32 - 1 entities.
    /// * If the constructor of a required component panics; no entity is spawned in that case.
    #[doc(alias = "create_entity")]
    #[doc(alias = "add_entity")]
    #[doc(alias = "create")]
    #[doc(alias = "push")]
    #[doc(alias = "build_entity")]
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> Entity {
        let () = B::DISTINCT;
        let info = self.bundles.info_of_value(&bundle, &mut self.storage);
        if info.is_plain_of::<B>() {
            spawn_plain(&mut self.storage, info, None, bundle)
        } else {
            self.spawn_in_full(None, bundle, false)
        }
    }

    /// Slow path of [`spawn`](Self::spawn): sparse, observed or required components.
    ///
    /// Outlined, so the fast path does not pay for the moves of a longer function. `is_checked` tells whether the caller has
    /// checked the values.
    #[inline(never)]
    pub(super) fn spawn_in_full<B: Bundle>(
        &mut self,
        reserved: Option<Entity>,
        bundle: B,
        is_checked: bool,
    ) -> Entity {
        if B::HAS_EFFECTS {
            return with_effects(self, bundle, |world, bundle| {
                let entity = world.spawn_parts(reserved, bundle, is_checked);
                (entity, entity)
            });
        }
        self.spawn_parts(reserved, bundle, is_checked)
    }

    /// Spawns the components of a bundle whose effects were taken.
    #[inline]
    fn spawn_parts<B: Bundle>(
        &mut self,
        reserved: Option<Entity>,
        bundle: B,
        is_checked: bool,
    ) -> Entity {
        _ = is_checked;
        if B::MAY_REQUIRE
            && let Some(entity) = reserved
        {
            check_ends(&self.storage, entity, &bundle);
        }
        let info = self.bundles.info_of_value(&bundle, &mut self.storage);
        #[cfg(feature = "checks")]
        let info =
            if B::MAY_REQUIRE && !is_checked && info.observed().has_any(LifecycleSet::CHECKED) {
                self.check_new(reserved, &bundle);
                self.bundles.info_of_value(&bundle, &mut self.storage)
            } else {
                info
            };
        let entity = if B::MAY_REQUIRE {
            let made = make_all(info.required::<B>());
            spawn_mixed(&mut self.storage, info, reserved, bundle, made)
        } else {
            spawn_mixed(&mut self.storage, info, reserved, bundle, [])
        };
        if info.observed().has_any(LifecycleSet::COMING) {
            let index = info.index();
            self.notify_spawned(entity, index);
        }
        entity
    }

    /// Calls the hooks and observers of a new entity with this bundle.
    #[inline(never)]
    fn notify_spawned(&mut self, entity: Entity, index: BundleIndex) {
        let mut change = StructuralChange::new(self);
        let World {
            bundles, storage, ..
        } = &mut *change.world;
        let info = bundles.at(index);
        let list = &mut change.events;
        note_added(storage, list, info.components());
        for &(component, _) in info.requirements() {
            note_added(storage, list, &[component]);
        }
        if info.observed().is_linked() {
            change.drop_missing(entity);
        }
        change.after(entity);
        change.finish();
    }

    /// Spawns an entity without components.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// let entity = world.spawn_empty();
    /// assert!(world.contains(entity));
    /// ```
    pub fn spawn_empty(&mut self) -> Entity {
        self.spawn(())
    }

    /// Spawns a bundle with a reserved id, for commands: the entity goes straight to its table.
    ///
    /// If the entity already has a row, the bundle is inserted. If it was despawned, the bundle is dropped.
    pub(crate) fn spawn_reserved<B: Bundle>(&mut self, entity: Entity, bundle: B) {
        if self.storage.entities.is_unplaced(entity) {
            let info = self.bundles.info_of_value(&bundle, &mut self.storage);
            if info.is_plain_of::<B>() {
                spawn_plain(&mut self.storage, info, Some(entity), bundle);
            } else {
                self.spawn_in_full(Some(entity), bundle, false);
            }
        } else {
            // Fails only if the entity was despawned.
            let _ = self.insert(entity, bundle);
        }
    }

    /// Spawns an entity for each bundle of the iterator and returns their ids in order.
    ///
    /// Faster than single spawns: the table grows once if the iterator knows its length, and ids are allocated together.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let ids = world.spawn_batch((0..1000).map(Health)).to_vec();
    /// assert_eq!(world.get::<Health>(ids[7]).unwrap().0, 7);
    /// ```
    ///
    /// # Panics
    /// In the same cases as [`spawn`](Self::spawn), such as a unique value that is taken, and if the iterator panics; entities
    /// spawned before stay.
    pub fn spawn_batch<I>(&mut self, bundles: I) -> &[Entity]
    where
        I: IntoIterator,
        I::Item: Bundle,
    {
        let () = I::Item::DISTINCT;
        if I::Item::IS_VARIABLE {
            return self.spawn_each(bundles);
        }
        let info = self.bundles.info::<I::Item>(&mut self.storage);
        if !info.is_plain() {
            return self.spawn_each(bundles);
        }
        let table = info.spawn_table();
        let first = self.storage.table(table).len();
        let bundles = bundles.into_iter();
        // The hint may be wrong, which must not cause a huge allocation.
        let most = (1 << 28) / size_of::<I::Item>().max(256);
        let expected = bundles.size_hint().0.min(most);
        let mut batch = RowBatch::new(&mut self.storage, info, expected);
        batch.extend(bundles);
        drop(batch);
        &self.storage.table(table).entities()[first..]
    }

    /// Takes the list of the entities that a batch has spawned, without entities.
    pub(crate) fn take_spawned(&mut self) -> Vec<Entity> {
        let mut spawned = core::mem::take(&mut self.spawned);
        spawned.clear();
        spawned
    }

    /// Keeps that list for the next batch, and returns its entities.
    pub(crate) fn keep_spawned(&mut self, spawned: Vec<Entity>) -> &[Entity] {
        self.spawned = spawned;
        &self.spawned
    }

    fn spawn_each<I>(&mut self, bundles: I) -> &[Entity]
    where
        I: IntoIterator,
        I::Item: Bundle,
    {
        let mut spawned = self.take_spawned();
        // The ids cannot be read from the table: commands that hooks queue may change it.
        self.as_one_change(|world| {
            // Not `extend`, because its functions move the bundle often without optimisation.
            for bundle in bundles {
                spawned.push(world.spawn(bundle));
            }
        });
        self.keep_spawned(spawned)
    }
}

/// Returns the row after the last one of the bundle's table, and makes room for it.
#[inline]
fn row_behind(storage: &mut Storage, info: &BundleInfo) -> Location {
    let table = info.spawn_table();
    storage.reserve_rows(table, 1);
    let row = storage.table(table).len() as u32;
    Location { table, row }
}

/// Writes a [plain](BundleInfo::is_plain) bundle into a new row, for the reserved entity or for a new one.
#[inline(always)]
fn spawn_plain<B: Bundle>(
    storage: &mut Storage,
    info: &BundleInfo,
    reserved: Option<Entity>,
    bundle: B,
) -> Entity {
    let id = info.spawn_table();
    storage.reserve_rows(id, 1);
    let (table, entities, clock) = storage.parts(id);
    let row = table.len();
    let at = Location {
        table: id,
        row: row as u32,
    };
    let entity = match reserved {
        Some(entity) => {
            entities.place(entity, at);
            entity
        }
        None => entities.alloc_at(at),
    };
    let mut bundle = ManuallyDrop::new(bundle);
    let mut writer = RowWriter {
        columns: table.columns(),
        order: info.columns().iter(),
        row,
        clock,
    };
    // SAFETY: `bundle` is initialised, and `ManuallyDrop` keeps it from being dropped after its fields were moved out.
    unsafe { B::fields(&raw mut *bundle, &mut writer) };
    // SAFETY: room was made, and every column of the spawn table was written: its components are exactly the bundle's.
    unsafe { table.push(entity) };
    entity
}

/// Writes any bundle, and the required values that were [made](make_all) for it, into a new row, for the reserved entity or
/// for a new one.
#[inline]
fn spawn_mixed<B: Bundle>(
    storage: &mut Storage,
    info: &BundleInfo,
    reserved: Option<Entity>,
    bundle: B,
    made: impl IntoIterator<Item = RequiredValue> + AsRef<[RequiredValue]>,
) -> Entity {
    // Making room may panic, so it comes before any change. Edges come first, because their targets may get rows.
    let is_linked = B::MAY_REQUIRE && info.observed().is_linked();
    if B::MAY_REQUIRE && is_linked {
        reserve_edges(storage, reserved, &bundle, made.as_ref());
    }
    for &component in info.sets() {
        storage.store_mut(component).set_mut().reserve_values(1);
    }
    let at = row_behind(storage, info);
    let entity = match reserved {
        Some(entity) => {
            storage.entities.place(entity, at);
            entity
        }
        None => storage.entities.alloc_at(at),
    };
    let mut bundle = ManuallyDrop::new(bundle);
    let mut writer = MixedWriter {
        components: info.components().iter(),
        storage,
        entity,
        at,
    };
    // SAFETY: `bundle` is initialised, and `ManuallyDrop` keeps it from being dropped after its fields were moved out.
    unsafe { B::fields(&raw mut *bundle, &mut writer) };
    if !info.required::<B>().is_empty() {
        // SAFETY: the entity is new, so it has none of the values. `row_behind` made room for its row in the spawn table,
        // which has the required components, and the sets of `info.sets()` have room.
        unsafe { write_all(made, storage, (entity, at)) };
    }
    // SAFETY: `row_behind` made room, and every column of the spawn table was written: its components are the table
    // components of the bundle and of the values in `made`.
    unsafe { storage.table_mut(at.table).push(entity) };
    if is_linked {
        let mut drops = storage.take_drops();
        storage.link(info.sets(), entity, &mut drops);
        storage.run(drops);
    }
    entity
}

/// Moves the fields of one bundle into the row after the last one of its table.
struct RowWriter<'a> {
    /// The columns of the bundle's spawn table.
    columns: &'a [TableColumn],
    /// Invariant 1: the column of each remaining field, because the bundle is plain (invariant 2 of [`BundleInfo`]).
    order: Iter<'a, u32>,
    /// Invariant 2: below the capacity of the table.
    row: usize,
    clock: &'a TickClock,
}

impl FieldVisitor for RowWriter<'_> {
    #[inline]
    unsafe fn visit<T: Component>(&mut self, value: *mut T) {
        // SAFETY: by the contract of `Bundle`, the fields that are visited are the fields of its types, and each has a
        // column in the order (invariant 1).
        let column = unsafe { *self.order.next().unwrap_unchecked() } as usize;
        if T::Tracking::TRACKED {
            let ticks = [1, 2].map(|n| self.columns[column + n].column.data().cast());
            let [added, changed] = ticks;
            // SAFETY: the two columns after the values are their ticks, with memory for as many rows; by invariant 2 the row
            // is below the capacity.
            let ticks = unsafe { CompactTicks { added, changed }.row(self.row) };
            // SAFETY: the row is after the last one of the table, so no other code uses its ticks.
            unsafe { ticks.add(self.clock.between()) };
        }
        // SAFETY: by invariant 1 it is a column of the table.
        let values = unsafe { self.columns.get_unchecked(column) };
        let values = values.column.data().cast::<T>();
        // SAFETY: by invariant 1 the column holds `T`s, and by invariant 2 the row is inside its memory.
        let target = unsafe { values.add(self.row) }.as_ptr();
        // SAFETY: `value` may be moved out by the contract of `visit`; the row is after the last one, so `target` is free.
        unsafe { value.copy_to_nonoverlapping(target, 1) };
    }
}

/// Moves the fields of one bundle into the row after the last one of its table, and into sparse sets.
struct MixedWriter<'a> {
    storage: &'a mut Storage,
    entity: Entity,
    /// The row after the last one of the entity's table.
    at: Location,
    /// The component of each remaining field.
    components: Iter<'a, ComponentId>,
}

impl MixedWriter<'_> {
    /// Moves the value of the next component to its place.
    ///
    /// # Safety
    /// `value` belongs to the next component, which has this layout, and may be moved out.
    #[inline(always)]
    unsafe fn write(&mut self, form: ComponentForm, value: *const u8) {
        let &component = self
            .components
            .next()
            .expect("a bundle visits the fields that it named");
        // Read only if needed: compilers do not remove unused atomic loads.
        let now = form.tracked.then(|| self.storage.clock.between());
        if form.disables {
            self.storage.note_disabled();
        }
        let at = (self.entity, self.at);
        // SAFETY: the entity is new, so it has no value. `at` is its row, and `spawn_mixed` has made room for it and for the
        // values in sets. The value is written below.
        let place = unsafe { self.storage.place_new(component, form.storage, at, now) };
        // SAFETY: `value` may be moved out by the caller's contract; `place` is for a value of this size and not initialised yet.
        unsafe { value.copy_to_nonoverlapping(place, form.size) };
        if form.storage.is_by_entity() {
            self.storage.enter_groups(component, self.entity);
        }
    }
}

/// The facts about a component that a writer needs: constants where the type is known.
struct ComponentForm {
    storage: StorageKind,
    size: usize,
    tracked: bool,
    disables: bool,
}

impl FieldVisitor for MixedWriter<'_> {
    #[inline]
    unsafe fn visit<T: Component>(&mut self, value: *mut T) {
        let form = ComponentForm {
            storage: T::STORAGE,
            size: size_of::<T>(),
            tracked: T::Tracking::TRACKED,
            disables: T::DISABLES,
        };
        // SAFETY: `value` may be moved out by the contract of `visit`. A bundle visits the values of its components in
        // their order, by the contract of `Bundle`.
        unsafe { self.write(form, value.cast()) };
    }

    unsafe fn visit_erased(&mut self, values: &mut Vec<ErasedColumn>) {
        for mut column in core::mem::take(values) {
            let info = self.storage.store(column.component()).info;
            let form = ComponentForm {
                storage: info.storage,
                size: info.layout.size(),
                tracked: info.tracked,
                disables: info.disables,
            };
            let value = column.take_last().expect("each column has a value");
            // SAFETY: the value was taken out of the column, and belongs to its component, which is the next one, by the
            // contract of `Bundle`.
            unsafe { self.write(form, value) };
        }
    }
}

/// The maximum number of columns whose pointers are kept in registers or on the stack.
const FEW_COLUMNS: usize = 16;

/// Counts the columns of a bundle.
struct CountColumns(usize);

impl TypeVisitor for CountColumns {
    #[inline]
    fn visit<T: Component>(&mut self) {
        self.0 += ColumnKind::all(T::Tracking::TRACKED).len();
    }
}

/// Writes a bundle into each row from `end` on, until the capacity is used up, or the iterator ends. Returns true in the former
/// case.
///
/// # Safety
/// `all` has, for each field of the bundle, the start of its column, and of its two tick columns if it is tracked. The rows below
/// the capacity have memory, and from `end` on they have no values, or values that need no drop.
#[inline(always)]
unsafe fn write_bundles<I: Iterator<Item: Bundle>>(
    all: &[*mut u8],
    bundles: &mut I,
    end: &mut usize,
    capacity: usize,
    now: CompactTick,
) -> bool {
    // The count is a constant for the compiler, so it keeps the pointers in registers and needs no bounds check.
    let mut count = CountColumns(0);
    I::Item::types(&mut count);
    let mut few = [core::ptr::null_mut(); FEW_COLUMNS];
    let columns = if count.0 <= FEW_COLUMNS {
        few[..count.0].copy_from_slice(all);
        &few[..count.0]
    } else {
        all
    };
    let mut row = *end;
    let filled = bundles.try_for_each(|bundle| {
        let mut bundle = ManuallyDrop::new(bundle);
        let mut writer = BatchWriter {
            columns: columns.iter(),
            row,
            now,
        };
        // SAFETY: `bundle` is initialised, and `ManuallyDrop` keeps it from being dropped after its fields were moved out.
        unsafe { I::Item::fields(&raw mut *bundle, &mut writer) };
        row += 1;
        *end = row;
        if row < capacity {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    filled.is_break()
}

impl World {
    /// Overwrites the first rows of the table of a [plain](BundleInfo::is_plain) bundle with bundles, and returns the number of
    /// rows. `None`, without a change, unless the values there need no drop.
    pub(crate) fn overwrite<I: Iterator<Item: Bundle>>(
        &mut self,
        bundles: &mut I,
    ) -> Option<usize> {
        let info = self.bundles.info::<I::Item>(&mut self.storage);
        let table = self.storage.table(info.spawn_table());
        if !info.is_plain() || info.disables() || table.needs_drop() || table.len() == 0 {
            return None;
        }
        let mut columns = Vec::new();
        for &column in info.columns() {
            table.push_starts(column as usize, &mut columns);
        }
        let (mut end, rows, now) = (0, table.len(), self.storage.clock.between());
        // SAFETY: the table is the one of the bundle, which has exactly these columns. All rows have values, which need no drop,
        // and the world is borrowed exclusively.
        unsafe { write_bundles(&columns, bundles, &mut end, rows, now) };
        Some(end)
    }
}

/// Rows that are written after the last row of a table, and get their entities together at the end.
struct RowBatch<'a> {
    storage: &'a mut Storage,
    table: TableId,
    /// The columns of the fields of the bundle, in order.
    order: &'a [u32],
    /// For each field, the start of its column, and of its two tick columns if it is tracked.
    /// Invariant 1: up to date with the table, which only the batch changes while it exists.
    columns: Vec<*mut u8>,
    /// Invariant 2: the rows from the table's length up to here are initialised in every column.
    end: usize,
    /// Invariant 3: rows below have memory, and enough ids are left for the rows that have no entity yet.
    capacity: usize,
    now: CompactTick,
}

impl<'a> RowBatch<'a> {
    fn new(storage: &'a mut Storage, info: &'a BundleInfo, expected: usize) -> Self {
        let table = info.spawn_table();
        let mut batch = Self {
            end: storage.table(table).len(),
            now: storage.clock.between(),
            storage,
            table,
            order: info.columns(),
            columns: Vec::new(),
            capacity: 0,
        };
        batch.reserve(expected);
        batch
    }

    /// Makes room for `more` rows, but sets the capacity to at most the number of ids left. All rows written so far have
    /// been [placed](Self::place).
    ///
    /// # Panics
    /// If the table cannot have that many rows; nothing has changed in that case.
    fn reserve(&mut self, more: usize) {
        self.storage.reserve_rows(self.table, more);
        let ids = self.storage.entities.available();
        let table = self.storage.table(self.table);
        self.capacity = table.capacity().min(self.end.saturating_add(ids));
        self.columns.clear();
        for &column in self.order {
            table.push_starts(column as usize, &mut self.columns);
        }
    }

    /// Writes a row for each bundle.
    // Always inline: the optimiser outlines it for the second batch of the same bundle, and then each bundle is written to
    // the stack and read again.
    #[inline(always)]
    fn extend<I: Iterator<Item: Bundle>>(&mut self, mut bundles: I) {
        loop {
            if self.end < self.capacity {
                if !self.fill(&mut bundles) {
                    return;
                }
            } else {
                let Some(bundle) = bundles.next() else {
                    return;
                };
                self.grow();
                self.fill(&mut Some(bundle).into_iter());
            }
        }
    }

    /// Writes rows until the capacity is used up or the iterator ends. Returns true in the former case. There is room for at
    /// least one row.
    #[inline(always)]
    fn fill<I: Iterator<Item: Bundle>>(&mut self, bundles: &mut I) -> bool {
        debug_assert!(self.end < self.capacity);
        let (end, capacity) = (&mut self.end, self.capacity);
        // SAFETY: the columns belong to the bundle (invariant 1), and the rows from the end on have memory and no values yet
        // (invariants 2 and 3).
        unsafe { write_bundles(&self.columns, bundles, end, capacity, self.now) }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.place();
        self.reserve(1);
        fail::point();
        assert!(
            self.end < self.capacity,
            "all 2^32 - 1 entity indices are in use"
        );
    }

    /// Allocates the entities of the rows written so far.
    fn place(&mut self) {
        let first = self.storage.table(self.table).len();
        // SAFETY: by invariant 2 the rows are initialised. They are below the capacity, so by invariant 3 they are inside the
        // memory of their columns, and enough ids are left.
        unsafe { self.storage.place_rows(self.table, self.end - first) };
    }
}

impl Drop for RowBatch<'_> {
    /// Places the rows written so far, even if the iterator panics.
    fn drop(&mut self) {
        self.place();
    }
}

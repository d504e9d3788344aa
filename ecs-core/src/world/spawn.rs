//! Spawning entities.

use super::World;
use crate::bundle::{Bundle, BundleInfo, FieldVisitor, SPARSE};
use crate::component::{Component, ComponentId};
use crate::entity::{Entity, Location, TableId};
use crate::storage::Storage;
use core::mem::ManuallyDrop;

impl World {
    /// Spawns an entity with the components of `bundle`: one, a tuple, or a struct with `#[derive(Bundle)]`.
    ///
    /// O(components); amortised, as a table that is full doubles its memory.
    ///
    /// # Panics
    /// If the bundle has a component type twice, or a limit is hit: 2^26 entities with the same components, 65,535
    /// different sets of components, 2^32 - 1 entities.
    pub fn spawn<B: Bundle>(&mut self, bundle: B) -> Entity {
        let info = self.bundles.info::<B>(&mut self.storage);
        self.storage.reserve_rows(info.spawn_table(), 1);
        let entity = self.storage.entities.alloc();
        spawn_at(&mut self.storage, info, entity, bundle);
        entity
    }

    /// Spawns an entity without components.
    pub fn spawn_empty(&mut self) -> Entity {
        self.spawn(())
    }

    /// Gives the reserved `entity` its components; the quick way for commands, which reserve ids and fill them later.
    ///
    /// If the entity has a row already the bundle is inserted; if it is gone, nothing happens and the bundle is dropped.
    pub(crate) fn spawn_reserved<B: Bundle>(&mut self, entity: Entity, bundle: B) {
        if self.storage.entities.get(entity).is_none() && self.storage.entities.contains(entity) {
            let info = self.bundles.info::<B>(&mut self.storage);
            self.storage.reserve_rows(info.spawn_table(), 1);
            spawn_at(&mut self.storage, info, entity, bundle);
        } else {
            // An error says that the entity is gone.
            let _ = self.insert(entity, bundle);
        }
    }

    /// Spawns an entity for each bundle of the iterator and returns their ids in order.
    ///
    /// Faster than one by one: the table grows once where the iterator knows its length, and ids are given out together.
    ///
    /// # Panics
    /// As [`spawn`](Self::spawn); and if the iterator panics, in which case the entities of the bundles that it gave
    /// before stay.
    pub fn spawn_batch<I>(&mut self, bundles: I) -> &[Entity]
    where
        I: IntoIterator,
        I::Item: Bundle,
    {
        let info = self.bundles.info::<I::Item>(&mut self.storage);
        let table = info.spawn_table();
        let first = self.storage.table(table).len();
        let bundles = bundles.into_iter();
        // A hint and not a promise: a wrong one must not make a huge allocation.
        let expected = bundles.size_hint().0.min(1 << 20);
        if info.has_sparse() {
            self.storage.reserve_rows(table, expected);
            for bundle in bundles {
                self.storage.reserve_rows(table, 1);
                let entity = self.storage.entities.alloc();
                spawn_at(&mut self.storage, info, entity, bundle);
            }
        } else {
            let mut batch = Batch::new(&mut self.storage, info, expected);
            bundles.for_each(|bundle| batch.push(bundle));
        }
        &self.storage.table(table).entities()[first..]
    }
}

/// Writes the bundle into a new row for an entity that was given out and has no row yet; its table has room.
fn spawn_at<B: Bundle>(storage: &mut Storage, info: &BundleInfo, entity: Entity, bundle: B) {
    if info.has_sparse() {
        for (&component, &column) in info.components().iter().zip(info.columns()) {
            if column == SPARSE {
                let store = storage
                    .component_mut(component)
                    .expect("the bundle's components are registered");
                store.sparse.reserve(entity);
            }
        }
    }
    let table = info.spawn_table();
    let row = storage.table(table).len();
    let mut bundle = ManuallyDrop::new(bundle);
    let mut writer = RowWriter {
        storage,
        table,
        row,
        entity,
        fields: info.components().iter().zip(info.columns()),
    };
    // SAFETY: the bundle is initialised, and being `ManuallyDrop` it is not dropped when its fields were moved out.
    unsafe { B::fields(&raw mut *bundle, &mut writer) };
    // SAFETY: `reserve_rows` made room before, and the writer has filled every column of the spawn table, whose
    // components are exactly the bundle's table components.
    unsafe { storage.table_mut(table).push(entity) };
    let at = Location {
        table,
        row: row as u32,
    };
    storage.entities.place(entity, at);
}

/// Moves the fields of one bundle into the row behind the last one of its table, and into sparse sets.
struct RowWriter<'a, I> {
    storage: &'a mut Storage,
    table: TableId,
    /// Invariant 1: below the capacity of the table.
    row: usize,
    entity: Entity,
    /// Component and column of each field that is still to come (invariants of [`BundleInfo`]).
    fields: I,
}

impl<'a, I: Iterator<Item = (&'a ComponentId, &'a u32)>> FieldVisitor for RowWriter<'_, I> {
    #[inline]
    unsafe fn visit<T: Component>(&mut self, value: *mut T) {
        let (&component, &column) = self
            .fields
            .next()
            .expect("a bundle visits the fields that it named");
        let target = if T::STORAGE.is_sparse() {
            let store = self
                .storage
                .component_mut(component)
                .expect("the bundle's components are registered");
            // SAFETY: `spawn_at` has reserved the place for the entity, which is new and so is not in the set; the
            // value is written at once.
            unsafe { store.sparse.push(self.entity) }
        } else {
            let columns = self.storage.table(self.table).columns();
            // SAFETY: by invariant 1.
            unsafe { columns[column as usize].column.row(self.row) }
        };
        // SAFETY: the caller gives the value up; the place is one of a column for `T`, free, and inside its memory.
        unsafe { value.copy_to_nonoverlapping(target.cast(), 1) };
    }
}

/// Rows that were written behind the last one of a table and get their entities together at the end.
struct Batch<'a> {
    storage: &'a mut Storage,
    table: TableId,
    /// The columns of the fields of the bundle, in order.
    order: &'a [u32],
    /// For each field, the first value of its column.
    /// Invariant 1: up to date with the table, which is not touched otherwise while the batch lives.
    columns: Vec<*mut u8>,
    /// Invariant 2: the rows from the table's length up to here are initialised in every column.
    end: usize,
    capacity: usize,
}

impl<'a> Batch<'a> {
    fn new(storage: &'a mut Storage, info: &'a BundleInfo, expected: usize) -> Self {
        let table = info.spawn_table();
        let mut batch = Self {
            end: storage.table(table).len(),
            storage,
            table,
            order: info.columns(),
            columns: Vec::new(),
            capacity: 0,
        };
        batch.reserve(expected);
        batch
    }

    fn reserve(&mut self, more: usize) {
        let written = self.end - self.storage.table(self.table).len();
        self.storage.reserve_rows(self.table, written + more);
        let table = self.storage.table(self.table);
        self.capacity = table.capacity();
        self.columns.clear();
        let columns = self
            .order
            .iter()
            .map(|&column| table.columns()[column as usize].column.data().as_ptr());
        self.columns.extend(columns);
    }

    #[inline]
    fn push<B: Bundle>(&mut self, bundle: B) {
        if self.end == self.capacity {
            self.grow();
        }
        let mut bundle = ManuallyDrop::new(bundle);
        let mut writer = BatchWriter {
            columns: self.columns.iter(),
            row: self.end,
        };
        // SAFETY: the bundle is initialised, and being `ManuallyDrop` it is not dropped when its fields were moved out.
        unsafe { B::fields(&raw mut *bundle, &mut writer) };
        self.end += 1;
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.place();
        self.reserve(1);
    }

    /// Gives the rows that were written their entities.
    fn place(&mut self) {
        let first = self.storage.table(self.table).len();
        // SAFETY: by invariant 2 the rows are initialised, and they are inside the memory of their columns.
        unsafe { self.storage.place_rows(self.table, self.end - first) };
    }
}

impl Drop for Batch<'_> {
    /// Also when the iterator panics: what was spawned so far stays.
    fn drop(&mut self) {
        self.place();
    }
}

/// Moves the fields of one bundle of a batch into their columns.
struct BatchWriter<'a> {
    columns: core::slice::Iter<'a, *mut u8>,
    /// Invariant 1: below the capacity of the table.
    row: usize,
}

impl FieldVisitor for BatchWriter<'_> {
    #[inline]
    unsafe fn visit<T: Component>(&mut self, value: *mut T) {
        let column = *self
            .columns
            .next()
            .expect("a bundle visits the fields that it named");
        // SAFETY: the column is one for `T`, and by invariant 1 the row is inside its memory.
        let target = unsafe { column.cast::<T>().add(self.row) };
        // SAFETY: the caller gives the value up; the row is behind the last one, so the place is free.
        unsafe { value.copy_to_nonoverlapping(target, 1) };
    }
}

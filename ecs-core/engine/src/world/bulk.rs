//! Bulk changes of whole tables: all rows move at once.

use alloc::vec::Vec;
use core::mem::ManuallyDrop;

use super::World;
use super::batch_writer::BatchWriter;
use super::hooks::{StructuralChange, note_added, note_present};
use crate::bundle::{Bundle, BundleInfo, Bundles, InfoFn};
use crate::component::{Lifecycle, LifecycleSet};
use crate::entity::{Entity, Location, TableId};
use crate::storage::{DropList, Frozen, Storage};

impl World {
    /// Despawns all entities of the tables.
    #[inline]
    pub(crate) fn despawn_tables(&mut self, tables: &[TableId]) {
        let mut change = StructuralChange::new(self);
        for &table in tables {
            let storage = &change.world.storage;
            let entities = storage.table(table).entities();
            if entities.iter().any(|&entity| storage.is_end(entity)) {
                let entities = entities.to_vec();
                change.despawn(&entities);
            } else {
                change.before_despawn_table(table);
                change.world.storage.despawn_table(table);
            }
        }
        change.finish();
    }

    /// Makes several structural changes as one: the commands that hooks queue are applied after the last change.
    pub(crate) fn as_one_change<R>(&mut self, changes: impl FnOnce(&mut Self) -> R) -> R {
        let change = StructuralChange::new(self);
        let result = changes(change.world);
        change.finish();
        result
    }

    /// Removes the components of the bundle that `info` describes from the entities of the tables.
    #[inline]
    pub(crate) fn remove_from_tables(&mut self, tables: &[TableId], info: InfoFn) {
        let mut change = StructuralChange::new(self);
        for &from in tables {
            before_remove(&mut change, from, info);
            let World {
                bundles, storage, ..
            } = &mut *change.world;
            let info = info(bundles, storage);
            let target = info.after_remove(from, storage);
            if target != from {
                // May panic, so it comes before any value is put into the drop list.
                make_room(storage, from, target);
            }
            let mut drops = storage.take_drops();
            if info.has_sparse() {
                for row in 0..storage.table(from).len() {
                    let entity = storage.table(from).entities()[row];
                    for &component in info.components() {
                        storage.remove_sparse(component, entity, &mut drops);
                    }
                }
            }
            if target != from {
                storage.note_all_left(from, target);
                storage.show_all_missed(from, target);
                // SAFETY: `target != from`, `make_room` has reserved the rows, and the target has no column that `from`
                // lacks. The leftovers are put into the drop list immediately.
                let rows = unsafe { storage.move_table(from, target) };
                note_leftovers(storage, info, from, rows, &mut drops);
            }
            storage.run(drops);
        }
        change.finish();
    }

    /// Inserts a bundle made by `make` into each entity of the tables. None of them has a component of the bundle.
    ///
    /// If `make` panics, the entities of the current table are unchanged, except for bundles with effects, which are
    /// inserted one by one.
    pub(crate) fn insert_into_tables<B: Bundle>(
        &mut self,
        tables: &[TableId],
        make: &mut impl FnMut(Entity) -> B,
    ) {
        let mut change = StructuralChange::new(self);
        if B::HAS_EFFECTS {
            let storage = &change.world.storage;
            let entities = tables.iter().map(|&table| storage.table(table).entities());
            for entity in entities.collect::<Vec<_>>().concat() {
                // A hook or an effect may have despawned it.
                if change.world.contains(entity) {
                    let _ = change.world.insert(entity, make(entity));
                }
            }
            change.finish();
            return;
        }
        for &from in tables {
            let World {
                bundles, storage, ..
            } = &mut *change.world;
            let info = bundles.info::<B>(storage);
            let target = info.after_insert(from, storage);
            if target == from {
                // The bundle is empty.
                continue;
            }
            make_room(storage, from, target);
            fill(storage, info, from, target, make);
            let first = storage.table(target).len();
            // SAFETY: `target != from`, `make_room` has reserved the rows, and `fill` has initialised the new columns.
            // The target has all columns of `from`, so there are no leftovers.
            unsafe { storage.move_table(from, target) };
            after_insert(&mut change, Bundles::info::<B>, (target, first));
        }
        change.finish();
    }
}

/// Calls observers and hooks before the bundle's components are removed from the entities of the table.
#[inline]
fn before_remove(change: &mut StructuralChange<'_>, table: TableId, info: InfoFn) {
    for row in 0..change.world.storage.table(table).len() {
        let World {
            bundles, storage, ..
        } = &mut *change.world;
        let info = info(bundles, storage);
        if !info.observed().has(Lifecycle::Remove) {
            return;
        }
        // Hooks can insert and remove only immediate components, which are not in tables: no row moves.
        let entity = storage.table(table).entities()[row];
        let at = Location {
            table,
            row: row as u32,
        };
        note_present(
            Frozen::of(storage),
            &mut change.events,
            info.components(),
            (entity, at),
            Lifecycle::Remove,
        );
        change.before(entity);
    }
}

/// Calls hooks and observers after the entities of the table, from row `first` on, got the bundle's components.
#[inline]
fn after_insert(change: &mut StructuralChange<'_>, info: InfoFn, (table, first): (TableId, usize)) {
    for row in first..change.world.storage.table(table).len() {
        let World {
            bundles, storage, ..
        } = &mut *change.world;
        let info = info(bundles, storage);
        if !info.observed().has_any(LifecycleSet::COMING) {
            return;
        }
        // Hooks can insert and remove only immediate components, which are not in tables: no row moves.
        let entity = storage.table(table).entities()[row];
        note_added(storage, &mut change.events, info.components());
        change.after(entity);
    }
}

/// Makes room in `target` for all rows of `from`. If `target` is empty, it gets the capacity of `from`, so the tables can
/// swap memory.
#[inline]
fn make_room(storage: &mut Storage, from: TableId, target: TableId) {
    let (source, into) = (storage.table(from), storage.table(target));
    let rows = if into.len() == 0 {
        source.capacity()
    } else {
        source.len()
    };
    storage.reserve_rows(target, rows);
}

/// Puts the replaced values of the bundle's components, which are still in the first `rows` rows of `from`, into the
/// drop list.
#[inline]
fn note_leftovers(
    storage: &Storage,
    info: &BundleInfo,
    from: TableId,
    rows: usize,
    drops: &mut DropList,
) {
    for &component in info.components() {
        let store = storage.store(component);
        let column = store.column(from);
        if !column.is_null() {
            // SAFETY: `from` had the component in each of the rows. Its list of entities is empty now, so no lookup reaches
            // the values; their memory is not touched before the list is run.
            unsafe { drops.push(store.info.drop, column, rows) };
        }
    }
}

/// Initialises the bundle's columns in the rows after the last one of `target`, one row per entity of `from`.
fn fill<B: Bundle>(
    storage: &mut Storage,
    info: &BundleInfo,
    from: TableId,
    target: TableId,
    make: &mut impl FnMut(Entity) -> B,
) {
    /// Drops the values written so far if `make` panics.
    struct DropOnPanic<'a> {
        storage: &'a mut Storage,
        info: &'a BundleInfo,
        target: TableId,
        first: usize,
        rows: usize,
    }

    impl Drop for DropOnPanic<'_> {
        fn drop(&mut self) {
            let mut drops = self.storage.take_drops();
            for &component in self.info.components() {
                let store = self.storage.store(component);
                let (column, info) = (store.column(self.target), store.info);
                // SAFETY: `first` is the length of the table, which has capacity for more rows.
                let values = unsafe { column.add(self.first * info.layout.size()) };
                // SAFETY: `rows` values were written there, in rows that belong to no entity yet.
                unsafe { drops.push(info.drop, values, self.rows) };
            }
            self.storage.run(drops);
        }
    }

    let columns = info.starts_in(storage.table(target));
    let now = storage.clock.between();
    if info.disables() {
        storage.note_disabled();
    }
    let count = storage.table(from).len();
    let first = storage.table(target).len();
    let mut written = DropOnPanic {
        storage,
        info,
        target,
        first,
        rows: 0,
    };
    while written.rows < count {
        let entity = written.storage.table(from).entities()[written.rows];
        let mut bundle = ManuallyDrop::new(make(entity));
        let mut writer = BatchWriter {
            columns: columns.iter(),
            row: first + written.rows,
            now,
        };
        // SAFETY: `bundle` is initialised, and `ManuallyDrop` keeps it from being dropped after its fields were moved out.
        unsafe { B::fields(&raw mut *bundle, &mut writer) };
        written.rows += 1;
    }
    // The values belong to the table from here on.
    written.rows = 0;
}

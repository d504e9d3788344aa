//! Clones of single entities, straight into the storages of the original.

use alloc::vec::Vec;

use super::ErasedColumn;
use super::commit::{place_targets, push_set};
use crate::component::{ComponentId, End, LifecycleSet, Required};
use crate::data_type::DataType;
use crate::entity::{Entity, Location, TableId};
use crate::storage::{ColumnKind, ComponentStore, DropList, Frozen, Storage};
use crate::world::World;

/// A value that is to be cloned; see [`World::clone_row`].
#[derive(Clone, Copy, Debug)]
pub struct RowValue {
    /// The type of the value.
    pub data: &'static DataType,
    /// The size of a value in bytes.
    pub size: usize,
    /// The value.
    pub from: *const u8,
    /// The memory for the clone, which holds no value.
    pub to: *mut u8,
    /// The entity that has the value.
    pub original: Entity,
    /// The entity that gets the clone.
    pub copy: Entity,
}

#[doc(hidden)]
impl World {
    /// Clones an entity whose components are all data, require nothing that it lacks, and are not observed when they are
    /// inserted; none of its relations leads to many targets. Returns `None` for other entities, and if there is no room.
    /// [`commit`](Self::commit) then clones it, or says why it cannot.
    ///
    /// The function clones one value after the other, values of edges too, and sets the flag to true if there is a clone. It
    /// returns false to give up. If it does, or panics, the clones are dropped, and nothing has changed.
    ///
    /// # Safety
    /// If the function sets the flag, it has written a value of the type that [`RowValue::data`] describes to [`RowValue::to`].
    /// It returns true only if the flag is set.
    #[inline]
    pub unsafe fn clone_row(
        &mut self,
        original: Entity,
        clone: &mut dyn FnMut(&RowValue, &mut bool) -> bool,
    ) -> Option<Entity> {
        let storage = &mut self.storage;
        let from = storage.entities.get(original)?;
        let (table, row) = (from.table, storage.table(from.table).len());
        if row == Location::MAX_ROWS {
            return None;
        }
        let copy = storage.entities.next_id()?;
        let at = (original, from);
        let frozen = Frozen::of(storage);
        let sparse = frozen.get().sparse_of(original);
        let sparse = sparse.filter(|&component| frozen.store(component).has(original, from));
        // Check all components before the first value is cloned: a later failure would clone it again by other means.
        for component in frozen.get().table(table).components().chain(sparse) {
            if !is_simple(frozen, at, component) {
                return None;
            }
        }
        // SAFETY: the contract of the function is the contract of this method.
        let mut sparse = unsafe { clone_sparse(frozen, at, copy, clone) }?;
        storage.reserve_rows(table, 1);
        for column in &sparse {
            reserve(column, storage);
        }
        let mut new = NewRow(storage.take_drops());
        for column in storage.table(table).columns() {
            if column.key.kind() != ColumnKind::Value {
                continue;
            }
            let data = storage.store(column.component).info.own_data()?;
            let column = &column.column;
            // SAFETY: the entity has the row.
            let from = unsafe { column.row(from.row as usize) };
            // SAFETY: the row is below the capacity because memory was reserved for one more than there are.
            let to = unsafe { column.row(row) };
            let mut is_cloned = false;
            let value = RowValue {
                data,
                size: column.size(),
                from,
                to,
                original,
                copy,
            };
            let goes_on = clone(&value, &mut is_cloned);
            if is_cloned {
                // SAFETY: there is a value of the component by the caller's contract. It is after the last row, so no other
                // code reaches it; the list is run or forgotten before the memory moves.
                unsafe { new.0.push(column.drop_fn(), to, 1) };
            }
            if !goes_on {
                return None;
            }
        }
        let at = Location {
            table,
            row: row as u32,
        };
        let entity = storage.entities.alloc_at(at);
        debug_assert_eq!(entity, copy);
        if storage.table(table).is_tracked() {
            write_ticks(storage, table);
        }
        // SAFETY: memory was reserved for the row, and each of its columns was written: all values were cloned by the
        // caller's contract, and the ticks are set to now.
        unsafe { storage.table_mut(table).push(entity) };
        let mut drops = new.take();
        for column in &mut sparse {
            let component = column.component();
            push_set(column, &[entity], storage);
            if component.info().link.is_some() {
                storage.link(&[component], entity, &mut drops);
            }
        }
        storage.run(drops);
        Some(entity)
    }
}

/// The values in a row that is not part of its table yet. They are dropped if it never is.
struct NewRow(DropList);

impl NewRow {
    /// Forgets the values, which belong to an entity now, and returns the list so that its memory is reused.
    #[inline]
    fn take(mut self) -> DropList {
        self.0.forget();
        core::mem::take(&mut self.0)
    }
}

impl Drop for NewRow {
    #[inline]
    fn drop(&mut self) {
        self.0.run();
    }
}

/// Returns true if a clone of an entity can have its component immediately, or does not get it. The component must be data,
/// lead to one target if it belongs to a relation, require nothing that the entity lacks, and have no observer of its
/// insertion.
#[inline]
fn is_simple(
    storage: Frozen<'_, Storage>,
    (entity, at): (Entity, Location),
    component: ComponentId,
) -> bool {
    let store = storage.store(component);
    let data = match store.info.link.map(|link| link.end) {
        None => store.info.own_data(),
        Some(End::Target { .. }) => store.info.more.ident.data(),
        Some(End::Targets { .. }) => None,
        Some(End::Sources { .. }) => return true,
    };
    let mut required = store.info.more.required.iter().map(Required::component);
    data.is_some()
        && !store
            .observed
            .has_any(LifecycleSet::COMING.and(LifecycleSet::CHECKED))
        && required.all(|required| {
            let known = storage.get().component(required);
            // A clone has no sources.
            known.is_some_and(|known| !is_list_of_sources(known))
                && storage.store(required).has(entity, at)
        })
}

/// Returns true if the component is the list of the sources of a target.
#[inline]
fn is_list_of_sources(store: &ComponentStore) -> bool {
    let end = store.info.link.map(|link| link.end);
    matches!(end, Some(End::Sources { .. }))
}

/// Clones the sparse components of an entity, all of them [simple](is_simple), into columns of one value. Returns `None` if the
/// function gives up.
///
/// # Safety
/// See [`World::clone_row`].
#[inline]
unsafe fn clone_sparse(
    storage: Frozen<'_, Storage>,
    (entity, at): (Entity, Location),
    copy: Entity,
    clone: &mut dyn FnMut(&RowValue, &mut bool) -> bool,
) -> Option<Vec<ErasedColumn>> {
    let mut columns = Vec::new();
    for component in storage.get().sparse_of(entity) {
        let store = storage.store(component);
        let Some(from) = store.value(entity, at) else {
            continue;
        };
        let mut goes_on = false;
        let mut clone_one = |data, size, from, to| {
            let mut is_cloned = false;
            let original = entity;
            let value = RowValue {
                data,
                size,
                from,
                to,
                original,
                copy,
            };
            goes_on = clone(&value, &mut is_cloned);
            is_cloned.then_some(()).ok_or(())
        };
        let mut column = ErasedColumn::new(component);
        let pushed = match store.info.link.map(|link| link.end) {
            None => {
                let (data, size) = (store.info.own_data()?, store.info.layout.size());
                // SAFETY: the function has written a value of the component if it says so, by the caller's contract.
                unsafe { column.push_with(|to| clone_one(data, size, from, to)) }
            }
            Some(End::Target { values, .. }) => {
                let data = store.info.more.ident.data()?;
                debug_assert_eq!(data.type_id(), (values.edge.type_id)());
                let size = values.edge.layout.size();
                let init = |to| {
                    let mut outcome = Err(());
                    let mut value = |from: *const u8, to| outcome = clone_one(data, size, from, to);
                    // SAFETY: by invariant 1 of `EdgeValues` the function is for values of the component, `from` is one, and
                    // the place is memory for one. The result counts only if the function has written the value of the edge.
                    unsafe { (values.edge.clone)(from, to, &mut value) };
                    outcome
                };
                // SAFETY: the function writes all of the component if the value of the edge is written, and says so only
                // then, by the caller's contract.
                unsafe { column.push_with(init) }
            }
            Some(_) => continue,
        };
        if pushed.is_err() || !goes_on {
            return None;
        }
        columns.push(column);
    }
    Some(columns)
}

/// Reserves memory for the value in a column of a sparse component, and for its edge.
#[inline]
fn reserve(column: &ErasedColumn, storage: &mut Storage) {
    let component = column.component();
    let lists = place_targets(column, storage);
    for (component, more) in [(component, 1)].into_iter().chain(lists) {
        storage.store_mut(component).set_mut().reserve_values(more);
    }
}

/// Writes the ticks of the row after the last one of a table.
#[inline(never)]
fn write_ticks(storage: &mut Storage, table: TableId) {
    for column in 0..storage.table(table).columns().len() {
        let column = &storage.table(table).columns()[column];
        if column.key.kind() == ColumnKind::Value {
            let component = column.component;
            // SAFETY: the table has the component, and memory was reserved for the row.
            unsafe { storage.write_ticks(table, component, 1) };
        }
    }
}

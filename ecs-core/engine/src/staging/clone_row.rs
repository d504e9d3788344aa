//! Clones of single entities, straight into the table of the original.

use crate::component::{End, LifecycleSet};
use crate::data_type::DataType;
use crate::entity::{Entity, Location, TableId};
use crate::storage::{ColumnKind, DropList, Frozen, Storage};
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

impl World {
    /// Clones an entity of which a clone is nothing but a row: all that it has are values in its table, of types that are data,
    /// which require nothing that it lacks and whose insertion nothing observes. Returns `None` for others, and if there is no
    /// room; [`commit`](Self::commit) does it then, or says what is wrong.
    ///
    /// The function clones one value after the other, and sets the flag to true if there is a clone. It returns false to give
    /// up. The clones are dropped then, as they are if it panics, and nothing has changed.
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
        if row == Location::MAX_ROWS || has_sparse(storage, original, from) {
            return None;
        }
        let copy = storage.entities.next_id()?;
        if !may_be_row(storage, table) {
            return None;
        }
        storage.reserve_rows(table, 1);
        let mut new = NewRow(storage.take_drops());
        for column in storage.table(table).columns() {
            if column.key.kind() != ColumnKind::Value {
                continue;
            }
            let data = storage.store(column.component).info.own_data()?;
            let column = &column.column;
            // SAFETY: the entity has the row.
            let from = unsafe { column.row(from.row as usize) };
            // SAFETY: the row is below the capacity, as memory was reserved for one more than there are.
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
                // SAFETY: there is a value of the component by the caller's contract. It is behind the last row, so no other code
                // reaches it; the list is run or forgotten before the memory moves.
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
        // SAFETY: memory was reserved for the row, and each of its columns was written: all values were cloned by the caller's
        // contract, and the ticks are those of now.
        unsafe { storage.table_mut(table).push(entity) };
        storage.run(new.take());
        Some(entity)
    }
}

/// The values in a row that is not part of its table yet. They are dropped if it never is.
struct NewRow(DropList);

impl NewRow {
    /// Forgets the values, which are those of an entity now, and returns the list for its memory.
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

/// Returns true if an entity has a sparse component, apart from the lists of sources, which no clone gets.
#[inline]
fn has_sparse(storage: &mut Storage, entity: Entity, at: Location) -> bool {
    let storage = Frozen::of(storage);
    let mut sparse = storage.get().sparse_of(entity);
    sparse.any(|component| {
        let store = storage.store(component);
        let end = store.info.link.map(|link| link.end);
        store.has(entity, at) && !matches!(end, Some(End::Sources { .. }))
    })
}

/// Returns true if the components of a table are data, none requires one that the table lacks, and the insertion of none is
/// observed.
#[inline]
fn may_be_row(storage: &Storage, table: TableId) -> bool {
    for component in storage.table(table).components() {
        let store = storage.store(component);
        if store.observed.has_any(LifecycleSet::COMING) || store.info.own_data().is_none() {
            return false;
        }
        for required in store.info.more.required {
            let component = required.component();
            let mut components = storage.table(table).components();
            if components.all(|other| other != component) {
                return false;
            }
        }
    }
    true
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

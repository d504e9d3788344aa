//! Values of many new entities, moved in column by column.

use super::Storage;
use super::column::copy_value;
use super::compact_ticks::ColumnKind;
use super::erased_column::ErasedColumn;
use crate::component::ComponentId;
use crate::entity::{Entity, TableId};

/// Values of one component that are moved into a storage. Their order is the order of the entities that get them.
#[derive(Clone, Copy)]
pub(crate) enum AppendedValues<'a> {
    /// The number of values, one after the other.
    All(usize),
    /// The position of each value.
    At(&'a [u32]),
}

impl AppendedValues<'_> {
    #[inline]
    fn len(self) -> usize {
        match self {
            Self::All(len) => len,
            Self::At(positions) => positions.len(),
        }
    }

    /// Moves values of `size` bytes from `from` to consecutive places from `to` on.
    ///
    /// # Safety
    /// `from` points to the values, and `to` to memory for as many, elsewhere.
    #[inline]
    unsafe fn copy(self, from: *const u8, to: *mut u8, size: usize) {
        match self {
            // SAFETY: the values are at `from`, and there is memory at `to`, elsewhere, by the caller's contract.
            Self::All(len) => unsafe { from.copy_to_nonoverlapping(to, len * size) },
            Self::At(positions) => {
                for (i, &position) in positions.iter().enumerate() {
                    // SAFETY: there is a value at the position by the caller's contract.
                    let value = unsafe { from.add(position as usize * size) };
                    // SAFETY: there is memory for as many values as positions by the caller's contract.
                    let place = unsafe { to.add(i * size) };
                    // SAFETY: both are valid for a value, and do not overlap, by the caller's contract.
                    unsafe { copy_value(value, place, size) };
                }
            }
        }
    }
}

impl Storage {
    /// Moves the values of a column that is in no world to the rows after the last one of a table, and writes their ticks. The
    /// rows are not part of the table yet.
    ///
    /// A table without rows takes over the memory of the column if it would have reserved as much.
    ///
    /// # Safety
    /// The table has the component, and capacity for the rows. The column has the values, even though its length is 0.
    #[inline]
    pub(crate) unsafe fn write_column(
        &mut self,
        table: TableId,
        column: &mut ErasedColumn,
        values: AppendedValues<'_>,
    ) {
        let component = column.component();
        let is_whole = matches!(values, AppendedValues::All(_));
        if is_whole && let Some(data) = self.tables[table as usize].exchange(column) {
            let store = &mut self.components[component.index()];
            store.set_column(table, ColumnKind::Value, data);
            // SAFETY: the table has the component, and capacity for the rows, by the caller's contract.
            unsafe { self.write_ticks(table, component, values.len()) };
        } else {
            // SAFETY: the column has the values by the caller's contract, and the rest is the contract of this function.
            unsafe { self.write_rows(table, component, column.as_ptr(), values) };
        }
    }

    /// Moves values to the rows after the last one of a table, and writes their ticks. The rows are not part of the table
    /// yet.
    ///
    /// # Safety
    /// The table has the component, and capacity for the rows. `from` points to values of the component, which are not used
    /// afterwards.
    #[inline]
    pub(crate) unsafe fn write_rows(
        &mut self,
        table: TableId,
        component: ComponentId,
        from: *const u8,
        values: AppendedValues<'_>,
    ) {
        let first = self.table(table).len();
        let store = self.store(component);
        let size = store.info.layout.size();
        let column = store.column(table);
        debug_assert!(!column.is_null());
        // SAFETY: there is capacity for rows from `first` on by the caller's contract.
        let place = unsafe { column.add(first * size) };
        // SAFETY: `from` points to the values, and there is memory for as many, by the caller's contract.
        unsafe { values.copy(from, place, size) };
        // SAFETY: the table has the component, and capacity for the rows, by the caller's contract.
        unsafe { self.write_ticks(table, component, values.len()) };
    }

    /// Copies the values of a column, over and over, to the rows after the last one of a table, and writes their ticks. The
    /// rows are not part of the table yet.
    ///
    /// # Safety
    /// The table has the component, and capacity for the rows. The values of the column are plain bytes, and there is one.
    #[inline]
    pub(crate) unsafe fn write_repeated(
        &mut self,
        table: TableId,
        column: &ErasedColumn,
        values: AppendedValues<'_>,
    ) {
        /// The number of bytes that are copied at once, so that they stay in the first cache.
        const MOST: usize = 16 << 10;
        let (component, size, one) = (column.component(), column.layout().size(), column.len());
        let first = self.table(table).len();
        // SAFETY: there is capacity for rows from `first` on by the caller's contract.
        let place = unsafe { self.store(component).column(table).add(first * size) };
        match values {
            AppendedValues::All(len) => {
                let mut done = one.min(len);
                // SAFETY: the column has as many values, and the table memory for more.
                unsafe { column.as_ptr().copy_to_nonoverlapping(place, done * size) };
                let mut chunk = done;
                while done < len {
                    let more = chunk.min(len - done);
                    // SAFETY: there is memory for `len` values from `place` on.
                    let next = unsafe { place.add(done * size) };
                    // SAFETY: `chunk` values were written, which are whole copies and end before `next`.
                    unsafe { place.copy_to_nonoverlapping(next, more * size) };
                    done += more;
                    if done * size <= MOST {
                        chunk = done;
                    }
                }
            }
            AppendedValues::At(positions) => {
                for (i, &position) in positions.iter().enumerate() {
                    // SAFETY: the remainder is the number of a value.
                    let value = unsafe { column.as_ptr().add(position as usize % one * size) };
                    // SAFETY: there is memory for as many values as positions by the caller's contract.
                    let place = unsafe { place.add(i * size) };
                    // SAFETY: both are valid for a value, in the memory of the column and of the table.
                    unsafe { copy_value(value, place, size) };
                }
            }
        }
        // SAFETY: the table has the component, and capacity for the rows, by the caller's contract.
        unsafe { self.write_ticks(table, component, values.len()) };
    }

    /// Writes the ticks of the rows after the last one of a table, if the component is tracked.
    ///
    /// # Safety
    /// The table has the component, and capacity for the rows.
    #[inline]
    pub(crate) unsafe fn write_ticks(
        &mut self,
        table: TableId,
        component: ComponentId,
        rows: usize,
    ) {
        let first = self.table(table).len();
        let now = self.clock.between();
        if self.store(component).info.disables {
            self.note_disabled();
        }
        let store = self.store(component);
        if store.info.tracked {
            let ticks = store.ticks(table);
            for row in first..first + rows {
                // SAFETY: the columns of ticks have memory for the rows by the caller's contract.
                let ticks = unsafe { ticks.row(row) };
                // SAFETY: the row is after the last one of the table, so no other code uses its ticks.
                unsafe { ticks.add(now) };
            }
        }
    }

    /// Adds rows for entities whose ids were [taken](crate::entity::EntityTable::take_given).
    ///
    /// # Safety
    /// The table has capacity for the rows, and each of its columns was [written](Self::write_rows) in them.
    #[inline]
    pub(crate) unsafe fn push_rows(&mut self, table: TableId, ids: &[Entity]) {
        // SAFETY: entities are only added, with rows that fit and are initialised, by the caller's contract.
        let rows = unsafe { self.tables[table as usize].entities_mut() };
        // Fills both lists in one pass over the ids, which may exceed the processor's caches.
        for block in ids.chunks(1024) {
            let first = rows.len();
            rows.extend_from_slice(block);
            self.entities.place_given(block, table, first);
        }
    }

    /// Moves values of a sparse component into entities that lack it, and writes their ticks. The entities enter
    /// [groups](Self::enter_groups) later.
    ///
    /// # Safety
    /// The set of the component has capacity for the values, `from` points to a value for each entity, which are not used
    /// afterwards, and the entities have rows, lack the component, and differ.
    #[inline]
    pub(crate) unsafe fn push_values(
        &mut self,
        component: ComponentId,
        entities: &[Entity],
        from: *const u8,
    ) {
        let now = self.clock.between();
        let store = &mut self.components[component.index()];
        let size = store.info.layout.size();
        let set = store.set_mut();
        let first = set.len();
        for &entity in entities {
            // SAFETY: the entity has a row and lacks the component, and there is capacity. The value and its ticks are
            // written below, before anything else happens.
            _ = unsafe { set.push(&mut self.presence, entity) };
        }
        // SAFETY: the set has capacity for the values, which are those from `first` on.
        let place = unsafe { set.data().as_ptr().add(first * size) };
        // SAFETY: there is memory for all values from `place` on, and `from` points to as many, by the caller's contract.
        unsafe { from.copy_to_nonoverlapping(place, entities.len() * size) };
        let end = set.len();
        if let Some(ticks) = set.ticks() {
            for position in first..end {
                // SAFETY: there is a value at the position, and ticks are parallel to values.
                let ticks = unsafe { ticks.row(position) };
                // SAFETY: the ticks belong to a tracked value, and the storage is borrowed exclusively.
                unsafe { ticks.add(now) };
            }
        }
    }
}

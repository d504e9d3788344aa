//! Columns that exchange values with columns in no world.

use core::ptr::NonNull;

use super::Table;
use crate::component::ComponentId;
use crate::storage::ErasedColumn;
use crate::storage::column::Column;
use crate::storage::compact_ticks::ColumnKind;

impl Table {
    /// The columns with their components and kinds, in order: the values of each before its ticks.
    pub(in crate::storage) fn columns_mut(
        &mut self,
    ) -> impl Iterator<Item = (ComponentId, ColumnKind, &mut Column)> {
        let columns = self.columns.iter_mut();
        columns.map(|column| (column.component, column.key.kind(), &mut column.column))
    }

    /// Exchanges the memory of a column with a column of the same component that is in no world, and returns the address of
    /// the first value. Does nothing unless the table has no rows, the other column has no values, and both have memory for
    /// the same number of values.
    pub(in crate::storage) fn exchange(&mut self, other: &mut ErasedColumn) -> Option<NonNull<u8>> {
        let is_free = self.entities.is_empty() && other.is_empty() && !other.is_of_edges();
        if !is_free || self.capacity != other.capacity() {
            return None;
        }
        let position = self.position(other.component())?;
        let column = &mut self.columns[position].column;
        // SAFETY: the values of the component are at the position (invariant 3), and the other column is of the component
        // too. It was checked that both have memory for as many (invariant 2), and no values.
        unsafe { other.exchange(column) };
        Some(column.data())
    }
}

//! The memory of a table.

use super::Table;
use crate::bytes::Bytes;

impl Table {
    /// Counts the list of entities.
    #[inline]
    pub(crate) fn id_bytes(&self) -> Bytes {
        Bytes::of_list(&self.entities)
    }

    /// Counts the values of the column at an index.
    #[inline]
    pub(crate) fn column_bytes(&self, index: usize) -> Bytes {
        let size = self.columns[index].column.size();
        Bytes::of_values(self.len(), self.capacity, size)
    }

    /// Counts everything in the rows.
    #[inline]
    pub(in crate::storage) fn row_bytes(&self) -> Bytes {
        let columns = (0..self.columns.len()).map(|index| self.column_bytes(index));
        self.id_bytes() + columns.sum()
    }

    /// Gives back the memory after the last row. The memory of the columns moves.
    #[inline]
    pub(in crate::storage) fn shrink(&mut self) {
        let rows = self.entities.len();
        self.entities.shrink_to_fit();
        for column in &mut *self.columns {
            // SAFETY: `self.capacity` is the capacity of every column that has not shrunk yet, and at least the number
            // of rows (invariant 2).
            unsafe { column.column.shrink(self.capacity, rows) };
        }
        self.capacity = rows;
    }
}

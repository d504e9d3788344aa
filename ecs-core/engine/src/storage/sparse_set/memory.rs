//! The memory of a sparse set.

use super::SparseSet;
use crate::bytes::Bytes;

impl SparseSet {
    /// Counts values, ticks, entities and positions.
    #[inline]
    pub(crate) fn bytes(&self) -> Bytes {
        self.value_bytes() + self.positions.bytes()
    }

    /// The bytes that [`shrink`](Self::shrink) gives back.
    #[inline]
    pub(in crate::storage) fn spare_bytes(&self) -> usize {
        self.value_bytes().unused() + self.positions.spare_bytes()
    }

    /// Counts values, ticks and entities.
    #[inline]
    fn value_bytes(&self) -> Bytes {
        let ticks = self.ticks.as_deref().into_iter().flatten();
        let columns = ticks.chain([&self.values]);
        let columns =
            columns.map(|column| Bytes::of_values(self.len(), self.capacity, column.size()));
        columns.sum::<Bytes>() + Bytes::of_list(&self.entities)
    }

    /// Gives back the memory after the last value, and after the last position in use.
    #[inline]
    pub(in crate::storage) fn shrink(&mut self) {
        let len = self.entities.len();
        self.positions.shrink();
        self.entities.shrink_to_fit();
        let ticks = self.ticks.as_deref_mut().into_iter().flatten();
        for column in ticks.chain([&mut self.values]) {
            // SAFETY: `self.capacity` is the capacity of every column that has not shrunk yet, and at least the number
            // of values (invariant 3).
            unsafe { column.shrink(self.capacity, len) };
        }
        self.capacity = len;
    }
}

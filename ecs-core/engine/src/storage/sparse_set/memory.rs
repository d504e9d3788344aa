//! The memory of a sparse set.

use super::SparseSet;
use crate::bytes::Bytes;

impl SparseSet {
    /// Counts values, ticks, entities and positions. O(highest index of an entity).
    pub(crate) fn bytes(&self) -> Bytes {
        let of = |size| Bytes::of_values(self.len(), self.capacity, size);
        let ticks = self.ticks.as_deref().into_iter().flatten();
        let ticks = ticks.map(|column| of(column.size())).sum();
        let lists = Bytes::of_list(&self.entities) + self.positions.bytes();
        of(self.values.size()) + ticks + lists
    }

    /// Gives back the memory after the last value, and after the last position in use.
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

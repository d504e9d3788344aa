//! Copies of local ids, and the free indices one by one.

use core::ops::Range;

use super::LocalIds;
use crate::entity::entities::IdAllocator;
use crate::entity::free_set::FreeSet;

impl LocalIds {
    /// Returns the local ids of a range of indices; none waits.
    pub(in crate::entity) fn of(range: Range<u32>, is_on: bool) -> Self {
        Self {
            range,
            is_on,
            waiting: FreeSet::default(),
        }
    }

    /// Returns the indices that are local.
    #[inline]
    pub(in crate::entity) fn range(&self) -> Range<u32> {
        self.range.clone()
    }

    pub(in crate::entity) fn copy_from(&mut self, other: &Self) {
        self.range = other.range.clone();
        self.is_on = other.is_on;
        self.waiting.copy_from(&other.waiting);
    }
}

impl IdAllocator {
    /// The free indices that are not local.
    #[inline]
    pub(in crate::entity) fn shared_free(&self) -> &FreeSet {
        if self.local.is_on {
            &self.local.waiting
        } else {
            &self.free
        }
    }

    /// Removes an index that is free.
    #[inline]
    pub(in crate::entity) fn remove_free(&mut self, index: u32) {
        self.set_of(index).remove(index);
    }

    /// Replaces all free indices by the indices of an iterator.
    pub(in crate::entity) fn set_free(&mut self, free: impl Iterator<Item = u32>) {
        self.free.clear();
        self.local.waiting.clear();
        free.for_each(|index| self.insert_free(index));
    }
}

//! The questions of text queries and hashes about values of unknown type.

use alloc::vec::Vec;
use core::slice;

use super::{EdgeEnds, ErasedChunk, ErasedRef};
use crate::entity::Entity;
use crate::tick::{CompactTick, Tick};

impl ErasedRef<'_> {
    /// Returns the number of [related](Self::related) entities. O(1).
    #[doc(hidden)]
    #[must_use]
    pub fn related_count(self) -> usize {
        match self.edges() {
            None => 0,
            Some(EdgeEnds::One(_)) => 1,
            Some(EdgeEnds::List(list)) => list.len(),
        }
    }

    /// Returns true if one of the [related](Self::related) entities is this one. O(edges).
    #[doc(hidden)]
    #[must_use]
    pub fn is_related_to(self, entity: Entity) -> bool {
        match self.edges() {
            None => false,
            Some(EdgeEnds::One(target)) => target == entity,
            Some(EdgeEnds::List(list)) => list.edges().any(|(_, end)| end == entity),
        }
    }
}

impl ErasedChunk<'_> {
    /// Appends the rows whose values changed after a tick, in ascending order. Returns false if the component is not tracked.
    #[doc(hidden)]
    pub fn push_changed(self, since: Tick, rows: &mut Vec<usize>) -> bool {
        let Some(ticks) = self.column.ticks else {
            return false;
        };
        // SAFETY: there is a tick for each entity (invariant 1 of `ValueColumn`), and none is written as long as `'a`, because
        // values are not (invariant 1).
        let ticks = unsafe { slice::from_raw_parts(ticks.changed.as_ptr(), self.len()) };
        let seen = self.column.clock.seen(since);
        let (blocks, rest) = ticks.as_chunks::<32>();
        for (number, block) in blocks.iter().enumerate() {
            let mut later = CompactTick::later(block, seen);
            while later != 0 {
                rows.push(number * 32 + later.trailing_zeros() as usize);
                later &= later - 1;
            }
        }
        let first = blocks.len() * 32;
        let later = rest.iter().enumerate().filter(|(_, tick)| **tick > seen);
        rows.extend(later.map(|(row, _)| first + row));
        true
    }
}

//! Ids from a separate range, for entities that are not part of a simulation.
//!
//! A simulation that returns to earlier states gets the same ids again only if nothing else takes any of them in between.
//! So a world can set apart a range of indices, and give ids from it to everything that is made outside of the simulation.

#[cfg(feature = "snapshot")]
mod snapshot;

use core::ops::Range;

use super::entities::{EntitySlot, EntityTable, IdAllocator};
use super::free_set::FreeSet;
use crate::bytes::Bytes;

/// The free indices that are not given at present: the local ones, or those that all machines of a game share.
#[derive(Debug, Default)]
pub(super) struct LocalIds {
    /// The indices that are local; none in most worlds.
    range: Range<u32>,
    /// True if local ids are given. Then the set has the other indices, and otherwise the local ones.
    is_on: bool,
    /// Invariant 1: of this set and the allocator's, one has all free local indices, and the other one has all other free
    /// indices.
    waiting: FreeSet,
}

impl LocalIds {
    /// Returns true if local ids are given.
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.is_on
    }

    /// Returns true if an index is local.
    #[inline]
    pub(super) fn has(&self, index: u32) -> bool {
        self.range.contains(&index)
    }

    /// Checks that an index that was never allocated can be given.
    ///
    /// # Panics
    /// If local ids are given, and all of them are in use.
    #[inline]
    pub(super) fn check_fresh(&self) {
        assert!(
            !self.is_on,
            "all {} local ids are in use; help: reserve more in `World::reserve_local_ids`",
            self.range.len()
        );
    }

    /// The number of indices in the set.
    #[cfg(feature = "validate")]
    pub(super) fn len(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn bytes(&self) -> Bytes {
        self.waiting.bytes()
    }

    /// Checks invariant 1; `active` is the set of the allocator.
    #[cfg(feature = "validate")]
    pub(super) fn check(&self, active: &FreeSet) {
        self.waiting.check();
        let (local, shared) = if self.is_on {
            (active, &self.waiting)
        } else {
            (&self.waiting, active)
        };
        assert!(local.iter().all(|index| self.has(index)), "ids are local");
        assert!(
            !shared.iter().any(|index| self.has(index)),
            "ids are not local"
        );
    }
}

impl IdAllocator {
    /// Returns true if an index is free.
    #[inline]
    pub(super) fn is_free(&self, index: u32) -> bool {
        self.free.contains(index) || self.local.waiting.contains(index)
    }

    /// The set for an index that is free.
    #[inline]
    fn set_of(&mut self, index: u32) -> &mut FreeSet {
        if self.local.has(index) == self.local.is_on {
            &mut self.free
        } else {
            &mut self.local.waiting
        }
    }

    /// Inserts an index that is not free.
    #[inline]
    pub(super) fn insert_free(&mut self, index: u32) {
        self.set_of(index).insert(index);
    }

    /// Gives local ids from now on, or others, if there are local ones.
    pub(super) fn set_local(&mut self, is_on: bool) {
        if self.local.is_on != is_on && !self.local.range.is_empty() {
            core::mem::swap(&mut self.free, &mut self.local.waiting);
            self.local.is_on = is_on;
        }
    }
}

impl EntityTable {
    /// The lowest generation that makes freeing an entity check for special cases, if none was revived.
    #[inline]
    pub(super) fn plain_bound(&mut self) -> u32 {
        let has_local = !self.ids_mut().local.range.is_empty();
        if has_local { 0 } else { self.max_generation }
    }

    /// Makes the next `count` indices that were never allocated local, and gives ids from them from now on.
    ///
    /// # Panics
    /// If there are local ones already, or too few indices; in that case nothing has changed.
    #[track_caller]
    pub(crate) fn reserve_local(&mut self, count: u32) {
        let ids = self.ids_mut();
        assert!(
            ids.local.range.is_empty(),
            "the world has local ids already: {}; help: reserve as many as are ever needed at once",
            ids.local.range.len()
        );
        if count == 0 {
            return;
        }
        let first = ids.fresh;
        let end = first.checked_add(count);
        let end = end.unwrap_or_else(|| panic!("there are no {count} ids left to be local"));
        ids.fresh = end;
        ids.local.range = first..end;
        for index in first..end {
            ids.local.waiting.insert(index);
        }
        ids.set_local(true);
        self.plain_below = 0;
        // A slot may be missing for indices that are reserved.
        self.slots.resize(end as usize, EntitySlot::FRESH);
    }

    /// Gives local ids from now on, or others, if there are local ones. Returns whether local ids were given before.
    pub(crate) fn set_local(&mut self, is_on: bool) -> bool {
        let ids = self.ids_mut();
        let was_on = ids.local.is_on;
        ids.set_local(is_on);
        was_on
    }
}

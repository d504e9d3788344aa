//! Ids that despawned entities had and that a caller gives again, for example to undo a despawn.
//!
//! Normally the next generation of an index is the placed entity's plus one, and the slot has no room for another one. If an
//! id was issued again, the index may have had later entities, so the next generation is higher. Without a record of it, ids
//! of these would be issued a second time.

#[cfg(feature = "snapshot")]
mod kept;

use alloc::vec::Vec;

use super::Entity;
use super::entities::EntityTable;
use crate::bytes::Bytes;

/// The next generations of indices that have revived entities.
#[derive(Clone, Debug, Default)]
pub(super) struct Revived {
    /// By index, up to the highest index of a revived entity: 0 if the index has none, [`RETIRED`] if no generation comes
    /// next.
    next: Vec<u32>,
    /// The number of entries that are not 0.
    count: u32,
}

/// No generation is as high.
const RETIRED: u32 = u32::MAX;

impl Revived {
    /// Removes an index. Returns the generation that comes next, 0 for a retired index, and `None` if there was no such
    /// index.
    #[inline]
    fn take(&mut self, index: u32) -> Option<u32> {
        let next = core::mem::take(self.next.get_mut(index as usize)?);
        if next == 0 {
            return None;
        }
        self.count -= 1;
        Some(if next == RETIRED { 0 } else { next })
    }

    #[inline]
    pub(super) fn bytes(&self) -> Bytes {
        Bytes::of_list(&self.next)
    }
}

impl EntityTable {
    /// Returns the generation that comes after a placed entity that is being freed; 0 if this retires the index. For
    /// entities that may be revived, or have the last generation.
    pub(super) fn generation_after(&mut self, entity: Entity) -> u32 {
        if let Some(next) = self.revived.take(entity.index()) {
            if self.revived.count == 0 {
                self.revived = Revived::default();
                self.plain_below = self.plain_bound();
            }
            return next;
        }
        match entity.generation() {
            generation if generation < self.max_generation => generation + 1,
            _ => 0,
        }
    }

    /// Checks invariant 3.
    #[cfg(feature = "validate")]
    pub(super) fn check_revived(&self) {
        let mut count = 0;
        for (index, &next) in (0..).zip(&self.revived.next) {
            if next == 0 {
                continue;
            }
            count += 1;
            let entity = self.placed_at(index);
            let entity = entity.expect("an index with a revived entity is placed");
            let generation = entity.generation();
            assert!(generation < next, "{entity} had its index before");
            assert!(
                generation >= self.plain_below,
                "{entity} is freed with care"
            );
        }
        assert_eq!(self.revived.count, count, "as many entries as are counted");
    }
}

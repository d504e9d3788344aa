//! Ids that despawned entities had and that a caller gives again, for example to undo a despawn.
//!
//! Normally the next generation of an index is the placed entity's plus one, and the slot has no room for another one. If an
//! id was issued again, the index may have had later entities, so the next generation is higher. Without a record of it, ids
//! of these would be issued a second time.

use alloc::vec::Vec;

use super::Entity;
use super::entities::{EntityTable, MAX_GENERATION};
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
    #[inline]
    fn insert(&mut self, index: u32, next: u32) {
        let index = index as usize;
        if self.next.len() <= index {
            self.next.resize(index + 1, 0);
        }
        debug_assert_eq!(self.next[index], 0);
        self.next[index] = if next == 0 { RETIRED } else { next };
        self.count += 1;
    }

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

    /// Returns the next generation of an index in its kept form; 0 if there is none.
    pub(super) fn kept(&self, index: u32) -> u32 {
        self.next.get(index as usize).copied().unwrap_or(0)
    }

    /// Returns the next generation of an index, 0 for a retired one; `None` if none is kept.
    pub(super) fn kept_generation(&self, index: u32) -> Option<u32> {
        match self.kept(index) {
            0 => None,
            RETIRED => Some(0),
            next => Some(next),
        }
    }

    /// The indices that have something, with its [kept](Self::kept) form.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let all = (0..).zip(self.next.iter().copied());
        all.filter(|&(_, kept)| kept != 0)
    }

    /// Returns true if a kept form can be that of an entity's index.
    pub(super) const fn is_after(kept: u32, generation: u32) -> bool {
        generation < kept && (kept <= MAX_GENERATION || kept == RETIRED)
    }

    /// Sets the [kept](Self::kept) form for an index that has nothing yet.
    pub(super) fn keep(&mut self, index: u32, kept: u32) {
        if kept != 0 {
            self.insert(index, if kept == RETIRED { 0 } else { kept });
        }
    }

    #[inline]
    pub(super) fn bytes(&self) -> Bytes {
        Bytes::of_list(&self.next)
    }
}

impl EntityTable {
    /// Notes that a free index gets an entity that it had before. The slot is not placed yet.
    #[inline]
    pub(super) fn note_revived(&mut self, entity: Entity) {
        let slot = self.slots[entity.index() as usize];
        self.revived.insert(entity.index(), slot.next_generation());
        self.plain_below = self.plain_below.min(entity.generation());
    }

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

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use super::super::GivenIdError;
    use super::super::entities::{EntitiesCopy, Location};
    use super::*;

    const HERE: Location = Location { table: 0, row: 0 };

    fn id(index: u32, generation: u32) -> Entity {
        Entity::new(index, NonZeroU32::new(generation).unwrap())
    }

    fn revive(entities: &mut EntityTable, id: Entity) -> Result<(), GivenIdError> {
        let given = entities.check_given(&[id], true)?;
        entities.take_given(&[id], given);
        entities.place_given(&[id], 0, 0);
        assert!(entities.contains(id));
        Ok(())
    }

    #[test]
    fn a_revived_index_goes_on_behind_the_ids_that_it_had() {
        let mut entities = EntityTable::default();
        for generation in 1..4 {
            assert_eq!(entities.alloc_at(HERE), id(0, generation));
            entities.free(id(0, generation));
        }
        let issued = GivenIdError::Issued { entity: id(0, 1) };
        assert_eq!(entities.check_given(&[id(0, 1)], false), Err(issued));
        revive(&mut entities, id(0, 1)).unwrap();
        assert_eq!(entities.plain_below, 1);
        assert_eq!(entities.alloc_at(HERE), id(1, 1));
        // Others are freed normally, with a generation that is not below the bound.
        entities.free(id(1, 1));
        assert_eq!(entities.alloc_at(HERE), id(1, 2));
        entities.free(id(0, 1));
        assert_eq!(entities.plain_below, entities.max_generation);
        assert_eq!(entities.alloc_at(HERE), id(0, 4));
        let in_use = GivenIdError::InUse { entity: id(0, 1) };
        assert_eq!(revive(&mut entities, id(0, 1)), Err(in_use));
    }

    #[test]
    fn no_id_is_issued_twice_whatever_is_revived() {
        let mut entities = EntityTable::with_max_generation(5);
        let mut copy = EntitiesCopy::default();
        let (mut issued, mut alive) = (Vec::new(), Vec::new());
        let mut random = 7_u64;
        let mut next = |below: usize| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (random >> 33) as usize % below
        };
        let mut revived = 0;
        for _ in 0..4000 {
            match next(5) {
                0 | 1 => {
                    let new = entities.alloc_at(HERE);
                    assert!(!issued.contains(&new), "{new} was issued before");
                    issued.push(new);
                    alive.push(new);
                }
                2 | 3 if !alive.is_empty() => {
                    let gone = alive.swap_remove(next(alive.len()));
                    entities.free(gone);
                }
                _ if !issued.is_empty() => {
                    let old = issued[next(issued.len())];
                    let has_index = |alive: &Entity| alive.index() == old.index();
                    let result = revive(&mut entities, old);
                    assert_eq!(result.is_err(), alive.iter().any(has_index), "{old}");
                    if result.is_ok() {
                        revived += 1;
                        alive.push(old);
                    }
                }
                _ => {}
            }
            entities.copy_to(&mut copy);
            #[cfg(feature = "validate")]
            entities.check(alive.len());
        }
        assert!(revived > 100 && issued.len() > 100, "{revived}");
        // A copy also has the revived generations.
        let mut returned = EntityTable::with_max_generation(5);
        returned.return_to(&copy);
        for gone in alive {
            returned.free(gone);
        }
        for _ in 0..50 {
            let new = returned.alloc_at(HERE);
            assert!(!issued.contains(&new), "{new} was issued before");
        }
    }

    #[test]
    fn a_retired_index_is_revived_and_retires_again() {
        let mut entities = EntityTable::with_max_generation(2);
        for generation in 1..3 {
            assert_eq!(entities.alloc_at(HERE), id(0, generation));
            entities.free(id(0, generation));
        }
        for generation in [2, 1, 2] {
            revive(&mut entities, id(0, generation)).unwrap();
            entities.free(id(0, generation));
            assert_eq!(entities.next_ids(2).unwrap(), [id(1, 1), id(2, 1)]);
        }
    }

    #[test]
    fn a_reserved_id_is_not_revived() {
        let mut entities = EntityTable::default();
        let old = entities.alloc_at(HERE);
        entities.free(old);
        let reserved = entities.reserve();
        assert_eq!(reserved, id(0, 2));
        let in_use = GivenIdError::InUse { entity: old };
        assert_eq!(revive(&mut entities, old), Err(in_use));
    }
}

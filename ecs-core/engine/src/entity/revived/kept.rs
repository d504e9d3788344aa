//! Generations that are kept for an index: for ids that a caller gives, and for copies.

use super::{RETIRED, Revived};
use crate::entity::entities::MAX_GENERATION;
use crate::entity::{Entity, EntityTable};

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

    /// Returns the next generation of an index in its kept form; 0 if there is none.
    pub(in crate::entity) fn kept(&self, index: u32) -> u32 {
        self.next.get(index as usize).copied().unwrap_or(0)
    }

    /// Returns the next generation of an index, 0 for a retired one; `None` if none is kept.
    pub(in crate::entity) fn kept_generation(&self, index: u32) -> Option<u32> {
        match self.kept(index) {
            0 => None,
            RETIRED => Some(0),
            next => Some(next),
        }
    }

    /// The indices that have something, with its [kept](Self::kept) form.
    pub(in crate::entity) fn all(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let all = (0..).zip(self.next.iter().copied());
        all.filter(|&(_, kept)| kept != 0)
    }

    /// Returns true if an entity's index can have a kept form.
    pub(in crate::entity) const fn is_after(kept: u32, generation: u32) -> bool {
        generation < kept && (kept <= MAX_GENERATION || kept == RETIRED)
    }

    /// Sets the [kept](Self::kept) form for an index that has nothing yet.
    pub(in crate::entity) fn keep(&mut self, index: u32, kept: u32) {
        if kept != 0 {
            self.insert(index, if kept == RETIRED { 0 } else { kept });
        }
    }
}

impl EntityTable {
    /// Notes that a free index gets an entity that it had before. The slot is not placed yet.
    #[inline]
    pub(in crate::entity) fn note_revived(&mut self, entity: Entity) {
        let slot = self.slots[entity.index() as usize];
        self.revived.insert(entity.index(), slot.next_generation());
        self.plain_below = self.plain_below.min(entity.generation());
    }
}

#[cfg(test)]
mod tests {
    use crate::test_random::random_from;
    use alloc::vec::Vec;
    use core::num::NonZeroU32;

    use super::*;
    use crate::entity::{EntitiesCopy, GivenIdError, Location};

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
        let mut next = random_from(7);
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

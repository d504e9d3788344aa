//! Ids that are known before their entities exist: the ids of the next entities, and ids that a caller gives.

use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU32;

use super::Entity;
use super::entities::{EntitySlot, EntityTable, Location, TableId};
use super::free_set::FreeSet;
use crate::bits::Bits;
use crate::fail;

impl EntityTable {
    /// Takes a placed entity out of its row. It has to be [placed](Self::place_given) again.
    pub(crate) fn unplace(&mut self, entity: Entity) {
        debug_assert!(self.get(entity).is_some());
        self.slots[entity.index() as usize] = EntitySlot::unplaced(entity.generation());
        self.placed -= 1;
    }

    /// Returns the ids that the next `count` entities get, if nothing else allocates or frees any; `None` if there are not
    /// enough. Does not reserve the ids.
    #[inline]
    pub(crate) fn next_ids(&mut self, count: usize) -> Option<Vec<Entity>> {
        if count > self.available() {
            return None;
        }
        let mut next = Vec::with_capacity(count);
        let fresh = self.ids_mut().fresh;
        let (slots, ids) = self.parts();
        next.extend(freed(slots, &ids.free).take(count));
        let left = (count - next.len()) as u32;
        next.extend((fresh..fresh + left).map(|index| Entity::new(index, NonZeroU32::MIN)));
        Some(next)
    }

    /// Returns the ids that were freed and will be issued again, in the order of issue, and the lowest index that no entity
    /// has had. Local ids and indices do not count.
    #[inline]
    pub(crate) fn freed_ids(&mut self) -> (impl Iterator<Item = Entity> + '_, u32) {
        let (slots, ids) = self.parts();
        (freed(slots, ids.shared_free()), ids.fresh)
    }

    /// Returns the same ids as [`freed_ids`](Self::freed_ids), and the ids of reserved entities, in the order of indices.
    #[inline]
    pub(crate) fn unplaced_ids(&self) -> Vec<Entity> {
        let fresh = self.ids().fresh as usize;
        let mut found = Vec::new();
        for (index, slot) in (0..).zip(&self.slots[..fresh.min(self.slots.len())]) {
            if !slot.is_placed()
                && let Some(generation) = NonZeroU32::new(slot.next_generation())
            {
                found.push(Entity::new(index, generation));
            }
        }
        found
    }

    /// Sets the generations of free indices, so that each index issues the given id next, or a later one. Ids of
    /// indices that are not free are ignored.
    #[inline]
    pub(crate) fn free_given(&mut self, ids: &[Entity]) {
        let end = ids.iter().map(|entity| entity.index() + 1).max();
        let fresh = self.ids_mut().fresh;
        let end = end.unwrap_or(0).max(fresh);
        if self.slots.len() < end as usize {
            self.slots.resize(end as usize, EntitySlot::FRESH);
        }
        self.ids_mut().fresh = end;
        for index in fresh..end {
            self.ids_mut().insert_free(index);
        }
        for entity in ids {
            let (index, generation) = (entity.index(), entity.generation());
            if generation <= self.max_generation
                && self.ids_mut().is_free(index)
                && self.slots[index as usize].next_generation() < generation
            {
                self.slots[index as usize] = EntitySlot::unplaced(generation);
            }
        }
    }

    /// Makes this allocator issue the same ids next as another one, if the same entities are placed in both; otherwise
    /// returns false and changes nothing. Ids that are reserved there are reserved here afterwards. O(indices).
    pub(crate) fn take_next_of(&mut self, other: &Self) -> bool {
        let end = self.slots.len().max(other.slots.len());
        let at =
            |slots: &[EntitySlot], index| slots.get(index).copied().unwrap_or(EntitySlot::FRESH);
        let is_same =
            |index| at(&self.slots, index).generation() == at(&other.slots, index).generation();
        if self.max_generation != other.max_generation || !(0..end).all(is_same) {
            return false;
        }
        self.slots.resize(other.slots.len(), EntitySlot::FRESH);
        for (slot, other) in self.slots.iter_mut().zip(&other.slots) {
            if !other.is_placed() {
                *slot = *other;
            }
        }
        self.plain_below = other.plain_below;
        self.revived.clone_from(&other.revived);
        self.dead = other.dead;
        let other = other.ids();
        let ids = self.ids_mut();
        ids.free.copy_from(&other.free);
        ids.fresh = other.fresh;
        ids.local.copy_from(&other.local);
        ids.reserved.clone_from(&other.reserved);
        true
    }

    /// Checks that new entities can have these ids: each index is free, and no entity has had it with the same generation or
    /// a higher one. If ids may be revived, despawned entities may have had them.
    #[inline]
    pub(crate) fn check_given(
        &mut self,
        ids: &[Entity],
        revive: bool,
    ) -> Result<CheckedIds, GivenIdError> {
        fail::point();
        let max_generation = self.max_generation;
        let (slots, allocated) = self.parts();
        if are_fresh(ids, allocated.fresh) {
            return Ok(CheckedIds::Fresh);
        }
        // Files list ids in ascending order, so that no set is needed to find ids that occur twice.
        let is_ascending = ids.is_sorted_by(|a, b| a.index() < b.index());
        let mut seen = Bits::default();
        for &entity in ids {
            let index = entity.index();
            let slot = slots
                .get(index as usize)
                .copied()
                .unwrap_or(EntitySlot::FRESH);
            if !is_ascending && !seen.insert(index as usize) {
                return Err(GivenIdError::Twice { entity });
            }
            if slot.is_placed() {
                return Err(GivenIdError::InUse { entity });
            }
            // An index that is retired has no next generation.
            let next = slot.next_generation();
            if !revive && (next == 0 || entity.generation() < next) {
                return Err(GivenIdError::Issued { entity });
            }
            // An index that is neither placed, free nor retired is reserved.
            if index < allocated.fresh && next != 0 && !allocated.is_free(index) {
                return Err(GivenIdError::InUse { entity });
            }
            if entity.generation() > max_generation {
                return Err(GivenIdError::NoId { entity });
            }
        }
        Ok(CheckedIds::Other)
    }

    /// Allocates ids that were [checked](Self::check_given), with that result. Each has to be [placed](Self::place_given).
    #[inline]
    pub(crate) fn take_given(&mut self, ids: &[Entity], given: CheckedIds) {
        let fresh = self.ids_mut().fresh;
        if given == CheckedIds::Fresh {
            let end = fresh + ids.len() as u32;
            self.ids_mut().fresh = end;
            // The slots of reserved indices may be missing. The slots of the ids are made when they are placed.
            let slots = self.slots.len().max(fresh as usize);
            self.slots.resize(slots, EntitySlot::FRESH);
            self.slots.reserve((end as usize).saturating_sub(slots));
            return;
        }
        let mut end = fresh;
        let mut new = 0;
        for entity in ids {
            if entity.index() < fresh {
                let next = self.slots[entity.index() as usize].next_generation();
                // A retired index is not free.
                if next != 0 {
                    self.ids_mut().remove_free(entity.index());
                }
                if next == 0 || entity.generation() < next {
                    self.note_revived(*entity);
                }
            } else {
                end = end.max(entity.index() + 1);
                new += 1;
            }
        }
        if self.slots.len() < end as usize {
            self.slots.resize(end as usize, EntitySlot::FRESH);
        }
        let allocated = self.ids_mut();
        allocated.fresh = end;
        if new < end - fresh {
            // Indices between the ids become free.
            let mut given = Bits::default();
            for entity in ids.iter().filter(|entity| entity.index() >= fresh) {
                given.insert((entity.index() - fresh) as usize);
            }
            for index in fresh..end {
                if !given.contains((index - fresh) as usize) {
                    allocated.insert_free(index);
                }
            }
        }
    }

    /// Places entities whose ids were [taken](Self::take_given) in the rows of a table from `first` on.
    #[inline]
    pub(crate) fn place_given(&mut self, ids: &[Entity], table: TableId, first: usize) {
        let rows = first as u32..(first + ids.len()) as u32;
        if are_fresh(ids, self.slots.len() as u32) {
            // Most loads get the next ids, which have no slots yet: each slot is written once.
            let at = |row| EntitySlot::placed(1, Location { table, row });
            self.slots.extend(rows.map(at));
        } else {
            let end = self.ids_mut().fresh as usize;
            self.slots
                .resize(self.slots.len().max(end), EntitySlot::FRESH);
            for (&entity, row) in ids.iter().zip(rows) {
                let slot = &mut self.slots[entity.index() as usize];
                debug_assert!(!slot.is_placed());
                *slot = EntitySlot::placed(entity.generation(), Location { table, row });
            }
        }
        self.placed += ids.len() as u32;
    }
}

/// The result of [checking](EntityTable::check_given) ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CheckedIds {
    /// The ids are the first ones of indices that were never allocated, in order.
    Fresh,
    /// Any other ids.
    Other,
}

/// Returns the next ids of free indices, in their order.
fn freed<'a>(slots: &'a [EntitySlot], free: &'a FreeSet) -> impl Iterator<Item = Entity> + 'a {
    free.iter().filter_map(|index| {
        let generation = NonZeroU32::new(slots[index as usize].next_generation());
        generation.map(|generation| Entity::new(index, generation))
    })
}

/// Returns true if the ids are the first ones of consecutive indices from `first` on, as in a new world.
#[inline]
fn are_fresh(ids: &[Entity], first: u32) -> bool {
    // Blocks are compared without a branch for each id.
    const BLOCK: usize = 256;
    if ids.len() > (u32::MAX - first) as usize {
        return false;
    }
    let mut next = Entity::new(first, NonZeroU32::MIN).to_bits();
    ids.chunks(BLOCK).all(|block| {
        let mut differences = 0;
        for (entity, bits) in block.iter().zip(next..) {
            differences |= entity.to_bits() ^ bits;
        }
        next += block.len() as u64;
        differences == 0
    })
}

/// The reason why a new entity cannot have an id that a caller gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GivenIdError {
    /// A living entity has the index.
    InUse {
        /// The id.
        entity: Entity,
    },
    /// An entity had the index with this generation, or a later one.
    Issued {
        /// The id.
        entity: Entity,
    },
    /// The id occurs twice.
    Twice {
        /// The id.
        entity: Entity,
    },
    /// No world issues an id with such a generation.
    NoId {
        /// The id.
        entity: Entity,
    },
}

impl fmt::Display for GivenIdError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InUse { entity } => write!(
                f,
                "no new entity can have the id {entity}: its index belongs to a living entity; help: use a new world, or new ids"
            ),
            Self::Issued { entity } => write!(
                f,
                "no new entity can have the id {entity}: it was issued before, and ids are never issued again; help: use a new world, or new ids"
            ),
            Self::Twice { entity } => {
                write!(f, "two new entities cannot have the same id {entity}")
            }
            Self::NoId { entity } => write!(
                f,
                "no entity can have the id {entity}: its generation is too high"
            ),
        }
    }
}

impl core::error::Error for GivenIdError {}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    const HERE: Location = Location { table: 0, row: 0 };

    fn id(index: u32, generation: u32) -> Entity {
        Entity::new(index, NonZeroU32::new(generation).unwrap())
    }

    fn put(entities: &mut EntityTable, ids: &[Entity]) -> Result<(), GivenIdError> {
        let given = entities.check_given(ids, false)?;
        entities.take_given(ids, given);
        entities.place_given(ids, 3, 10);
        for (row, &entity) in (10..).zip(ids) {
            assert_eq!(entities.get(entity), Some(Location { table: 3, row }));
        }
        Ok(())
    }

    #[test]
    fn the_next_ids_are_those_that_are_issued_next() {
        let mut entities = EntityTable::default();
        for round in 0..20 {
            let count = round * 7 % 13;
            let next = entities.next_ids(count).unwrap();
            assert!(count == 0 || entities.next_id() == Some(next[0]));
            let len = entities.len();
            let issued: Vec<_> = (0..count).map(|_| entities.alloc_at(HERE)).collect();
            assert_eq!((next, len), (issued.clone(), entities.len() - count));
            issued
                .iter()
                .step_by(3)
                .for_each(|&entity| entities.free(entity));
            _ = entities.reserve();
        }
        assert_eq!(entities.next_ids(u32::MAX as usize), None);
    }

    #[test]
    fn given_ids_leave_the_others_to_be_issued_in_order() {
        let mut entities = EntityTable::default();
        put(&mut entities, &[id(5, 3), id(2, 1), id(70, 4)]).unwrap();
        assert_eq!(entities.len(), 3);
        let next = entities.next_ids(5).unwrap();
        assert_eq!(next, [id(0, 1), id(1, 1), id(3, 1), id(4, 1), id(6, 1)]);
        let issued: Vec<_> = (0..68).map(|_| entities.alloc_at(HERE)).collect();
        assert_eq!(
            (issued[67], entities.alloc_at(HERE)),
            (id(69, 1), id(71, 1))
        );
        entities.free(id(5, 3));
        assert_eq!(entities.alloc_at(HERE), id(5, 4));
    }

    #[test]
    fn the_next_ids_of_an_allocator_with_the_same_entities_are_taken_over() {
        let mut one = EntityTable::with_max_generation(3);
        let all: Vec<_> = (0..6).map(|_| one.alloc_at(HERE)).collect();
        for _ in 0..3 {
            // Index 1 is retired in the end, and index 4 has one generation left.
            let gone = one.placed_at(1).unwrap();
            one.free(gone);
            if gone.generation() < 3 {
                assert_eq!(one.alloc_at(HERE).index(), 1);
            }
        }
        one.free(all[4]);
        let given = one.check_given(&[all[4]], true).unwrap();
        one.take_given(&[all[4]], given);
        one.place_given(&[all[4]], 0, 0);
        one.free(all[5]);
        let reserved = one.reserve();

        let mut other = EntityTable::with_max_generation(3);
        let placed: Vec<_> = (0..5).filter_map(|index| one.placed_at(index)).collect();
        put(&mut other, &placed[1..]).unwrap();
        let before = other.next_ids(9);
        assert!(!other.take_next_of(&one), "an entity is missing");
        assert_eq!(other.next_ids(9), before);
        put(&mut other, &placed[..1]).unwrap();
        assert!(other.take_next_of(&one));
        assert!(other.contains(reserved) && other.get(reserved).is_none());
        for entity in placed {
            assert!(other.get(entity).is_some());
            one.free(entity);
            other.free(entity);
            assert_eq!(one.next_ids(20), other.next_ids(20));
        }
        assert!(
            !EntityTable::default().take_next_of(&one),
            "with other generations"
        );
        #[cfg(feature = "validate")]
        other.check(0);
    }

    #[test]
    fn ids_that_were_or_may_have_been_issued_are_refused() {
        let mut entities = EntityTable::with_max_generation(4);
        let [alive, dead] = [(); 2].map(|()| entities.alloc_at(HERE));
        entities.free(dead);
        let reserved = id(2, 1);
        let taken = entities.reserve();
        assert_eq!(taken, id(1, 2), "the lowest free index comes first");
        let also = entities.reserve();
        assert_eq!(also, reserved);
        for (ids, error) in [
            ([id(9, 1), alive], GivenIdError::InUse { entity: alive }),
            (
                [id(9, 1), id(0, 3)],
                GivenIdError::InUse { entity: id(0, 3) },
            ),
            ([id(9, 1), taken], GivenIdError::InUse { entity: taken }),
            (
                [id(9, 1), reserved],
                GivenIdError::InUse { entity: reserved },
            ),
            (
                [id(9, 2), id(9, 2)],
                GivenIdError::Twice { entity: id(9, 2) },
            ),
            (
                [id(9, 2), id(9, 1)],
                GivenIdError::Twice { entity: id(9, 1) },
            ),
            (
                [id(9, 1), id(8, 5)],
                GivenIdError::NoId { entity: id(8, 5) },
            ),
        ] {
            assert_eq!(put(&mut entities, &ids), Err(error), "{ids:?}");
            assert_eq!((entities.len(), entities.get(id(9, 1))), (3, None));
        }
        put(&mut entities, &[id(7, 2)]).unwrap();
        entities.free(id(7, 2));
        let error = GivenIdError::Issued { entity: id(7, 2) };
        assert_eq!(put(&mut entities, &[id(7, 2)]), Err(error));
        put(&mut entities, &[id(7, 4)]).unwrap();
        entities.free(id(7, 4));
        let error = GivenIdError::Issued { entity: id(7, 4) };
        assert_eq!(
            put(&mut entities, &[id(7, 4)]),
            Err(error),
            "the index is retired"
        );
        assert!(
            error
                .to_string()
                .starts_with("no new entity can have the id 7v4: it was issued")
        );
    }

    #[test]
    fn the_next_ids_are_placed_in_parts_in_any_order() {
        let len = 1000;
        for (cuts, is_reversed) in [([0, 0], false), ([300, 700], false), ([300, 700], true)] {
            let mut entities = EntityTable::default();
            // An index without a slot.
            let reserved = entities.reserve();
            let ids = entities.next_ids(len).unwrap();
            assert_eq!(ids[0], id(1, 1));
            let given = entities.check_given(&ids, false).unwrap();
            assert_eq!(given, CheckedIds::Fresh);
            entities.take_given(&ids, given);
            let mut parts = [0..cuts[0], cuts[0]..cuts[1], cuts[1]..len];
            if is_reversed {
                parts.reverse();
            }
            for (table, part) in (0..).zip(parts.clone()) {
                entities.place_given(&ids[part], table, 10);
            }
            for (table, part) in (0..).zip(parts) {
                for (row, &entity) in (10..).zip(&ids[part]) {
                    assert_eq!(entities.get(entity), Some(Location { table, row }));
                }
            }
            assert_eq!((entities.len(), entities.end()), (1 + len, 1 + len as u32));
            assert!(entities.is_unplaced(reserved));
            assert_eq!(entities.alloc_at(HERE), id(1 + len as u32, 1));
        }
    }

    #[test]
    fn only_all_of_the_next_ids_in_order_count_as_the_next() {
        let ids: Vec<Entity> = (0..600).map(|index| id(index, 1)).collect();
        assert!(are_fresh(&ids, 0) && are_fresh(&ids[255..], 255) && are_fresh(&[], 7));
        assert!(!are_fresh(&ids, 1));
        for wrong in [0, 1, 255, 256, 599] {
            for other in [id(wrong as u32, 2), id(wrong as u32 + 1, 1)] {
                let mut ids = ids.clone();
                ids[wrong] = other;
                assert!(!are_fresh(&ids, 0), "{other}");
            }
        }
        assert!(are_fresh(&[id(u32::MAX - 1, 1)], u32::MAX - 1));
        assert!(!are_fresh(&[id(0, 1)], u32::MAX));
    }

    #[test]
    fn ids_in_any_order_are_found_twice() {
        let mut entities = EntityTable::default();
        let ids = [4, 9, 2, 7, 1, 8, 3].map(|index| id(index, 1));
        put(&mut entities, &ids).unwrap();
        let mut entities = EntityTable::default();
        for twice in 0..ids.len() {
            let mut list = ids.to_vec();
            list.push(ids[twice]);
            let error = GivenIdError::Twice { entity: ids[twice] };
            assert_eq!(put(&mut entities, &list), Err(error));
        }
    }
}

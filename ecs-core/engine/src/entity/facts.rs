//! The ids of a world as facts from which everything else follows, for copies as bytes.

use alloc::vec::Vec;
use core::ops::Range;

use super::Entity;
use super::dead::DeadIds;
use super::entities::{EntitySlot, IdAllocator, Location, MAX_GENERATION};
use super::local::LocalIds;
use super::revived::Revived;
use super::snapshot::EntitiesCopy;

/// The facts about the ids of a world, besides its entities and their places.
#[derive(Debug, Default)]
pub(crate) struct IdFacts {
    /// The next generation of each index without an entity that was ever allocated, in order; 0 for retired ones.
    pub(crate) unplaced: Vec<u32>,
    /// The next generations of indices that have revived entities.
    pub(crate) revived: Vec<(u32, u32)>,
    /// The numbers of the next ids that no entity has.
    pub(crate) dead: [u64; 2],
    /// The indices that are local.
    pub(crate) local: Range<u32>,
    /// True if local ids are given.
    pub(crate) is_local: bool,
}

impl EntitiesCopy {
    /// Returns the facts of a copy. O(indices).
    pub(crate) fn facts(&self) -> IdFacts {
        let mut slots = self.slots.iter().copied();
        let slots = (0..self.fresh).map(|_| slots.next().unwrap_or(EntitySlot::FRESH));
        let unplaced = slots.filter(|slot| !slot.is_placed());
        // All of them: the rest need not be looked at.
        let unplaced = unplaced.take((self.fresh - self.placed) as usize);
        IdFacts {
            unplaced: unplaced.map(EntitySlot::next_generation).collect(),
            revived: self.revived.all().collect(),
            dead: self.dead.numbers(),
            local: self.local.range(),
            is_local: self.local.is_on(),
        }
    }

    /// Makes a copy of facts, and of the entities of each table, in the order of rows.
    ///
    /// # Errors
    /// If they contradict each other; returns the problem.
    pub(crate) fn of_facts(facts: IdFacts, tables: &[&[Entity]]) -> Result<Self, &'static str> {
        let rows: usize = tables.iter().map(|entities| entities.len()).sum();
        let fresh = u32::try_from(rows.saturating_add(facts.unplaced.len()));
        let fresh = fresh.map_err(|_| "there are too many ids")?;
        let mut slots = vec![UNKNOWN; fresh as usize];
        for (table, entities) in (0..).zip(tables) {
            for (first, part) in (0..).step_by(PART).zip(entities.chunks(PART)) {
                if !place(&mut slots, part, Location { table, row: first }) {
                    return Err("an index has two entities, or was never allocated");
                }
            }
        }
        let Range { start, end } = facts.local;
        if start > end || end > fresh || (start == end && facts.is_local) {
            return Err("there are no such local ids");
        }
        let mut ids = IdAllocator {
            fresh,
            local: LocalIds::of(start..end, facts.is_local),
            ..IdAllocator::default()
        };
        let mut unknown = (0..).zip(&mut slots).filter(|(_, slot)| **slot == UNKNOWN);
        // There are as many unknown slots as numbers.
        for next in facts.unplaced {
            let unknown = unknown.next().filter(|_| next <= MAX_GENERATION);
            let (index, slot) = unknown.ok_or("an index has no next generation")?;
            *slot = EntitySlot::unplaced(next);
            if next != 0 {
                ids.insert_free(index);
            }
        }
        debug_assert!(unknown.next().is_none(), "as many entities as rows");
        let mut plain_below = if start < end { 0 } else { MAX_GENERATION };
        let mut revived = Revived::default();
        for (index, kept) in facts.revived {
            let slot = slots.get(index as usize);
            let generation = slot.map_or(0, |slot| slot.generation());
            let is_new = revived.kept(index) == 0;
            if generation == 0 || !is_new || !Revived::is_after(kept, generation) {
                return Err("an entity was revived, and is not there");
            }
            revived.keep(index, kept);
            plain_below = plain_below.min(generation);
        }
        let dead = DeadIds::of_numbers(facts.dead).ok_or("there are no such dead ids")?;
        Ok(Self {
            slots,
            placed: rows as u32,
            plain_below,
            revived,
            dead,
            free: ids.free,
            fresh,
            local: ids.local,
            is_made: true,
        })
    }
}

const UNKNOWN: EntitySlot = EntitySlot::unplaced(u32::MAX);

/// The number of entities that are placed at once.
const PART: usize = 256;

/// Places entities in the rows from the first one on. Returns false if that contradicts the slots.
fn place(slots: &mut [EntitySlot], entities: &[Entity], first: Location) -> bool {
    let Some(&start) = entities.first() else {
        return true;
    };
    // Entities that were spawned together are written without a look-up for each, by loops that become vector instructions.
    let ids = entities.iter().zip(start.to_bits()..);
    if ids.fold(true, |are, (entity, bits)| are & (entity.to_bits() == bits)) {
        let slots = slots.get_mut(start.index() as usize..);
        let slots = slots.and_then(|slots| slots.get_mut(..entities.len()));
        let Some(slots) = slots.filter(|_| start.generation() <= MAX_GENERATION) else {
            return false;
        };
        let is_new = slots.iter().fold(true, |is, slot| is & (*slot == UNKNOWN));
        let placed = EntitySlot::placed(start.generation(), first);
        for (slot, rows) in slots.iter_mut().zip(0..) {
            *slot = placed.below(rows);
        }
        return is_new;
    }
    for (row, entity) in (first.row..).zip(entities) {
        let slot = slots.get_mut(entity.index() as usize);
        match slot.filter(|slot| **slot == UNKNOWN) {
            Some(slot) if entity.generation() <= MAX_GENERATION => {
                *slot = EntitySlot::placed(entity.generation(), Location { row, ..first });
            }
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
#[path = "facts_tests.rs"]
mod tests;

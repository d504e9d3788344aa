//! The return of the ids of some entities, while all others stay.

use alloc::vec::Vec;
use core::num::NonZeroU32;

use super::Entity;
use super::entities::{EntitySlot, EntityTable};
use super::revived::Revived;
use super::snapshot::EntitiesCopy;
use crate::bits::Bits;

/// The reason why some entities cannot return while others stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartError {
    /// The entity is gone, and its index now belongs to another entity, which stays.
    Taken { entity: Entity, by: Entity },
    /// An entity that existed and was none of them is one now.
    Joined { entity: Entity },
    /// An entity that is none of them was made with an id that is not local.
    NotLocal { entity: Entity },
}

impl EntitiesCopy {
    /// Returns true if an entity was placed.
    pub(crate) fn has(&self, entity: Entity) -> bool {
        let slot = self.slots.get(entity.index() as usize);
        slot.is_some_and(|slot| slot.generation() == entity.generation())
    }
}

impl EntityTable {
    /// Checks that the entities that were `members` when a copy was taken can return. `inside` has the indices of the
    /// present members; living entities that were members are added. O(indices).
    pub(crate) fn check_part(
        &mut self,
        copy: &EntitiesCopy,
        members: &Bits,
        inside: &mut Bits,
    ) -> Result<(), PartError> {
        let had_local = !copy.local.range().is_empty();
        let (slots, ids) = self.parts();
        for (index, &slot) in (0..).zip(slots) {
            let Some(generation) = NonZeroU32::new(slot.generation()) else {
                continue;
            };
            let entity = Entity::new(index, generation);
            let at = index as usize;
            let before = copy.slots.get(at).copied().unwrap_or(EntitySlot::FRESH);
            let was_there = before.generation() == slot.generation();
            let was_member = members.contains(at);
            if inside.contains(at) {
                if was_there && !was_member {
                    return Err(PartError::Joined { entity });
                }
            } else if was_member {
                if let Some(gone) = NonZeroU32::new(before.generation())
                    && !was_there
                {
                    return Err(PartError::Taken {
                        entity: Entity::new(index, gone),
                        by: entity,
                    });
                }
                inside.insert(at);
            } else if !was_there && had_local && !ids.local.has(index) {
                return Err(PartError::NotLocal { entity });
            }
        }
        Ok(())
    }

    /// Returns the `members` of a copy to their indices and rows, and removes the other entities that are `inside`. The
    /// return was [checked](Self::check_part). All others stay. Ids that are not local come next in the copy's order, except
    /// ids that others have got since. O(indices).
    pub(crate) fn return_part(&mut self, copy: &EntitiesCopy, members: &Bits, inside: &Bits) {
        let local = self.ids_mut().local.range();
        let mut fresh = copy.fresh.max(local.end);
        let mut revived = Revived::default();
        let mut plain_below = self.plain_bound();
        let mut placed = 0;
        let end = self.slots.len().max(copy.slots.len()).max(fresh as usize);
        let mut slots = Vec::with_capacity(end);
        for index in 0..end as u32 {
            let at = index as usize;
            let now = self.slots.get(at).copied().unwrap_or(EntitySlot::FRESH);
            let before = copy.slots.get(at).copied().unwrap_or(EntitySlot::FRESH);
            let (slot, kept) = if now.is_placed() && !inside.contains(at) {
                fresh = fresh.max(index + 1);
                (now, self.revived.kept(index))
            } else if members.contains(at) {
                (before, copy.revived.kept(index))
            } else if before.is_placed() || local.contains(&index) {
                // Ids of others that are gone are not issued again.
                let next = if now.is_placed() {
                    match self.revived.kept_generation(index) {
                        Some(next) => next,
                        None => now.generation(),
                    }
                } else {
                    now.next_generation()
                };
                (EntitySlot::unplaced(next), 0)
            } else {
                (before, 0)
            };
            if slot.is_placed() {
                placed += 1;
                if kept != 0 {
                    revived.keep(index, kept);
                    plain_below = plain_below.min(slot.generation());
                }
            }
            slots.push(slot);
        }
        slots.truncate(fresh as usize);
        self.placed = placed;
        self.plain_below = plain_below;
        self.revived = revived;
        self.dead.return_shared(&copy.dead);
        let is_free = |slot: &EntitySlot| !slot.is_placed() && slot.next_generation() != 0;
        let free = (0..).zip(&slots).filter(|(_, slot)| is_free(slot));
        let free = free.map(|(index, _)| index);
        let ids = self.ids_mut();
        ids.reserved.clear();
        ids.fresh = fresh;
        ids.set_free(free);
        self.slots = slots;
    }
}

//! Copies of the ids of a world.

use alloc::vec::Vec;

use super::Entity;
use super::dead::DeadIds;
use super::entities::{EntitySlot, EntityTable, Location};
use super::free_set::FreeSet;
use super::local::LocalIds;
use super::revived::Revived;

/// A copy of the ids of a world.
#[derive(Debug, Default)]
pub(crate) struct EntitiesCopy {
    pub(super) slots: Vec<EntitySlot>,
    pub(super) placed: u32,
    pub(super) plain_below: u32,
    pub(super) revived: Revived,
    pub(super) dead: DeadIds,
    pub(super) free: FreeSet,
    pub(super) fresh: u32,
    pub(super) local: LocalIds,
    /// True if it was made of [facts](super::facts): perhaps of another world's.
    pub(super) is_made: bool,
}

impl EntitiesCopy {
    /// Changes the place of an entity that is alive.
    pub(crate) fn place(&mut self, entity: Entity, at: Location) {
        let slot = &mut self.slots[entity.index() as usize];
        debug_assert!(slot.is_placed());
        *slot = EntitySlot::placed(entity.generation(), at);
    }
}

impl EntityTable {
    /// Copies all ids, into the memory of an earlier copy. None may be reserved without a row.
    pub(crate) fn copy_to(&mut self, copy: &mut EntitiesCopy) {
        copy.slots.clone_from(&self.slots);
        copy.is_made = false;
        copy.placed = self.placed;
        copy.plain_below = self.plain_below;
        copy.revived.clone_from(&self.revived);
        copy.dead = self.dead;
        let ids = self.ids_mut();
        debug_assert!(ids.reserved.is_empty());
        copy.free.copy_from(&ids.free);
        copy.fresh = ids.fresh;
        copy.local.copy_from(&ids.local);
    }

    /// Returns to a copy: the same entities are alive, in the same rows, and the same ids come next.
    pub(crate) fn return_to(&mut self, copy: &EntitiesCopy) {
        self.slots.clone_from(&copy.slots);
        self.placed = copy.placed;
        self.plain_below = copy.plain_below;
        self.revived.clone_from(&copy.revived);
        self.dead = copy.dead;
        let ids = self.ids_mut();
        ids.reserved.clear();
        let was_local = ids.local.is_on();
        ids.free.copy_from(&copy.free);
        ids.fresh = copy.fresh;
        ids.local.copy_from(&copy.local);
        if !copy.is_made {
            ids.set_local(was_local);
        }
    }
}

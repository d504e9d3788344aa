//! Answers about the slots of a list, kept until the slots are numbered anew.

use alloc::vec::Vec;

use crate::entity::Entity;
use crate::hash::IdMap;
use crate::sync::{AtomicBool, OnceLock, Ordering};

/// Answers about the slots of a list, each made when it is first asked for.
#[derive(Default)]
pub(super) struct SlotAnswers {
    /// Invariant 1: empty or up to date.
    dense: OnceLock<Dense>,
    /// True if `dense` was read after the last removal.
    is_read: AtomicBool,
    /// The number of removals from `dense` since it was last read.
    unread: u32,
    /// The slot of each entity. Invariant 2: empty or up to date.
    slots: OnceLock<IdMap<u32>>,
}

/// The entities of a list without gaps.
pub(super) struct Dense {
    entities: Vec<Entity>,
    /// The slot of each one, ascending.
    slots: Vec<u32>,
}

impl Dense {
    pub(super) fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// Returns the slot of the entity at an index.
    pub(super) fn slot(&self, index: usize) -> usize {
        self.slots[index] as usize
    }
}

impl SlotAnswers {
    /// Lists up to this length are searched directly.
    pub(super) const FEW: usize = 32;

    /// The number of removals that update the entities without gaps even if nothing reads them. A removal costs about a
    /// sixteenth of listing them anew.
    const UNREAD: u32 = 16;

    /// Returns the entities without gaps.
    pub(super) fn dense<I: Iterator<Item = (usize, Entity)>>(
        &self,
        edges: impl Fn() -> I,
    ) -> &Dense {
        if !self.is_read.load(Ordering::Relaxed) {
            self.is_read.store(true, Ordering::Relaxed);
        }
        self.dense.get_or_init(|| {
            let (slots, entities) = edges().map(|(slot, entity)| (slot as u32, entity)).unzip();
            Dense { entities, slots }
        })
    }

    /// Gives back the memory of the entities without gaps, for a list that has no gaps any more.
    pub(super) fn forget_slice(&mut self) {
        self.dense.take();
    }

    #[cfg(test)]
    pub(super) fn has_slice(&self) -> bool {
        self.dense.get().is_some()
    }

    /// Returns the slot of an entity; the first one if the list has it twice.
    pub(super) fn slot<I: Iterator<Item = (usize, Entity)>>(
        &self,
        entity: Entity,
        edges: impl Fn() -> I,
    ) -> Option<usize> {
        let slots = self.slots.get_or_init(|| {
            let mut slots = IdMap::<u32>::default();
            for (slot, entity) in edges() {
                slots.entry(entity.to_bits()).or_insert(slot as u32);
            }
            slots
        });
        slots.get(&entity.to_bits()).map(|&slot| slot as usize)
    }

    /// Must be called after an entity was added in a slot.
    pub(super) fn add(&mut self, slot: usize, entity: Entity) {
        if let Some(dense) = self.dense.get_mut() {
            let slot = slot as u32;
            let at = match dense.slots.last() {
                Some(&last) if last > slot => dense.slots.partition_point(|&other| other < slot),
                _ => dense.slots.len(),
            };
            dense.slots.insert(at, slot);
            dense.entities.insert(at, entity);
        }
        if let Some(slots) = self.slots.get_mut() {
            slots.entry(entity.to_bits()).or_insert(slot as u32);
        }
    }

    /// Must be called before an entity leaves its slot.
    pub(super) fn remove(&mut self, slot: usize, entity: Entity) {
        if let Some(slots) = self.slots.get_mut() {
            slots.remove(&entity.to_bits());
        }
        let Some(dense) = self.dense.get_mut() else {
            return;
        };
        self.unread = match core::mem::take(self.is_read.get_mut()) {
            true => 0,
            false => self.unread + 1,
        };
        match dense.slots.binary_search(&(slot as u32)) {
            Ok(at) if self.unread < Self::UNREAD => {
                dense.slots.remove(at);
                dense.entities.remove(at);
            }
            _ => drop(self.dense.take()),
        }
    }

    /// Must be called after the entities of a range of slots have got other slots of the range: these, in the same order.
    pub(super) fn renumber(&mut self, first: usize, edges: impl Iterator<Item = (usize, Entity)>) {
        let (dense, slots) = (self.dense.get_mut(), self.slots.get_mut());
        let mut places = [].iter_mut();
        if let Some(dense) = dense {
            let start = dense.slots.partition_point(|&slot| (slot as usize) < first);
            places = dense.slots[start..].iter_mut();
        }
        let mut slots = slots;
        for (slot, entity) in edges {
            if let Some(place) = places.next() {
                *place = slot as u32;
            }
            if let Some(slots) = &mut slots {
                slots.insert(entity.to_bits(), slot as u32);
            }
        }
    }
}

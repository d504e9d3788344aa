//! Entities that get a place in the middle.

use alloc::vec::Vec;
use core::ops::Range;

use super::{EdgeList, VACANT};
use crate::entity::Entity;

/// The minimum number of slots among which room is made for one more entity.
const WINDOW: usize = 32;

/// The maximum percentage of slots in use: among all slots, and in the shortest window.
const LEAST: usize = 70;
const MOST: usize = 94;

impl EdgeList {
    /// Gives the entity in a slot another index. Returns the slots whose edges have changed.
    ///
    /// Few edges change, amortised, wherever entities are moved. Finding the place in a list with gaps costs as much as in a
    /// vector.
    pub(in crate::storage) fn move_to(&mut self, slot: usize, index: usize) -> Range<usize> {
        let entity = self.slots[slot];
        let reverse_slot = self.reverse_slot(slot);
        self.take_out(slot);
        let (slot, changed) = self.insert(index, entity);
        if let Some(reverse_slot) = reverse_slot {
            self.set_reverse_slot(slot, reverse_slot);
        }
        let extra = self.extra_mut();
        extra.placed = slot;
        changed
    }

    /// Adds an entity at an index, or at the end. Returns its slot, and the slots whose edges have changed.
    fn insert(&mut self, index: usize, entity: Entity) -> (usize, Range<usize>) {
        if index >= self.len() {
            let slot = self.push(entity);
            return (slot, slot..slot + 1);
        }
        if index == 0 {
            let mut changed = 0..1;
            if self.first == 0 {
                self.make_room_in_front();
                changed.end = self.end();
            }
            self.first -= 1;
            changed.start = self.first as usize;
            changed.end = changed.end.max(changed.start + 1);
            self.put(changed.start, entity);
            return (changed.start, changed);
        }
        let (before, after) = (self.slot_at(index - 1), self.slot_at(index));
        if after - before == 1 {
            return self.spread(before, entity);
        }
        // Next to the entity placed last, so that the whole gap is used if many are added at one place.
        let slot = match self.extra.as_ref().map(|extra| extra.placed) {
            Some(placed) if placed == before => before + 1,
            Some(placed) if placed == after => after - 1,
            _ => before.midpoint(after),
        };
        self.gaps -= 1;
        self.put(slot, entity);
        (slot, slot..slot + 1)
    }

    /// Returns the slot of the entity at an index.
    fn slot_at(&self, index: usize) -> usize {
        match self.dense() {
            None => self.first as usize + index,
            Some(dense) => dense.slot(index),
        }
    }

    /// Writes an entity into a vacant slot.
    fn put(&mut self, slot: usize, entity: Entity) {
        self.slots[slot] = entity;
        if let Some(extra) = &mut self.extra {
            extra.known.add(slot, entity);
        }
    }

    /// Moves all entities back, like a full vector that moves its elements to new memory.
    fn make_room_in_front(&mut self) {
        let edges = self
            .edges()
            .map(|(slot, one)| (one, self.reverse_slot(slot)));
        let edges = edges.collect();
        self.set_after(self.len() / 2 + 8, edges);
    }

    /// Adds an entity after the one in a slot that no gap follows: spreads the entities around it. If the last entity came
    /// there too, a quarter of the vacant slots is left beside the new one, for the next ones. Returns its slot, and the
    /// slots whose edges have changed.
    fn spread(&mut self, before: usize, entity: Entity) -> (usize, Range<usize>) {
        let len = self.len() + 1;
        let mut size = WINDOW;
        let (mut level, levels) = (0, 1 + self.end().div_ceil(WINDOW).ilog2() as usize);
        let window = loop {
            let start = before / size * size;
            let window = start..self.end().min(start + size);
            // Counts the new one too.
            let count = self.edges_in(window.clone()).count() + 1;
            // Longer windows may be less full, so that shorter ones can take some more before the longer one is spread
            // again.
            let most = LEAST + (MOST - LEAST) * (levels - level) / levels;
            if count * 100 <= window.len() * most {
                break window;
            }
            level += 1;
            if window.len() == self.end() {
                let end = len * 5 / 3 + 2;
                self.slots.resize(end, VACANT);
                break 0..end;
            }
            size *= 2;
        };
        let edges = self.edges_in(window.clone());
        let mut edges: Vec<_> = edges
            .map(|(slot, one)| (slot, one, self.reverse_slot(slot)))
            .collect();
        let at = edges.partition_point(|&(slot, ..)| slot <= before);
        self.slots[window.clone()].fill(VACANT);
        let others = edges.len();
        let vacant = window.len() - others - 1;
        let placed = self.extra.as_ref().map(|extra| extra.placed);
        let is_here = placed.is_some_and(|placed| placed.abs_diff(before) <= 1);
        let beside = if is_here { vacant / 8 } else { 0 };
        let even = vacant - 2 * beside;
        let slot_of = |n: usize| {
            let skipped = if n > at {
                2 * beside
            } else if n == at {
                beside
            } else {
                0
            };
            window.start + n + skipped + even * n / others
        };
        for (n, (slot, ..)) in edges.iter_mut().enumerate() {
            *slot = slot_of(if n < at { n } else { n + 1 });
        }
        for &(slot, one, reverse_slot) in &edges {
            self.slots[slot] = one;
            if let Some(reverse_slot) = reverse_slot {
                self.set_reverse_slot(slot, reverse_slot);
            }
        }
        if let Some(extra) = &mut self.extra {
            let renumbered = edges.iter().map(|&(slot, one, _)| (slot, one));
            extra.known.renumber(window.start, renumbered);
        }
        self.first = self.first.min(edges[0].0 as u32);
        while self.slots[self.first as usize] == VACANT {
            self.first += 1;
        }
        self.gaps = (self.end() - self.first as usize - len) as u32;
        let slot = slot_of(at);
        self.put(slot, entity);
        // Other code may ask for a slice.
        self.extra_mut();
        (slot, window)
    }
}

#[cfg(test)]
#[path = "insert_tests.rs"]
mod tests;

//! The list of the entities at the other end of edges.

mod insert;
mod known;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::num::NonZeroU32;
use core::ops::Range;

use self::known::{Dense, SlotAnswers};
use crate::entity::Entity;
use crate::fail;

/// The entities that another one is related to, in order.
///
/// Removing an entity leaves a vacant slot, so that the others stay where they are: each edge knows its slot, so
/// nothing is searched or moved. Vacant slots at the ends are removed immediately, others when they outnumber the
/// others.
#[derive(Default)]
pub(crate) struct EdgeList {
    /// Invariant 1: neither the slot at `first` nor the last one is [`VACANT`].
    slots: Vec<Entity>,
    /// All slots before this one are vacant.
    first: u32,
    /// The number of vacant slots after `first`.
    gaps: u32,
    /// Data that only some lists need.
    extra: Option<Box<Extra>>,
}

#[derive(Default)]
struct Extra {
    /// By slot, the slot of the same edge in the other entity's list; empty if that has no list.
    reverse_slots: Vec<u32>,
    /// The answers about the slots that were asked for.
    known: SlotAnswers,
    /// The slot of the entity that was placed last. Only a hint.
    placed: usize,
}

/// A clone does not copy the answers about the slots.
impl Clone for Extra {
    fn clone(&self) -> Self {
        Self {
            reverse_slots: self.reverse_slots.clone(),
            known: SlotAnswers::default(),
            placed: self.placed,
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.reverse_slots.clone_from(&other.reverse_slots);
        self.known = SlotAnswers::default();
        self.placed = other.placed;
    }
}

/// A clone has the same slots, vacant ones included.
impl Clone for EdgeList {
    fn clone(&self) -> Self {
        Self {
            slots: self.slots.clone(),
            first: self.first,
            gaps: self.gaps,
            extra: self.extra.clone(),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.slots.clone_from(&other.slots);
        (self.first, self.gaps) = (other.first, other.gaps);
        self.extra.clone_from(&other.extra);
    }
}

/// Marks a vacant slot. No id from outside the engine equals it, by invariant 1 of [`Entity`].
const VACANT: Entity = Entity::new(u32::MAX, NonZeroU32::MAX);

impl EdgeList {
    /// The number of entities.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.first as usize - self.gaps as usize
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        // If there are slots, the last one is not vacant, by invariant 1.
        self.slots.is_empty()
    }

    /// Returns the entities as a slice. O(1), but O(entities) for the first call after some were removed from the middle: a
    /// removal after a call moves the rest of the slice, as in a vector.
    pub(crate) fn as_slice(&self) -> &[Entity] {
        match self.dense() {
            None => &self.slots[self.first as usize..],
            Some(dense) => dense.entities(),
        }
    }

    /// Returns the entities without gaps, if there are gaps.
    fn dense(&self) -> Option<&Dense> {
        if self.gaps == 0 {
            return None;
        }
        let extra = self.extra.as_ref().expect("allocated with the first gap");
        Some(extra.known.dense(|| self.edges()))
    }

    /// Iterates over the entities, without making a slice.
    #[inline]
    pub(crate) fn iter(&self) -> ListIter<'_> {
        ListIter {
            slots: self.slots[self.first as usize..].iter(),
            remaining: self.len(),
        }
    }

    /// Iterates over the entities with their slots.
    pub(crate) fn edges(&self) -> impl DoubleEndedIterator<Item = (usize, Entity)> + '_ {
        self.edges_in(0..self.end())
    }

    /// Iterates over the entities in some slots.
    pub(super) fn edges_in(
        &self,
        slots: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = (usize, Entity)> + '_ {
        let first = slots.start;
        let slots = self.slots[slots].iter().copied().enumerate();
        let slots = slots.map(move |(at, entity)| (first + at, entity));
        slots.filter(|&(_, entity)| entity != VACANT)
    }

    /// Returns the entity in a slot.
    pub(crate) fn at(&self, slot: usize) -> Option<Entity> {
        let entity = self.slots.get(slot).copied();
        entity.filter(|&entity| entity != VACANT)
    }

    /// Returns the slot of an entity. O(1), but O(entities) for the first call after the slots were numbered anew.
    pub(crate) fn find(&self, entity: Entity) -> Option<usize> {
        match &self.extra {
            Some(extra) if self.slots.len() > SlotAnswers::FEW => {
                extra.known.slot(entity, || self.edges())
            }
            _ => self.slots.iter().position(|&other| other == entity),
        }
    }

    /// Returns the slot of the next entity to be added.
    pub(crate) fn end(&self) -> usize {
        self.slots.len()
    }

    /// Returns the slot of the edge in the other entity's list.
    pub(crate) fn reverse_slot(&self, slot: usize) -> Option<usize> {
        let reverse_slots = &self.extra.as_ref()?.reverse_slots;
        reverse_slots
            .get(slot)
            .map(|&reverse_slot| reverse_slot as usize)
    }

    /// Sets the slot of the edge in the other entity's list.
    pub(super) fn set_reverse_slot(&mut self, slot: usize, reverse_slot: usize) {
        let reverse_slots = &mut self.extra_mut().reverse_slots;
        if reverse_slots.len() <= slot {
            reverse_slots.resize(slot + 1, 0);
        }
        reverse_slots[slot] = number(reverse_slot);
    }

    /// Checks that one more slot can be numbered.
    ///
    /// # Panics
    /// If there are too many.
    pub(crate) fn check_slots(&self) {
        fail::point();
        number(self.slots.len());
    }

    fn extra_mut(&mut self) -> &mut Extra {
        self.extra.get_or_insert_default()
    }

    /// Adds an entity at the end, and returns its slot.
    pub(super) fn push(&mut self, entity: Entity) -> usize {
        let slot = self.slots.len();
        if let Some(extra) = &mut self.extra {
            extra.known.add(slot, entity);
        }
        self.slots.push(entity);
        slot
    }

    /// Adds an entity to a list that is in no storage yet.
    pub(crate) fn push_unlinked(&mut self, entity: Entity) {
        self.push(entity);
        if self.slots.len() > SlotAnswers::FEW {
            // The list may be searched for each further one.
            self.extra_mut();
        }
    }

    /// Makes a list without gaps that is in no storage yet.
    pub(super) fn of_dense(slots: Vec<Entity>) -> Self {
        Self {
            slots,
            ..Self::default()
        }
    }

    /// Makes a list without gaps, given the slots of its edges in the lists of the other entities.
    pub(super) fn of_dense_both(slots: Vec<Entity>, reverse_slots: Vec<u32>) -> Self {
        let extra = Extra {
            reverse_slots,
            ..Extra::default()
        };
        Self {
            slots,
            extra: Some(Box::new(extra)),
            ..Self::default()
        }
    }

    /// Removes the entity in a slot.
    pub(super) fn take_out(&mut self, slot: usize) {
        if let Some(extra) = &mut self.extra {
            extra.known.remove(slot, self.slots[slot]);
        }
        self.slots[slot] = VACANT;
        self.gaps += 1;
        while self.slots.last() == Some(&VACANT) {
            self.slots.pop();
            self.gaps -= 1;
            if self.slots.len() == self.first as usize {
                self.slots.clear();
                self.first = 0;
                return;
            }
        }
        while self.slots[self.first as usize] == VACANT {
            self.first += 1;
            self.gaps -= 1;
        }
        if self.gaps > 0 {
            self.extra_mut();
        } else if let Some(extra) = &mut self.extra {
            extra.known.forget_slice();
        }
    }

    /// Returns true if most slots are vacant, so that compacting pays off.
    pub(super) fn is_mostly_vacant(&self) -> bool {
        const FEW: usize = 32;
        self.slots.len() > 2 * self.len() + FEW
    }

    /// Closes the gaps, which renumbers all slots.
    pub(super) fn compact(&mut self) {
        let edges = self
            .edges()
            .map(|(slot, entity)| (entity, self.reverse_slot(slot)));
        let edges: Vec<_> = edges.collect();
        self.set(edges);
    }

    /// Replaces the content by other entities, with the slots of the edges in their own lists if they have any.
    pub(super) fn set(&mut self, edges: Vec<(Entity, Option<usize>)>) {
        self.set_after(0, edges);
    }

    /// Like [`set`](Self::set), with vacant slots before the first entity. There is at least one entity.
    fn set_after(&mut self, room: usize, edges: Vec<(Entity, Option<usize>)>) {
        if let Some(extra) = &mut self.extra {
            extra.known = SlotAnswers::default();
        }
        self.slots.clear();
        self.slots.resize(room, VACANT);
        (self.first, self.gaps) = (room as u32, 0);
        for (slot, (entity, reverse_slot)) in edges.into_iter().enumerate() {
            self.slots.push(entity);
            if let Some(reverse_slot) = reverse_slot {
                self.set_reverse_slot(room + slot, reverse_slot);
            }
        }
    }
}

/// Iterator over the entities of a list, in order.
#[derive(Clone, Debug)]
pub struct ListIter<'a> {
    slots: core::slice::Iter<'a, Entity>,
    /// Invariant 1: the number of slots that are not vacant.
    remaining: usize,
}

impl Iterator for ListIter<'_> {
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        let next = self.slots.find(|&&entity| entity != VACANT).copied();
        self.remaining -= usize::from(next.is_some());
        next
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }

    /// O(1) if no slot is vacant.
    #[inline]
    fn nth(&mut self, mut n: usize) -> Option<Entity> {
        if self.remaining == self.slots.len() {
            self.remaining = self.remaining.saturating_sub(n + 1);
            return self.slots.nth(n).copied();
        }
        while n > 0 {
            self.next()?;
            n -= 1;
        }
        self.next()
    }
}

/// Iterates over nothing.
impl Default for ListIter<'_> {
    fn default() -> Self {
        Self {
            slots: [].iter(),
            remaining: 0,
        }
    }
}

impl DoubleEndedIterator for ListIter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Entity> {
        let next = self.slots.rfind(|&&entity| entity != VACANT).copied();
        self.remaining -= usize::from(next.is_some());
        next
    }
}

impl ExactSizeIterator for ListIter<'_> {}

impl fmt::Debug for EdgeList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Converts a slot to its number; [`EdgeList::check_slots`] makes sure that it fits.
pub(super) fn number(slot: usize) -> u32 {
    u32::try_from(slot).expect("an entity is related to fewer than 2^32 others")
}

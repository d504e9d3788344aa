//! The entities at the other end, in order.

use core::fmt;
use std::num::NonZeroU32;
use std::sync::OnceLock;

use crate::entity::Entity;
use crate::fail;

/// The entities to which another one is related, in order.
///
/// An entity is taken out by a mark in its place, so that the others stay where they are: a place is known to the edge, and
/// nothing is looked for or moved. Marks at the ends go at once, those in between when they are more than what is left.
#[derive(Default)]
pub(crate) struct List {
    /// Invariant 1: neither the one at `first` nor the last one is [`NOBODY`].
    slots: Vec<Entity>,
    /// What is before has been taken out.
    first: u32,
    /// How many were taken out behind `first`.
    gaps: u32,
    /// What not all lists need.
    aside: Option<Box<Aside>>,
}

#[derive(Default)]
struct Aside {
    /// By slot, in which slot of the entity's own list the same edge is; empty if that has no list.
    twins: Vec<u32>,
    /// The entities without gaps, for whoever asks for a slice while there are some. Invariant 1: empty or up to date.
    dense: OnceLock<Box<[Entity]>>,
}

/// In the place of an entity that was taken out. No id that comes from outside is equal to it, by invariant 1 of [`Entity`].
const NOBODY: Entity = Entity::new(u32::MAX, NonZeroU32::MAX);

impl List {
    /// The number of entities.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.slots.len() - self.first as usize - self.gaps as usize
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        // By invariant 1 of the last slot.
        self.slots.is_empty()
    }

    /// The entities. O(1), but O(entities) for the first call after one was taken out of the middle.
    pub(crate) fn as_slice(&self) -> &[Entity] {
        if self.gaps == 0 {
            return &self.slots[self.first as usize..];
        }
        let aside = self.aside.as_ref().expect("made with the first gap");
        aside.dense.get_or_init(|| self.iter().collect())
    }

    /// The entities, without a slice.
    #[inline]
    pub(crate) fn iter(&self) -> ListIter<'_> {
        ListIter {
            slots: self.slots[self.first as usize..].iter(),
            left: self.len(),
        }
    }

    /// The entities with their slots.
    pub(crate) fn edges(&self) -> impl DoubleEndedIterator<Item = (usize, Entity)> + '_ {
        let slots = self.slots.iter().copied().enumerate();
        slots.filter(|&(_, entity)| entity != NOBODY)
    }

    /// The entity in a slot.
    pub(crate) fn at(&self, slot: usize) -> Option<Entity> {
        let entity = self.slots.get(slot).copied();
        entity.filter(|&entity| entity != NOBODY)
    }

    /// The slot of an entity. O(entities).
    pub(crate) fn find(&self, entity: Entity) -> Option<usize> {
        self.slots.iter().position(|&other| other == entity)
    }

    /// In which slot the next entity will be.
    pub(crate) fn end(&self) -> usize {
        self.slots.len()
    }

    /// In which slot of the entity's own list the edge in `slot` is.
    pub(crate) fn twin(&self, slot: usize) -> Option<usize> {
        let twins = &self.aside.as_ref()?.twins;
        twins.get(slot).map(|&twin| twin as usize)
    }

    /// Notes where in the entity's own list the edge in `slot` is.
    pub(super) fn set_twin(&mut self, slot: usize, twin: usize) {
        let twins = &mut self.aside_mut().twins;
        if twins.len() <= slot {
            twins.resize(slot + 1, 0);
        }
        twins[slot] = number(twin);
    }

    /// Sees to it that one more slot has a number.
    ///
    /// # Panics
    /// If there are too many.
    pub(super) fn check_slots(&self) {
        fail::point();
        number(self.slots.len());
    }

    fn aside_mut(&mut self) -> &mut Aside {
        self.aside.get_or_insert_default()
    }

    /// To be called before any change.
    fn changes(&mut self) {
        if let Some(aside) = &mut self.aside {
            aside.dense.take();
        }
    }

    /// Adds an entity at the end, and returns its slot.
    pub(super) fn push(&mut self, entity: Entity) -> usize {
        self.changes();
        self.slots.push(entity);
        self.slots.len() - 1
    }

    /// Adds an entity to a list that nobody knows of.
    pub(crate) fn push_alone(&mut self, entity: Entity) {
        self.push(entity);
    }

    /// Takes out the entity in a slot.
    pub(super) fn take_out(&mut self, slot: usize) {
        self.changes();
        self.slots[slot] = NOBODY;
        self.gaps += 1;
        while self.slots.last() == Some(&NOBODY) {
            self.slots.pop();
            self.gaps -= 1;
            if self.slots.len() == self.first as usize {
                self.slots.clear();
                self.first = 0;
                return;
            }
        }
        while self.slots[self.first as usize] == NOBODY {
            self.first += 1;
            self.gaps -= 1;
        }
        if self.gaps > 0 {
            self.aside_mut();
        }
    }

    /// Whether more slots are marks than not.
    pub(super) fn is_full_of_gaps(&self) -> bool {
        const FEW: usize = 32;
        self.slots.len() > 2 * self.len() + FEW
    }

    /// Closes the gaps; all slots are new ones then.
    pub(super) fn compact(&mut self) {
        let edges = self.edges().map(|(slot, entity)| (entity, self.twin(slot)));
        let edges: Vec<_> = edges.collect();
        self.set(edges);
    }

    /// Replaces all by other entities, with the slots of the edges in their own lists if they have any.
    pub(super) fn set(&mut self, edges: Vec<(Entity, Option<usize>)>) {
        self.changes();
        self.slots.clear();
        (self.first, self.gaps) = (0, 0);
        for (slot, (entity, twin)) in edges.into_iter().enumerate() {
            self.slots.push(entity);
            if let Some(twin) = twin {
                self.set_twin(slot, twin);
            }
        }
    }
}

/// The entities of a list, in order.
#[derive(Clone, Debug)]
pub struct ListIter<'a> {
    slots: core::slice::Iter<'a, Entity>,
    /// Invariant 1: how many of the slots are not gaps.
    left: usize,
}

impl Iterator for ListIter<'_> {
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        let next = self.slots.find(|&&entity| entity != NOBODY).copied();
        self.left -= usize::from(next.is_some());
        next
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl DoubleEndedIterator for ListIter<'_> {
    #[inline]
    fn next_back(&mut self) -> Option<Entity> {
        let next = self.slots.rfind(|&&entity| entity != NOBODY).copied();
        self.left -= usize::from(next.is_some());
        next
    }
}

impl ExactSizeIterator for ListIter<'_> {}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The number of a slot, for which there is [one](List::check_slots).
pub(super) fn number(slot: usize) -> u32 {
    u32::try_from(slot).expect("an entity is related to fewer than 2^32 others")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(index: u32) -> Entity {
        Entity::new(index, NonZeroU32::MIN)
    }

    fn of(count: u32) -> List {
        let mut list = List::default();
        for index in 0..count {
            list.push(entity(index));
        }
        list
    }

    fn assert_has(list: &List, indices: &[u32]) {
        let expected: Vec<Entity> = indices.iter().copied().map(entity).collect();
        assert_eq!(list.as_slice(), expected);
        assert!(list.iter().eq(expected.iter().copied()));
        assert!(list.iter().rev().eq(expected.iter().copied().rev()));
        assert_eq!(
            (list.len(), list.is_empty()),
            (expected.len(), expected.is_empty())
        );
    }

    #[test]
    fn what_is_taken_out_leaves_the_others_in_order_and_in_their_slots() {
        let mut list = of(6);
        for (slot, left) in [
            (3, &[0, 1, 2, 4, 5][..]),
            (0, &[1, 2, 4, 5]),
            (2, &[1, 4, 5]),
            (1, &[4, 5]),
            (5, &[4]),
        ] {
            list.take_out(slot);
            assert_has(&list, left);
        }
        assert_eq!(list.at(4), Some(entity(4)));
        assert_eq!(list.push(entity(9)), 5);
        assert_has(&list, &[4, 9]);
        list.take_out(4);
        list.take_out(5);
        assert_has(&list, &[]);
        assert_eq!(list.push(entity(7)), 0);
    }

    #[test]
    fn a_slice_is_made_only_where_there_are_gaps_in_the_middle() {
        let mut list = of(4);
        list.take_out(0);
        list.take_out(3);
        assert!(list.aside.is_none());
        list.push(entity(4));
        list.take_out(2);
        assert_has(&list, &[1, 4]);
        let aside = list.aside.as_ref().unwrap();
        assert!(aside.dense.get().is_some());
        list.push(entity(5));
        assert_has(&list, &[1, 4, 5]);
        list.compact();
        assert_eq!(list.at(1), Some(entity(4)));
        assert_has(&list, &[1, 4, 5]);
    }

    #[test]
    fn an_id_that_is_made_of_bits_is_no_gap() {
        let indices = [0, 1, u32::MAX - 1, u32::MAX];
        for bits in indices.map(u64::from) {
            for generation in indices.map(u64::from) {
                let Some(made) = Entity::from_bits(generation << 32 | bits) else {
                    continue;
                };
                let mut list = List::default();
                list.push(made);
                assert_eq!((list.len(), list.as_slice()), (1, &[made][..]));
                assert_eq!(list.edges().next(), Some((0, made)));
                list.take_out(0);
                assert!(list.is_empty());
            }
        }
    }

    #[test]
    fn twins_stay_with_their_edges() {
        let mut list = List::default();
        for index in 0..4 {
            let slot = list.push(entity(index));
            list.set_twin(slot, 10 + slot);
        }
        list.take_out(1);
        list.compact();
        let twins: Vec<_> = list
            .edges()
            .map(|(slot, entity)| (entity.index(), list.twin(slot)))
            .collect();
        assert_eq!(twins, [(0, Some(10)), (2, Some(12)), (3, Some(13))]);
    }
}

//! Lists of entities, each sorted, that change together.

use alloc::vec::Vec;
use core::mem::swap;

use ecs_engine::Entity;

use crate::slots::{EntitySlots, IndexSlot};

/// Up to this many changes of a list are made entity by entity; more are merged with the list.
const FEW: usize = 4;

/// Entities in ascending order, and the data of each.
#[derive(Debug)]
pub(crate) struct EntityList<P> {
    entities: Vec<Entity>,
    data: Vec<P>,
}

/// Lists by number; each entity is in one of them, or in none.
///
/// Changes are noted, and [`finish`](Self::finish) writes them into the lists, list by list. So any number of changes to
/// one long list costs one pass over it, and changes of most entities cost one pass over all lists.
#[derive(Debug)]
pub(crate) struct EntityLists<P> {
    lists: Vec<EntityList<P>>,
    /// The numbers of lists that are not used.
    free: Vec<u32>,
    slots: EntitySlots<P>,
    /// The entities that have changed, with their lists. Their new state is in their slots.
    pending: Vec<(u32, Entity)>,
    /// The number of lists that have entities.
    occupied: usize,
    /// The buffer of a merge.
    merged: EntityList<P>,
}

impl<P> Default for EntityList<P> {
    fn default() -> Self {
        Self {
            entities: Vec::new(),
            data: Vec::new(),
        }
    }
}

impl<P> Default for EntityLists<P> {
    fn default() -> Self {
        Self {
            lists: Vec::new(),
            free: Vec::new(),
            slots: EntitySlots::default(),
            pending: Vec::new(),
            occupied: 0,
            merged: EntityList::default(),
        }
    }
}

impl<P: Copy> EntityList<P> {
    pub(crate) fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// Returns the data of the entities, in their order.
    pub(crate) fn data(&self) -> &[P] {
        &self.data
    }

    fn push(&mut self, entity: Entity, data: P) {
        self.entities.push(entity);
        self.data.push(data);
    }

    fn clear(&mut self) {
        self.entities.clear();
        self.data.clear();
    }

    /// Puts one entity into the list with this data, or removes it.
    fn set(&mut self, entity: Entity, data: Option<P>) {
        match (self.entities.binary_search(&entity), data) {
            (Ok(at), Some(data)) => self.data[at] = data,
            (Err(at), Some(data)) => {
                self.entities.insert(at, entity);
                self.data.insert(at, data);
            }
            (Ok(at), None) => {
                self.entities.remove(at);
                self.data.remove(at);
            }
            (Err(_), None) => {}
        }
    }

    /// Writes the list into `merged`, with the entities of `changes` in their new state, which `data` returns.
    fn merge(
        &self,
        changes: &[(u32, Entity)],
        data: impl Fn(Entity) -> Option<P>,
        merged: &mut Self,
    ) {
        merged.clear();
        let mut at = 0;
        for &(_, entity) in changes {
            let before = self.entities[at..].partition_point(|&other| other < entity);
            merged
                .entities
                .extend_from_slice(&self.entities[at..at + before]);
            merged.data.extend_from_slice(&self.data[at..at + before]);
            at += before;
            at += usize::from(self.entities.get(at) == Some(&entity));
            if let Some(data) = data(entity) {
                merged.push(entity, data);
            }
        }
        merged.entities.extend_from_slice(&self.entities[at..]);
        merged.data.extend_from_slice(&self.data[at..]);
    }
}

impl<P: Copy> EntityLists<P> {
    /// Returns a list; if no list has this number, it has no entities and no pending changes.
    #[inline]
    pub(crate) fn list(&self, number: u32) -> &EntityList<P> {
        &self.lists[number as usize]
    }

    /// Returns the place of an entity.
    #[inline]
    pub(crate) fn slot(&self, entity: Entity) -> Option<&IndexSlot<P>> {
        self.slots.get(entity)
    }

    /// Returns the number of entities.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns the number of lists that have entities.
    pub(crate) fn occupied(&self) -> usize {
        self.occupied
    }

    /// Returns true if enough of the lists are empty that they should be given back: more than half, and `spare` more.
    pub(crate) fn has_too_many(&self, lists: usize, spare: usize) -> bool {
        lists > 2 * self.occupied + spare
    }

    /// Returns the number of a list without entities.
    pub(crate) fn add_list(&mut self) -> u32 {
        if let Some(number) = self.free.pop() {
            return number;
        }
        let number = u32::try_from(self.lists.len()).expect("there are fewer lists than entities");
        self.lists.push(EntityList::default());
        number
    }

    /// Gives the number of a list back if the list has no entities. Returns false if it has some.
    pub(crate) fn free_list(&mut self, number: u32) -> bool {
        let is_empty = self.list(number).entities.is_empty();
        if is_empty {
            self.free.push(number);
        }
        is_empty
    }

    /// Puts an entity into a list, out of the one that it was in. An older entity with the same index is removed.
    #[inline]
    pub(crate) fn put(&mut self, entity: Entity, list: u32, data: P) {
        if let Some(old) = self.slots.set(IndexSlot { entity, list, data }) {
            if (old.list, old.entity) != (list, entity) {
                self.pending.push((old.list, old.entity));
            } else if size_of::<P>() == 0 {
                return;
            }
        }
        self.pending.push((list, entity));
    }

    /// Removes an entity from its list, if it is in one.
    pub(crate) fn remove(&mut self, entity: Entity) {
        if let Some(old) = self.slots.remove(entity) {
            self.pending.push((old.list, entity));
        }
    }

    /// Removes the entities for which the function returns false.
    pub(crate) fn retain(&mut self, keep: &mut dyn FnMut(Entity) -> bool) {
        let entities = self.slots.iter().map(|slot| slot.entity);
        let gone: Vec<_> = entities.filter(|&entity| !keep(entity)).collect();
        gone.into_iter().for_each(|entity| self.remove(entity));
    }

    /// Writes the changes into the lists.
    pub(crate) fn finish(&mut self) {
        let passed = self.slots.len() + self.slots.pages() + self.lists.len();
        if self.pending.len() > passed / 2 {
            return self.rebuild();
        }
        self.pending.sort_unstable();
        self.pending.dedup();
        for changes in self.pending.chunk_by(|a, b| a.0 == b.0) {
            let number = changes[0].0;
            let slots = &self.slots;
            let data = |entity| {
                let slot = slots.get(entity).filter(|slot| slot.list == number)?;
                Some(slot.data)
            };
            let list = &mut self.lists[number as usize];
            let was_occupied = !list.entities.is_empty();
            if changes.len() <= FEW {
                for &(_, entity) in changes {
                    list.set(entity, data(entity));
                }
            } else {
                list.merge(changes, data, &mut self.merged);
                swap(list, &mut self.merged);
            }
            self.occupied += usize::from(!list.entities.is_empty());
            self.occupied -= usize::from(was_occupied);
        }
        self.pending.clear();
    }

    /// Rebuilds all lists, which takes less time than sorting so many changes.
    fn rebuild(&mut self) {
        self.pending.clear();
        self.lists.iter_mut().for_each(EntityList::clear);
        self.occupied = 0;
        for slot in self.slots.iter() {
            let list = &mut self.lists[slot.list as usize];
            self.occupied += usize::from(list.entities.is_empty());
            list.push(slot.entity, slot.data);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(index: u32, generation: u32) -> Entity {
        let bits = u64::from(generation) << 32 | u64::from(index);
        Entity::from_bits(bits).unwrap()
    }

    #[test]
    fn entities_that_stay_in_a_list_with_other_data_are_there_once() {
        for changed in [1, FEW as u32 + 1, 60] {
            let mut lists = EntityLists::<u32>::default();
            let list = lists.add_list();
            for index in 0..200 {
                lists.put(entity(index, 1), list, index);
            }
            lists.finish();
            for index in 0..changed {
                lists.put(entity(index * 3, 1), list, 7);
            }
            lists.finish();
            let is_changed = |index: u32| index.is_multiple_of(3) && index / 3 < changed;
            let data = (0..200).map(|index| if is_changed(index) { 7 } else { index });
            assert!(lists.list(list).data().iter().copied().eq(data));
            assert_eq!(lists.list(list).entities().len(), 200);
        }
    }

    #[test]
    fn many_and_few_changes_have_the_same_result() {
        for count in [1, FEW as u32, FEW as u32 + 1, 40] {
            let mut lists = EntityLists::<u32>::default();
            let numbers = [lists.add_list(), lists.add_list()];
            for index in (0..count).rev() {
                lists.put(entity(index, 1), numbers[index as usize % 2], index);
            }
            lists.finish();
            for index in (0..count).step_by(2) {
                lists.put(entity(index, 1), numbers[1], index + 100);
            }
            lists.finish();
            assert!(lists.list(numbers[0]).entities().is_empty());
            let expected: Vec<_> = (0..count).map(|index| entity(index, 1)).collect();
            assert_eq!(lists.list(numbers[1]).entities(), expected);
            for (index, &data) in lists.list(numbers[1]).data().iter().enumerate() {
                let added = if index % 2 == 0 { 100 } else { 0 };
                assert_eq!(data, index as u32 + added);
            }
            assert_eq!((lists.occupied(), lists.len()), (1, count as usize));
            assert!(lists.free_list(numbers[0]) && !lists.free_list(numbers[1]));
        }
    }

    #[test]
    fn lists_that_are_made_anew_are_those_that_are_changed() {
        let mut lists = EntityLists::<u32>::default();
        let numbers: Vec<u32> = (0..3).map(|_| lists.add_list()).collect();
        let mut expected = [0; 3].map(|_| Vec::new());
        for index in (0..100).rev() {
            lists.put(entity(index, 1), numbers[index as usize % 3], index);
        }
        lists.finish();
        for index in 0..100_u32 {
            match index % 10 {
                // Removed, and followed by another entity with the same index.
                0 => {
                    lists.remove(entity(index, 1));
                    lists.put(entity(index, 2), numbers[0], 7);
                    expected[0].push((entity(index, 2), 7));
                }
                1 => lists.remove(entity(index, 1)),
                _ => {
                    lists.put(entity(index, 1), numbers[index as usize % 2], index + 1);
                    expected[index as usize % 2].push((entity(index, 1), index + 1));
                }
            }
        }
        assert!(lists.pending.len() > 100, "so they are made anew");
        lists.finish();
        for (number, expected) in numbers.into_iter().zip(&expected) {
            let list = lists.list(number);
            let pairs = list.entities().iter().copied();
            let pairs: Vec<_> = pairs.zip(list.data().iter().copied()).collect();
            assert_eq!(&pairs, expected);
        }
        assert_eq!((lists.occupied(), lists.len()), (2, 90));
    }

    #[test]
    fn a_reused_index_belongs_to_the_newer_entity() {
        let mut lists = EntityLists::<()>::default();
        let number = lists.add_list();
        let (old, new) = (entity(3, 1), entity(3, 2));
        lists.put(old, number, ());
        lists.finish();
        lists.put(new, number, ());
        lists.remove(old);
        lists.finish();
        assert_eq!(lists.list(number).entities(), [new]);
        assert!(lists.slot(old).is_none() && lists.slot(new).is_some());
    }

    #[test]
    fn what_changes_twice_before_it_is_finished_is_as_it_was_last() {
        let mut lists = EntityLists::<u32>::default();
        let [a, b] = [lists.add_list(), lists.add_list()];
        let e = entity(70, 1);
        lists.put(e, a, 1);
        lists.put(e, b, 2);
        lists.put(e, a, 3);
        lists.put(e, a, 4);
        lists.finish();
        assert_eq!(lists.list(a).data(), [4]);
        lists.remove(e);
        lists.put(e, a, 5);
        lists.finish();
        assert_eq!(lists.list(a).data(), [5]);
        assert_eq!(lists.occupied(), 1);
        lists.retain(&mut |_| false);
        lists.finish();
        assert_eq!((lists.occupied(), lists.len()), (0, 0));
    }
}

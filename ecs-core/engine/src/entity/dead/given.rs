//! Ids that no entity has, as a load or a clone gives them.

use super::{DeadIds, FIRST, LOCAL, NEVER, of_number};
use crate::entity::{Entity, EntityTable};

/// The number of ids of each kind that a file can name. As many others follow, so a file cannot use them up.
const NAMED: u64 = LOCAL / 2;

/// Returns the number of an id; `None` if it is not one that a file can name.
fn number_of(entity: Entity) -> Option<u64> {
    let index = entity.index().checked_sub(FIRST)?;
    let generation = entity.generation();
    let number = u64::from(index) << 31 | u64::from(generation & !NEVER);
    let is_named = number < 2 * LOCAL && number % LOCAL < NAMED;
    (generation >= NEVER && is_named).then_some(number)
}

impl EntityTable {
    /// Returns the next ids that no entity has, in ascending order. Does not take them.
    pub(crate) fn next_dead_ids(&self, count: usize) -> impl Iterator<Item = Entity> + use<> {
        let DeadIds { shared, local } = self.dead;
        let next = if self.ids().local.is_on() {
            local
        } else {
            shared
        };
        (next..next + count as u64).map(of_number)
    }

    /// Takes ids that no entity has, so that others are given next.
    pub(crate) fn take_dead_ids(&mut self, ids: &[Entity]) {
        for number in ids.iter().filter_map(|&id| number_of(id)) {
            let next = match number {
                ..LOCAL => &mut self.dead.shared,
                LOCAL.. => &mut self.dead.local,
            };
            *next = (*next).max(number + 1);
        }
    }

    /// Returns true if the id names nothing here: no entity, and no taken id among those that no entity has.
    pub(crate) fn is_dead_id_free(&self, id: Entity) -> bool {
        match number_of(id) {
            Some(number @ ..LOCAL) => number >= self.dead.shared,
            Some(number) => number >= self.dead.local,
            None => !self.contains(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;
    use core::num::NonZeroU32;

    use super::*;
    use crate::entity::dead::dead_like;

    #[test]
    fn dead_ids_are_given_once_in_ascending_order() {
        let mut entities = EntityTable::default();
        let first: Vec<Entity> = entities.next_dead_ids(3).collect();
        assert!(first.is_sorted_by(|a, b| a < b));
        assert!(first.iter().all(|&id| entities.is_dead_id_free(id)));
        assert!(
            entities.next_dead_ids(3).eq(first.iter().copied()),
            "none was taken"
        );
        entities.take_dead_ids(&first[..2]);
        assert_eq!(
            first
                .iter()
                .map(|&id| entities.is_dead_id_free(id))
                .collect::<Vec<_>>(),
            [false, false, true]
        );
        assert_eq!(entities.next_dead_ids(1).next(), Some(first[2]));
        // Ids that a file names, and ids that are none of these.
        let far = of_number((1 << 31) + 7);
        entities.take_dead_ids(&[far, first[0], of_number(NAMED)]);
        let next = entities.next_dead_ids(1).next().unwrap();
        assert_eq!(number_of(next), Some((1 << 31) + 8));
        let foreign = Entity::from_bits(1 << 32 | 7).unwrap();
        let last = Entity::new(u32::MAX - 1, NonZeroU32::MAX);
        entities.take_dead_ids(&[foreign, last]);
        assert_eq!(entities.next_dead_ids(1).next(), Some(next));
        assert_eq!((number_of(foreign), number_of(last)), (None, None));
    }

    #[test]
    fn ids_of_other_worlds_are_none_that_a_world_gives() {
        let ids = [1 << 32, 1 << 32 | 7, 2 << 32 | 7];
        let ids = ids.map(|bits| Entity::from_bits(bits).unwrap());
        let given = [0, 1, LOCAL, 2 * LOCAL - 1].map(of_number);
        let dead = Vec::from_iter(ids.into_iter().chain(given).map(dead_like));
        assert!(dead.is_sorted_by(|a, b| a < b), "{dead:?}");
        for id in dead {
            assert!(id.generation() >= NEVER && number_of(id).is_none());
            assert_eq!(dead_like(id), id);
        }
    }

    #[test]
    fn each_number_has_an_id_in_the_same_order() {
        let numbers = [
            0,
            1,
            6,
            (1 << 31) - 1,
            1 << 31,
            1 << 40,
            NAMED - 1,
            LOCAL,
            LOCAL + NAMED - 1,
        ];
        let ids = numbers.map(of_number);
        assert!(ids.is_sorted_by(|a, b| a < b));
        for (id, number) in ids.into_iter().zip(numbers) {
            assert_eq!(number_of(id), Some(number));
            assert_eq!(Entity::from_bits(id.to_bits()), Some(id));
        }
    }
}

//! Tests of lists of edges.

use super::*;

pub(super) fn entity(index: u32) -> Entity {
    Entity::new(index, NonZeroU32::MIN)
}

fn of(count: u32) -> EdgeList {
    let mut list = EdgeList::default();
    for index in 0..count {
        list.push(entity(index));
    }
    list
}

fn assert_has(list: &EdgeList, indices: &[u32]) {
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
fn removing_an_entity_keeps_the_order_and_slots_of_the_others() {
    let mut list = of(6);
    for (slot, remaining) in [
        (3, &[0, 1, 2, 4, 5][..]),
        (0, &[1, 2, 4, 5]),
        (2, &[1, 4, 5]),
        (1, &[4, 5]),
        (5, &[4]),
    ] {
        list.take_out(slot);
        assert_has(&list, remaining);
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
    assert!(list.extra.is_none());
    list.push(entity(4));
    list.take_out(2);
    assert_has(&list, &[1, 4]);
    let extra = list.extra.as_ref().unwrap();
    assert!(extra.known.has_slice());
    list.push(entity(5));
    assert_has(&list, &[1, 4, 5]);
    assert!(list.extra.as_ref().unwrap().known.has_slice());
    list.compact();
    assert_eq!(list.at(1), Some(entity(4)));
    assert_has(&list, &[1, 4, 5]);
}

#[test]
fn a_slice_is_kept_while_it_is_read_and_given_up_otherwise() {
    let mut list = of(100);
    let mut model: Vec<u32> = (0..100).collect();
    for (removals, slot) in (50..80).enumerate() {
        list.take_out(slot);
        model.retain(|&index| index != slot as u32);
        let has_slice = list.extra.as_ref().unwrap().known.has_slice();
        assert_eq!(has_slice, removals > 0);
        assert_has(&list, &model);
    }
    for slot in 20..40 {
        list.take_out(slot);
        model.retain(|&index| index != slot as u32);
    }
    assert!(!list.extra.as_ref().unwrap().known.has_slice());
    assert_has(&list, &model);
}

#[test]
fn entities_are_found_in_long_lists_that_change() {
    for count in [20, 200] {
        let mut list = of(count);
        list.take_out(7);
        for index in 0..count {
            let slot = (index != 7).then_some(index as usize);
            assert_eq!(list.find(entity(index)), slot);
        }
        let slot = list.push(entity(7));
        assert_eq!(list.find(entity(7)), Some(slot));
        assert_eq!(list.find(entity(count)), None);
        list.compact();
        assert_eq!(list.find(entity(8)), Some(7));
        let copy = list.clone();
        list.take_out(7);
        assert_eq!(
            (list.find(entity(8)), copy.find(entity(8))),
            (None, Some(7))
        );
    }
}

#[test]
fn an_id_made_of_bits_is_never_a_vacant_slot() {
    let indices = [0, 1, u32::MAX - 1, u32::MAX];
    for bits in indices.map(u64::from) {
        for generation in indices.map(u64::from) {
            let Some(made) = Entity::from_bits(generation << 32 | bits) else {
                continue;
            };
            let mut list = EdgeList::default();
            list.push(made);
            assert_eq!((list.len(), list.as_slice()), (1, &[made][..]));
            assert_eq!(list.edges().next(), Some((0, made)));
            list.take_out(0);
            assert!(list.is_empty());
        }
    }
}

#[test]
fn reverse_slots_stay_with_their_edges() {
    let mut list = EdgeList::default();
    for index in 0..4 {
        let slot = list.push(entity(index));
        list.set_reverse_slot(slot, 10 + slot);
    }
    list.take_out(1);
    list.compact();
    let reverse_slots: Vec<_> = list
        .edges()
        .map(|(slot, entity)| (entity.index(), list.reverse_slot(slot)))
        .collect();
    assert_eq!(reverse_slots, [(0, Some(10)), (2, Some(12)), (3, Some(13))]);
}

use super::*;
use alloc::vec::Vec;

fn components(count: usize) -> Vec<ComponentId> {
    (0..count).map(ComponentId::from_index).collect()
}

/// The numbers in a set of those below `count`.
fn listed(numbers: NumberSet, count: usize) -> Vec<usize> {
    let (components, mut list) = (components(count), numbers.list());
    core::iter::from_fn(|| list.next(&components))
        .map(ComponentId::index)
        .collect()
}

#[test]
fn a_single_number_is_found_alone_among_four_thousand() {
    for number in [0, 1, 63, 64, 65, 129, 4095] {
        assert_eq!(listed(NumberSet::of(number), 4096), [number]);
    }
    assert_eq!(listed(NumberSet::of(5), 10_000), [5, 4101, 8197]);
}

#[test]
fn numbers_come_in_ascending_order_and_beyond_the_last_component_none() {
    let mut presence = Presence::default();
    let entity = crate::entity::Entity::new(9, core::num::NonZeroU32::MIN);
    for number in [200, 70, 3] {
        presence.note(entity, NumberSet::of(number));
    }
    let expected = [3, 6, 8, 67, 70, 72, 195, 198, 200];
    assert_eq!(listed(presence.get(entity), 1000), expected);
    assert_eq!(listed(presence.get(entity), 71), expected[..5]);
    assert_eq!(listed(presence.take(entity), 1000), expected);
    assert!(presence.take(entity).is_empty());
}

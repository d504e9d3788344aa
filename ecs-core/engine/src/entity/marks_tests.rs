use core::num::NonZeroU32;

use super::*;

#[test]
fn each_entity_is_new_once() {
    for count in [1, 4, FEW as u32, FEW as u32 + 1, 1000] {
        let mut marks = EntityMarks::default();
        let entity = |number| Entity::new(number * 63, NonZeroU32::MIN);
        for number in 0..count {
            assert!(!marks.contains(entity(number)));
            assert!(marks.insert(entity(number)));
            for number in 0..=number {
                assert!(!marks.insert(entity(number)) && marks.contains(entity(number)));
            }
        }
        assert!(!marks.contains(entity(count)));
    }
}

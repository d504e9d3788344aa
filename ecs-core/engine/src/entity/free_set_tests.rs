//! Tests of the set of free numbers.

use std::collections::BTreeSet;

use super::*;

#[test]
fn the_lowest_member_is_taken_first() {
    let mut set = FreeSet::default();
    for index in [70_000, 5, 64, 4096, 63, 0, 262_144] {
        set.insert(index);
    }
    let order: Vec<u32> = core::iter::from_fn(|| set.take_first()).collect();
    assert_eq!(order, [0, 5, 63, 64, 4096, 70_000, 262_144]);
    assert_eq!(set.take_first(), None);
}

#[test]
fn members_of_one_word_are_taken_together() {
    let mut set = FreeSet::default();
    for index in [5, 63, 64, 7, 70_000] {
        set.insert(index);
    }
    assert_eq!(set.take_word(2), (0, 1 << 5 | 1 << 7));
    assert_eq!(set.take_word(9), (0, 1 << 63));
    assert_eq!(set.take_word(1), (64, 1));
    assert_eq!(set.take_word(1), (69_952, 1 << 48));
    assert_eq!((set.take_word(1), set.len()), ((0, 0), 0));
}

#[test]
fn behaves_like_a_sorted_set_under_random_use() {
    let steps = if cfg!(miri) { 500 } else { 50_000 };
    let (mut set, mut model) = (FreeSet::default(), BTreeSet::new());
    let mut random = 1_u64;
    for step in 0..steps {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // Few indices, then many; more insertions than removals, then fewer.
        let index = (random >> 33) as u32 % if step % 5_000 < 1_000 { 300 } else { 300_000 };
        match (random >> 20) % 8 {
            0..3 => {
                if model.insert(index) {
                    set.insert(index);
                }
            }
            3 => {
                let most = index % 70;
                let (base, bits) = set.take_word(most);
                let taken = (0..64).filter(|bit| bits >> bit & 1 == 1);
                for index in taken.map(|bit| base + bit) {
                    assert_eq!(model.pop_first(), Some(index));
                }
                let word = model.first().map(|index| index / 64);
                assert!(
                    bits.count_ones() == most
                        || bits == 0 && model.is_empty()
                        || word != Some(base / 64)
                );
            }
            _ if step % 2_000 < 1_500 => {
                if model.insert(index) {
                    set.insert(index);
                }
            }
            _ => assert_eq!(
                set.take_near().or_else(|| set.take_first()),
                model.pop_first()
            ),
        }
        assert_eq!(set.len(), model.len());
        assert_eq!(set.contains(index), model.contains(&index));
        #[cfg(feature = "validate")]
        if step % 100 == 0 {
            set.check();
        }
    }
    assert!(core::iter::from_fn(|| set.take_first()).eq(model));
}

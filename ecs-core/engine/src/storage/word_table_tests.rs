use alloc::collections::BTreeMap;

use super::*;

/// Compares a table with a map over sets and takes of `indices`, in an order that changes with each round.
fn compare(indices: &[u32]) {
    let mut table = WordTable::new();
    let mut map = BTreeMap::new();
    let mut random = 1_u64;
    for round in 0..20 * indices.len() {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let index = indices[(random >> 33) as usize % indices.len()];
        // Some rounds mostly set, others mostly take.
        let sets = (random >> 20) % 8
            < if (round / indices.len()).is_multiple_of(2) {
                6
            } else {
                1
            };
        if sets {
            table.set(index, random | 1);
            map.insert(index, random | 1);
        } else {
            assert_eq!(table.take(index), map.remove(&index).unwrap_or(0));
        }
        if round % 64 == 0 {
            for &index in indices {
                assert_eq!(table.get(index), map.get(&index).copied().unwrap_or(0));
            }
        }
        if round % 501 == 500 {
            table.shrink();
            assert_eq!(table.spare_bytes(), 0);
        }
        let empty = table.slots.iter().filter(|slot| slot.word == 0).count();
        assert_eq!(table.slots.len() - empty, map.len());
        assert!(2 * empty >= table.slots.len());
    }
    assert_eq!(table.into_words().collect::<BTreeMap<_, _>>(), map);
}

#[test]
fn words_are_those_of_a_map() {
    compare(&[0]);
    compare(&[0, u32::MAX]);
    compare(&(0..100).collect::<Vec<_>>());
    compare(&(0..300).map(|n| n << 12).collect::<Vec<_>>());
    compare(
        &(0..300_u32)
            .map(|n| n.wrapping_mul(0x0DEA_DBEE))
            .collect::<Vec<_>>(),
    );
    // Multiples of the multiplier's inverse: all homes are among the first slots.
    compare(
        &(0..64_u32)
            .map(|n| n.wrapping_mul(0x144C_BC89))
            .collect::<Vec<_>>(),
    );
}

#[test]
fn indices_at_equal_distances_are_near_their_homes() {
    for distance in [1, 3, 7, 64, 100, 512, 4096, 65_536] {
        let mut table = WordTable::new();
        for n in 0..1000 {
            table.set(n * distance, 1);
        }
        let mask = table.slots.len() - 1;
        let steps = (0..1000).map(|n| {
            let index = n * distance;
            table.find(index).wrapping_sub(table.home(index)) & mask
        });
        let steps = steps.sum::<usize>();
        assert!(steps <= 1000, "{steps} for a distance of {distance}");
    }
}

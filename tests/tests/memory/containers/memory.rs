//! The allocations of containers.

use ecs_core::containers::{Arena, GenerationalVec, Id, SparseSet};
use ecs_tests::counting::allocated;

/// Returns the bytes that an operation requests and keeps.
fn bytes_of<R>(operation: impl FnOnce() -> R) -> (isize, R) {
    let before = allocated();
    let result = operation();
    (allocated() - before, result)
}

const PAGE: isize = 4096;
/// Keys and values of a small set, which has room for four.
const SMALL: isize = 64;

#[test]
fn a_key_far_behind_the_others_takes_one_page_and_the_table_of_pages() {
    let mut set = SparseSet::new();
    let (bytes, _) = bytes_of(|| set.insert(1_000_000, 7_u64));
    let table = 8 * (1_000_000 / 1024 + 1);
    assert!(
        (PAGE + table..=PAGE + table + SMALL).contains(&bytes),
        "{bytes} bytes"
    );
    let (bytes, _) = bytes_of(|| set.insert(1_000_001, 8));
    assert_eq!(bytes, 0, "the same page");
    let (bytes, _) = bytes_of(|| set.insert(5, 9));
    assert_eq!(bytes, PAGE);
    assert_eq!(set.values(), [7, 8, 9]);
}

#[test]
fn shrinking_a_set_gives_back_pages_without_keys() {
    let (bytes, mut set) = bytes_of(|| SparseSet::from_iter((0..100_000).map(|key| (key, 1_u8))));
    assert!(bytes > 98 * PAGE);
    set.retain(|key, _| key == 0 || key == 50_000);
    let (bytes, ()) = bytes_of(|| set.shrink_to_fit());
    assert!(bytes < -95 * PAGE);
    let (bytes, copy) = bytes_of(|| set.clone());
    let table = 8 * (50_000 / 1024 + 1);
    assert_eq!(
        bytes,
        2 * PAGE + table + 2 * (4 + 1),
        "two pages, the table of pages, and two entries"
    );
    assert_eq!((copy[0], copy[50_000], set.get(99_999)), (1, 1, None));
    let (bytes, ()) = bytes_of(|| {
        set.clear();
        set.shrink_to_fit();
    });
    assert!(bytes < -2 * PAGE);
    drop(copy);
}

#[test]
fn nothing_is_allocated_for_three_exclusions() {
    let mut arena = Arena::from_iter(0..100);
    let ids: Vec<Id> = arena.ids().collect();
    // Counts the living values at the innermost place, too.
    let before = allocated();
    let (_, mut rest) = arena.split(ids[20]);
    let (_, mut rest) = rest.split(ids[60]);
    let (_, mut rest) = rest.split(ids[40]);
    assert_eq!((rest.iter().count(), rest.iter_mut().count()), (97, 97));
    assert_eq!(allocated(), before);
    // The fourth makes a fifth piece.
    let (_, rest) = rest.split(ids[80]);
    assert_eq!(rest.iter().count(), 96);
    assert!(allocated() > before);
    // Neighbours make no pieces.
    let before = allocated();
    let (_, mut rest) = arena.split(ids[0]);
    let (_, mut rest) = rest.split(ids[1]);
    let (_, mut rest) = rest.split(ids[99]);
    let (_, mut rest) = rest.split(ids[98]);
    let (_, rest) = rest.split(ids[97]);
    assert_eq!(rest.iter().count(), 95);
    assert_eq!(allocated(), before);
}

#[test]
fn any_number_of_values_can_be_split_off() {
    fn split_all(rest: &mut ecs_core::containers::Rest<'_, u32>, ids: &[Id]) -> u32 {
        let left = rest.iter().count();
        let Some((first, others)) = ids.split_first() else {
            return left as u32;
        };
        let (one, mut inner) = rest.split(*first);
        let one = one.unwrap();
        assert_eq!(inner.iter().count(), left - 1);
        let innermost = split_all(&mut inner, others);
        *one += 1;
        assert!(inner.get(*first).is_none());
        innermost
    }

    let mut arena = Arena::from_iter(0..64);
    let mut ids: Vec<Id> = arena.ids().step_by(2).collect();
    ids.reverse();
    ids.rotate_left(11);
    let (first, others) = ids.split_first().unwrap();
    let (one, mut rest) = arena.split(*first);
    assert_eq!(split_all(&mut rest, others), 32);
    *one.unwrap() += 1;
    let expected = (0..64).map(|number| number + u32::from(number % 2 == 0));
    assert!(arena.values().copied().eq(expected));
}

#[test]
fn reserved_memory_is_enough() {
    let mut arena = Arena::with_capacity(10);
    assert_eq!(arena.capacity(), 10);
    let (bytes, ()) = bytes_of(|| arena.extend(0..10));
    assert_eq!(bytes, 0);
    arena.retain(|_, number| *number >= 3);
    assert_eq!(arena.capacity(), 10);
    let (bytes, ()) = bytes_of(|| arena.reserve(3));
    assert_eq!(bytes, 0, "three indices are free");
    arena.reserve(100);
    let (bytes, ()) = bytes_of(|| arena.extend(0..100));
    assert_eq!(bytes, 0);
    arena.clear();
    let (bytes, ()) = bytes_of(|| arena.extend(0..arena.capacity()));
    assert_eq!(bytes, 0);

    let mut set = SparseSet::with_capacity(10);
    set.insert(0, 0);
    let (bytes, ()) = bytes_of(|| set.extend((1..10).map(|key| (key, 0))));
    assert_eq!(bytes, 0);
    assert_eq!(set.capacity(), 10);

    let mut vec = GenerationalVec::with_capacity(110);
    assert_eq!(vec.capacity(), 110);
    let (bytes, ()) = bytes_of(|| {
        for (id, value) in &arena {
            assert_eq!(vec.insert(id, *value).unwrap(), None);
        }
    });
    assert_eq!(bytes, 0);
    vec.reserve(100);
    assert!(vec.capacity() >= 207);
    vec.shrink_to_fit();
    assert_eq!((vec.capacity(), vec.len()), (107, 107));
}

#[test]
fn a_slot_takes_an_option_and_four_bytes() {
    let (bytes, arena) = bytes_of(|| Arena::<u32>::with_capacity(1000));
    assert_eq!(bytes, 12_000);
    let (bytes, _boxes) = bytes_of(|| Arena::<Box<u8>>::with_capacity(1000));
    assert_eq!(bytes, 16_000);
    assert!(arena.is_empty());
    let (bytes, empty) = bytes_of(|| {
        (
            Arena::<u8>::new(),
            GenerationalVec::<u8>::new(),
            SparseSet::<u8>::new(),
        )
    });
    assert_eq!(bytes, 0);
    drop(empty);
}

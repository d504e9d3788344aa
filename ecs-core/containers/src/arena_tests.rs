//! Tests that need more generations than a test can count up to.

use super::*;

#[test]
fn an_index_retires_when_its_generations_are_used_up() {
    let mut arena = Arena::from_iter([10, 11]);
    arena.values.slots[0].generation = NonZeroU32::new(u32::MAX - 1).unwrap();
    let first = arena.ids().next().unwrap();
    assert_eq!(arena.remove(first), Some(10));
    let last = arena.insert(12);
    assert_eq!((last.index(), last.generation()), (0, u32::MAX));
    arena.retain(|id, _| id != last);
    let next = arena.insert(13);
    assert_eq!((next.index(), next.generation()), (2, 1));
    assert!(!arena.contains(first) && !arena.contains(last));
    assert_eq!(arena.len(), 2);
}

#[test]
fn all_removals_retire_a_used_up_index() {
    let removals: [fn(&mut Arena<u8>, Id); 4] = [
        |arena, id| assert!(arena.remove(id).is_some()),
        |arena, _| arena.retain(|_, _| false),
        |arena, _| assert_eq!(arena.drain().count(), 1),
        |arena, _| arena.clear(),
    ];
    for remove in removals {
        let mut arena = Arena::from_iter([0]);
        arena.values.slots[0].generation = NonZeroU32::MAX;
        let id = arena.ids().next().unwrap();
        remove(&mut arena, id);
        assert_eq!(arena.insert(1).index(), 1);
        assert_eq!(arena.capacity(), arena.values.capacity() - 1);
    }
}

use super::*;
use alloc::vec::Vec;

#[test]
fn an_index_retires_when_its_generations_are_used_up() {
    let mut ids = Ids {
        entities: EntityTable::with_max_generation(2),
    };
    let mut all = Vec::new();
    for _ in 0..6 {
        let id = ids.alloc();
        assert!(!all.contains(&id), "{id} was allocated twice");
        all.push(id);
        ids.free(id);
    }
    let indices: Vec<u32> = all.iter().map(|id| id.index()).collect();
    assert_eq!(indices, [0, 0, 1, 1, 2, 2]);
}

#[test]
fn freeing_an_id_twice_or_a_foreign_one_does_nothing() {
    let mut ids = Ids::default();
    let (first, second) = (ids.alloc(), ids.alloc());
    ids.free(first);
    ids.free(first);
    ids.free(Entity::from_bits(1 << 32 | 7).unwrap());
    assert_eq!((ids.len(), ids.find(first)), (1, None));
    assert_eq!((ids.alloc().index(), ids.at(1)), (0, Some(second)));
    ids.free_all();
    assert!(ids.is_empty());
    assert_eq!(ids.find(second), None);
}

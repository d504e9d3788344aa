//! Tests of the allocator of entity ids.

use super::*;

const HERE: Location = Location { table: 0, row: 0 };

fn spawn(entities: &mut EntityTable) -> Entity {
    entities.alloc_at(HERE)
}

#[test]
fn an_id_and_an_optional_id_have_eight_bytes() {
    assert_eq!(size_of::<Entity>(), 8);
    assert_eq!(size_of::<Option<Entity>>(), 8);
}

#[test]
fn bits_convert_back_to_the_id() {
    let entity = Entity::new(7, NonZeroU32::new(3).unwrap());
    assert_eq!(Entity::from_bits(entity.to_bits()), Some(entity));
    assert_eq!(
        Entity::from_bits(7),
        None,
        "generation 0 is not a generation"
    );
    let last = Entity::new(u32::MAX - 1, NonZeroU32::MAX);
    assert_eq!(Entity::from_bits(last.to_bits()), Some(last));
    assert_eq!(
        Entity::from_bits(u64::MAX),
        None,
        "no entity has that index"
    );
}

#[test]
fn a_slot_stores_the_location_unchanged() {
    assert_eq!(Location::MAX_TABLES, 65_535);
    assert_eq!(Location::MAX_ROWS, 67_108_864);
    let at = Location {
        table: Location::MAX_TABLES as u32,
        row: Location::MAX_ROWS as u32 - 1,
    };
    let slot = EntitySlot::placed(MAX_GENERATION, at);
    assert_eq!(slot.location(), at);
    assert_eq!(slot.generation(), MAX_GENERATION);
    assert!(slot.is_placed());
    assert!(!EntitySlot::unplaced(MAX_GENERATION).is_placed());
}

#[test]
fn the_lowest_free_index_is_used_first() {
    let mut entities = EntityTable::default();
    let all: Vec<Entity> = (0..5).map(|_| spawn(&mut entities)).collect();
    entities.free(all[3]);
    entities.free(all[1]);
    assert_eq!(spawn(&mut entities).index(), 1);
    assert_eq!(spawn(&mut entities).index(), 3);
    assert_eq!(spawn(&mut entities).index(), 5);
}

#[test]
fn an_index_retires_when_its_generations_are_used_up() {
    let mut entities = EntityTable::with_max_generation(3);
    let mut seen = std::collections::HashSet::new();
    for _ in 0..20 {
        let entity = spawn(&mut entities);
        assert!(seen.insert(entity), "{entity} was issued twice");
        entities.free(entity);
        assert!(!entities.contains(entity));
    }
    assert_eq!(
        seen.iter().map(|entity| entity.index()).max(),
        Some(6),
        "three entities per index"
    );
}

#[test]
fn a_reserved_id_is_alive_without_a_row() {
    let mut entities = EntityTable::default();
    let old = spawn(&mut entities);
    entities.free(old);
    let (again, fresh) = (entities.reserve(), entities.reserve());
    assert_eq!((again.index(), again.generation()), (0, 2));
    assert_eq!((fresh.index(), fresh.generation()), (1, 1));
    assert!(entities.contains(again) && entities.contains(fresh));
    assert_eq!(entities.get(fresh), None);
    assert_eq!(entities.len(), 2);
    assert_eq!(
        spawn(&mut entities).index(),
        2,
        "reserved indices are taken"
    );
    assert!(entities.any_reserved() && entities.has_reserved());
    assert_eq!(entities.take_reserved(), [again, fresh]);
    assert!(!entities.any_reserved() && !entities.has_reserved());
}

#[test]
fn a_reserved_id_is_unplaced_until_it_has_a_row() {
    let mut entities = EntityTable::default();
    let all: Vec<Entity> = (0..3).map(|_| spawn(&mut entities)).collect();
    entities.free(all[0]);
    let reserved = entities.reserve();
    assert!(entities.is_unplaced(reserved));
    assert!(!entities.is_unplaced(all[0]) && !entities.is_unplaced(all[1]));
    let never = Entity::new(3, NonZeroU32::MIN);
    assert!(!entities.is_unplaced(never));
    assert_eq!(entities.take_reserved(), [reserved]);
    let at = Location { table: 2, row: 7 };
    entities.place(reserved, at);
    assert!(!entities.is_unplaced(reserved));
    assert_eq!(entities.get(reserved), Some(at));
    assert_eq!(entities.get(all[2]), Some(HERE), "the others stay");
    assert_eq!((entities.len(), entities.end()), (3, 3));
    assert_eq!(entities.placed_at(0), Some(reserved));
    assert_eq!(entities.placed_at(3), None);
    entities.relocate(reserved, HERE);
    assert_eq!(entities.get(reserved), Some(HERE));
}

#[test]
fn an_id_reserved_in_an_empty_world_is_placed_beyond_all_slots() {
    for (count, at_once) in [(1, false), (1, true), (3, false), (3, true)] {
        let mut entities = EntityTable::default();
        let reserved: Vec<Entity> = (0..count).map(|_| entities.reserve()).collect();
        if at_once {
            assert_eq!(entities.take_reserved(), reserved);
        }
        for &entity in reserved.iter().rev() {
            entities.place(entity, HERE);
        }
        assert!(reserved.iter().all(|&e| entities.get(e) == Some(HERE)));
        assert_eq!(entities.len(), count);
    }
}

#[test]
fn ids_that_were_never_allocated_are_not_contained() {
    let mut entities = EntityTable::default();
    let entity = spawn(&mut entities);
    entities.free(entity);
    let next = Entity::new(0, NonZeroU32::new(2).unwrap());
    assert!(!entities.contains(next));
    for beyond in [1, 9] {
        assert!(!entities.contains(Entity::new(beyond, NonZeroU32::MIN)));
    }
}

#[test]
fn rows_are_filled_with_free_indices_before_fresh_ones() {
    let mut entities = EntityTable::default();
    let all: Vec<Entity> = (0..4).map(|_| spawn(&mut entities)).collect();
    entities.free(all[2]);
    entities.free(all[0]);
    let reserved = entities.reserve();
    let mut out = Vec::new();
    entities.alloc_rows(1, 10, 3, &mut out);
    assert_eq!(reserved.index(), 0);
    assert_eq!(
        out.iter().map(|entity| entity.index()).collect::<Vec<_>>(),
        [2, 4, 5]
    );
    for (i, &entity) in out.iter().enumerate() {
        let row = 10 + i as u32;
        assert_eq!(entities.get(entity), Some(Location { table: 1, row }));
    }
    assert_eq!(entities.len(), 2 + 1 + 3);
    assert_eq!(spawn(&mut entities).index(), 6, "no index is skipped");
}

#[test]
fn free_indices_fill_exactly_the_given_rows() {
    let mut entities = EntityTable::default();
    let all: Vec<Entity> = (0..4).map(|_| spawn(&mut entities)).collect();
    all.iter().for_each(|&entity| entities.free(entity));
    for first in [0, 2] {
        let mut out = Vec::new();
        entities.alloc_rows(0, first, 2, &mut out);
        let indices: Vec<u32> = out.iter().map(|entity| entity.index()).collect();
        assert_eq!(indices, [first, first + 1]);
    }
    assert_eq!(entities.len(), 4);
}

#[test]
fn ids_reserved_by_many_threads_are_all_different() {
    let entities = EntityTable::default();
    let (threads, each) = if cfg!(miri) { (3, 20) } else { (8, 2_000) };
    let ids: Vec<Entity> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| (0..each).map(|_| entities.reserve()).collect::<Vec<_>>()))
            .collect();
        handles
            .into_iter()
            .flat_map(|handle| handle.join().unwrap())
            .collect()
    });
    let different: std::collections::HashSet<_> = ids.iter().collect();
    assert_eq!(different.len(), threads * each);
}

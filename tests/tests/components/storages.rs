//! Values stay with their entities, whatever happens to other rows, values and ids.

use ecs_core::prelude::*;
use ecs_tests::{Loose, Mark, Plain, Wide};

fn spawned(world: &mut World) -> Vec<Entity> {
    world.spawn_batch((0..5).map(Plain)).to_vec()
}

fn assert_values(world: &World, entities: &[Entity]) {
    for (n, &entity) in entities.iter().enumerate() {
        let value = world.get::<Plain>(entity);
        assert_eq!(value.as_deref(), Some(&Plain(n as u32)));
    }
    world.check_invariants();
}

#[test]
fn a_row_that_an_entity_leaves_is_filled_by_the_last_one() {
    let mut world = World::new();
    let entities = spawned(&mut world);
    world.insert(entities[1], Mark).unwrap();
    assert_values(&world, &entities);
}

#[test]
fn all_rows_of_a_table_move_together() {
    let mut world = World::new();
    let entities = spawned(&mut world);
    // Tables that have a row already, so that memory is not swapped.
    let others = [
        world.spawn((Plain(8), Wide([1; 700]))),
        world.spawn(Plain(9)),
    ];
    world.insert_all::<(With<Plain>, Without<Wide>), _>(Wide([1; 700]));
    assert_values(&world, &entities);
    world.remove::<Wide>(others[1]).unwrap();
    world.remove_all::<Wide, With<Plain>>();
    assert_values(&world, &entities);
    let last = others.map(|entity| world.get::<Plain>(entity).unwrap().0);
    assert_eq!(last, [8, 9]);
}

#[test]
fn a_batch_that_follows_reserved_ids_is_found() {
    let mut world = World::new();
    let reserved: [Entity; 3] = [(); 3].map(|()| world.reserve_entity());
    let batch = spawned(&mut world);
    assert_values(&world, &batch);
    world.flush();
    assert!(reserved.iter().all(|&entity| world.contains(entity)));
    assert_values(&world, &batch);
}

#[test]
fn a_value_that_is_taken_from_a_sparse_set_is_that_of_its_entity() {
    let mut world = World::new();
    let entities = [0, 1, 2, 3].map(|n| world.spawn(Loose(n)));
    for n in [0, 2, 1] {
        assert_eq!(world.take::<Loose>(entities[n]), Ok(Loose(n as u64)));
        assert_eq!(*world.get::<Loose>(entities[3]).unwrap(), Loose(3));
    }
}

#[test]
fn the_id_of_a_despawned_entity_reaches_no_sparse_value() {
    let mut world = World::new();
    let old = world.spawn(Loose(1));
    world.despawn(old).unwrap();
    let new = world.spawn(Loose(2));
    assert_eq!(new.index(), old.index());
    let mut view = world.view_mut::<Loose>();
    assert!(view.get(old).is_none() && view.get_mut(old).is_none() && !view.contains(old));
    drop(view);
    assert!(world.query::<&Loose>().get(old).is_none());
    assert!(world.get::<Loose>(old).is_none() && !world.has::<Loose>(old));
    assert!(world.take::<Loose>(old).is_err() && world.remove::<Loose>(old).is_err());
    assert_eq!(*world.get::<Loose>(new).unwrap(), Loose(2));
}

use super::*;
use crate::entity::Entity;
use crate::test_components::*;

#[test]
fn the_largest_part_comes_first_and_each_call_gives_back_one() {
    let mut world = World::new();
    let few = world
        .spawn_batch((0..9).map(|_| Position([0.0; 3])))
        .to_vec();
    world.spawn_batch((0..1000).map(|_| (Position([0.0; 3]), Velocity([0.0; 3]))));
    world.spawn_batch((0..100).map(|_| Stunned(1)));
    world.despawn_all::<crate::With<Velocity>>();
    world.despawn_all::<crate::With<Stunned>>();
    let mut last = usize::MAX;
    let mut calls = 0;
    loop {
        let mut freed = 0;
        let before = world.memory_usage().total().reserved;
        let shrunk = world.shrink_while(|bytes| {
            freed = bytes;
            false
        });
        let after = world.memory_usage().total().reserved;
        assert_eq!(before - after, freed);
        assert!(freed <= last, "the largest part comes first");
        // The first call also gives back a buffer.
        last = freed;
        calls += 1;
        #[cfg(feature = "validate")]
        world.check_invariants();
        if shrunk == Shrunk::Fully {
            break;
        }
    }
    assert!(calls >= 4, "{calls} calls");
    let usage = world.memory_usage();
    for table in usage.tables {
        assert_eq!(table.total().unused(), 0);
    }
    let kept: Vec<Entity> = world.query::<Entity>().iter().collect();
    assert_eq!(kept, few);
    assert_eq!(
        world.shrink_while(|_| unreachable!("all is done")),
        Shrunk::Fully
    );
}

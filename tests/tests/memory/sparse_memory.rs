//! The memory of sparse components: it grows with their values, and not with the indices of entities.

use ecs_core::prelude::*;
use ecs_tests::counting::allocated;

#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Rare(u64);

#[derive(Component)]
#[component(storage = "sparse", track)]
struct RareTracked(#[expect(dead_code, reason = "only its memory matters")] u64);

#[derive(Component)]
#[component(storage = "sparse", immediate)]
struct RareImmediate(#[expect(dead_code, reason = "only its memory matters")] u64);

/// Returns the bytes that a change requests and keeps.
fn bytes_of(change: impl FnOnce()) -> isize {
    let before = allocated();
    change();
    allocated() - before
}

/// A world whose last entity has index 1,000,000, and that entity.
fn world() -> (World, Entity) {
    let mut world = World::new();
    let entities = world.spawn_batch((0..=1_000_000).map(|_| ()));
    let last = *entities.last().unwrap();
    assert_eq!(last.index(), 1_000_000);
    world.register::<Rare>();
    world.register::<RareTracked>();
    world.register::<RareImmediate>();
    (world, last)
}

#[test]
fn one_value_at_index_1_000_000_takes_at_most_64_kib() {
    let (mut world, last) = world();
    let inserted = bytes_of(|| world.insert(last, Rare(7)).unwrap());
    assert!((8..=64 * 1024).contains(&inserted), "{inserted} bytes");
    let tracked = bytes_of(|| world.insert(last, RareTracked(7)).unwrap());
    assert!((8..=64 * 1024).contains(&tracked), "{tracked} bytes");
    let mut view = world.view_mut::<RareImmediate>();
    let immediate = bytes_of(|| assert!(view.insert(last, RareImmediate(7)).unwrap().is_none()));
    assert!((8..=64 * 1024).contains(&immediate), "{immediate} bytes");
    drop(view);
    world.check_invariants();
    assert_eq!(world.take::<Rare>(last), Ok(Rare(7)));
    world.despawn(last).unwrap();
    world.check_invariants();
}

#[test]
fn values_at_a_few_scattered_indices_take_at_most_a_page_each() {
    let (mut world, _) = world();
    let all: Vec<Entity> = world.entities().iter().collect();
    let mut requested = 0;
    for (n, &entity) in all.iter().step_by(20_011).enumerate() {
        requested += bytes_of(|| world.insert(entity, Rare(n as u64)).unwrap());
        // Positions, and the components of each entity.
        let most = 2 * 4096 * (n as isize + 1) + 8192;
        assert!(requested <= most, "{requested} bytes for {} values", n + 1);
    }
    for (n, &entity) in all.iter().step_by(20_011).enumerate() {
        assert_eq!(world.get::<Rare>(entity).as_deref(), Some(&Rare(n as u64)));
    }
    assert_eq!(
        world.view::<Rare>().len(),
        all.iter().step_by(20_011).count()
    );
}

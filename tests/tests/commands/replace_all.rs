//! Entities that are replaced in place.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::tree::ChildOf;
use ecs_core::world::hooks::{OnDespawn, OnInsert};
use ecs_tests::{Kept, Ledger, Loose, Mark, Plain};

#[derive(Component, Clone, Debug, PartialEq)]
#[component(track)]
struct Tracked(u32);

#[derive(Component, Clone, Debug, PartialEq)]
struct Ghost;

/// Everything that entities with a ghost have, in the order of rows.
fn ghosts(world: &World) -> Vec<(Entity, u32, Option<u32>)> {
    let query = world.query_filtered::<(Entity, &Plain, Option<&Tracked>), With<Ghost>>();
    query
        .iter()
        .map(|(e, plain, tracked)| (e, plain.0, tracked.map(|t| t.0)))
        .collect()
}

#[test]
fn the_first_keep_their_ids_and_the_others_come_or_go() {
    let mut world = World::new();
    let other = world.spawn((Mark, Plain(99)));
    let mut ids: Vec<Entity> = Vec::new();
    for (round, count) in [(0, 5), (1, 5), (2, 3), (3, 8), (4, 0), (5, 2)] {
        let bundles = (0..count).map(|n| (Ghost, Plain(round * 100 + n), Tracked(n)));
        let new = world.replace_all::<With<Ghost>, _>(bundles).to_vec();
        let kept = ids.len().min(new.len());
        assert_eq!(new[..kept], ids[..kept]);
        assert!(ids[kept..].iter().all(|&gone| !world.contains(gone)));
        let expected = new
            .iter()
            .zip(0..)
            .map(|(&e, n)| (e, round * 100 + n, Some(n)));
        assert!(ghosts(&world).into_iter().eq(expected));
        assert_eq!(world.len(), 1 + count as usize);
        world.check_invariants();
        ids = new;
    }
    assert_eq!(*world.get::<Plain>(other).unwrap(), Plain(99));
}

#[test]
fn new_values_count_as_added_and_nothing_as_removed_except_the_superfluous() {
    #[system]
    fn added(all: Query<&Tracked, Added<Tracked>>, mut gone: Removed<Tracked>) -> (usize, usize) {
        (all.iter().count(), gone.read().count())
    }
    let mut world = World::new();
    let bundles = |count| (0..count).map(|n| (Ghost, Tracked(n)));
    world.replace_all::<With<Ghost>, _>(bundles(4));
    assert_eq!(added(&world), (4, 0));
    assert_eq!(added(&world), (0, 0));
    world.replace_all::<With<Ghost>, _>(bundles(3));
    assert_eq!(added(&world), (3, 1));
}

#[test]
fn hooks_observers_drops_and_sparse_components_take_the_long_way() {
    let ledger = Ledger::default();
    let mut world = World::new();
    let tokens = |count: usize| {
        let ledger = ledger.clone();
        (0..count).map(move |_| (Ghost, Kept(ledger.token()), Loose(1)))
    };
    let three = world.replace_all::<With<Ghost>, _>(tokens(3)).to_vec();
    let two = world.replace_all::<With<Ghost>, _>(tokens(2)).to_vec();
    assert_eq!(two, three[..2]);
    assert_eq!(ledger.alive(), [3, 4]);
    world.check_invariants();

    let mut world = World::new();
    world.insert_resource(0_u32);
    world.insert_resource(0_u64);
    world.observe(|_: OnInsert<Plain>, mut calls: ResMut<u32>| *calls += 1);
    world.observe(|_: OnDespawn<Plain>, mut calls: ResMut<u64>| *calls += 1);
    let bundles = |count| (0..count).map(|n| (Ghost, Plain(n)));
    world.replace_all::<With<Ghost>, _>(bundles(3));
    world.replace_all::<With<Ghost>, _>(bundles(2));
    assert_eq!((*world.resource::<u32>(), *world.resource::<u64>()), (5, 1));
    assert_eq!(ghosts(&world).len(), 2);
}

#[test]
fn other_components_and_edges_stay() {
    let mut world = World::new();
    let bundles = |count| (0..count).map(|n| (Ghost, Plain(n)));
    let ids = world.replace_all::<With<Ghost>, _>(bundles(3)).to_vec();
    world.insert(ids[1], Loose(7)).unwrap();
    let child = world.spawn(ChildOf.to(ids[0]));
    assert_eq!(world.replace_all::<With<Ghost>, _>(bundles(2)), &ids[..2]);
    assert_eq!(world.get::<Loose>(ids[1]).unwrap().0, 7);
    assert!(world.is_related::<ChildOf>(child, ids[0]));
    // In two tables, one with more components.
    world.insert(ids[0], Mark).unwrap();
    let new = world
        .replace_all::<With<Ghost>, _>((5..8).map(|n| (Ghost, Plain(n))))
        .to_vec();
    assert_eq!(new.len(), 3);
    assert!(world.has::<Mark>(ids[0]) && new.contains(&ids[0]) && new.contains(&ids[1]));
    let mut values: Vec<u32> = ghosts(&world).iter().map(|ghost| ghost.1).collect();
    values.sort_unstable();
    assert_eq!(values, [5, 6, 7]);
    world.check_invariants();
}

#[test]
fn an_iterator_that_panics_leaves_the_rest_unchanged() {
    let mut world = World::new();
    let bundles = |count| (0..count).map(|n| (Ghost, Plain(n)));
    world.replace_all::<With<Ghost>, _>(bundles(4));
    let replacing = AssertUnwindSafe(|| {
        let bundles = (10..).map(|n| {
            assert!(n < 12, "the iterator panics");
            (Ghost, Plain(n))
        });
        world.replace_all::<With<Ghost>, _>(bundles).len()
    });
    assert!(catch_unwind(replacing).is_err());
    let values: Vec<u32> = ghosts(&world).iter().map(|ghost| ghost.1).collect();
    assert_eq!(values, [10, 11, 2, 3]);
    world.check_invariants();
}

//! Returns in worlds that have changed so far that lists, sets and ids differ.

use ecs_core::data::{Differ, Undo};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Targets};
use ecs_core::snapshot::Snapshotter;

use super::{Fast, Glow, Likes, Notes, Owner, Simulated, Spark, snapshotter};

#[test]
fn groups_are_groups_again_with_the_others() {
    let mut world = World::builder().group::<(Fast, Notes)>().build();
    let [a, b] = [1, 2].map(|n| world.spawn((Simulated, Fast(n), Notes(vec![n]))));
    let snapshotter = snapshotter();
    let mut before = snapshotter.take(&mut world).unwrap();
    world.remove::<Notes>(a).unwrap();
    let other = world.spawn((Fast(3), Notes(vec![3])));
    snapshotter.restore(&mut world, &mut before).unwrap();
    let (fast, notes) = (world.view::<Fast>(), world.view::<Notes>());
    let (ids, (fast, notes)) = (&fast, &notes).with_entity().slices();
    let rows = ids.iter().zip(fast).zip(notes);
    let mut rows: Vec<_> = rows
        .map(|((id, fast), notes)| (*id, fast.0, notes.0[0]))
        .collect();
    rows.sort_unstable();
    assert_eq!(rows, [(a, 1, 1), (b, 2, 2), (other, 3, 3)]);
}

#[test]
fn values_that_are_left_out_go_with_their_entities_and_stay_with_the_others() {
    let mut world = World::new();
    world.reserve_local_ids(4);
    let spark = world.spawn(Glow("spark".into()));
    let player = world.with_simulated_ids(|world| world.spawn(Simulated));
    let snapshotter = snapshotter().without::<Glow>();
    let mut before = snapshotter.take(&mut world).unwrap();
    world.insert(player, Glow("player".into())).unwrap();
    let bullet = world.with_simulated_ids(|world| world.spawn((Simulated, Glow("bullet".into()))));
    snapshotter.restore(&mut world, &mut before).unwrap();
    world.check_invariants();
    assert!(!world.contains(bullet));
    let glows = world.view::<Glow>();
    assert_eq!(glows.len(), 2);
    assert_eq!(glows.get(spark).unwrap().0, "spark");
    assert_eq!(glows.get(player).unwrap().0, "player");
}

#[test]
fn an_edge_to_one_that_returns_is_found_where_edges_to_those_that_do_not_were_before() {
    let mut world = World::new();
    world.reserve_local_ids(4);
    let [fan, friend] = ["fan", "friend"].map(|name| world.spawn(Spark(name.into())));
    let player = world.with_simulated_ids(|world| world.spawn(Simulated));
    let snapshotter = snapshotter();
    let mut before = snapshotter.take(&mut world).unwrap();
    let bullets: Vec<Entity> =
        world.with_simulated_ids(|world| (0..60).map(|_| world.spawn(Simulated)).collect());
    // The place among the sources will differ, too.
    for &bullet in &bullets {
        world.relate(bullet, Likes("".into()), player).unwrap();
    }
    // A missing entry between two others is a gap, and many gaps are closed.
    let targets = [friend].into_iter().chain(bullets).chain([player]);
    for (n, target) in targets.enumerate() {
        world.relate(fan, Likes(n.to_string()), target).unwrap();
    }
    snapshotter.restore(&mut world, &mut before).unwrap();
    world.check_invariants();
    let likes = world.get::<Targets<Likes>>(fan).unwrap();
    let [first, last] = [0, 61].map(|n: u32| Likes(n.to_string()));
    assert!(likes.iter().eq([(friend, &first), (player, &last)]));
    drop(likes);
    assert_eq!(*world.sources_mut::<Likes>(player).unwrap(), [fan]);
    assert!(world.unrelate::<Likes>(fan, player).unwrap());
    world.check_invariants();
}

#[test]
fn targets_of_others_alone_have_room_beside_those_of_the_copy() {
    // Lists are full at some of these.
    for count in [1, 2, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 64, 100, 128] {
        let mut world = World::new();
        world.reserve_local_ids(count);
        let mut simulated = || -> Vec<Entity> {
            world.with_simulated_ids(|world| (0..count).map(|_| world.spawn(Simulated)).collect())
        };
        let [targets, sources, quiet] = [simulated(), simulated(), simulated()];
        let pairs = || targets.iter().zip(&sources);
        for (&target, &source) in pairs() {
            world.relate(source, Owner, target).unwrap();
        }
        let snapshotter = snapshotter();
        let mut before = snapshotter.take(&mut world).unwrap();
        for (&target, &source) in pairs() {
            assert!(world.unrelate::<Owner>(source, target).unwrap());
        }
        let sparks: Vec<Entity> = (0..count).map(|_| world.spawn(Spark("x".into()))).collect();
        for (&spark, &target) in sparks.iter().zip(&quiet) {
            world.relate(spark, Owner, target).unwrap();
        }
        _ = world.shrink_while(|_| true);
        snapshotter.restore(&mut world, &mut before).unwrap();
        world.check_invariants();
        for (&target, &source) in pairs().chain(quiet.iter().zip(&sparks)) {
            assert_eq!(**world.get::<Sources<Owner>>(target).unwrap(), [source]);
        }
    }
}

#[test]
fn local_ids_are_those_of_a_snapshot_of_all() {
    let mut world = World::new();
    world.reserve_local_ids(4);
    let first = world.spawn(Fast(1));
    let snapshotter = Snapshotter::new();
    let mut before = snapshotter.take(&mut world).unwrap();
    let next = |world: &mut World| {
        let simulated = world.with_simulated_ids(|world| world.next_ids(3).unwrap());
        (
            simulated,
            world.with_local_ids(|world| world.next_ids(3).unwrap()),
        )
    };
    let expected = next(&mut world);
    for is_local in [true, false] {
        world.with_simulated_ids(|world| {
            _ = world.spawn(Fast(2));
            world.despawn(first).unwrap();
        });
        _ = (world.spawn(Fast(3)), world.spawn(Fast(4)));
        let mut restore = |world: &mut World| snapshotter.restore(world, &mut before);
        match is_local {
            true => restore(&mut world).unwrap(),
            false => world.with_simulated_ids(restore).unwrap(),
        }
        world.check_invariants();
        assert_eq!(next(&mut world), expected);
    }
}

#[test]
fn ids_that_were_issued_after_one_that_came_back_are_not_issued_again() {
    let mut world = World::new();
    let mut undo = Undo::with(Differ::new().only_data(), 10);
    let first = world.spawn(Simulated);
    undo.record(&mut world, |world| world.despawn(first).unwrap())
        .unwrap();
    let second = undo.record(&mut world, |world| world.spawn(())).unwrap();
    assert_eq!(first.index(), second.index());
    assert!(undo.undo(&mut world).unwrap() && undo.undo(&mut world).unwrap());
    assert!(world.contains(first));
    let snapshotter = snapshotter();
    let mut before = snapshotter.take(&mut world).unwrap();
    for _ in 0..2 {
        world.despawn(first).unwrap();
        snapshotter.restore(&mut world, &mut before).unwrap();
        assert!(world.contains(first) && !world.contains(second));
        world.check_invariants();
    }
    world.despawn(first).unwrap();
    let next = world.spawn(());
    assert_eq!(next.index(), first.index());
    assert!(next != first && next != second, "{next}");
}

//! Ids that entities return to, and ids of others.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::snapshot::RestoreError;

use super::{Kind, Place, Simulated, Spark, Text, snapshotter};

#[test]
fn an_index_that_another_entity_has_is_refused_and_local_ids_avoid_it() {
    for local in [false, true] {
        let mut world = World::new();
        let player = world.spawn((Simulated, Place(1)));
        if local {
            world.reserve_local_ids(4);
        }
        let snapshotter = snapshotter();
        let mut before = snapshotter.take(&mut world).unwrap();
        world.despawn(player).unwrap();
        let spark = world.spawn(Spark("x".into()));
        let restored = snapshotter.restore(&mut world, &mut before);
        if local {
            restored.unwrap();
            assert!(world.contains(player) && world.contains(spark));
        } else {
            let error = RestoreError::IdTaken {
                entity: player,
                by: spark,
            };
            assert_eq!(restored, Err(error));
            assert!(!world.contains(player) && world.contains(spark));
        }
        world.check_invariants();
    }
}

#[test]
fn entities_that_change_sides_return_or_are_refused() {
    let mut world = World::new();
    world.reserve_local_ids(4);
    let player = world.with_simulated_ids(|world| world.spawn((Simulated, Text::new("hero"))));
    let spark = world.spawn(Spark("x".into()));
    let snapshotter = snapshotter();
    let mut before = snapshotter.take(&mut world).unwrap();
    world.remove::<Simulated>(player).unwrap();
    world.get_mut::<Text>(player).unwrap().0.clear();
    snapshotter.restore(&mut world, &mut before).unwrap();
    assert!(world.has::<Simulated>(player));
    assert_eq!(world.get::<Text>(player).unwrap().0, "hero");

    world.insert(spark, Simulated).unwrap();
    let restored = snapshotter.restore(&mut world, &mut before);
    assert_eq!(restored, Err(RestoreError::Joined { entity: spark }));
    assert!(world.has::<Simulated>(spark));
    world.remove::<Simulated>(spark).unwrap();
    snapshotter.restore(&mut world, &mut before).unwrap();

    let other = world.with_simulated_ids(|world| world.spawn(Spark("y".into())));
    let restored = snapshotter.restore(&mut world, &mut before);
    assert_eq!(restored, Err(RestoreError::NotLocal { entity: other }));
    world.check_invariants();
}

#[test]
fn local_ids_are_used_again_and_run_out() {
    let mut world = World::new();
    world.spawn(());
    world.reserve_local_ids(2);
    let [a, b] = [(); 2].map(|()| world.spawn(()));
    assert_eq!([a.index(), b.index()], [1, 2]);
    let full = catch_unwind(AssertUnwindSafe(|| world.spawn(()))).unwrap_err();
    let message = full.downcast_ref::<String>().unwrap();
    assert!(
        message.starts_with("all 2 local ids are in use"),
        "{message}"
    );
    let simulated =
        world.with_simulated_ids(|world| world.spawn_batch([Kind(1), Kind(2)]).to_vec());
    assert_eq!(
        simulated.iter().map(|e| e.index()).collect::<Vec<_>>(),
        [3, 4]
    );
    // An id returns to its source, wherever the despawn happens.
    world.despawn(simulated[0]).unwrap();
    world.with_simulated_ids(|world| world.despawn(a).unwrap());
    assert_eq!(world.spawn(()).index(), 1);
    assert_eq!(world.with_simulated_ids(|world| world.spawn(())).index(), 3);
    let inner = world.with_simulated_ids(|world| {
        world.with_local_ids(|world| world.despawn(b).unwrap());
        let outer = world.spawn(()).index();
        (outer, world.with_local_ids(|world| world.spawn(()).index()))
    });
    assert_eq!(inner, (5, 2));
    let caught = catch_unwind(AssertUnwindSafe(|| {
        world.with_simulated_ids(|_| panic!("inside"));
    }));
    assert!(caught.is_err());
    assert!(
        catch_unwind(AssertUnwindSafe(|| world.spawn(()))).is_err(),
        "local again"
    );
    world.check_invariants();
}

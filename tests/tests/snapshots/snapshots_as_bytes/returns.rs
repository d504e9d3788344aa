//! Details of a return to bytes.

use ecs_core::relation::Targets;

use super::*;

/// Returns bytes of a world without schedules.
fn bytes(world: &mut World) -> Vec<u8> {
    Snapshotter::new().take(world).unwrap().to_bytes().unwrap()
}

fn restore(world: &mut World, bytes: &[u8]) {
    let snapshotter = Snapshotter::new();
    let mut snapshot = snapshotter.read_bytes(world, bytes).unwrap();
    snapshotter.restore(world, &mut snapshot).unwrap();
    world.check_invariants();
}

#[test]
fn local_ids_and_retired_and_revived_ones_return() {
    let mut world = World::new();
    let all = world.spawn_batch((0..100).map(|n| Place(n, 0))).to_vec();
    let before = world.try_clone().unwrap();
    world.despawn(all[3]).unwrap();
    let next = world.spawn(());
    world.despawn(next).unwrap();
    world.diff(&before).unwrap().apply(&mut world).unwrap();
    world.reserve_local_ids(10);
    let local = world.spawn(Tag);
    world
        .with_simulated_ids(|world| world.despawn(all[7]))
        .unwrap();
    let bytes = bytes(&mut world);
    let mut other = World::new();
    restore(&mut other, &bytes);
    for world in [&mut world, &mut other] {
        assert!(world.contains(local) && world.contains(all[3]) && !world.contains(all[7]));
        let spawned = world.spawn(());
        assert_eq!(spawned.to_string(), "101v1", "a local id");
        let shared = world.with_simulated_ids(|world| world.spawn(()));
        assert_eq!(shared.to_string(), "7v2");
        world.despawn(all[3]).unwrap();
        let again = world.with_simulated_ids(|world| world.spawn(()));
        assert_eq!(again.to_string(), "3v3", "after the ids that its index had");
        world.check_invariants();
    }
}

#[test]
fn a_world_with_observers_and_other_components_returns() {
    let mut world = World::new();
    world.register_data_resource::<Wind>();
    world.insert_resource(Wind(7));
    world.spawn((Place(1, 1), Fast(3)));
    let hit = world.spawn(Text("a".to_owned()));
    let bytes = bytes(&mut world);
    let mut other = World::new();
    other.observe(|_: ecs_core::world::hooks::OnRemove<Tag>, mut wind: ResMut<Wind>| wind.0 += 1);
    other.register_data_resource::<Wind>();
    other.insert_resource(Wind(0));
    let old = other
        .spawn_batch((0..50).map(|n| (Tag, Marks(vec![n]), Lamp(n))))
        .to_vec();
    restore(&mut other, &bytes);
    assert_eq!(other.resource::<Wind>().0, 7, "no observer runs");
    assert!(!other.contains(old[9]) && other.view::<Tag>().is_empty());
    assert_eq!(other.get::<Text>(hit).unwrap().0, "a");
    other.insert(hit, Tag).unwrap();
    other.remove::<Tag>(hit).unwrap();
    assert_eq!(other.resource::<Wind>().0, 8, "observers stay");
    other.check_invariants();
}

#[test]
fn changes_of_rows_are_seen_by_the_readers_that_had_not_seen_them() {
    #[system]
    fn seen(mut seen: ResMut<Seen>, texts: Query<&Text, Changed<Text>>) {
        seen.0 = texts.iter().map(|text| text.0.clone()).collect();
    }
    let prepared = || {
        let (mut world, mut sim) = (World::new(), Schedule::new());
        world.insert_resource(Seen::default());
        sim.add(seen);
        sim.prepare(&mut world).unwrap();
        (world, sim)
    };
    let (mut world, mut sim) = prepared();
    let [old, new] = ["old", "new"].map(|text| world.spawn(Text(text.to_owned())));
    sim.run(&mut world).unwrap();
    world.get_mut::<Text>(new).unwrap().0.push('!');
    let bytes = bytes_of(&mut world, &mut sim);
    // The clock of the other world is ahead, or behind.
    for ticks in [0, 1000] {
        let (mut other, mut its) = prepared();
        (0..ticks).for_each(|_| _ = other.tick());
        return_to(&mut other, &mut its, &bytes);
        its.run(&mut other).unwrap();
        assert_eq!(other.resource::<Seen>().0, ["new!"]);
        other.get_mut::<Text>(old).unwrap().0.push('?');
        its.run(&mut other).unwrap();
        assert_eq!(other.resource::<Seen>().0, ["old?"]);
    }
}

#[test]
fn a_resource_is_new_or_changed_for_the_readers_that_had_not_seen_it() {
    #[system]
    fn notice(mut seen: ResMut<Seen>, wind: Res<Wind>) {
        seen.0 = vec![format!("{} {}", wind.is_added(), wind.is_changed())];
    }
    let prepared = || {
        let (mut world, mut sim) = (World::new(), Schedule::new());
        world.insert_resource(Seen::default());
        world.insert_resource(Wind(1));
        sim.add(notice);
        sim.prepare(&mut world).unwrap();
        (world, sim)
    };
    let (mut world, mut sim) = prepared();
    let first = bytes_of(&mut world, &mut sim);
    sim.run(&mut world).unwrap();
    let unchanged = bytes_of(&mut world, &mut sim);
    world.resource_mut::<Wind>().0 = 2;
    let changed = bytes_of(&mut world, &mut sim);
    let expected = [
        (&first, "true true"),
        (&unchanged, "false false"),
        (&changed, "false true"),
    ];
    for (bytes, noticed) in expected {
        let (mut other, mut its) = prepared();
        return_to(&mut other, &mut its, bytes);
        its.run(&mut other).unwrap();
        assert_eq!(other.resource::<Seen>().0, [noticed]);
    }
}

#[test]
fn a_snapshot_from_bytes_is_used_like_any_other() {
    let (mut world, mut sim) = game();
    run(&mut (world, sim), &[]);
    (world, sim) = game();
    let entity = world.spawn((Place(1, 1), Text("before".to_owned())));
    let bytes = bytes_of(&mut world, &mut sim);
    let snapshotter = snapshotter();
    let mut snapshot = snapshotter.read_bytes(&world, &bytes).unwrap();
    assert!(snapshot.is_complete());
    assert_eq!(snapshot.to_bytes().unwrap(), bytes, "the same bytes again");
    for _ in 0..3 {
        world.get_mut::<Text>(entity).unwrap().0 = "after".to_owned();
        world.spawn(Lamp(1));
        sim.run(&mut world).unwrap();
        let returned = snapshotter.restore_with(&mut world, &mut [&mut sim], &mut snapshot);
        returned.unwrap();
        assert_eq!(world.get::<Text>(entity).unwrap().0, "before");
        assert_eq!(world.len(), 1);
    }
    // Its memory serves for the next one.
    snapshotter
        .take_into_with(&mut world, &mut [&mut sim], &mut snapshot)
        .unwrap();
    world.despawn(entity).unwrap();
    snapshotter
        .restore_with(&mut world, &mut [&mut sim], &mut snapshot)
        .unwrap();
    assert!(world.contains(entity));
}

#[test]
fn bytes_in_the_memory_of_others_are_the_same_and_none_after_an_error() {
    #[derive(Component, Clone)]
    struct Handle;
    let snapshotter = Snapshotter::new().component::<Handle>();
    let mut bytes = b"something else".to_vec();
    for rows in [1, 3000, 7, 0, 3000] {
        let mut world = World::new();
        world.spawn_batch((0..rows).map(|n| (Place(n, 1), Text(n.to_string()))));
        let snapshot = snapshotter.take(&mut world).unwrap();
        let memory = bytes.as_ptr();
        let is_enough = bytes.capacity() > 8 * snapshot.to_bytes().unwrap().len();
        snapshot.to_bytes_into(&mut bytes).unwrap();
        assert_eq!(bytes, snapshot.to_bytes().unwrap());
        assert!(!is_enough || bytes.as_ptr() == memory, "{rows} rows");
    }
    let mut world = World::new();
    world.spawn(Handle);
    let snapshot = snapshotter.take(&mut world).unwrap();
    assert!(snapshot.to_bytes_into(&mut bytes).is_err());
    assert!(bytes.is_empty());
}

#[test]
fn ids_in_values_and_dead_ids_that_come_next_stay_what_they_are() {
    let mut world = World::new();
    let gone = world.spawn(());
    world.despawn(gone).unwrap();
    let later = world.spawn(Aim(Some(gone), vec![gone]));
    let bytes = bytes(&mut world);
    let mut other = World::new();
    other.register::<Aim>();
    restore(&mut other, &bytes);
    assert_eq!(
        *other.get::<Aim>(later).unwrap(),
        Aim(Some(gone), vec![gone])
    );
    assert!(!other.contains(gone));
    assert_eq!(other.hash().unwrap(), world.hash().unwrap());
}

#[test]
fn relations_that_a_new_world_has_from_bytes_end_with_their_targets() {
    let mut world = World::new();
    let [a, b, c] = [(); 3].map(|()| world.spawn(()));
    world.relate(a, Likes("y".to_owned()), b).unwrap();
    world.relate(c, Likes("z".to_owned()), b).unwrap();
    let bytes = bytes(&mut world);
    for is_batch in [false, true] {
        let mut other = World::new();
        other.register::<Targets<Likes>>();
        restore(&mut other, &bytes);
        match is_batch {
            true => _ = other.despawn_batch([b]),
            false => other.despawn(b).unwrap(),
        }
        other.check_invariants();
        assert!(other.edges_from(a).next().is_none() && other.edges_from(c).next().is_none());
        other.relate(a, Likes("x".to_owned()), c).unwrap();
        other.check_invariants();
    }
}

#[test]
fn the_bytes_of_a_form_do_not_change() {
    let mut world = World::new();
    let (a, b) = (
        world.spawn((Place(1, 2), Fast(3))),
        world.spawn(Text("x".to_owned())),
    );
    world.relate(a, Likes("y".to_owned()), b).unwrap();
    world.despawn(b).unwrap();
    let bytes = bytes(&mut world);
    let again = {
        let mut other = World::new();
        restore(&mut other, &bytes);
        self::bytes(&mut other)
    };
    assert_eq!(again, bytes);
    assert_eq!(&bytes[..12], b"ecssnaps\x04\0\0\0");
}

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::observer_tests::{Hit, log, record, world};
use super::{DeferredWorld, Trigger};
use crate::snapshot::Snapshotter;
use crate::test_components::DropName;
use crate::world::World;

#[test]
fn only_events_on_the_entity_reach_its_observers_and_those_of_the_world_come_first() {
    let mut world = world();
    let [one, other] = [(); 2].map(|()| world.spawn(()));
    for name in ["first", "second"] {
        let observed = world.observe_on(
            one,
            move |hit: Trigger<'_, Hit>, world: DeferredWorld<'_>| {
                record(&world, format!("{name} {}", hit.0));
            },
        );
        observed.unwrap();
    }
    world.observe(|hit: Trigger<'_, Hit>, world: DeferredWorld<'_>| {
        record(&world, format!("world {}", hit.0));
    });
    world.trigger_on(one, Hit(1)).unwrap();
    assert_eq!(log(&world), ["world 1", "first 1", "second 1"]);
    world.trigger_on(other, Hit(2)).unwrap();
    world.trigger(Hit(3));
    assert_eq!(log(&world), ["world 2", "world 3"]);
    world.trigger_on(one, "another event").unwrap();
    assert!(log(&world).is_empty());
}

#[test]
fn observers_of_an_entity_are_unregistered_by_their_ids() {
    let (mut world, mut elsewhere) = (world(), world());
    let entity = world.spawn(());
    assert_eq!(elsewhere.spawn(()), entity);
    let [first, _second] = ["first", "second"].map(|name| {
        let record = move |_: Trigger<'_, Hit>, world: DeferredWorld<'_>| record(&world, name);
        world.observe_on(entity, record).unwrap()
    });
    let nothing = |_: Trigger<'_, Hit>, _: DeferredWorld<'_>| ();
    elsewhere.observe_on(entity, nothing).unwrap();
    assert!(!elsewhere.unobserve(first));
    assert!(world.unobserve(first) && !world.unobserve(first));
    world.trigger_on(entity, Hit(1)).unwrap();
    assert_eq!(log(&world), ["second"]);
}

#[test]
fn observers_are_dropped_with_their_entity_and_rejected_without_one() {
    let mut world = world();
    let entity = world.spawn(DropName::new("Ann"));
    let captured = Arc::new(());
    let observer = |captured: Arc<()>| {
        move |_: Trigger<'_, Hit>, _: DeferredWorld<'_>| assert_eq!(Arc::strong_count(&captured), 2)
    };
    let id = world
        .observe_on(entity, observer(captured.clone()))
        .unwrap();
    world.trigger_on(entity, Hit(1)).unwrap();
    world.remove::<DropName>(entity).unwrap();
    assert_eq!(Arc::strong_count(&captured), 2);
    world.despawn(entity).unwrap();
    assert_eq!(Arc::strong_count(&captured), 1);
    assert!(!world.unobserve(id));
    assert!(
        world
            .observe_on(entity, observer(captured.clone()))
            .is_err()
    );
    assert_eq!(Arc::strong_count(&captured), 1);
}

#[test]
fn an_observer_may_despawn_its_own_entity() {
    let mut world = world();
    let entity = world.spawn(());
    let despawn = move |hit: Trigger<'_, Hit>, mut world: DeferredWorld<'_>| {
        world.commands().despawn(hit.entity());
        assert!(world.contains(entity));
    };
    world.observe_on(entity, despawn).unwrap();
    world.trigger_on(entity, Hit(1)).unwrap();
    assert!(!world.contains(entity));
}

#[test]
fn a_panic_leaves_the_observers_of_the_entity_in_place() {
    let mut world = world();
    let entity = world.spawn(());
    let check = |hit: Trigger<'_, Hit>, world: DeferredWorld<'_>| {
        assert!(hit.0 < 2, "too hard");
        record(&world, hit.0);
    };
    world.observe_on(entity, check).unwrap();
    let hit = AssertUnwindSafe(|| world.trigger_on(entity, Hit(2)));
    assert!(catch_unwind(hit).is_err());
    world.trigger_on(entity, Hit(1)).unwrap();
    assert_eq!(log(&world), ["1"]);
}

#[test]
fn handles_and_commands_register_observers() {
    let mut world = world();
    let one = world.spawn(());
    let observer = |name| move |_: Trigger<'_, Hit>, world: DeferredWorld<'_>| record(&world, name);
    let mut handle = world.entity_mut(one).unwrap();
    handle
        .observe(observer("handle"))
        .observe(observer("again"));
    let other = world.spawn(());
    world.observe(move |_: Trigger<'_, ()>, mut world: DeferredWorld<'_>| {
        let mut commands = world.commands();
        commands.observe_on(one, observer("command"));
        commands.entity(other).observe(observer("entity's"));
    });
    world.trigger(());
    world.trigger_on(one, Hit(1)).unwrap();
    world.trigger_on(other, Hit(1)).unwrap();
    assert_eq!(log(&world), ["handle", "again", "command", "entity's"]);
}

#[test]
fn a_snapshot_returns_the_observers_that_entities_had() {
    let mut world = world();
    let [gone, kept] = [(); 2].map(|()| world.spawn(()));
    let observe = |world: &mut World, entity, name: &'static str| {
        let mut calls = 0;
        let observer = move |hit: Trigger<'_, Hit>, world: DeferredWorld<'_>| {
            calls += 1;
            record(&world, format!("{name} {} {calls}", hit.0));
        };
        world.observe_on(entity, observer).unwrap()
    };
    observe(&mut world, gone, "gone");
    let removed = observe(&mut world, kept, "removed");
    let snapshotter = Snapshotter::new().without_other_resources();
    let mut snapshot = snapshotter.take(&mut world).unwrap();

    world.trigger_on(gone, Hit(1)).unwrap();
    world.despawn(gone).unwrap();
    assert!(world.unobserve(removed));
    observe(&mut world, kept, "new");
    world.trigger_on(kept, Hit(2)).unwrap();
    assert_eq!(log(&world), ["gone 1 1", "new 2 1"]);

    for call in 2..4 {
        snapshotter.restore(&mut world, &mut snapshot).unwrap();
        world.trigger_on(gone, Hit(3)).unwrap();
        world.trigger_on(kept, Hit(4)).unwrap();
        // The memory of a function is not part of a snapshot.
        let expected = [format!("gone 3 {call}"), format!("removed 4 {}", call - 1)];
        assert_eq!(log(&world), expected);
    }
    assert!(world.unobserve(removed));
    world.trigger_on(kept, Hit(5)).unwrap();
    assert!(log(&world).is_empty());
}

#[test]
fn an_observers_function_is_dropped_with_the_last_snapshot_that_has_it() {
    let mut world = world();
    let entity = world.spawn(());
    let value = Arc::new(());
    let captured = Arc::clone(&value);
    let observer = move |_: Trigger<'_, Hit>, _: DeferredWorld<'_>| _ = &captured;
    world.observe_on(entity, observer).unwrap();
    let snapshotter = Snapshotter::new().without_other_resources();
    let snapshot = snapshotter.take(&mut world).unwrap();
    world.despawn(entity).unwrap();
    assert_eq!(Arc::strong_count(&value), 2);
    drop(snapshot);
    assert_eq!(Arc::strong_count(&value), 1);
}

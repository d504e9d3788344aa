use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{DeferredWorld, OnAdd, OnRemove, Trigger};
use crate::entity::Entity;
use crate::test_components::{DropName, Stunned};
use crate::world::World;

#[derive(Debug)]
pub(super) struct Hit(pub(super) u32);

#[derive(Default)]
struct Log(Vec<String>);

pub(super) fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world
}

pub(super) fn record(world: &World, entry: impl ToString) {
    world.resource_mut::<Log>().0.push(entry.to_string());
}

pub(super) fn log(world: &World) -> Vec<String> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

fn panic_message(f: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(f)).unwrap_err();
    *panic.downcast::<String>().expect("a message")
}

#[test]
fn observers_of_an_event_are_called_in_order_until_they_are_unregistered() {
    let mut world = world();
    let mut calls = 0;
    let first = world.observe(move |hit: Trigger<'_, Hit>, world: DeferredWorld<'_>| {
        calls += 1;
        record(&world, format!("first {} {calls}", hit.0));
    });
    world.observe(|hit: Trigger<'_, Hit>, world: DeferredWorld<'_>| {
        record(&world, hit.target().is_some());
    });
    world.trigger(Hit(1));
    let entity = world.spawn_empty();
    world.trigger_on(entity, Hit(2)).unwrap();
    assert_eq!(log(&world), ["first 1 1", "false", "first 2 2", "true"]);
    world.trigger("another event");
    assert!(log(&world).is_empty());
    assert!(world.unobserve(first));
    assert!(!world.unobserve(first));
    world.trigger(Hit(3));
    assert_eq!(log(&world), ["false"]);
}

#[test]
fn asking_an_event_without_an_entity_for_it_panics() {
    let mut world = world();
    world.observe(|hit: Trigger<'_, Hit>, _: DeferredWorld<'_>| _ = hit.entity());
    let message = panic_message(|| _ = world.trigger(Hit(1)));
    assert!(
        message.contains("Hit` was triggered without an entity"),
        "{message}"
    );
}

#[test]
fn an_event_on_a_despawned_entity_is_an_error() {
    let mut world = world();
    world.observe(|_: Trigger<'_, Hit>, world: DeferredWorld<'_>| record(&world, "called"));
    let entity = world.spawn_empty();
    world.despawn(entity).unwrap();
    assert!(world.trigger_on(entity, Hit(1)).is_err());
    assert!(log(&world).is_empty());
}

#[test]
fn observers_belong_to_one_world() {
    let (mut one, mut other) = (world(), world());
    let id = one.observe(|_: OnAdd<Stunned>, world: DeferredWorld<'_>| record(&world, "called"));
    other.spawn(Stunned(1));
    assert!(!other.unobserve(id));
    one.spawn(Stunned(1));
    assert_eq!((log(&one).len(), log(&other).len()), (1, 0));
}

#[test]
fn observers_of_components_see_the_values_that_are_inserted_and_removed() {
    let mut world = world();
    let name = |world: &World, entity| world.get::<DropName>(entity).unwrap().0.clone();
    world.observe(move |added: OnAdd<DropName>, world: DeferredWorld<'_>| {
        record(&world, name(&world, added.entity()) + " comes");
    });
    let going = world.observe(
        move |removed: OnRemove<DropName>, world: DeferredWorld<'_>| {
            record(&world, name(&world, removed.entity()) + " goes");
        },
    );
    let bob = world.spawn((DropName::new("Bob"), Stunned(1)));
    world.insert(bob, DropName::new("Rob")).unwrap();
    world.despawn(bob).unwrap();
    assert_eq!(log(&world), ["Bob comes", "Rob goes"]);
    world.unobserve(going);
    let ann = world.spawn(DropName::new("Ann"));
    world.clear();
    assert!(!world.contains(ann));
    assert_eq!(log(&world), ["Ann comes"]);
}

#[test]
fn observers_registered_by_an_observer_are_called_from_the_next_event_on() {
    let mut world = world();
    let again = |_: Trigger<'_, Hit>, world: DeferredWorld<'_>| record(&world, "new");
    let old = world.observe(move |_: Trigger<'_, Hit>, mut world: DeferredWorld<'_>| {
        record(&world, "old");
        world
            .queue()
            .0
            .push(move |world: &mut World| _ = world.observe(again));
    });
    world.trigger(Hit(1));
    assert_eq!(log(&world), ["old"]);
    assert!(world.unobserve(old));
    world.trigger(Hit(2));
    assert_eq!(log(&world), ["new"]);
}

#[test]
fn an_observer_may_unregister_itself_by_a_command() {
    struct Me(super::ObserverId);
    let mut world = world();
    let id = world.observe(|_: OnAdd<Stunned>, mut world: DeferredWorld<'_>| {
        record(&world, "once");
        let Me(id) = *world.resource::<Me>();
        world
            .queue()
            .0
            .push(move |world: &mut World| _ = world.unobserve(id));
    });
    world.insert_resource(Me(id));
    world.spawn(Stunned(1));
    world.spawn(Stunned(2));
    assert_eq!(log(&world), ["once"]);
}

#[test]
fn a_panicking_observer_stays_registered() {
    let mut world = world();
    world.observe(|hit: Trigger<'_, Hit>, world: DeferredWorld<'_>| {
        record(&world, "called");
        assert_ne!(hit.0, 1, "{hit:?}");
    });
    panic_message(|| _ = world.trigger(Hit(1)));
    world.trigger(Hit(2));
    assert_eq!(log(&world), ["called", "called"]);
}

#[test]
#[cfg_attr(miri, ignore = "the chain is too long for Miri")]
fn an_event_that_triggers_itself_endlessly_panics_with_its_name() {
    let mut world = world();
    world.observe(|_: Trigger<'_, Hit>, mut world: DeferredWorld<'_>| {
        world
            .queue()
            .0
            .push(|world: &mut World| _ = world.trigger(Hit(1)));
    });
    let message = panic_message(|| _ = world.trigger(Hit(0)));
    assert!(
        message.contains("for the event `") && message.contains("Hit`"),
        "{message}"
    );
}

#[test]
fn an_observer_may_despawn_the_entity_that_is_being_spawned() {
    let mut world = world();
    world.observe(|added: OnAdd<DropName>, mut world: DeferredWorld<'_>| {
        let entity: Entity = added.entity();
        world
            .queue()
            .0
            .push(move |world: &mut World| _ = world.despawn(entity));
    });
    let entity = world.spawn((DropName::new("short"), Stunned(1)));
    assert!(!world.contains(entity) && world.view::<Stunned>().is_empty());
}

#[test]
fn a_sparse_component_that_is_removed_alone_is_observed() {
    let mut world = world();
    let entity = world.spawn(Stunned(1));
    world.observe(|removed: OnRemove<Stunned>, world: DeferredWorld<'_>| {
        record(&world, removed.entity());
    });
    world.remove::<Stunned>(entity).unwrap();
    assert_eq!(world.resource::<Log>().0, [entity.to_string()]);
}

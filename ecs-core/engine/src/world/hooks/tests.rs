use alloc::string::String;
use alloc::vec::Vec;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::{DeferredWorld, Hooks};
use crate::component::{Component, StorageKind, Untracked};
use crate::entity::Entity;
use crate::meta::ConstTypeIdOf;
use crate::test_components::{DropName, Stunned};
use crate::world::{CommandQueue, Despawn, Insert, Remove, Spawn, World};

/// The names of the hooks, in the order of their calls.
#[derive(Default)]
struct Log(Vec<&'static str>);

/// A component whose hooks write into the log; `P` is the number of the hook that panics.
struct Logged<const SPARSE: bool, const P: u8>(#[expect(dead_code, reason = "counted")] Arc<()>);

impl<const SPARSE: bool, const P: u8> Component for Logged<SPARSE, P> {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::generic(concat!(module_path!(), "Logged"), "Logged");
    const STORAGE: StorageKind = if SPARSE {
        StorageKind::Sparse
    } else {
        StorageKind::Table
    };
    type Tracking = Untracked;
    const HOOKS: Hooks = Hooks::NONE
        .on_add(|world, entity| Self::log_call::<1>(&world, entity, "add"))
        .on_insert(|world, entity| Self::log_call::<2>(&world, entity, "insert"))
        .on_replace(|world, entity| Self::log_call::<3>(&world, entity, "replace"))
        .on_remove(|world, entity| Self::log_call::<4>(&world, entity, "remove"))
        .on_despawn(|world, entity| Self::log_call::<5>(&world, entity, "despawn"));
}

impl<const SPARSE: bool, const P: u8> Logged<SPARSE, P> {
    fn log_call<const N: u8>(world: &World, entity: Entity, name: &'static str) {
        assert!(world.has::<Self>(entity), "the value is present");
        world.resource_mut::<Log>().0.push(name);
        assert_ne!(N, P, "armed");
    }
}

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world
}

fn log(world: &World) -> Vec<&'static str> {
    std::mem::take(&mut world.resource_mut::<Log>().0)
}

/// Returns true if `f` panics.
fn panics(f: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}

fn calls_of_all_changes<const SPARSE: bool>() {
    let (mut world, value) = (world(), Arc::new(()));
    let new = || Logged::<SPARSE, 0>(value.clone());
    let entity = world.spawn((Stunned(1), new()));
    assert_eq!(log(&world), ["add", "insert"]);
    world.insert(entity, new()).unwrap();
    assert_eq!(log(&world), ["replace", "insert"]);
    drop(world.replace(entity, new()));
    assert_eq!(log(&world), ["replace", "insert"]);
    world.remove::<Logged<SPARSE, 0>>(entity).unwrap();
    assert_eq!(log(&world), ["remove"]);
    world.remove::<Logged<SPARSE, 0>>(entity).unwrap();
    assert!(log(&world).is_empty());
    drop(world.replace(entity, new()));
    assert_eq!(log(&world), ["add", "insert"]);
    drop(world.take::<(Stunned, Logged<SPARSE, 0>)>(entity).unwrap());
    assert_eq!(log(&world), ["remove"]);
    world.insert(entity, new()).unwrap();
    world.despawn(entity).unwrap();
    assert_eq!(log(&world), ["add", "insert", "despawn", "remove"]);
    world.spawn_batch([new(), new()]);
    assert_eq!(log(&world), ["add", "insert", "add", "insert"]);
    world.clear();
    assert_eq!(log(&world), ["despawn", "remove", "despawn", "remove"]);
    assert_eq!(Arc::strong_count(&value), 1, "each value was dropped");
}

#[test]
fn each_change_calls_the_hooks_of_table_components() {
    calls_of_all_changes::<false>();
}

#[test]
fn each_change_calls_the_hooks_of_sparse_components() {
    calls_of_all_changes::<true>();
}

#[test]
fn a_dropped_world_calls_no_hooks() {
    let (mut world, value) = (world(), Arc::new(()));
    world.spawn((
        Logged::<false, 4>(value.clone()),
        Logged::<true, 4>(value.clone()),
    ));
    drop(world);
    assert_eq!(Arc::strong_count(&value), 1);
}

fn panics_before<const SPARSE: bool>() {
    let (mut world, value) = (world(), Arc::new(()));
    let removes = || Logged::<SPARSE, 4>(value.clone());
    let entity = world.spawn((removes(), DropName::new("kept")));
    assert!(panics(|| {
        let _ = world.remove::<(DropName, Logged<SPARSE, 4>)>(entity);
    }));
    assert!(panics(|| {
        let _ = world.take::<(DropName, Logged<SPARSE, 4>)>(entity);
    }));
    assert!(panics(|| {
        let _ = world.despawn(entity);
    }));
    assert!(panics(|| world.clear()));
    assert_eq!(world.get::<DropName>(entity).unwrap().0, "kept");
    assert!(
        world.has::<Logged<SPARSE, 4>>(entity),
        "nothing has changed"
    );
    assert_eq!(Arc::strong_count(&value), 2);

    let replaces = || (Logged::<SPARSE, 3>(value.clone()), DropName::new("other"));
    world.insert(entity, replaces().0).unwrap();
    assert!(panics(|| {
        let _ = world.insert(entity, replaces());
    }));
    assert!(panics(|| {
        let _ = world.replace(entity, replaces().0);
    }));
    assert_eq!(world.get::<DropName>(entity).unwrap().0, "kept");
    assert_eq!(Arc::strong_count(&value), 3, "the new values are dropped");
    drop(world);
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn a_panic_before_a_change_cancels_it() {
    panics_before::<false>();
    panics_before::<true>();
}

fn panics_after<const SPARSE: bool>() {
    let (mut world, value) = (world(), Arc::new(()));
    let inserted = || (Logged::<SPARSE, 2>(value.clone()), DropName::new("new"));
    let entity = world.spawn(DropName::new("old"));
    for _ in 0..2 {
        assert!(panics(|| {
            let _ = world.insert(entity, inserted());
        }));
        assert_eq!(world.get::<DropName>(entity).unwrap().0, "new");
        assert_eq!(Arc::strong_count(&value), 2, "replaced values are dropped");
    }
    assert!(panics(|| {
        world.spawn_batch([inserted(), inserted()]);
    }));
    assert_eq!(world.len(), 2, "the second entity was not spawned");
    drop(world);
    assert_eq!(Arc::strong_count(&value), 1);
}

#[test]
fn a_panic_after_a_change_leaves_it_made() {
    panics_after::<false>();
    panics_after::<true>();
}

/// A component whose hooks queue the command in the resource [`Reaction`].
struct Reacts;

/// The command; the flag makes the hook panic after it.
struct Reaction(fn(&mut World, Entity), bool);

impl Component for Reacts {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact(concat!(module_path!(), "Reacts"), "Reacts");
    type Tracking = Untracked;
    const HOOKS: Hooks = Hooks::NONE
        .on_insert(Self::react)
        .on_replace(Self::react)
        .on_remove(Self::react);
}

impl Reacts {
    fn react(mut world: DeferredWorld<'_>, entity: Entity) {
        let Reaction(react, panics) = *world.resource::<Reaction>();
        world
            .queue()
            .0
            .push(move |world: &mut World| react(world, entity));
        assert!(!panics, "after queueing");
    }
}

fn reacting(reaction: fn(&mut World, Entity), panics: bool) -> World {
    let mut world = world();
    world.insert_resource(Reaction(reaction, panics));
    world
}

fn despawn(world: &mut World, entity: Entity) {
    let _ = world.despawn(entity);
}

#[test]
fn a_hook_may_despawn_the_entity_that_is_being_spawned() {
    let mut world = reacting(despawn, false);
    let entity = world.spawn((Reacts, DropName::new("short")));
    assert!(!world.contains(entity));
    let ids = world.spawn_batch([Reacts, Reacts, Reacts]).to_vec();
    assert_eq!(ids.len(), 3);
    assert!(world.is_empty());
}

#[test]
fn a_hook_may_despawn_the_entity_that_loses_the_component() {
    let mut world = reacting(|_, _| (), false);
    let entity = world.spawn(Reacts);
    world.insert_resource(Reaction(despawn, false));
    world.remove::<Reacts>(entity).unwrap();
    assert!(!world.contains(entity));
}

#[test]
fn a_hook_may_insert_a_removed_component_again() {
    let mut world = reacting(|_, _| (), false);
    let entity = world.spawn(Reacts);
    let again = |world: &mut World, entity| {
        world.insert_resource(Reaction(|_, _| (), false));
        let _ = world.insert(entity, Reacts);
    };
    world.insert_resource(Reaction(again, false));
    world.remove::<Reacts>(entity).unwrap();
    assert!(world.has::<Reacts>(entity));
}

#[test]
#[cfg_attr(miri, ignore = "the chain is too long for Miri")]
fn an_endless_chain_of_hooks_panics_with_the_component_name() {
    let again = |world: &mut World, entity| {
        let _ = world.insert(entity, Reacts);
    };
    let mut world = reacting(|_, _| (), false);
    let entity = world.spawn(Reacts);
    world.insert_resource(Reaction(again, false));
    let panic = catch_unwind(AssertUnwindSafe(|| {
        let _ = world.remove::<Reacts>(entity);
    }));
    let message = *panic.unwrap_err().downcast::<String>().unwrap();
    assert!(
        message.contains("65536 commands queued one another"),
        "{message}"
    );
    assert!(message.contains("`Reacts`"), "{message}");
    world.insert_resource(Reaction(|_, _| (), false));
    world.insert(entity, Reacts).unwrap();
    assert!(world.has::<Reacts>(entity), "the world is usable");
}

#[test]
fn older_pending_commands_stay_pending() {
    let mut world = reacting(
        |world, _| world.resource_mut::<Log>().0.push("queued"),
        false,
    );
    let mut queue = CommandQueue::new();
    queue.push(|world: &mut World| world.resource_mut::<Log>().0.push("older"));
    world.defer(&mut queue);
    world.spawn(Reacts);
    assert_eq!(log(&world), ["queued"]);
    world.flush();
    assert_eq!(log(&world), ["older"]);
}

#[test]
fn commands_that_hooks_queue_inside_a_command_run_after_it() {
    let mut world = reacting(
        |world, _| world.resource_mut::<Log>().0.push("queued"),
        false,
    );
    let mut queue = CommandQueue::new();
    queue.push(|world: &mut World| {
        world.spawn(Reacts);
        world.resource_mut::<Log>().0.push("command");
    });
    queue.push(|world: &mut World| world.resource_mut::<Log>().0.push("next"));
    queue.apply(&mut world);
    assert_eq!(log(&world), ["command", "queued", "next"]);
}

#[test]
fn a_panicking_hook_drops_the_commands_that_were_queued() {
    let mut world = reacting(
        |world, _| world.resource_mut::<Log>().0.push("queued"),
        true,
    );
    let mut queue = CommandQueue::new();
    queue.push(|world: &mut World| world.resource_mut::<Log>().0.push("older"));
    world.defer(&mut queue);
    assert!(panics(|| {
        world.spawn(Reacts);
    }));
    world.flush();
    assert_eq!(log(&world), ["older"]);
    assert_eq!(world.len(), 1);
}

/// A component that needs no drop, so adjacent commands for it could be applied together.
#[derive(Clone, Copy)]
struct Light;

impl Component for Light {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact(concat!(module_path!(), "Light"), "Light");
    type Tracking = Untracked;
    const HOOKS: Hooks = Hooks::NONE
        .on_add(|world, _| world.resource_mut::<Log>().0.push("add"))
        .on_replace(|world, _| world.resource_mut::<Log>().0.push("replace"))
        .on_remove(|world, _| world.resource_mut::<Log>().0.push("remove"));
}

#[test]
fn neighbouring_commands_call_the_hooks_of_each_entity() {
    let mut world = world();
    let ids = [world.reserve_entity(), world.reserve_entity()];
    let mut apply = |push: fn(&mut CommandQueue, Entity)| {
        let mut queue = CommandQueue::new();
        ids.iter().for_each(|&entity| push(&mut queue, entity));
        queue.apply(&mut world);
        log(&world)
    };
    let spawn = apply(|queue, entity| {
        queue.push(Spawn {
            entity,
            bundle: Light,
        });
    });
    assert_eq!(spawn, ["add", "add"]);
    let replace = apply(|queue, entity| {
        queue.push(Insert {
            entity,
            bundle: Light,
        });
    });
    assert_eq!(replace, ["replace", "replace"]);
    let remove = apply(|queue, entity| {
        queue.push(Remove::<Light>::new(entity));
    });
    assert_eq!(remove, ["remove", "remove"]);
    let insert = apply(|queue, entity| {
        queue.push(Insert {
            entity,
            bundle: Light,
        });
    });
    assert_eq!(insert, ["add", "add"]);
    let despawn = apply(|queue, entity| {
        queue.push(Despawn { entity });
    });
    assert_eq!(despawn, ["remove", "remove"]);
}

use alloc::vec::Vec;
use std::sync::Arc;

use super::{CommandQueue, Commands};
use crate::system::{HeldBorrows, SystemParam};
use crate::test_components::{DropName, Position, Stunned, Velocity};
use crate::world::World;

/// Records commands with `record` and applies them.
fn command<R>(world: &mut World, record: impl FnOnce(Commands<'_>) -> R) -> R {
    let mut queue = CommandQueue::new();
    let result = record(Commands::new(&mut queue, world.entities()));
    queue.apply(world);
    result
}

#[test]
fn a_spawned_entity_has_its_components_when_the_command_was_applied() {
    let mut world = World::new();
    let mut queue = CommandQueue::new();
    let mut commands = Commands::new(&mut queue, world.entities());
    let entity = commands.spawn((Position([1.0; 3]), Stunned(3))).id();
    let empty = commands.spawn_empty().id();
    assert_ne!(entity, empty);
    assert!(world.contains(entity) && !world.has::<Position>(entity));
    queue.apply(&mut world);
    assert_eq!(world.get::<Position>(entity).unwrap().0, [1.0; 3]);
    assert_eq!(world.get::<Stunned>(entity).unwrap().0, 3);
    assert!(world.contains(empty));
    assert_eq!(world.len(), 2);
}

#[test]
fn ids_of_commands_and_of_the_world_do_not_collide() {
    let mut world = World::new();
    let mut queue = CommandQueue::new();
    let first = Commands::new(&mut queue, world.entities())
        .spawn(DropName::new("first"))
        .id();
    let second = world.spawn(DropName::new("second"));
    let third = Commands::new(&mut queue, world.entities())
        .spawn(DropName::new("third"))
        .id();
    queue.apply(&mut world);
    for (entity, name) in [(first, "first"), (second, "second"), (third, "third")] {
        assert_eq!(world.get::<DropName>(entity).unwrap().0, name);
    }
}

#[test]
fn commands_are_applied_in_order() {
    let mut world = World::new();
    let old = world.spawn((Position::default(), Velocity::default()));
    let (new, gone) = command(&mut world, |mut commands| {
        let new = commands
            .spawn(DropName::new("a"))
            .insert(DropName::new("b"))
            .id();
        commands.insert(new, Position([2.0; 3]));
        commands.entity(old).remove::<Position>().insert(Stunned(1));
        commands.remove::<Velocity>(old);
        let gone = commands.spawn(Stunned(2)).id();
        commands.despawn(gone);
        (new, gone)
    });
    assert_eq!(world.get::<DropName>(new).unwrap().0, "b");
    assert_eq!(world.get::<Position>(new).unwrap().0, [2.0; 3]);
    assert!(!world.has::<Position>(old) && !world.has::<Velocity>(old));
    assert!(world.has::<Stunned>(old));
    assert!(!world.contains(gone));
    assert_eq!(world.len(), 2);
}

#[test]
fn commands_for_a_despawned_entity_do_nothing_and_drop_their_values() {
    let mut world = World::new();
    let entity = world.spawn(DropName::new("mortal"));
    let token = Arc::new(());
    struct Carries(#[expect(dead_code, reason = "held")] Arc<()>);
    impl crate::Component for Carries {
        type Tracking = crate::component::Untracked;
        const IDENTITY: crate::meta::ConstTypeIdOf<Self> = crate::meta::ConstTypeIdOf::opaque();
    }
    command(&mut world, |mut commands| {
        commands.despawn(entity);
        commands.despawn(entity);
        commands.insert(entity, Carries(token.clone()));
        commands.entity(entity).remove::<DropName>().despawn();
        let short_lived = commands.spawn_empty().id();
        commands.queue(move |world: &mut World| world.despawn(short_lived).unwrap());
        commands.entity(short_lived).insert(Carries(token.clone()));
    });
    assert!(world.is_empty());
    assert_eq!(Arc::strong_count(&token), 1);
}

#[test]
fn an_entity_despawned_before_its_spawn_was_applied_stays_despawned() {
    let mut world = World::new();
    let mut queue = CommandQueue::new();
    let entity = Commands::new(&mut queue, world.entities())
        .spawn(DropName::new("never"))
        .id();
    world.despawn(entity).unwrap();
    queue.apply(&mut world);
    assert!(!world.contains(entity) && world.is_empty());
}

#[test]
fn batches_resources_and_functions_are_deferred() {
    let mut world = World::new();
    world.insert_resource(1_u8);
    let mut queue = CommandQueue::new();
    let mut commands = Commands::new(&mut queue, world.entities());
    commands.spawn_batch((0..10).map(|n| Position([n as f32; 3])));
    commands.insert_resource(2_u16);
    commands.remove_resource::<u8>();
    commands.remove_resource::<u64>();
    commands.queue(|world: &mut World| {
        let entities = world.len();
        world.insert_resource(entities);
    });
    assert_eq!(
        format!("{commands:?}"),
        "Commands(CommandQueue { len: 5, .. })"
    );
    assert!(world.is_empty() && world.contains_resource::<u8>());
    queue.apply(&mut world);
    assert_eq!((world.len(), *world.resource::<usize>()), (10, 10));
    assert_eq!(*world.resource::<u16>(), 2);
    assert!(!world.contains_resource::<u8>());
}

#[test]
fn many_spawns_go_to_one_table_in_order() {
    let mut world = World::new();
    let count = if cfg!(miri) { 50 } else { 10_000 };
    let ids = command(&mut world, |mut commands| {
        Vec::from_iter((0..count).map(|n| commands.spawn(Position([n as f32; 3])).id()))
    });
    let positions = world.view::<Position>();
    let found = Vec::from_iter(positions.iter().map(|p| p.0[0]));
    assert_eq!(found, Vec::from_iter((0..count).map(|n| n as f32)));
    assert_eq!(
        positions.get(ids[count - 1]).unwrap().0[0],
        (count - 1) as f32
    );
}

#[test]
fn a_parameter_keeps_its_queue_in_the_state_until_flushed() {
    let mut world = World::new();
    let mut state = <Commands<'_>>::init(&world);
    let mut queue = CommandQueue::new();
    let mut guard = <Commands<'_>>::lock(&mut state, &world, &HeldBorrows::NONE).unwrap();
    let first = <Commands<'_>>::item(&mut guard).spawn(Stunned(1)).id();
    let second = <Commands<'_>>::item(&mut guard).spawn(Stunned(2)).id();
    <Commands<'_>>::flush(&mut state, &mut queue);
    assert_eq!((state.len(), queue.len()), (0, 2));
    queue.apply(&mut world);
    assert_eq!(world.get::<Stunned>(first).unwrap().0, 1);
    assert_eq!(world.get::<Stunned>(second).unwrap().0, 2);
}

//! An ECS for people who like short programs (Nim, 2020): entity handles with fluent building, on our engine.

use ecs_core::prelude::*;

#[derive(Component, Clone, Debug, PartialEq)]
struct Position {
    x: f32,
    y: f32,
}

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Velocity(f32, f32);

#[derive(Component, Clone, Debug, PartialEq)]
struct Name(&'static str);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Selected;

const HERE: Position = Position { x: 1.0, y: 2.0 };

#[test]
fn the_program_of_the_write_up_is_short() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new();
    let bob = world.spawn_empty();
    world.entity_mut(bob)?.insert(HERE).insert(Name("Bob"));
    let name = world.entity(bob)?.get::<Name>().map(|name| name.0);
    assert_eq!(name, Some("Bob"));
    world.entity_mut(bob)?.despawn();
    assert!(world.entity(bob).is_err());
    Ok(())
}

#[test]
fn insert_adds_one_after_the_other_and_replaces() {
    let mut world = World::new();
    let entity = world.spawn(Name("unnamed"));
    let mut handle = world.entity_mut(entity).unwrap();
    handle
        .insert(HERE)
        .insert((Velocity(1.0, 0.0), Selected))
        .insert(Name("Bob"));
    assert!(handle.has::<(Position, Velocity, Name, Selected)>());
    assert_eq!(*handle.get::<Name>().unwrap(), Name("Bob"));
}

#[test]
fn one_component_is_read_and_written_through_the_handle() {
    let mut world = World::new();
    let bob = world.spawn((HERE, Name("Bob")));
    world
        .entity_mut(bob)
        .unwrap()
        .get_mut::<Position>()
        .unwrap()
        .x += 1.0;
    assert_eq!(world.entity(bob).unwrap().get::<Position>().unwrap().x, 2.0);
    assert!(world.entity(bob).unwrap().get::<Velocity>().is_none());
}

#[test]
fn several_components_are_read_at_once_as_a_tuple() {
    let mut world = World::new();
    let bob = world.spawn((HERE, Name("Bob"), Velocity(3.0, 4.0)));
    let query = world.query::<(&Position, &Name, Option<&Selected>)>();
    let (position, name, selected) = query.get(bob).unwrap();
    assert_eq!((position, name, selected), (&HERE, &Name("Bob"), None));
    drop(query);
    // Any mix of references, also mutable ones.
    let mut query = world.query::<(&mut Position, &Velocity)>();
    let (position, velocity) = query.get_mut(bob).unwrap();
    position.x += velocity.0;
    drop(query);
    assert_eq!(world.get::<Position>(bob).unwrap().x, 4.0);
}

#[test]
fn has_all_of_these() {
    let mut world = World::new();
    let bob = world.spawn((HERE, Name("Bob"), Selected));
    let bob = world.entity(bob).unwrap();
    assert!(bob.has::<Name>() && bob.has::<(Name, Selected)>() && bob.has::<()>());
    assert!(!bob.has::<(Name, Velocity)>() && !bob.has::<(Velocity, Name)>());
}

#[test]
fn values_are_visited_with_or_without_their_entity() {
    let mut world = World::new();
    let ids = ["Ann", "Bob", "Eve"].map(|name| world.spawn(Name(name)));
    world.spawn(HERE);
    let names = world.view::<Name>();
    let alone: Vec<&str> = names.iter().map(|name| name.0).collect();
    assert_eq!(alone, ["Ann", "Bob", "Eve"]);
    let paired: Vec<(Entity, &str)> = names
        .with_entity()
        .iter()
        .map(|(id, name)| (id, name.0))
        .collect();
    assert_eq!(paired, [(ids[0], "Ann"), (ids[1], "Bob"), (ids[2], "Eve")]);
}

#[test]
fn a_handle_finds_out_that_its_entity_is_gone() {
    let mut world = World::new();
    let bob = world.spawn(Name("Bob"));
    assert!(world.contains(bob));
    world.despawn(bob).unwrap();
    assert!(!world.contains(bob));
    let other = world.spawn(Name("Ann"));
    assert_eq!(other.index(), bob.index(), "the slot is used again");
    assert!(
        world.get::<Name>(bob).is_none(),
        "the old id does not find the new entity"
    );
    let message = world.entity_mut(bob).err().expect("it is gone").to_string();
    assert!(message.contains(&bob.to_string()), "{message}");
}

#[test]
fn a_handle_reaches_its_world() {
    let mut world = World::new();
    world.insert_resource(7_u32);
    let bob = world.spawn(Name("Bob"));
    let handle = world.entity(bob).unwrap();
    assert_eq!(*handle.world().resource::<u32>(), 7);
    let handle = world.entity_mut(bob).unwrap();
    let ann = handle.into_world().spawn(Name("Ann"));
    // The bare id is `Copy`.
    let copies = [ann; 3];
    assert!(copies.iter().all(|&id| world.contains(id)));
    assert_eq!(size_of::<Option<Entity>>(), 8);
}

#[test]
fn slots_freed_by_deletion_are_used_again_and_values_stay_dense() {
    let mut world = World::new();
    let ids: Vec<Entity> = world
        .spawn_batch((0..100).map(|n| Velocity(n as f32, 0.0)))
        .to_vec();
    for id in ids.iter().step_by(2) {
        world.despawn(*id).unwrap();
    }
    let velocity = world.view::<Velocity>();
    assert_eq!(
        velocity.chunks().map(<[Velocity]>::len).collect::<Vec<_>>(),
        [50]
    );
    drop(velocity);
    let indices: Vec<u32> = (0..50).map(|_| world.spawn(Name("new")).index()).collect();
    assert!(indices.into_iter().eq((0..100).step_by(2)));
}

#[test]
fn deleting_an_entity_removes_it_from_every_component() {
    let mut world = World::new();
    let bob = world.spawn((HERE, Name("Bob"), Velocity(0.0, 0.0), Selected));
    let ann = world.spawn((Name("Ann"), Selected));
    world.entity_mut(bob).unwrap().despawn();
    assert_eq!(world.view::<Position>().len(), 0);
    assert_eq!(world.view::<Velocity>().len(), 0);
    assert_eq!(world.view::<Name>().entities().collect::<Vec<_>>(), [ann]);
    assert_eq!(world.view::<Selected>().as_entities(), [ann]);
}

#[test]
fn tuples_are_large_enough_for_everyday_use() {
    #[derive(Component, Clone, Debug, PartialEq)]
    struct N<const I: u32>(u32);

    macro_rules! n {
        ($($i:literal)*) => { ($(N::<$i>($i),)*) };
    }
    let mut world = World::new();
    let entity = world.spawn(n!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15));
    world.insert(entity, n!(16 17 18 19 20)).unwrap();
    // More than sixteen by nesting.
    let query = world.query::<(
        (
            &N<0>,
            &N<1>,
            &N<2>,
            &N<3>,
            &N<4>,
            &N<5>,
            &N<6>,
            &N<7>,
            &N<8>,
            &N<9>,
        ),
        (
            &N<10>,
            &N<11>,
            &N<12>,
            &N<13>,
            &N<14>,
            &N<15>,
            &N<16>,
            &N<17>,
            &N<18>,
            &N<19>,
        ),
        &N<20>,
    )>();
    let (low, high, last) = query.get(entity).unwrap();
    assert_eq!((low.9.0, high.9.0, last.0), (9, 19, 20));
}

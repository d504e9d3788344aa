//! An ECS for people who like short programs (Nim, 2020): entity handles with fluent building, on our engine.

use ecs_core::prelude::*;
use ecs_core::world::GetError;

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

/// The write-up's `getAll`: several components of a handle, each with its own mode.
#[test]
fn a_handle_hands_out_several_components_at_once() {
    let mut world = World::new();
    let bob = world.spawn((HERE, Name("Bob"), Velocity(3.0, 4.0)));
    let handle = world.entity(bob).unwrap();
    let (position, name, selected, (id, velocity)) = handle
        .get::<(&Position, &Name, Option<&Selected>, (Entity, &Velocity))>()
        .unwrap();
    assert_eq!(
        (&*position, &*name, *velocity),
        (&HERE, &Name("Bob"), Velocity(3.0, 4.0))
    );
    assert!(selected.is_none() && id == bob);
    // The values are borrowed only as long as they are held.
    assert!(world.try_view_mut::<Name>().is_err());
    drop((position, name, selected, velocity));
    assert!(world.try_view_mut::<Name>().is_ok());

    let mut handle = world.entity_mut(bob).unwrap();
    let (position, velocity, selected) = handle
        .get_mut::<(&mut Position, &Velocity, Option<&mut Selected>)>()
        .unwrap();
    position.x += velocity.0;
    assert!(selected.is_none());
    assert_eq!(handle.get::<(&Position,)>().unwrap().0.x, 4.0);
    assert_eq!(
        handle
            .insert(Selected)
            .get_mut::<(Entity, &Selected)>()
            .unwrap()
            .0,
        bob
    );
}

#[test]
fn the_error_of_a_handle_names_what_is_missing() {
    let mut world = World::new();
    let bob = world.spawn((HERE, Name("Bob")));
    let missing = |error: GetError| match error {
        GetError::Missing { entity, component } => (entity == bob).then_some(component),
        _ => None,
    };
    {
        let handle = world.entity(bob).unwrap();
        let error = handle
            .try_get::<(&Name, &Velocity, &Selected)>()
            .unwrap_err();
        assert_eq!(missing(error), Some("articles::fluent_entities::Velocity"));
        assert_eq!(
            missing(handle.try_get::<Selected>().unwrap_err()),
            Some("articles::fluent_entities::Selected")
        );
        assert!(handle.get::<(&Name, &Velocity)>().is_none());
        let writer = world.view_mut::<Name>();
        let error = handle.try_get::<(&Position, Option<&Name>)>().unwrap_err();
        assert!(matches!(error, GetError::Borrow(ref error) if error.component.ends_with("Name")));
        drop(writer);
        assert!(world.try_view_mut::<Position>().is_ok());
    }
    let mut handle = world.entity_mut(bob).unwrap();
    let error = handle
        .try_get_mut::<(&mut Name, (&Position, &mut Velocity))>()
        .unwrap_err();
    assert_eq!(missing(error), Some("articles::fluent_entities::Velocity"));
    assert_eq!(
        error.to_string(),
        format!(
            "entity {bob} has no component `articles::fluent_entities::Velocity`; help: write `Option<&_>` if it may be missing"
        )
    );
    assert!(handle.get_mut::<(&mut Name, &mut Velocity)>().is_none());
    assert_eq!(
        missing(handle.try_get_mut::<Velocity>().unwrap_err()),
        Some("articles::fluent_entities::Velocity")
    );
    assert!(handle.get_mut::<Velocity>().is_none());
}

/// Constants cannot tell two instances of one generic component, `Tag<u8>` and `Tag<u16>`; the world can.
#[test]
fn a_handle_does_not_alias_instances_of_a_generic_component() {
    #[derive(Component)]
    struct Tag<T>(T);

    let mut world = World::new();
    let bob = world.spawn((Tag(1_u8), Tag(2_u16)));
    let mut handle = world.entity_mut(bob).unwrap();
    let (small, large) = handle.get_mut::<(&mut Tag<u8>, &mut Tag<u16>)>().unwrap();
    (small.0, large.0) = (5, u16::from(small.0));
    let values = handle.get::<(&Tag<u8>, &Tag<u16>)>();
    assert!(values.is_some_and(|(small, large)| (small.0, large.0) == (5, 1)));
    let error = handle
        .try_get_mut::<(&mut Tag<u8>, &Tag<u8>)>()
        .err()
        .unwrap();
    assert!(matches!(error, GetError::Borrow(_)), "{error}");
    assert!(handle.try_get_mut::<(&Tag<u8>, &Tag<u8>)>().is_ok());
}

#[test]
fn changes_through_a_tuple_of_a_handle_are_tracked() {
    #[derive(Component)]
    #[component(track)]
    struct Health(u8);

    let mut world = World::new();
    let bob = world.spawn((Health(3), Name("Bob")));
    let tick = world.tick();
    let mut handle = world.entity_mut(bob).unwrap();
    let (health, _) = handle.get_mut::<(&mut Health, &Name)>().unwrap();
    assert_eq!(health.0, 3);
    assert!(!world.view::<Health>().since(tick).is_changed(bob));
    let mut handle = world.entity_mut(bob).unwrap();
    handle.get_mut::<(&mut Health, &Name)>().unwrap().0.0 = 2;
    assert!(world.view::<Health>().since(tick).is_changed(bob));
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
    let message = world.entity_mut(bob).expect_err("it is gone").to_string();
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

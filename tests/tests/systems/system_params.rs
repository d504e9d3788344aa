//! Systems with parameters that borrow components.

use ecs_core::meta::{Kind, ParamAccess, QueryAccess};
use ecs_core::prelude::*;
use ecs_core::system::SystemInfo;

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Position(f32);

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Velocity(f32);

#[derive(Component)]
#[component(storage = "sparse")]
struct Frozen;

#[derive(Resource)]
struct Time {
    dt: f32,
}

#[derive(Bundle)]
struct Body {
    position: Position,
    velocity: Velocity,
}

fn body(position: f32, velocity: f32) -> Body {
    Body {
        position: Position(position),
        velocity: Velocity(velocity),
    }
}

fn world() -> (World, [Entity; 3]) {
    let mut world = World::new();
    world.insert_resource(Time { dt: 0.5 });
    let entities = [
        world.spawn(body(1.0, 2.0)),
        world.spawn((body(10.0, 20.0), Frozen)),
        world.spawn(Position(100.0)),
    ];
    (world, entities)
}

fn positions(world: &World) -> Vec<f32> {
    let mut positions: Vec<f32> = world.view::<Position>().iter().map(|p| p.0).collect();
    positions.sort_by(f32::total_cmp);
    positions
}

#[system]
fn movement(mut pos: CompMut<Position>, vel: Comp<Velocity>, time: Res<Time>) {
    for (p, v) in (&mut pos, &vel).iter() {
        p.0 += v.0 * time.dt;
    }
}

#[system]
fn thawed(mut bodies: Query<(&mut Position, &Velocity), Without<Frozen>>, time: Res<Time>) {
    for (p, v) in &mut bodies {
        p.0 += v.0 * time.dt;
    }
}

#[system]
fn reset<T: Component + Default>(mut all: CompMut<T>) -> usize {
    all.iter_mut()
        .map(|mut value| *value = T::default())
        .count()
}

impl Default for Position {
    fn default() -> Self {
        Self(-1.0)
    }
}

#[system]
fn living(entities: Entities, moving: Query<Entity, With<Velocity>>) -> (usize, usize) {
    (entities.len(), moving.count())
}

#[test]
fn views_are_joined() {
    let (mut world, _) = world();
    movement(&world);
    assert_eq!(positions(&world), [2.0, 20.0, 100.0]);
    world.run(movement);
    assert_eq!(positions(&world), [3.0, 30.0, 100.0]);
}

#[test]
fn queries_are_filtered() {
    let (world, _) = world();
    thawed(&world);
    assert_eq!(positions(&world), [2.0, 10.0, 100.0]);
}

#[test]
fn generic_systems_work_on_any_component() {
    let (world, _) = world();
    assert_eq!(reset::<Position>(&world), 3);
    assert_eq!(positions(&world), [-1.0; 3]);
}

#[test]
fn entities_are_a_parameter() {
    let (world, _) = world();
    assert_eq!(living(&world), (3, 2));
}

#[test]
fn access_is_listed_by_parameter() {
    let access: Vec<_> = movement
        .access()
        .map(|access| (access.kind, access.ident.name()))
        .collect();
    assert_eq!(
        access,
        [
            (Kind::Write, "systems::system_params::Position"),
            (Kind::Read, "systems::system_params::Velocity"),
            (Kind::Read, "systems::system_params::Time"),
        ]
    );
    let ParamAccess::Query { data, filter } = ecs_core::meta(&thawed).params[0].of.access else {
        panic!("a query's tree");
    };
    assert!(matches!(
        data,
        QueryAccess::All([QueryAccess::Write(_), QueryAccess::Read(_)])
    ));
    assert!(matches!(filter, QueryAccess::Without(_)));
    assert_eq!(thawed.access().count(), 3);
    assert_eq!(
        reset::<Position>.access().next().unwrap().ident.name(),
        "systems::system_params::Position"
    );
}

#[test]
fn a_component_borrowed_elsewhere_is_named_with_system_and_parameter() {
    let (world, _) = world();
    let view = world.view::<Position>();
    let call = std::panic::AssertUnwindSafe(|| movement(&world));
    let caught = std::panic::catch_unwind(call).unwrap_err();
    let message = caught.downcast_ref::<String>().unwrap();
    assert!(
        message.starts_with(
            "system `systems::system_params::movement`, parameter `pos: CompMut<Position>`: "
        ),
        "{message}"
    );
    assert!(
        message.contains("systems::system_params::Position"),
        "{message}"
    );
    drop(view);
    movement(&world);
}

#[test]
fn borrows_end_when_the_body_panics() {
    #[system]
    fn fails(_pos: CompMut<Position>) {
        panic!("on purpose");
    }
    let (world, _) = world();
    let call = std::panic::AssertUnwindSafe(|| fails(&world));
    assert!(std::panic::catch_unwind(call).is_err());
    movement(&world);
}

#[test]
fn derived_bundles_are_stored_and_taken() {
    let (mut world, [moving, ..]) = world();
    assert_eq!(world.get::<Velocity>(moving).unwrap().0, 2.0);
    let Body { position, velocity } = world.take::<Body>(moving).unwrap();
    assert_eq!((position, velocity), (Position(1.0), Velocity(2.0)));
    assert!(!world.has::<Position>(moving));
}

#[system]
fn spawner(count: u32, (mut commands, _time): (Commands, Res<Time>)) {
    for _ in 0..count {
        commands.spawn(Position(0.0));
    }
}

#[system]
fn spawn_one(mut commands: Commands) -> Entity {
    commands.spawn(Position(0.0)).id()
}

#[test]
fn commands_of_a_direct_call_wait_for_the_flush() {
    let (mut world, _) = world();
    spawner(2, &world);
    assert_eq!(positions(&world).len(), 3);
    world.flush();
    assert_eq!(positions(&world).len(), 5);
}

#[test]
fn commands_of_a_run_are_applied_at_once() {
    let (mut world, _) = world();
    let spawned = world.run(spawn_one);
    assert_eq!(world.get::<Position>(spawned).unwrap().0, 0.0);
}

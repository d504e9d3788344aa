//! `#[system(for_each)]`: the macro writes the loop.

use ecs_core::meta::{ParamAccess, QueryAccess};
use ecs_core::prelude::*;
use ecs_core::system::SystemInfo;

#[derive(Component, Debug, PartialEq)]
struct Velocity(f32);

#[derive(Component)]
struct Mass(f32);

#[derive(Component)]
#[component(storage = "sparse")]
struct Frozen;

#[derive(Component)]
struct Player;

#[derive(Resource)]
struct Gravity(f32);

fn world() -> (World, [Entity; 4]) {
    let mut world = World::new();
    world.insert_resource(Gravity(10.0));
    world.insert_resource(0_u32);
    let entities = [
        world.spawn((Velocity(1.0), Mass(2.0))),
        world.spawn(Velocity(2.0)),
        world.spawn((Velocity(3.0), Frozen, Player)),
        world.spawn((Velocity(4.0), Player)),
    ];
    (world, entities)
}

fn velocities(world: &World, entities: [Entity; 4]) -> [f32; 4] {
    entities.map(|entity| world.get::<Velocity>(entity).unwrap().0)
}

#[system(for_each)]
fn gravity(vel: &mut Velocity, mass: Option<&Mass>, g: Res<Gravity>) {
    vel.0 += g.0 * mass.map_or(1.0, |mass| mass.0);
}

#[test]
fn the_function_is_called_for_each_entity_that_has_the_items() {
    let (mut world, entities) = world();
    gravity(&world);
    assert_eq!(velocities(&world, entities), [21.0, 12.0, 13.0, 14.0]);
    world.run(gravity);
    assert_eq!(velocities(&world, entities), [41.0, 22.0, 23.0, 24.0]);
}

#[system(for_each, with(Player), without(Frozen))]
fn stop(Velocity(value): &mut Velocity) {
    *value = 0.0;
}

#[test]
fn filters_choose_among_the_entities() {
    let (world, entities) = world();
    stop(&world);
    assert_eq!(velocities(&world, entities), [1.0, 2.0, 3.0, 0.0]);
}

#[system(for_each)]
fn accelerate(
    by: f32,
    entity: Entity,
    vel: &mut Velocity,
    mut visited: ResMut<u32>,
    mut order: Local<Vec<Entity>>,
) {
    vel.0 += by;
    *visited += 1;
    assert!(!order.contains(&entity));
    order.push(entity);
}

#[test]
fn arguments_come_first_and_other_parameters_stay_usable() {
    let (world, entities) = world();
    accelerate(0.5, &world);
    assert_eq!(velocities(&world, entities), [1.5, 2.5, 3.5, 4.5]);
    assert_eq!(*world.resource::<u32>(), 4);
}

#[system(for_each)]
fn check(vel: &Velocity, mut visited: ResMut<u32>) -> Result<(), String> {
    *visited += 1;
    if vel.0 > 1.5 {
        Err(format!("{} is too fast", vel.0))
    } else {
        Ok(())
    }
}

#[test]
fn an_error_ends_the_loop() {
    let (mut world, _) = world();
    assert_eq!(check(&world).unwrap_err(), "2 is too fast");
    assert_eq!(*world.resource::<u32>(), 2);
    stop(&world);
    let fast: Vec<Entity> = world
        .query::<(Entity, &Velocity)>()
        .iter()
        .map(|(entity, _)| entity)
        .collect();
    for entity in fast {
        world.despawn(entity).unwrap();
    }
    assert_eq!(check(&world), Ok(()));
}

#[system(for_each)]
fn scale<T: Component + AsMut<f32>, const N: u32>(value: &mut T) {
    *value.as_mut() *= N as f32;
}

impl AsMut<f32> for Velocity {
    fn as_mut(&mut self) -> &mut f32 {
        &mut self.0
    }
}

#[test]
fn the_items_may_be_generic() {
    let (world, entities) = world();
    scale::<Velocity, 3>(&world);
    assert_eq!(velocities(&world, entities), [3.0, 6.0, 9.0, 12.0]);
}

#[test]
fn the_function_as_written_takes_plain_values() {
    let mut velocity = Velocity(1.0);
    ecs_core::inner(&gravity)(&mut velocity, Some(&Mass(3.0)), Res::from(&Gravity(2.0)));
    assert_eq!(velocity, Velocity(7.0));
}

#[test]
fn the_items_are_one_query_in_the_metadata() {
    let params = ecs_core::meta(&gravity).params;
    assert_eq!(params.len(), 2);
    assert_eq!(
        (params[0].name, params[0].ty),
        ("vel, mass", "Query<(&mut Velocity, Option<&Mass>)>")
    );
    let [stopped] = ecs_core::meta(&stop).params else {
        panic!("one parameter");
    };
    assert_eq!(
        stopped.ty,
        "Query<&mut Velocity, (With<Player>, Without<Frozen>)>"
    );
    let ParamAccess::Query { filter, .. } = stopped.of.access else {
        panic!("a query's tree");
    };
    assert!(matches!(
        filter,
        QueryAccess::All([QueryAccess::With(_), QueryAccess::Without(_)])
    ));
    assert_eq!(gravity.access().count(), 3);
}

#[test]
fn a_loop_that_cannot_borrow_names_its_items() {
    let (world, _) = world();
    let _view = world.view_mut::<Mass>();
    let call = std::panic::AssertUnwindSafe(|| gravity(&world));
    let caught = std::panic::catch_unwind(call).unwrap_err();
    let message = caught.downcast_ref::<String>().unwrap();
    let expected = "system `systems::system_for_each::gravity`, parameter `vel, mass: Query<(&mut Velocity, Option<&Mass>)>`: ";
    assert!(message.starts_with(expected), "{message}");
}

#[derive(Component)]
#[component(track)]
struct Heat(f32);

#[system(for_each, without(Frozen))]
fn in_tuples(
    (velocity, (mass, player)): (&mut Velocity, (Option<&mut Mass>, Option<&Player>)),
    (heat, entity): (&mut Heat, Entity),
    gravity: Res<Gravity>,
) {
    velocity.0 += gravity.0;
    heat.0 += if player.is_some() { 1.0 } else { 2.0 };
    if let Some(mass) = mass {
        mass.0 += 1.0;
    }
    assert!(entity.index() < 2);
}

#[test]
fn items_can_be_in_tuples() {
    let (mut world, [first, second, ..]) = world();
    world.insert(first, Heat(0.0)).unwrap();
    world.insert(second, (Heat(0.0), Player)).unwrap();
    in_tuples(&world);
    let get = |entity| {
        let mass = world.get::<Mass>(entity).map(|mass| mass.0);
        let heat = world.get::<Heat>(entity).unwrap().0;
        (world.get::<Velocity>(entity).unwrap().0, mass, heat)
    };
    assert_eq!(get(first), (11.0, Some(3.0), 2.0));
    assert_eq!(get(second), (12.0, None, 1.0));
    let mut frame = Schedule::new();
    frame.add(in_tuples);
    frame.run(&mut world).unwrap();
    assert_eq!(world.get::<Velocity>(first).unwrap().0, 21.0);
}

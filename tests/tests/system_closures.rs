//! Closures as systems: `from_fn`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::schedule::{Configs, ScheduleError};

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Position(f32);

#[derive(Component)]
struct Frozen;

#[derive(Component)]
struct Tag<T>(T);

#[derive(Resource)]
struct Time(f32);

#[derive(Resource, Default)]
struct Log(String);

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Time(0.5));
    world.insert_resource(Log::default());
    world.spawn(Position(1.0));
    world
}

fn positions(world: &World) -> Vec<f32> {
    world.view::<Position>().iter().map(|p| p.0).collect()
}

#[system]
fn named(mut log: ResMut<Log>) {
    log.0.push('n');
}

#[system]
fn other() {}

#[system]
fn exclusive(world: &mut World) {
    world.resource_mut::<Log>().0.push('x');
}

#[test]
fn closures_and_functions_share_a_schedule() -> Result<(), ScheduleError> {
    let mut world = world();
    let mut frame = Schedule::new();
    frame.add((
        from_fn(|mut log: ResMut<Log>| log.0.push('c')).after(named),
        named,
        exclusive,
        (
            from_fn(|mut log: ResMut<Log>, _: Res<Time>| log.0.push('d')),
            other,
        ),
    ));
    frame.add(from_fn(|| {}));
    frame.run(&mut world)?;
    assert_eq!(world.resource::<Log>().0.len(), 4);
    assert!(world.resource::<Log>().0.find('n') < world.resource::<Log>().0.find('c'));
    Ok(())
}

#[test]
fn a_closure_keeps_what_it_captured_and_its_locals() -> Result<(), ScheduleError> {
    let mut world = world();
    let mut frame = Schedule::new();
    let (mut runs, text) = (0, String::from("-"));
    frame.add(from_fn(
        move |mut calls: Local<usize>, mut log: ResMut<Log>, mut commands: Commands| {
            runs += 1;
            *calls += runs;
            log.0.push_str(&text.repeat(*calls));
            commands.spawn(Position(9.0));
        },
    ));
    frame.run(&mut world)?;
    frame.run(&mut world)?;
    assert_eq!(world.resource::<Log>().0, "----");
    assert_eq!(positions(&world), [1.0, 9.0, 9.0]);
    Ok(())
}

#[test]
fn queries_and_tuples_are_parameters_of_closures() -> Result<(), ScheduleError> {
    let mut world = world();
    let mut frame = Schedule::new();
    frame.add(from_fn(
        |mut query: Query<&mut Position, Without<Frozen>>,
         (time, none): (Res<Time>, Option<Res<u8>>)| {
            query.for_each(|position| position.0 += time.0);
            assert!(none.is_none());
        },
    ));
    frame.run(&mut world)?;
    assert_eq!(positions(&world), [1.5]);
    Ok(())
}

#[test]
fn a_closure_that_returns_bool_is_a_condition() -> Result<(), ScheduleError> {
    let mut world = world();
    let mut frame = Schedule::new();
    let mut turn = 0;
    frame.add(named.run_if(from_fn(move |time: Res<Time>| {
        turn += 1;
        turn % 2 == 0 && time.0 > 0.0
    })));
    for _ in 0..5 {
        frame.run(&mut world)?;
    }
    assert_eq!(world.resource::<Log>().0, "nn");
    Ok(())
}

#[test]
fn the_error_of_a_closure_is_returned() {
    let mut world = world();
    let mut frame = Schedule::new();
    frame.add(from_fn(|_: Res<Time>| "two".parse::<u8>().map(drop)));
    let error = frame.run(&mut world).unwrap_err().to_string();
    assert!(error.contains("closure"), "{error}");
    assert!(error.contains("invalid digit"), "{error}");
}

#[test]
fn a_parameter_that_cannot_be_borrowed_is_named_by_its_type() {
    let mut world = World::new();
    let mut frame = Schedule::new();
    frame.add(from_fn(|_: Commands, _: Res<Time>| {}));
    let error = frame.run(&mut world).unwrap_err().to_string();
    assert!(
        error.contains("a_parameter_that_cannot_be_borrowed_is_named_by_its_type::{{closure}}"),
        "{error}"
    );
    assert!(
        error.contains("Res<'_, system_closures::Time>`: no resource"),
        "{error}"
    );
}

#[test]
fn instances_of_a_generic_component_are_distinguished_when_the_schedule_is_built() {
    let run = |system: Configs| {
        let mut frame = Schedule::new();
        frame.add(system);
        frame.run(&mut world()).unwrap();
    };
    let apart = from_fn(|_: CompMut<Tag<u8>>, _: Comp<Tag<u16>>| {});
    run(apart.into_configs());
    let same = from_fn(|_: CompMut<Tag<u8>>, _: Comp<Tag<u8>>| {}).into_configs();
    let panic = catch_unwind(AssertUnwindSafe(|| run(same))).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("conflicting parameters"), "{message}");
    assert!(message.contains("Tag<u8>"), "{message}");
}

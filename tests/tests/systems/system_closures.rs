//! Closures as systems, directly and by `from_fn`.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::not;
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
fn always() -> bool {
    true
}

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
        error.contains("Res<'_, systems::system_closures::Time>`: no resource"),
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

#[test]
fn a_closure_is_a_system_wherever_one_is_taken() -> Result<(), ScheduleError> {
    let mut world = world();
    let mut frame = Schedule::new();
    frame.add(|mut log: ResMut<Log>| log.0.push('a'));
    frame.add((
        named,
        (|mut log: ResMut<Log>| log.0.push('b')).before(named),
        (|mut log: ResMut<Log>| log.0.push('c')).run_if(
            |time: Res<Time>, all: Query<&Position>| time.0 > 0.0 && all.iter().count() == 1,
        ),
        (|mut log: ResMut<Log>| log.0.push('-')).run_if(not(|_: Comp<Position>| true)),
        exclusive.run_if(always.and(|time: Res<Time>| time.0 > 1.0)),
    ));
    frame.configure("late", |set| set.run_if(|time: Res<Time>| time.0 > 1.0));
    frame.add((|mut log: ResMut<Log>| log.0.push('-')).in_set("late"));
    frame.add(|mut time: ResMut<Time>| time.0 = 2.0);
    frame.run(&mut world)?;
    assert_eq!(world.resource::<Log>().0, "abnc");
    frame.run(&mut world)?;
    assert_eq!(world.resource::<Log>().0, "abncabncx-");
    Ok(())
}

#[test]
fn an_exclusive_closure_has_the_world() -> Result<(), ScheduleError> {
    let mut world = world();
    let mut frame = Schedule::new();
    let mut left = 2;
    frame.add(from_fn(move |world: &mut World| {
        left -= 1;
        world.spawn(Position(left as f32));
        (left > 0).then_some(()).ok_or("no more")
    }));
    frame.add(|positions: Comp<Position>, mut log: ResMut<Log>| {
        log.0.push_str(&positions.len().to_string());
    });
    frame.run(&mut world)?;
    assert_eq!(world.resource::<Log>().0, "2");
    let error = frame.run(&mut world).unwrap_err().to_string();
    assert!(error.contains("no more"), "{error}");
    assert!(
        error.contains("an_exclusive_closure_has_the_world"),
        "{error}"
    );
    assert_eq!(positions(&world), [1.0, 1.0, 0.0]);
    Ok(())
}

#[test]
fn the_world_runs_a_closure_and_returns_its_value() {
    let mut world = world();
    let mut seen = Vec::new();
    let entity = world.run(
        |mut positions: Query<&mut Position>, time: Res<Time>, mut commands: Commands| {
            positions.for_each(|position| position.0 += time.0);
            seen.extend(positions.iter().map(|position| position.0));
            commands.spawn(Position(7.0)).id()
        },
    );
    assert_eq!(seen, [1.5]);
    assert_eq!(world.get::<Position>(entity).unwrap().0, 7.0);
    assert_eq!(world.run(|| 3), 3);
}

#[test]
fn locals_of_a_closure_live_from_run_to_run_by_the_world() {
    let mut world = world();
    let count = |mut calls: Local<u32>| {
        *calls += 1;
        *calls
    };
    assert_eq!((world.run(count), world.run(count)), (1, 2));
    assert_eq!(world.run(count.into_value()), 1, "a value has its own");
    assert_eq!(world.run(count), 3);
    // Another closure with the same parameters has its own.
    let other = |mut calls: Local<u32>| {
        *calls += 10;
        *calls
    };
    assert_eq!(
        [world.run(other), world.run(count), world.run(other)],
        [10, 4, 20]
    );
    // It may borrow captured values, for different times.
    let mut sums = Vec::new();
    for by in [1, 2] {
        let add = &by;
        sums.push(world.run(counts_by(add)));
    }
    assert_eq!(sums, [1, 3]);
}

/// Returns a closure of one type, except for its lifetime.
fn counts_by<'a>(by: &'a u32) -> impl FnMut(Local<'_, u32>) -> u32 + use<'a> {
    move |mut calls: Local<u32>| {
        *calls += by;
        *calls
    }
}

#[test]
fn queries_that_filters_keep_disjoint_share_a_closure() {
    let mut world = world();
    world.spawn((Position(5.0), Frozen));
    world.run(
        |mut moving: Query<&mut Position, Without<Frozen>>,
         mut frozen: Query<&mut Position, With<Frozen>>| {
            frozen.for_each(|frozen| moving.for_each(|moving| moving.0 += frozen.0));
        },
    );
    assert_eq!(positions(&world), [6.0, 5.0]);
}

#[test]
fn a_parameter_of_a_closure_that_the_world_cannot_lock_panics_and_nothing_stays_borrowed() {
    let mut world = world();
    let run = |world: &mut World| world.run(|_: CompMut<Position>, _: Res<u8>| {});
    let panic = catch_unwind(AssertUnwindSafe(|| run(&mut world))).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("{{closure}}"), "{message}");
    assert!(message.contains("Res<'_, u8>`: no resource"), "{message}");
    world.insert_resource(1_u8);
    run(&mut world);
}

#[test]
fn conflicts_that_constants_cannot_decide_panic_before_the_world_runs_a_closure() {
    let mut world = world();
    let mut ran = false;
    let run = || world.run(|_: CompMut<Tag<u8>>, _: Comp<Tag<u8>>| ran = true);
    let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("conflicting parameters"), "{message}");
    assert!(!ran);
}

/// A plain function is like a closure: only its parameters identify it.
#[test]
fn plain_functions_of_parameters_are_systems_too() -> Result<(), ScheduleError> {
    fn plain(mut log: ResMut<Log>) {
        log.0.push('p');
    }
    let mut world = world();
    world.run(plain);
    let mut frame = Schedule::new();
    frame.add((named.after(plain), plain));
    frame.run(&mut world)?;
    assert_eq!(world.resource::<Log>().0, "ppn");
    Ok(())
}

#[test]
fn a_closure_that_is_run_once_a_frame_goes_on_where_it_was() {
    #[derive(Component)]
    #[component(track)]
    struct Hp(u32);
    let mut world = World::new();
    world.add_event::<u32>();
    let hero = world.spawn(Hp(0));
    let mut seen = Vec::new();
    for n in 0..3_u32 {
        world.send_event(n);
        world.get_mut::<Hp>(hero).unwrap().0 = n;
        let body = world.spawn(Hp(0));
        world.despawn(body).unwrap();
        // It borrows, so it has no `'static` type.
        world.run(
            |mut events: EventReader<u32>,
             changed: Query<&Hp, Changed<Hp>>,
             added: Query<&Hp, Added<Hp>>,
             mut gone: Removed<Hp>,
             mut runs: Local<u32>| {
                *runs += 1;
                let events: Vec<u32> = events.read().copied().collect();
                seen.push((
                    events,
                    changed.iter().count(),
                    added.iter().count(),
                    gone.read().count(),
                    *runs,
                ));
            },
        );
    }
    let expected = [
        (vec![0], 1, 1, 0, 1),
        (vec![1], 1, 0, 1, 2),
        (vec![2], 1, 0, 1, 3),
    ];
    assert_eq!(seen, expected);
    // Another closure, and another world, begin anew.
    assert_eq!(
        world.run(|mut events: EventReader<u32>| events.read().count()),
        1,
        "the last one, as the others were read by all"
    );
    let read = |world: &mut World| world.run(|mut events: EventReader<u32>| events.read().count());
    let mut other = World::new();
    other.send_event(1_u32);
    world.send_event(2_u32);
    assert_eq!(
        [read(&mut world), read(&mut world), read(&mut other)],
        [1, 0, 1]
    );
    // It starts anew after a panic.
    let mut calls = |panics: bool| {
        let run = || {
            world.run(|mut runs: Local<u32>| {
                *runs += 1;
                assert!(!panics);
                *runs
            })
        };
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).ok()
    };
    assert_eq!(
        [false, false, true, false].map(&mut calls),
        [Some(1), Some(2), None, Some(1)]
    );
}

#[test]
fn a_closure_that_is_run_ten_thousand_times_registers_one_reader() {
    let mut world = World::new();
    world.add_event::<u32>();
    for _ in 0..10_000 {
        world.run(|_: EventReader<u32>| {});
    }
    assert_eq!(world.resource::<ecs_core::Events<u32>>().readers(), 1);
}

//! Schedules as steps of others, several schedules of one world, and systems that run once.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::every;
use ecs_core::schedule::{PlanError, ScheduleError};

#[derive(Component)]
struct Unit;

/// Adds its number to the trace.
#[system]
fn log<const N: usize>(mut trace: ResMut<Vec<usize>>) {
    trace.push(N);
}

#[system]
fn fails<const N: usize>() -> Result<(), String> {
    Err(format!("no luck {N}"))
}

#[system]
fn spawn(mut commands: Commands) {
    commands.spawn(Unit);
}

#[system]
fn count(units: Comp<Unit>, mut trace: ResMut<Vec<usize>>) {
    trace.push(100 + units.len());
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Physics;

fn traced_world() -> World {
    let mut world = World::new();
    world.insert_resource(Vec::<usize>::new());
    world
}

fn take_trace(world: &World) -> Vec<usize> {
    std::mem::take(&mut *world.resource_mut::<Vec<usize>>())
}

fn schedule<M>(systems: impl IntoConfigs<M>) -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add(systems);
    schedule
}

#[test]
fn a_schedule_is_a_step_in_list_order() {
    let inner = schedule((log::<2>, log::<3>));
    let mut outer = schedule((log::<1>, inner, log::<4>));
    let mut world = traced_world();
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [1, 2, 3, 4]);
    assert_eq!(outer.len(), 3);
}

#[test]
fn a_step_has_constraints_and_conditions_like_a_system() {
    let mut outer = Schedule::new();
    outer.add((log::<1>.after(Physics), log::<2>));
    outer.add(
        schedule((log::<3>, log::<4>))
            .in_set(Physics)
            .after(log::<2>)
            .run_if(every(2)),
    );
    let mut world = traced_world();
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [2, 1]);
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [2, 3, 4, 1]);
}

#[test]
fn schedules_nest_deeply() {
    let mut all = schedule(log::<0>);
    for _ in 0..50 {
        all = schedule((log::<1>, all, log::<2>));
    }
    let mut world = traced_world();
    all.run(&mut world).unwrap();
    let mut expected = vec![1; 50];
    expected.push(0);
    expected.extend([2; 50]);
    assert_eq!(take_trace(&world), expected);
}

#[test]
fn commands_are_visible_across_nested_schedules() {
    let inner = schedule((count, spawn));
    let mut outer = schedule((spawn, inner, count));
    let mut world = traced_world();
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [101, 102]);
}

#[test]
fn systems_inside_keep_their_locals() {
    #[system]
    fn runs(mut runs: Local<usize>, mut trace: ResMut<Vec<usize>>) {
        *runs += 1;
        trace.push(*runs);
    }
    let mut outer = schedule((schedule(runs), schedule((runs, runs)), runs));
    let mut world = traced_world();
    outer.run(&mut world).unwrap();
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [1, 1, 1, 1, 2, 2, 2, 2]);
}

#[test]
fn an_inner_error_is_reported_by_both_names_and_the_rest_runs() {
    let mut inner = Schedule::named("physics");
    inner.add((fails::<1>, log::<1>, fails::<2>));
    let mut outer = schedule((inner, fails::<3>, log::<2>));
    let mut world = traced_world();
    let error = outer.run(&mut world).unwrap_err();
    assert_eq!(
        error.to_string(),
        "system `physics` failed: system `nested_schedules::fails<1>` failed: no luck 1; \
         system `nested_schedules::fails<2>` failed: no luck 2; system `nested_schedules::fails<3>` failed: no luck 3"
    );
    let ScheduleError::Systems(errors) = error else {
        panic!("{error}");
    };
    assert_eq!((errors.len(), errors[0].system), (2, "physics"));
    let inner = errors[0].error.downcast_ref::<ScheduleError>().unwrap();
    assert!(matches!(inner, ScheduleError::Systems(errors) if errors.len() == 2));
    assert_eq!(take_trace(&world), [1, 2]);
}

#[test]
fn an_inner_schedule_that_cannot_be_planned_is_an_error_of_its_step() {
    let mut outer = schedule((schedule(log::<1>.after(log::<2>)), log::<3>));
    let mut world = traced_world();
    for _ in 0..2 {
        let error = outer.run(&mut world).unwrap_err();
        let ScheduleError::Systems(errors) = error else {
            panic!("{error}");
        };
        let inner = errors[0].error.downcast_ref::<ScheduleError>().unwrap();
        assert!(matches!(
            inner,
            ScheduleError::Plan(PlanError::UnknownSystem { .. })
        ));
        assert_eq!(take_trace(&world), [3]);
    }
}

#[test]
fn an_inner_panic_names_both_and_the_next_run_works() {
    let mut first = true;
    let mut inner = Schedule::named("physics");
    inner.add(from_fn(move |mut trace: ResMut<Vec<usize>>| {
        trace.push(7);
        assert!(!std::mem::take(&mut first), "first run");
    }));
    let mut outer = schedule((inner, log::<1>));
    let mut world = traced_world();
    let panic = catch_unwind(AssertUnwindSafe(|| outer.run(&mut world))).unwrap_err();
    let message = panic.downcast::<String>().unwrap();
    assert!(
        message.starts_with("system `physics` panicked: system `nested_schedules::an_inner_panic")
            && message.ends_with("panicked: first run"),
        "{message}"
    );
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [7, 7, 1]);
}

#[test]
fn an_inner_schedule_sets_up_the_world_and_reads_outer_events() {
    struct Hit;
    #[system]
    fn hit(mut hits: EventWriter<Hit>) {
        hits.send_batch([Hit, Hit]);
    }
    #[system]
    fn receive(mut hits: EventReader<Hit>, mut trace: ResMut<Vec<usize>>) {
        trace.push(hits.read().count());
    }
    let mut inner = schedule(receive);
    inner.setup(|world| world.resource_mut::<Vec<usize>>().push(50));
    let mut outer = schedule((hit, inner));
    outer.setup(|world| world.add_event::<Hit>());
    let mut world = traced_world();
    outer.run(&mut world).unwrap();
    outer.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [50, 2, 2]);
}

#[test]
fn two_schedules_share_a_world() {
    let mut frame = schedule((log::<1>, spawn));
    let mut turn = schedule((log::<2>, count));
    let mut world = traced_world();
    for _ in 0..2 {
        frame.run(&mut world).unwrap();
        frame.run(&mut world).unwrap();
        turn.run(&mut world).unwrap();
    }
    assert_eq!(take_trace(&world), [1, 1, 2, 102, 1, 1, 2, 104]);
}

#[test]
fn schedules_of_a_world_see_each_others_changes_once() {
    #[system]
    fn changed(number: Res<u32>, mut trace: ResMut<Vec<usize>>) {
        trace.push(usize::from(number.is_changed()));
    }
    let mut writer = schedule(from_fn(|mut number: ResMut<u32>| *number += 1));
    let mut reader = schedule(changed);
    let mut world = traced_world();
    world.insert_resource(0_u32);
    reader.run(&mut world).unwrap();
    reader.run(&mut world).unwrap();
    writer.run(&mut world).unwrap();
    reader.run(&mut world).unwrap();
    reader.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [1, 0, 1, 0]);
}

#[test]
fn a_nested_schedule_stays_with_its_world_like_any_other() {
    let mut here = traced_world();
    let mut inner = schedule(log::<1>);
    inner.run(&mut here).unwrap();
    let mut outer = schedule(inner);
    let error = outer.run(&mut traced_world()).unwrap_err();
    let ScheduleError::Systems(errors) = error else {
        panic!("{error}");
    };
    let inner = errors[0].error.downcast_ref::<ScheduleError>().unwrap();
    assert!(matches!(inner, ScheduleError::OtherWorld { .. }));
}

#[test]
fn a_system_runs_once_with_or_without_arguments() {
    #[system]
    fn add(by: usize, twice: bool, mut trace: ResMut<Vec<usize>>, mut commands: Commands) -> usize {
        trace.push(by);
        commands.spawn(Unit);
        if twice { by * 2 } else { by }
    }
    let mut world = traced_world();
    world.run(log::<5>);
    assert_eq!(add(7, true, &world), 14);
    // Commands of a direct call are deferred until the next exclusive access to the world.
    world.run(count);
    assert_eq!(take_trace(&world), [5, 7, 100]);
    world.run(count);
    assert_eq!(take_trace(&world), [101]);
}

//! Schedules of `#[system]` functions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use ecs_core::schedule::{Configs, PlanError, ScheduleError};
use ecs_core::system::LockError;
use ecs_tests::{Loose, Plain, Text};
use proptest::prelude::*;

/// Adds its number to the trace.
#[system]
fn log<const N: usize>(mut trace: ResMut<Vec<usize>>) {
    trace.push(N);
}

#[system]
fn double_plain(mut plain: CompMut<Plain>) {
    plain.iter_mut().for_each(|p| p.0 *= 2);
}

#[system]
fn clear<T: Component>(ids: Query<Entity, With<T>>, mut commands: Commands) {
    for id in &ids {
        commands.remove::<T>(id);
    }
}

#[system]
fn spawn_three(world: &mut World) {
    world.spawn_batch((0..3).map(Plain));
}

#[system]
fn count_plain(world: &World, plain: Local<usize>) -> Result<(), String> {
    let _ = plain;
    match world.view::<Plain>().len() {
        0 => Err("no entities".into()),
        n => {
            world.resource_mut::<Vec<usize>>().push(n);
            Ok(())
        }
    }
}

#[system]
fn trace_is_short(trace: Res<Vec<usize>>) -> bool {
    trace.len() < 2
}

fn traced_world() -> World {
    let mut world = World::new();
    world.insert_resource(Vec::<usize>::new());
    world
}

fn take_trace(world: &World) -> Vec<usize> {
    std::mem::take(&mut *world.resource_mut::<Vec<usize>>())
}

#[test]
fn systems_of_all_kinds_go_into_one_tuple() {
    let mut schedule = Schedule::new();
    schedule.add((
        count_plain.after(spawn_three),
        spawn_three,
        (log::<7>, log::<8>.run_if(trace_is_short), log::<9>).chain(),
        clear::<Plain>,
    ));
    let mut world = traced_world();
    schedule.run(&mut world).unwrap();
    // After `spawn_three`, the first system in list order without open constraints is the one that waited for it.
    assert_eq!(take_trace(&world), [3, 7, 9]);
    assert_eq!((world.view::<Plain>().len(), world.len()), (0, 3));
}

#[test]
fn instances_of_a_generic_system_are_different_systems() {
    let mut schedule = Schedule::new();
    schedule.add((
        log::<1>.after(log::<2>),
        log::<2>,
        clear::<Text>.before(clear::<Loose>),
    ));
    let error = schedule.plan().unwrap_err();
    let message = error.to_string();
    assert!(
        matches!(error, PlanError::UnknownSystem { .. })
            && message.contains("schedules::schedule::clear"),
        "{message}"
    );
    schedule.add(clear::<Loose>);
    let mut world = traced_world();
    schedule.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [2, 1]);
}

#[test]
fn a_missing_resource_is_reported_with_system_and_parameter_and_the_others_run() {
    #[system]
    fn wants(_number: Res<u128>) {}
    let mut schedule = Schedule::new();
    schedule.add((wants, log::<1>));
    let mut world = traced_world();
    let error = schedule.run(&mut world).unwrap_err();
    let message = error.to_string();
    assert!(
        message.starts_with("system `") && message.contains("`_number: Res<u128>`"),
        "{message}"
    );
    assert_eq!(message.matches("system").count(), 1, "{message}");
    let ScheduleError::Systems(errors) = error else {
        panic!("{message}");
    };
    assert!(errors[0].error.is::<LockError>());
    assert_eq!(take_trace(&world), [1]);
    world.insert_resource(1_u128);
    schedule.run(&mut world).unwrap();
}

#[test]
fn after_a_panic_nothing_is_borrowed_and_the_next_run_works() {
    #[system]
    fn fails_once(
        mut plain: CompMut<Plain>,
        mut trace: ResMut<Vec<usize>>,
        mut commands: Commands,
        mut runs: Local<u32>,
    ) {
        plain.iter_mut().for_each(|p| p.0 += 1);
        trace.push(0);
        commands.spawn(Plain(100));
        *runs += 1;
        assert!(*runs > 1, "first run");
    }
    let mut schedule = Schedule::new();
    schedule.add((fails_once, double_plain, log::<1>));
    let mut world = traced_world();
    let entity = world.spawn(Plain(5));
    let panic = catch_unwind(AssertUnwindSafe(|| schedule.run(&mut world))).unwrap_err();
    let message = panic.downcast::<String>().unwrap();
    assert!(
        message.ends_with("fails_once` panicked: first run"),
        "{message}"
    );
    assert_eq!(take_trace(&world), [0]);
    world.check_invariants();

    schedule.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), [0, 1]);
    assert_eq!(world.get::<Plain>(entity).unwrap().0, 14);
    assert_eq!(world.view::<Plain>().len(), 2);
    // The entity of the discarded command exists, without components.
    assert_eq!(world.len(), 3);
    world.check_invariants();
}

#[test]
fn two_systems_may_despawn_the_same_entity() {
    #[system]
    fn reap(plain: Query<(Entity, &Plain)>, mut commands: Commands) {
        for (entity, _) in &plain {
            commands.despawn(entity);
            commands.despawn(entity);
            commands.insert(entity, Text(String::from("ghost")));
        }
    }
    let mut world = World::new();
    world.spawn(Plain(0));
    let mut schedule = Schedule::new();
    schedule.add((reap, reap));
    schedule.run(&mut world).unwrap();
    assert!(world.is_empty());
}

#[test]
fn the_prelude_does_not_shadow_methods_of_iterators() {
    let both = [1, 2].iter().chain(&[3]).count();
    assert_eq!(both, 3);
}

#[test]
fn events_reach_a_reader_that_runs_rarely() {
    struct Tick(usize);
    #[system]
    fn send(mut ticks: EventWriter<Tick>, mut next: Local<usize>) {
        *next += 1;
        ticks.send(Tick(*next));
    }
    #[system]
    fn receive(mut ticks: EventReader<Tick>, mut trace: ResMut<Vec<usize>>) {
        assert_eq!(ticks.missed(), 0);
        trace.extend(ticks.read().map(|tick| tick.0));
    }
    #[system]
    fn every_third(mut runs: Local<u32>) -> bool {
        *runs += 1;
        runs.is_multiple_of(3)
    }
    let mut world = traced_world();
    world.add_event::<Tick>();
    let mut schedule = Schedule::new();
    schedule.add((receive.run_if(every_third), send));
    for _ in 0..9 {
        schedule.run(&mut world).unwrap();
    }
    assert_eq!(take_trace(&world), [1, 2, 3, 4, 5, 6, 7, 8]);
    // A direct call is a reader of its own: the first call sees all buffered events, the next one only new ones.
    receive(&world);
    assert_eq!(take_trace(&world), [9]);
    receive(&world);
    assert_eq!(take_trace(&world), [0_usize; 0]);
}

const SYSTEMS: usize = 6;

fn numbered(n: usize) -> Configs {
    match n {
        0 => log::<0>.into_configs(),
        1 => log::<1>.into_configs(),
        2 => log::<2>.into_configs(),
        3 => log::<3>.into_configs(),
        4 => log::<4>.into_configs(),
        5 => log::<5>.into_configs(),
        _ => unreachable!("there are {SYSTEMS}"),
    }
}

/// Orders `configs` after or before system `n`.
fn constrained(configs: Configs, (n, after): (usize, bool)) -> Configs {
    match (n, after) {
        (0, true) => configs.after(log::<0>),
        (1, true) => configs.after(log::<1>),
        (2, true) => configs.after(log::<2>),
        (3, true) => configs.after(log::<3>),
        (4, true) => configs.after(log::<4>),
        (5, true) => configs.after(log::<5>),
        (0, false) => configs.before(log::<0>),
        (1, false) => configs.before(log::<1>),
        (2, false) => configs.before(log::<2>),
        (3, false) => configs.before(log::<3>),
        (4, false) => configs.before(log::<4>),
        (5, false) => configs.before(log::<5>),
        _ => unreachable!("there are {SYSTEMS}"),
    }
}

proptest! {
    #[test]
    fn any_schedule_runs_in_the_order_that_the_documentation_defines(
        list in Just(Vec::from_iter(0..SYSTEMS)).prop_shuffle(),
        constraints in proptest::collection::vec((0..SYSTEMS, 0..SYSTEMS, any::<bool>()), 0..7),
    ) {
        let mut schedule = Schedule::new();
        for &n in &list {
            let own = constraints.iter().filter(|(system, ..)| *system == n);
            let configs = own.fold(numbered(n), |configs, &(_, other, after)| {
                constrained(configs, (other, after))
            });
            schedule.add(configs);
        }
        let edges: Vec<(usize, usize)> = constraints
            .iter()
            .map(|&(n, other, after)| if after { (other, n) } else { (n, other) })
            .collect();

        // "The next system is always the first in the list that waits for no other one."
        let mut expected = Vec::new();
        while let Some(&next) = list.iter().find(|n| {
            !expected.contains(*n)
                && edges.iter().all(|(first, second)| second != *n || expected.contains(first))
        }) {
            expected.push(next);
        }

        let mut world = traced_world();
        match schedule.run(&mut world) {
            Ok(()) => prop_assert_eq!(take_trace(&world), expected),
            Err(ScheduleError::Plan(PlanError::Cycle { systems, .. })) => {
                prop_assert!(expected.len() < SYSTEMS);
                prop_assert!(!systems.is_empty());
                prop_assert_eq!(take_trace(&world), [0_usize; 0]);
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}

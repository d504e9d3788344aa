//! Systems of a schedule use no run-time borrow flags: the plan and `&mut World` guarantee exclusive access.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::{Arc, Barrier};
use std::thread;

use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::system::{IntoSystem, SystemOutput};

#[derive(Component)]
struct Number(i32);

#[derive(Component)]
struct Odd;

#[derive(Resource, Default)]
struct Sum(i32);

/// Creates entities with the numbers 1 and 2; the first is odd.
fn world() -> World {
    let mut world = World::new();
    world.spawn((Number(1), Odd));
    world.spawn(Number(2));
    world.insert_resource(Sum(0));
    world
}

fn numbers(world: &World) -> Vec<i32> {
    world.view::<Number>().iter().map(|n| n.0).collect()
}

fn run<M>(world: &mut World, system: impl IntoSystem<M, Out: SystemOutput> + Send + 'static) {
    let mut schedule = Schedule::new();
    schedule.add(system);
    schedule.run(world).unwrap();
}

#[system]
fn double(mut numbers: CompMut<Number>, mut sum: ResMut<Sum>) {
    for n in &mut numbers {
        n.0 *= 2;
        sum.0 += n.0;
    }
}

#[test]
fn a_leaked_guard_stops_direct_calls_but_no_schedule() {
    let mut world = world();
    core::mem::forget(world.view::<Number>());
    core::mem::forget(world.resource_mut::<Sum>());
    assert!(world.try_view_mut::<Number>().is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| double(&world))).is_err());
    run(&mut world, double);
    assert_eq!(numbers(&world), [2, 4]);
    assert_eq!(
        world.resources_mut().get_mut::<Sum>().map(|sum| sum.0),
        Some(6)
    );
}

#[system]
fn look_twice(read: Comp<Number>, sum: Res<Sum>, world: &World) {
    assert!(world.try_view::<Number>().is_ok());
    assert!(world.try_view_mut::<Number>().is_err());
    assert!(world.resources().try_borrow_mut::<Sum>().is_err());
    drop((read, sum));
}

#[test]
fn a_world_parameter_respects_borrows_of_other_parameters() {
    run(&mut world(), look_twice);
}

#[system]
fn look_at_resources(sum: Res<Sum>, resources: &ecs_core::ResourceMap) {
    assert!(resources.try_borrow_mut::<Sum>().is_err());
    drop(sum);
}

#[test]
fn a_resource_map_parameter_respects_borrows_of_other_parameters() {
    run(&mut world(), look_at_resources);
}

/// The numbers of odd entities.
type OfOdd = Query<'static, &'static mut Number, With<Odd>>;

#[system]
fn exchange(mut set: ParamSet<(OfOdd, Res<Sum>)>, mut even: Query<&mut Number, Without<Odd>>) {
    for n in &mut even {
        let mut odd = set.p0();
        core::mem::swap(odd.single_mut().unwrap(), n);
        drop(odd);
        n.0 += set.p1().0;
    }
}

#[test]
fn a_set_beside_a_query_disjoint_by_a_filter_is_used_in_turns() {
    let mut world = world();
    exchange(&world);
    assert_eq!(numbers(&world), [2, 1]);
    run(&mut world, exchange);
    assert_eq!(numbers(&world), [1, 2]);
}

#[test]
fn a_closure_has_queries_disjoint_by_filters() {
    let mut world = world();
    run(
        &mut world,
        from_fn(
            |mut odd: Query<&mut Number, With<Odd>>, mut even: Query<&mut Number, Without<Odd>>| {
                core::mem::swap(odd.single_mut().unwrap(), even.single_mut().unwrap());
            },
        ),
    );
    assert_eq!(numbers(&world), [2, 1]);
}

#[test]
fn systems_with_queries_disjoint_by_filters_run_at_the_same_time() {
    let world = world();
    let both = Arc::new(Barrier::new(2));
    let met = Arc::clone(&both);
    let odd = from_fn(move |mut odd: Query<&mut Number, With<Odd>>| {
        let n = odd.single_mut().unwrap();
        met.wait();
        n.0 += 10;
        met.wait();
    });
    let even = from_fn(move |mut even: Query<&mut Number, Without<Odd>>| {
        let n = even.single_mut().unwrap();
        both.wait();
        n.0 += 20;
        both.wait();
    });
    let systems = [odd.into_source(), even.into_source()].map(|source| source.build(&world));
    thread::scope(|scope| {
        for mut runner in systems {
            assert!(!runner.is_exclusive);
            let world = &world;
            // SAFETY: the metadata of the two systems does not conflict, and no other code uses the world.
            scope.spawn(move || unsafe { runner.system.run(NonNull::from(world), ()) }.unwrap());
        }
    });
    assert_eq!(numbers(&world), [11, 22]);
}

#[test]
fn a_system_that_panicked_leaves_nothing_borrowed() {
    let mut world = world();
    let mut schedule = Schedule::new();
    schedule.add(from_fn(
        |numbers: CompMut<Number>, sum: ResMut<Sum>| -> () {
            panic!("{} {}", numbers.len(), sum.0)
        },
    ));
    assert!(catch_unwind(AssertUnwindSafe(|| schedule.run(&mut world))).is_err());
    assert!(world.try_view_mut::<Number>().is_ok());
    assert!(world.resources().try_borrow_mut::<Sum>().is_ok());
}

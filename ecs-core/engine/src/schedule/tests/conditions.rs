use alloc::string::String;

use super::{When, does, take_trace, trace, traced_world, tracers};
use crate::schedule::{IntoConfigs, Schedule};
use crate::world::{CommandQueue, World};

/// A condition that adds its name to the trace and returns `answer`.
macro_rules! logged {
    ($name:literal, $answer:expr) => {
        When($name, |world: &World, _: &mut CommandQueue| {
            trace(world, $name).unwrap();
            $answer
        })
    };
}

fn run(schedule: &mut Schedule) -> String {
    let mut world = traced_world();
    schedule.run(&mut world).unwrap();
    take_trace(&world)
}

#[test]
fn a_system_runs_if_its_condition_is_true() {
    tracers!(a, b, c);
    let mut schedule = Schedule::new();
    schedule.add((
        a.run_if(logged!("yes", true)),
        b.run_if(logged!("no", false)),
        c,
    ));
    assert_eq!(run(&mut schedule), "yes a no c");
}

#[test]
fn a_condition_on_a_tuple_is_evaluated_once_per_run() {
    tracers!(a, b, c);
    let mut schedule = Schedule::new();
    schedule.add((a, b).run_if(logged!("yes", true)));
    schedule.add((c, (a, b)).run_if(logged!("no", false)));
    assert_eq!(run(&mut schedule), "yes a b no");
}

#[test]
fn the_result_of_a_condition_holds_for_one_run_only() {
    tracers!(a, b);
    let mut schedule = Schedule::new();
    let mut turn = false;
    let every_other = move |_: &World, _: &mut CommandQueue| {
        turn = !turn;
        turn
    };
    schedule.add((a, b).run_if(When("every other", every_other)));
    let mut world = traced_world();
    for expected in ["a b", "", "a b"] {
        schedule.run(&mut world).unwrap();
        assert_eq!(take_trace(&world), expected);
    }
}

#[test]
fn outer_conditions_are_evaluated_first_and_the_others_in_the_order_written() {
    tracers!(a, b);
    let mut schedule = Schedule::new();
    let inner = a.run_if(logged!("1", true)).run_if(logged!("2", true));
    let outer = (inner, b).run_if(logged!("3", true));
    schedule.add((outer.run_if(logged!("4", true)),).run_if(logged!("5", true)));
    assert_eq!(run(&mut schedule), "5 3 4 1 2 a b");
}

#[test]
fn all_conditions_are_asked_whatever_the_others_answer() {
    tracers!(a);
    let mut schedule = Schedule::new();
    schedule.add(a.run_if(logged!("no", false)).run_if(logged!("yes", true)));
    assert_eq!(run(&mut schedule), "no yes");
}

#[test]
fn a_condition_is_evaluated_directly_before_the_system() {
    tracers!(a, b);
    let mut schedule = Schedule::new();
    let last_is_a = |world: &World, _: &mut CommandQueue| {
        world.resource_mut::<super::Trace>().0.last() == Some(&"a")
    };
    schedule.add((b.run_if(When("last is a", last_is_a)).after(a), a));
    assert_eq!(run(&mut schedule), "a b");
}

#[test]
fn commands_of_a_condition_are_applied_before_the_system_runs() {
    let mut schedule = Schedule::new();
    let insert = |_: &World, queue: &mut CommandQueue| {
        queue.push(|world: &mut World| _ = world.insert_resource(7_u32));
        true
    };
    let check = |world: &World, _: &mut CommandQueue| {
        assert_eq!(*world.resource::<u32>(), 7);
        Ok(())
    };
    schedule.add(does("check", check).run_if(When("insert", insert)));
    schedule.run(&mut World::new()).unwrap();
}

//! Executors: the result equals the result of a sequential run, on any threads.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Outcome, When, alone, does, take_trace, trace, traced_world, tracers};
use crate::schedule::{Executor, IntoConfigs, Run, Schedule};
use crate::world::{CommandQueue, World};

/// Runs tasks on this thread, the last released one first.
struct Backwards;

impl Executor for Backwards {
    fn run(&mut self, run: &mut Run<'_>) {
        while let Some(mut round) = run.round() {
            let mut tasks = Vec::new();
            while let Some(task) = round.next_task() {
                tasks.push(task);
            }
            while let Some(task) = tasks.pop() {
                tasks.extend(task.run());
            }
            while let Some(task) = round.next_local() {
                tasks.extend(task.run());
            }
            while let Some(task) = tasks.pop() {
                tasks.extend(task.run());
            }
        }
    }
}

const NOTHING: &[crate::meta::ParamInfo] = &[];

/// A system that counts its runs and does not touch the world.
macro_rules! counting {
    ($counter:expr, $outcome:expr) => {
        super::Does {
            params: NOTHING,
            ..does(
                concat!("counting ", stringify!($outcome)),
                |_: &World, _: &mut CommandQueue| -> Outcome {
                    $counter.fetch_add(1, Ordering::Relaxed);
                    $outcome
                },
            )
        }
    };
}

#[test]
fn exclusive_systems_and_world_references_run_in_order() {
    tracers!(a, b);
    let mut schedule = Schedule::new();
    schedule.add((
        a,
        alone("c", |world| trace(world, "c")),
        b,
        alone("d", |world| trace(world, "d")),
    ));
    let mut world = traced_world();
    schedule.run_with(&mut world, &mut Backwards).unwrap();
    schedule.run_with(&mut world, &mut Backwards).unwrap();
    assert_eq!(take_trace(&world), "a c b d a c b d");
}

#[test]
fn conditions_are_evaluated_once_and_skip_their_systems_if_false() {
    static RAN: AtomicUsize = AtomicUsize::new(0);
    tracers!(a, b);
    let logged = |name, answer| {
        When(name, move |world: &World, _: &mut CommandQueue| {
            trace(world, name).unwrap();
            answer
        })
    };
    let mut schedule = Schedule::new();
    schedule.add((a, b).run_if(logged("yes", true)));
    schedule.add((a, b, counting!(RAN, Ok(()))).run_if(logged("no", false)));
    let mut world = traced_world();
    for _ in 0..2 {
        schedule.run_with(&mut world, &mut Backwards).unwrap();
        assert_eq!(take_trace(&world), "yes a b no");
    }
    assert_eq!(RAN.load(Ordering::Relaxed), 0);
}

#[test]
fn an_executor_that_skips_tasks_panics_with_the_name_of_the_system() {
    struct Lazy;
    impl Executor for Lazy {
        fn run(&mut self, run: &mut Run<'_>) {
            while let Some(mut round) = run.round() {
                assert!(round.next_task().is_some());
            }
        }
    }
    struct Absent;
    impl Executor for Absent {
        fn run(&mut self, _: &mut Run<'_>) {}
    }
    static RAN: AtomicUsize = AtomicUsize::new(0);
    let mut schedule = Schedule::new();
    schedule.add(counting!(RAN, Ok(())));
    let mut world = World::new();
    for executor in [&mut Lazy as &mut dyn Executor, &mut Absent] {
        let run = AssertUnwindSafe(|| schedule.run_with(&mut world, executor));
        let panic = catch_unwind(run).unwrap_err();
        let message = panic.downcast::<&str>().map_or_else(
            |panic| *panic.downcast::<String>().unwrap(),
            |text| (*text).to_owned(),
        );
        assert!(
            message.starts_with("the executor did not run system `counting Ok(())`"),
            "{message}"
        );
    }
    schedule.run_with(&mut world, &mut Backwards).unwrap();
    assert_eq!(RAN.load(Ordering::Relaxed), 1);
}

#[test]
fn errors_come_in_the_order_of_steps() {
    static RAN: AtomicUsize = AtomicUsize::new(0);
    let mut schedule = Schedule::new();
    schedule.add((
        counting!(RAN, Err("1".into())),
        counting!(RAN, Err("2".into())),
        alone("alone", |_| Err("3".into())),
        counting!(RAN, Err("4".into())),
    ));
    let error = schedule.run_with(&mut World::new(), &mut Backwards);
    assert_eq!(
        error.unwrap_err().to_string(),
        "system `counting Err(\"1\".into())` failed: 1; \
         system `counting Err(\"2\".into())` failed: 2; \
         system `alone` failed: 3; \
         system `counting Err(\"4\".into())` failed: 4"
    );
}

#[test]
fn the_first_of_several_panics_in_plan_order_is_raised_and_earlier_steps_still_run() {
    static RAN: AtomicUsize = AtomicUsize::new(0);
    tracers!(z);
    let mut schedule = Schedule::new();
    // `Backwards` starts with the last one.
    schedule.add((
        counting!(RAN, Ok(())),
        counting!(RAN, panic!("first")),
        counting!(RAN, panic!("second")),
        z,
    ));
    let mut world = traced_world();
    for runs in 1..3 {
        let run = AssertUnwindSafe(|| schedule.run_with(&mut world, &mut Backwards));
        let panic = catch_unwind(run).unwrap_err();
        assert_eq!(
            *panic.downcast::<String>().unwrap(),
            "system `counting panic!(\"first\")` panicked: first"
        );
        assert_eq!(RAN.load(Ordering::Relaxed), 3 * runs);
    }
    assert_eq!(take_trace(&world), "", "later steps do not run");
}

#[test]
fn commands_of_a_condition_are_applied_before_its_system() {
    let insert = |_: &World, queue: &mut CommandQueue| {
        queue.push(|world: &mut World| trace(world, "inserted").unwrap());
        true
    };
    tracers!(a, b);
    let mut schedule = Schedule::new();
    schedule.add((a, b.run_if(When("insert", insert))));
    let mut world = traced_world();
    schedule.run_with(&mut world, &mut Backwards).unwrap();
    assert_eq!(take_trace(&world), "a inserted b");
}

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};

use super::{Does, Outcome, When, alone, does, take_trace, trace, traced_world, tracers};
use crate::meta::SystemMeta;
use crate::schedule::{IntoConfigs, Schedule, ScheduleError};
use crate::system::{IntoSystem, LockError, SystemId, SystemSource};
use crate::world::{CommandQueue, World};

/// Returns the message of the panic that ends a run of the schedule.
fn panic_of(schedule: &mut Schedule, world: &mut World) -> String {
    let panic = catch_unwind(AssertUnwindSafe(|| schedule.run(world))).unwrap_err();
    *panic.downcast::<String>().expect("a message with a name")
}

/// A system that queues a command: the command adds the system's name to the trace, and then calls the closure.
fn deferring<F>(
    name: &'static str,
    mut then: F,
) -> Does<impl FnMut(&World, &mut CommandQueue) -> Outcome + Send>
where
    F: FnMut(&World) -> Outcome + Send + 'static,
{
    does(name, move |world, queue| {
        queue.push(move |world: &mut World| trace(world, name).unwrap());
        then(world)
    })
}

#[test]
fn commands_are_applied_before_the_next_system() {
    tracers!(b);
    let mut schedule = Schedule::new();
    schedule.add((deferring("a", |_| Ok(())), b));
    let mut world = traced_world();
    schedule.run(&mut world).unwrap();
    schedule.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), "a b a b");
}

#[test]
fn commands_deferred_through_the_world_are_applied_after_the_system() {
    tracers!(b);
    let defer = |world: &World, name: &'static str| {
        let mut queue = CommandQueue::new();
        queue.push(move |world: &mut World| trace(world, name).unwrap());
        world.defer(&mut queue);
    };
    let mut world = traced_world();
    defer(&world, "before the run");
    let mut schedule = Schedule::new();
    let system = move |world: &World| {
        defer(world, "deferred");
        Ok(())
    };
    schedule.add((deferring("a", system), b));
    schedule.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), "before the run deferred a b");
}

#[test]
fn exclusive_systems_change_the_world_at_once_and_may_run_schedules() {
    tracers!(a, b, c);
    let mut inner = Schedule::new();
    inner.add((a, deferring("deferred", |_| Ok(()))));
    let mut schedule = Schedule::new();
    schedule.add((
        b,
        alone("outer", move |world| {
            inner.run(world)?;
            trace(world, "outer")
        }),
        c,
    ));
    let mut world = traced_world();
    schedule.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), "b a deferred outer c");
}

#[test]
fn errors_are_all_reported_by_name_and_the_other_systems_run() {
    tracers!(a, b);
    let mut schedule = Schedule::new();
    schedule.add((
        does("one", |_, _| Err("no luck".into())),
        a,
        deferring("two", |_| Err(std::fmt::Error.into())),
        alone("three", |_| Err("no world".into())),
        b,
    ));
    let mut world = traced_world();
    let error = schedule.run(&mut world).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "system `one` failed: no luck; system `two` failed: {}; system `three` failed: no world",
            std::fmt::Error
        )
    );
    let ScheduleError::Systems(errors) = error else {
        panic!("errors of systems");
    };
    assert_eq!((errors.len(), errors[1].system), (3, "two"));
    assert!(errors[1].error.is::<std::fmt::Error>());
    assert_eq!(take_trace(&world), "a two b");
}

#[test]
fn a_panic_names_the_system_discards_its_commands_and_the_next_run_works() {
    tracers!(a, b);
    let mut schedule = Schedule::new();
    let mut runs = 0;
    schedule.add((
        a,
        deferring("bad", move |world| {
            runs += 1;
            let mut queue = CommandQueue::new();
            queue.push(|world: &mut World| trace(world, "deferred").unwrap());
            world.defer(&mut queue);
            assert!(runs != 1, "run {runs}");
            Ok(())
        }),
        b,
    ));
    let mut world = traced_world();
    let message = panic_of(&mut schedule, &mut world);
    assert_eq!(message, "system `bad` panicked: run 1");
    assert_eq!(take_trace(&world), "a");
    world.flush();
    assert_eq!(take_trace(&world), "");

    schedule.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), "a deferred bad b");
}

#[test]
fn a_panic_of_an_exclusive_system_is_named() {
    let mut schedule = Schedule::new();
    schedule.add(alone("alone", |_| panic!("boom")));
    let message = panic_of(&mut schedule, &mut World::new());
    assert_eq!(message, "system `alone` panicked: boom");
}

#[test]
fn a_panic_of_a_condition_is_named_and_its_commands_are_discarded() {
    tracers!(a);
    let mut schedule = Schedule::new();
    let mut runs = 0;
    let bad = move |_: &World, queue: &mut CommandQueue| {
        queue.push(|world: &mut World| trace(world, "condition").unwrap());
        runs += 1;
        assert!(runs != 1, "boom");
        true
    };
    let fine = |_: &World, _: &mut CommandQueue| true;
    schedule.add(a.run_if(When("fine", fine)).run_if(When("bad", bad)));
    let mut world = traced_world();
    let message = panic_of(&mut schedule, &mut world);
    assert_eq!(message, "condition `bad` of system `a` panicked: boom");
    assert_eq!(take_trace(&world), "");
    schedule.run(&mut world).unwrap();
    assert_eq!(take_trace(&world), "condition a");
}

#[test]
fn a_panic_of_a_command_names_the_system_that_queued_it() {
    tracers!(b);
    let mut schedule = Schedule::new();
    let queue_bad = |_: &World, queue: &mut CommandQueue| {
        queue.push(|world: &mut World| trace(world, "first").unwrap());
        queue.push(|_: &mut World| panic!("boom"));
        queue.push(|world: &mut World| trace(world, "never").unwrap());
        Ok(())
    };
    schedule.add((does("a", queue_bad), b));
    let mut world = traced_world();
    for _ in 0..2 {
        let message = panic_of(&mut schedule, &mut world);
        assert_eq!(message, "a command of system `a` panicked: boom");
        assert_eq!(take_trace(&world), "first");
    }
}

#[test]
fn a_panic_without_a_message_is_not_changed() {
    let mut schedule = Schedule::new();
    schedule.add(does("a", |_, _| panic_any(7_u8)));
    let run = AssertUnwindSafe(|| schedule.run(&mut World::new()));
    let panic = catch_unwind(run).unwrap_err();
    assert_eq!(*panic.downcast::<u8>().unwrap(), 7);
}

#[test]
fn a_system_whose_parameters_panic_when_built_is_refused_afterwards() {
    struct Unbuildable;
    impl IntoSystem<()> for Unbuildable {
        type System = ();
        type Out = ();

        fn named(&self) -> (SystemId, &'static str) {
            (SystemId::of::<Self>(), "unbuildable")
        }

        fn run_in(self, _: &mut World) -> Result<(), LockError> {
            unreachable!("only schedules run it")
        }

        fn into_source(self) -> SystemSource {
            SystemSource {
                id: SystemId::of::<Self>(),
                meta: SystemMeta::new("unbuildable", &[]),
                build: Box::new(|_| panic!("no parameters")),
            }
        }
    }
    tracers!(a, b);
    let mut schedule = Schedule::new();
    schedule.add((a, Unbuildable, b));
    let mut world = traced_world();
    catch_unwind(AssertUnwindSafe(|| schedule.run(&mut world))).unwrap_err();
    for _ in 0..2 {
        let error = schedule.run(&mut world).unwrap_err();
        assert!(matches!(
            error,
            ScheduleError::Unbuilt { system } if system == "unbuildable"
        ));
    }
    assert_eq!(take_trace(&world), "");
}

#[test]
fn a_schedule_stays_with_the_world_of_its_first_run() {
    tracers!(a);
    let mut schedule = Schedule::new();
    schedule.add(a);
    let (mut here, mut there) = (traced_world(), traced_world());
    schedule.run(&mut here).unwrap();
    let error = schedule.run(&mut there).unwrap_err();
    let has_number = |text: String| text.contains(|c: char| c.is_ascii_digit());
    assert!(
        !has_number(error.to_string()) && !has_number(format!("{error:?}")),
        "ids of worlds differ between processes"
    );
    assert!(matches!(
        error,
        ScheduleError::OtherWorld { expected, found } if (expected, found) == (here.id(), there.id())
    ));
    assert_eq!(
        (take_trace(&here).as_str(), take_trace(&there).as_str()),
        ("a", "")
    );
    schedule.run(&mut here).unwrap();
}

#[test]
fn a_schedule_can_be_sent_to_another_thread() {
    tracers!(a);
    let mut schedule = Schedule::new();
    schedule.add(a);
    let thread = std::thread::spawn(move || super::run_traced(&mut schedule));
    assert_eq!(thread.join().unwrap(), "a");
}

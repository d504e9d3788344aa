//! Schedules that are run by hand belong to the run around them.

use std::cell::Cell;
use std::mem::{swap, take};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use ecs_core::app::{AppExit, Last};
use ecs_core::inspect::{to_dot, to_mermaid, to_svg};
use ecs_core::prelude::*;
use ecs_core::schedule::{ErrorPolicy, OnError, ScheduleError, SystemError, TraceKind};
use ecs_core::system::from_fn;

use crate::{app, log, note};

#[derive(Debug, PartialEq, Eq, Hash)]
struct Turn;
#[derive(Debug, PartialEq, Eq, Hash)]
struct Fight;

#[system]
fn two_turns(world: &mut World) -> Result<(), ScheduleError> {
    world.run_schedule(Turn)?;
    world.run_schedule(Turn)
}

#[system]
fn fight(world: &mut World) -> Result<(), ScheduleError> {
    world.run_schedule(Fight)
}

#[system]
fn fails() -> Result<(), &'static str> {
    Err("no luck")
}

#[system]
fn panics() {
    panic!("oh");
}

#[system]
fn waits(mut log: ResMut<crate::Log>) {
    log.0.push("wait");
}

/// An app that runs two turns a frame.
fn game() -> App {
    let mut app = app();
    app.add_schedule(Turn).add_schedule(Fight);
    app.add_systems(Update, two_turns);
    app
}

#[test]
fn what_a_policy_says_of_a_system_happens() {
    thread_local!(static SEEN: Cell<u32> = const { Cell::new(0) });
    fn decide(error: &SystemError, _: &mut World) -> OnError {
        assert!(error.system.ends_with("fails"));
        assert_eq!(error.path, "Turn");
        SEEN.set(SEEN.get() + 1);
        OnError::Continue
    }
    let mut app = game();
    app.add_systems(Turn, fails.on_error(ErrorPolicy::Call(decide)));
    app.add_systems(Turn, (fails.on_error(ErrorPolicy::Log), note!("turn")));
    assert_eq!(app.update(), None);
    assert_eq!(SEEN.get(), 2);
    assert_eq!(log(&mut app), "turn turn");
    app.add_systems(Turn, fails.on_error(ErrorPolicy::Exit));
    app.add_systems(Last, note!("last"));
    assert_eq!(app.update(), Some(AppExit::error(1)));
    assert_eq!(log(&mut app), "turn turn last");
}

#[test]
fn the_policy_of_a_step_holds_inside_and_the_message_has_the_path() {
    let mut app = game();
    let mut inner = Schedule::named("rules");
    inner.add(fails);
    app.add_systems(Turn, inner.on_error(ErrorPolicy::Panic));
    // The caller may ignore the result.
    app.add_systems(
        PreUpdate,
        from_fn(|world: &mut World| _ = world.run_schedule(Turn)),
    );
    app.add_systems(Last, note!("last"));
    let caught = catch_unwind(AssertUnwindSafe(|| app.update())).unwrap_err();
    let message = caught.downcast_ref::<String>().unwrap();
    assert!(
        message.starts_with("in `Turn > rules`: system `")
            && message.ends_with("fails` failed: no luck"),
        "{message}"
    );
    assert_eq!(log(&mut app), "last");
}

#[test]
fn errors_without_a_policy_are_those_of_the_caller() {
    let mut app = game();
    app.add_systems(
        Turn,
        (fails, fails.on_error(ErrorPolicy::Log), note!("turn")),
    );
    app.remove_systems(Update, two_turns);
    app.add_systems(
        Update,
        from_fn(|world: &mut World| {
            let Err(ScheduleError::Systems(errors)) = world.run_schedule(Turn) else {
                panic!("a system failed");
            };
            assert_eq!(errors.len(), 1);
            assert_eq!(errors[0].path, "Turn");
            assert!(errors[0].policy.is_none());
        }),
    );
    assert_eq!(app.update(), None);
    // The second turn does not run.
    app.add_systems(Update, two_turns.on_error(ErrorPolicy::Log));
    log(&mut app);
    assert_eq!(app.update(), None);
    assert_eq!(log(&mut app), "turn turn");
    // Between frames all errors are returned.
    let result = app.world_mut().run_schedule(Turn);
    let Err(ScheduleError::Systems(errors)) = result else {
        panic!("two systems failed");
    };
    assert_eq!(errors.len(), 2);
}

/// Returns a world with the schedule `Turn`, of these systems.
fn world<M>(systems: impl IntoConfigs<M>) -> World {
    let mut turn = Schedule::new();
    turn.add(systems);
    let mut world = World::new();
    world.insert_schedule(Turn, turn);
    world
}

fn errors(result: Result<(), ScheduleError>) -> Vec<String> {
    match result {
        Ok(()) => Vec::new(),
        Err(ScheduleError::Systems(errors)) => errors.iter().map(ToString::to_string).collect(),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn errors_pass_through_all_runs_to_the_outermost_one() {
    let logged = || fails.on_error(ErrorPolicy::Log);
    let mut world = world((fight, logged()));
    let mut inner = Schedule::new();
    inner.add(logged());
    world.insert_schedule(Fight, inner);
    let mut outer = Schedule::new();
    // By a command, too.
    outer.add((
        |mut commands: Commands| {
            commands.queue(|world: &mut World| world.run_schedule(Turn).unwrap());
        },
        two_turns,
        fails,
    ));
    for parallel in [false, true] {
        let result = if parallel {
            outer.run_with(&mut world, &mut InOrder::default())
        } else {
            outer.run(&mut world)
        };
        let found = errors(result);
        assert_eq!(found.len(), 7, "{found:#?}");
        assert!(found[0].starts_with("system `"), "{found:#?}");
        for pair in found[1..].chunks(2) {
            assert!(pair[0].starts_with("in `Turn`: system `"), "{found:#?}");
            assert!(
                pair[1].starts_with("in `Turn > Fight`: system `"),
                "{found:#?}"
            );
        }
    }
    assert!(errors(Schedule::new().run(&mut world)).is_empty());
}

/// Runs each task on this thread, and notes the systems.
#[derive(Default)]
struct InOrder(Arc<Mutex<Vec<String>>>);

impl ecs_core::schedule::Executor for InOrder {
    fn run(&mut self, run: &mut ecs_core::schedule::Run<'_>) {
        while let Some(mut round) = run.round() {
            let mut tasks = Vec::new();
            while let Some(task) = round.next_task() {
                tasks.push(task);
            }
            while let Some(task) = tasks.pop() {
                let name = task.step().name().rsplit("::").next().unwrap().to_owned();
                self.0.lock().unwrap().push(name);
                tasks.extend(task.run());
            }
        }
    }
}

#[test]
fn a_run_that_was_caught_after_a_panic_leaves_the_outer_one_known() {
    let mut world = world(panics);
    let mut inner = Schedule::new();
    inner.add(fails.on_error(ErrorPolicy::Log));
    world.insert_schedule(Fight, inner);
    let mut outer = Schedule::new();
    outer.add(from_fn(|world: &mut World| {
        catch_unwind(AssertUnwindSafe(|| world.run_schedule(Turn))).unwrap_err();
        world.run_schedule(Fight).unwrap();
    }));
    assert_eq!(errors(outer.run(&mut world)).len(), 1);
    // After the end of the run, nothing collects its errors.
    assert_eq!(errors(world.run_schedule(Fight)).len(), 1);
    // Its panic has the same effect.
    let mut outer = Schedule::new();
    outer.add(panics);
    catch_unwind(AssertUnwindSafe(|| outer.run(&mut world))).unwrap_err();
    assert_eq!(errors(world.run_schedule(Fight)).len(), 1);
}

#[test]
fn a_world_that_was_swapped_out_of_a_run_knows_that_it_ended() {
    #[derive(Default)]
    struct Kept(World);
    let mut world = world(fails.on_error(ErrorPolicy::Log));
    let mut outer = Schedule::new();
    let (sender, receiver) = std::sync::mpsc::channel();
    outer.add(from_fn(move |world: &mut World| {
        let mut kept = Kept::default();
        swap(world, &mut kept.0);
        // Still inside of the run.
        kept.0.run_schedule(Turn).unwrap();
        sender.send(take(&mut kept.0)).unwrap();
    }));
    assert_eq!(errors(outer.run(&mut world)).len(), 1);
    let mut swapped = receiver.recv().unwrap();
    assert_eq!(errors(swapped.run_schedule(Turn)).len(), 1);
}

#[test]
fn systems_are_timed_with_the_label_in_their_path() {
    let mut app = game();
    let mut inner = Schedule::named("rules");
    inner.add(waits);
    app.add_systems(Turn, (waits, inner));
    app.build().unwrap();
    app.record_timings(true);
    app.update();
    app.update();
    let timings = app.timings();
    let found = timings.iter().map(|timing| {
        let name = timing.system().rsplit("::").next().unwrap();
        (timing.path(), name, timing.count())
    });
    let expected = [
        ("", "two_turns", 2),
        ("Turn", "waits", 4),
        ("Turn", "rules", 4),
        ("Turn > rules", "waits", 4),
    ];
    assert_eq!(Vec::from_iter(found), expected);
    app.record_timings(false);
    app.update();
    assert!(app.timings().is_empty());
}

#[test]
fn the_trace_of_a_frame_has_the_systems_inside_of_their_callers() {
    let mut app = game();
    app.single_threaded(true);
    app.add_systems(Turn, (waits.run_if(|| true), fight));
    app.add_systems(Fight, waits);
    app.build().unwrap();
    app.update();
    assert!(app.take_trace().is_none());
    app.trace_next_frame();
    app.update();
    let trace = app.take_trace().unwrap();
    let (caller, inside): (Vec<_>, Vec<_>) = trace
        .spans()
        .iter()
        .partition(|span| span.path().is_empty());
    let [caller] = caller[..] else {
        panic!("{caller:#?}");
    };
    assert!(caller.name().ends_with("two_turns"));
    let mut end = caller.start();
    let mut found = Vec::new();
    for span in inside {
        assert!(span.start() >= end && span.end() <= caller.end());
        if span.kind() == TraceKind::System && !span.name().ends_with("fight") {
            end = span.end();
        }
        assert_eq!(span.thread(), 0);
        let name = span.name().rsplit("::").next().unwrap();
        found.push((span.path(), name));
    }
    assert_eq!(trace.threads().len(), 1);
    assert_eq!(found.len(), 8);
    assert_eq!(found[..4], found[4..]);
    assert_eq!(
        found[1..4],
        [
            ("Turn", "waits"),
            ("Turn", "fight"),
            ("Turn > Fight", "waits")
        ]
    );
    assert_eq!(found[0].0, "Turn");
    // Only one frame's errors.
    app.update();
    assert!(app.take_trace().is_none());
}

#[test]
fn a_schedule_that_was_to_be_traced_itself_keeps_its_trace() {
    let mut world = world(waits);
    world.insert_resource(crate::Log::default());
    let mut turn = world.remove_schedule(Turn).unwrap();
    turn.trace_next_run();
    world.insert_schedule(Turn, turn);
    let mut outer = Schedule::new();
    outer.add(two_turns);
    outer.trace_next_run();
    outer.run(&mut world).unwrap();
    assert_eq!(outer.take_trace().unwrap().spans().len(), 3);
    let mut turn = world.remove_schedule(Turn).unwrap();
    let own = turn.take_trace().unwrap();
    assert_eq!(own.spans().len(), 1);
    assert_eq!(own.spans()[0].path(), "");
}

#[test]
fn plans_and_pictures_of_an_app_have_schedules_by_hand() {
    let mut app = game();
    let mut inner = Schedule::named("rules");
    inner.add((note!("a"), waits));
    app.add_systems(Turn, (note!("b").after("no such set"), inner));
    let plan = app.build().unwrap();
    let plans = plan.plans();
    let names = Vec::from_iter(
        plans
            .iter()
            .map(|(name, plan)| (&**name, plan.steps().len())),
    );
    assert_eq!(names, [("", 1), ("Startup", 0), ("Turn", 2), ("Fight", 0)]);
    assert_eq!(plan.notes().count(), 1);
    let why = plan.why(waits, waits).to_string();
    assert!(why.contains("is one step"), "{why}");
    let why = plan.why(waits, two_turns).to_string();
    assert!(why.ends_with("waits` is not in the plan"), "{why}");
    for picture in [
        to_dot(plans.clone()),
        to_mermaid(plans.clone()),
        to_svg(plans),
    ] {
        for name in ["two_turns", "Turn", "Turn > rules", "waits"] {
            let escaped = name.replace('>', "#62;");
            let in_svg = name.replace('>', "&gt;");
            let has = [name, &escaped, &in_svg]
                .iter()
                .any(|name| picture.contains(*name));
            assert!(has, "no {name} in {picture}");
        }
        assert!(
            !picture.contains("Fight") && !picture.contains("Startup"),
            "{picture}"
        );
    }
}

#[system]
fn one(_: Res<crate::Log>) {}
#[system]
fn two(_: Res<crate::Log>) {}
#[system]
fn three(_: Res<crate::Log>) {}

#[test]
fn the_executor_of_a_run_runs_what_is_run_by_hand_inside() {
    let executor = InOrder::default();
    let tasks = executor.0.clone();
    let mut app = game();
    app.set_executor(executor);
    let mut inner = Schedule::named("rules");
    inner.add(two);
    app.add_systems(Turn, (one, inner, fight));
    app.add_systems(Fight, three);
    let mut by_command = Schedule::new();
    by_command.add(|mut commands: Commands| {
        commands.queue(|world: &mut World| world.run_schedule(Fight).unwrap());
    });
    app.add_systems(FixedUpdate, by_command.in_set("command"));
    app.add_systems(PostUpdate, one);
    app.build().unwrap();
    app.update_by(App::DEFAULT_FIXED_STEP);
    let mut tasks = std::mem::take(&mut *tasks.lock().unwrap());
    // The closure has no name of its own.
    tasks.retain(|name| ["one", "two", "three"].contains(&&**name));
    let turn = ["one", "two", "three"];
    assert_eq!(tasks, [&["three"], &turn[..], &turn, &["one"]].concat());
}

#[test]
fn an_executor_is_not_lent_to_other_threads() {
    let executor = InOrder::default();
    let tasks = executor.0.clone();
    let mut app = game();
    app.set_executor(executor);
    app.add_systems(Turn, note!("turn"));
    app.remove_systems(Update, two_turns);
    app.add_systems(
        Update,
        from_fn(|world: &mut World| {
            thread::scope(|scope| {
                scope.spawn(|| world.run_schedule(Turn).unwrap());
            });
        }),
    );
    app.update();
    assert_eq!(log(&mut app), "turn");
    assert!(tasks.lock().unwrap().is_empty());
}

#[test]
fn an_executor_is_lent_again_after_a_panic() {
    let executor = InOrder::default();
    let tasks = executor.0.clone();
    let mut app = game();
    app.set_executor(executor);
    app.add_systems(Turn, panics);
    app.add_systems(Fight, (one, note!("fight")));
    app.remove_systems(Update, two_turns);
    app.add_systems(
        Update,
        from_fn(|world: &mut World| {
            catch_unwind(AssertUnwindSafe(|| world.run_schedule(Turn))).unwrap_err();
            world.run_schedule(Fight).unwrap();
        }),
    );
    app.update();
    assert_eq!(log(&mut app), "fight");
    assert_eq!(tasks.lock().unwrap().len(), 3);
}

#[test]
fn what_is_run_by_hand_in_a_sequential_run_stays_on_its_thread() {
    /// The threads that systems ran on.
    #[derive(Resource, Default)]
    struct Threads<const N: usize>(Vec<ThreadId>);

    fn work<const N: usize>(mut threads: ResMut<Threads<N>>) {
        let start = Instant::now();
        while start.elapsed() < Duration::from_micros(300) {}
        threads.0.push(thread::current().id());
    }
    let mut turn = Schedule::new();
    turn.add(|threads: ResMut<Threads<0>>| work(threads));
    turn.add(|threads: ResMut<Threads<1>>| work(threads));
    turn.add(|threads: ResMut<Threads<2>>| work(threads));
    let mut world = World::new();
    world.insert_resource(Threads::<0>::default());
    world.insert_resource(Threads::<1>::default());
    world.insert_resource(Threads::<2>::default());
    world.insert_schedule(Turn, turn);
    let mut outer = Schedule::new();
    outer.add(two_turns);
    for _ in 0..10 {
        outer.run_seq(&mut world).unwrap();
    }
    let mut all = take(&mut world.resource_mut::<Threads<0>>().0);
    all.append(&mut world.resource_mut::<Threads<1>>().0);
    all.append(&mut world.resource_mut::<Threads<2>>().0);
    assert_eq!(all.len(), 60);
    let this = thread::current().id();
    assert!(all.iter().all(|thread| *thread == this));
}

#[test]
fn an_executor_in_use_is_not_lent_to_a_world_that_was_swapped_out() {
    #[derive(Resource, Default)]
    struct Kept(Mutex<World>);

    let mut world = world(|| {});
    let mut outer = Schedule::new();
    outer.add((
        from_fn(|world: &mut World| {
            let mut old = World::new();
            swap(world, &mut old);
            world.insert_resource(Kept(Mutex::new(old)));
        }),
        // Runs in a task on the same thread, and belongs to the run that the old world still knows.
        |kept: Res<Kept>| kept.0.lock().unwrap().run_schedule(Turn).unwrap(),
    ));
    let mut executor = InOrder::default();
    outer.run_with(&mut world, &mut executor).unwrap();
    assert_eq!(executor.0.lock().unwrap().len(), 1);
}

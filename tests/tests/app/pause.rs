//! Pausing an app, and its steps: time, fixed steps, states, errors and changes in the middle of a frame.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ecs_core::app::{Clock, Exit, First, RealTime};
use ecs_core::prelude::*;
use ecs_core::schedule::{FixedTime, ScheduleError};
use ecs_core::snapshot::Snapshotter;

use crate::door::word;
use crate::{app, log, note};

const TICK: Duration = Duration::from_millis(10);
const STEP: Duration = App::DEFAULT_FIXED_STEP;

fn elapsed(app: &App) -> Duration {
    app.world().resource::<Time>().elapsed()
}

fn real(app: &App) -> Duration {
    app.world().resource::<RealTime>().elapsed()
}

#[test]
fn a_paused_app_runs_nothing_and_time_makes_no_leap() {
    let (clock, hand) = Clock::manual();
    let mut app = app();
    app.set_clock(clock).add_systems(Update, note!("u"));
    app.update();
    app.pause();
    assert!(app.is_paused());
    for _ in 0..3 {
        hand.advance(TICK);
        assert_eq!(app.update(), None);
    }
    assert_eq!((log(&mut app), elapsed(&app)), ("u".into(), Duration::ZERO));
    hand.advance(TICK);
    app.resume();
    assert!(!app.is_paused());
    app.update();
    assert_eq!(log(&mut app), "u");
    // The wall clock went on.
    assert_eq!((elapsed(&app), real(&app)), (TICK, TICK * 4));
    assert_eq!(app.world().resource::<RealTime>().delta(), TICK * 4);
    hand.advance(TICK);
    app.update();
    assert_eq!((elapsed(&app), real(&app)), (TICK * 2, TICK * 5));
}

#[test]
fn a_step_while_paused_has_its_own_length_and_leaves_the_pause() {
    let (clock, hand) = Clock::manual();
    let mut app = app();
    app.set_clock(clock).add_systems(FixedUpdate, note!("f"));
    app.update();
    app.pause();
    hand.advance(TICK * 7);
    app.update();
    hand.advance(TICK);
    app.step();
    assert!(app.is_paused());
    assert_eq!(log(&mut app), "f");
    assert_eq!((elapsed(&app), real(&app)), (STEP, TICK * 8));
    app.step_by(STEP * 2);
    assert_eq!(log(&mut app), "f f");
    assert_eq!((elapsed(&app), real(&app)), (STEP * 3, TICK * 8));
    app.resume();
    app.update();
    assert_eq!((elapsed(&app), real(&app)), (STEP * 3, TICK * 8));
}

#[test]
fn a_step_is_as_long_as_a_frame_should_be() {
    let mut app = app();
    app.step();
    assert_eq!(elapsed(&app), STEP);
    app.rate(50.0);
    app.step();
    assert_eq!(elapsed(&app), STEP + TICK * 2);
    app.set_clock(Clock::fixed(TICK));
    app.step();
    assert_eq!(elapsed(&app), STEP + TICK * 3);
    // Without a pause and a clock that was read, both times go by it.
    assert_eq!(real(&app), elapsed(&app));
    assert_eq!(app.world().resource::<Time>().frame(), 3);
}

#[test]
fn a_pause_by_a_hook_of_a_frame_begins_after_it() {
    let mut app = app();
    app.add_systems(Update, note!("u"));
    app.before_frame(|app| _ = app.pause());
    app.update();
    app.update();
    assert_eq!(log(&mut app), "u");
    let mut frames = 0;
    app.between_frames(move |app| {
        frames += 1;
        if frames == 2 {
            app.resume();
        }
    });
    app.update();
    assert_eq!(log(&mut app), "");
    app.update();
    assert_eq!(log(&mut app), "u");
}

#[test]
fn an_end_that_is_asked_for_while_paused_needs_no_frame() {
    let mut app = app();
    app.add_systems(Update, note!("u"));
    app.update();
    app.pause();
    app.world_mut().resource_mut::<Exit>().success();
    assert_eq!(app.update(), Some(AppExit::Success));
    assert_eq!(app.step(), Some(AppExit::Success));
    assert_eq!(app.step_system(), None);
    assert_eq!(log(&mut app), "u");
}

#[test]
fn a_run_waits_for_the_hook_that_resumes_it() {
    let mut app = app();
    app.add_systems(Update, |mut exit: ResMut<Exit>| exit.success());
    let mut calls = 0;
    app.between_frames(move |app| {
        calls += 1;
        if calls == 3 {
            app.resume();
        }
    });
    app.pause();
    assert!(app.run().is_success());
    assert_eq!(app.world().resource::<Time>().frame(), 1);
}

#[test]
fn a_run_that_nothing_can_resume_panics_with_help() {
    let mut app = app();
    app.pause();
    let panic = catch_unwind(AssertUnwindSafe(|| app.run())).unwrap_err();
    let message = panic.downcast_ref::<&str>().unwrap();
    assert!(
        message.contains("no hook can resume it; help: call `App::resume`"),
        "{message}"
    );
    app.resume();
    app.add_systems(Update, |mut exit: ResMut<Exit>| exit.success());
    assert!(app.run().is_success());
}

#[system]
fn first(mut log: ResMut<crate::Log>) {
    log.0.push("first");
}
#[system]
fn fixed(mut log: ResMut<crate::Log>, time: Res<Time>) {
    assert_eq!(time.delta(), STEP);
    log.0.push("fixed");
}
#[system]
fn last(mut log: ResMut<crate::Log>, time: Res<Time>) {
    assert_eq!(time.delta(), STEP * 2);
    log.0.push("last");
}

fn stepped() -> App {
    let mut app = app();
    app.set_clock(Clock::fixed(STEP * 2));
    app.add_systems(PreUpdate, first);
    app.add_systems(FixedUpdate, fixed);
    app.add_systems(Update, last);
    app.before_frame(word("before")).after_frame(word("after"));
    app
}

#[test]
fn systems_step_one_by_one_also_in_fixed_steps_and_time_is_that_of_each() {
    let mut app = stepped();
    let mut trail = Vec::new();
    for _ in 0..2 {
        while let Some(name) = app.step_system() {
            let time = app.world().resource::<Time>().clone();
            let steps = app
                .world()
                .get_resource::<FixedTime>()
                .map_or(0, |time| time.steps());
            trail.push((name.rsplit("::").next().unwrap(), time.delta(), steps));
            assert!(app.is_paused() && app.is_in_frame());
            assert_eq!(app.update(), None);
        }
        assert!(!app.is_in_frame());
    }
    assert_eq!(
        trail,
        [
            ("first", STEP * 2, 0),
            ("fixed", STEP, 1),
            ("fixed", STEP, 2),
            ("last", STEP * 2, 2),
            ("first", STEP * 2, 2),
            ("fixed", STEP, 3),
            ("fixed", STEP, 4),
            ("last", STEP * 2, 4),
        ]
    );
    assert_eq!(
        log(&mut app),
        "before first fixed fixed last after before first fixed fixed last after"
    );
    assert_eq!(elapsed(&app), STEP * 4);
}

#[test]
fn the_next_update_step_or_condition_completes_a_frame_first() {
    let rest = "fixed fixed last after";
    for kind in 0..4 {
        let mut app = stepped();
        app.step_system();
        assert_eq!(log(&mut app), "before first");
        match kind {
            0 => _ = app.step(),
            1 => _ = app.step_by(Duration::from_secs(9)),
            2 => _ = app.run_until(|world| world.resource::<crate::Log>().0.contains(&"last")),
            _ => _ = app.resume().update_by(STEP * 2),
        }
        let log = log(&mut app);
        match kind {
            3 => assert_eq!(log, format!("{rest} before first {rest}")),
            _ => assert_eq!(log, rest),
        }
        assert_eq!(app.is_paused(), kind != 3);
        assert!(!app.is_in_frame());
        assert_eq!(elapsed(&app), STEP * if kind == 3 { 4 } else { 2 });
    }
}

#[test]
fn a_hook_after_steps_sees_the_same_whether_systems_are_stepped_or_not() {
    let names = |is_stepped: bool| {
        let names = Arc::new(Mutex::new(Vec::new()));
        let seen = names.clone();
        let mut app = stepped();
        app.after_step(move |step, _| seen.lock().unwrap().push(step.name()));
        if is_stepped {
            while app.step_system().is_some() {}
        } else {
            app.step();
        }
        let names = names.lock().unwrap();
        names.clone()
    };
    assert_eq!(names(true), names(false));
    assert_eq!(names(true).len(), 5);
}

#[test]
fn systems_cannot_change_in_the_middle_of_a_frame() {
    let mut app = stepped();
    app.step_system();
    let message = |run: &mut dyn FnMut()| {
        let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        (*panic.downcast_ref::<&str>().unwrap()).to_owned()
    };
    for message in [
        message(&mut || _ = app.add_systems(Update, first)),
        message(&mut || _ = app.remove_systems(Update, last)),
    ] {
        assert!(
            message.contains("help: finish the frame with `App::step` first"),
            "{message}"
        );
    }
    // Everything else can be added.
    app.finally(|app| _ = app.add_systems(Update, note!("finally")));
    app.insert_resource(3_u8);
    assert!(app.build().is_ok());
    app.step();
    assert_eq!(log(&mut app), "before first fixed fixed last after");
    assert_eq!(app.remove_systems(Update, last), 1);
    app.step();
    assert_eq!(log(&mut app), "before first fixed fixed finally after");
}

#[test]
fn a_panic_of_a_stepped_system_ends_the_frame() {
    #[system]
    fn bomb(mut calls: Local<u32>) {
        *calls += 1;
        assert_ne!(*calls, 1, "boom");
    }
    let mut app = app();
    let reports = Arc::new(Mutex::new(Vec::new()));
    let seen = reports.clone();
    app.on_panic(move |panic, _| seen.lock().unwrap().push(panic.path().to_owned()));
    app.add_systems(PreUpdate, first);
    app.add_systems(FixedUpdate, (bomb, fixed));
    app.step_system();
    let panic = catch_unwind(AssertUnwindSafe(|| app.step_system())).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(
        message.starts_with("system `FixedUpdate` panicked: system `"),
        "{message}"
    );
    assert_eq!(*reports.lock().unwrap(), ["FixedUpdate"]);
    assert!(!app.is_in_frame());
    assert_eq!(
        app.world().resource::<Time>().delta(),
        STEP,
        "that of the frame"
    );
    log(&mut app);
    app.resume();
    app.update_by(STEP);
    assert_eq!(log(&mut app), "first fixed");
}

#[test]
fn errors_of_stepped_systems_end_the_app_with_the_frame() {
    let mut app = stepped();
    app.add_systems(First, || -> Result<(), std::fmt::Error> {
        Err(std::fmt::Error)
    });
    while app.step_system().is_some() {}
    assert_eq!(app.exit(), Some(AppExit::error(1)));
    assert_eq!(log(&mut app), "before first fixed fixed last after");
    assert_eq!(app.step_system(), None);
    assert_eq!(log(&mut app), "");
}

#[test]
fn an_end_in_the_middle_of_a_frame_completes_it() {
    let mut app = stepped();
    app.add_systems(First, |mut exit: ResMut<Exit>| exit.success());
    app.step_system();
    assert_eq!(app.exit(), None);
    assert_eq!(app.update(), Some(AppExit::Success));
    assert_eq!(log(&mut app), "before first fixed fixed last after");
}

#[test]
fn a_world_that_is_exchanged_in_the_middle_of_a_frame_ends_the_app() {
    let mut app = stepped();
    app.step_system();
    let old = std::mem::take(app.world_mut());
    app.init_resource::<crate::Log>();
    assert_eq!(app.step(), Some(AppExit::error(1)));
    assert!(!app.is_in_frame());
    drop(old);
}

#[test]
fn run_until_runs_frames_until_the_condition_holds_or_the_app_ends() {
    let mut app = app();
    app.insert_resource(0_u32);
    app.add_systems(Update, |mut n: ResMut<u32>, mut exit: ResMut<Exit>| {
        *n += 1;
        if *n == 8 {
            exit.error(2);
        }
    });
    let at = |n: u32| move |world: &World| *world.resource::<u32>() == n;
    app.pause();
    assert_eq!(app.run_until(at(5)), None);
    assert_eq!(app.run_until(at(5)), None);
    assert_eq!(*app.world().resource::<u32>(), 5);
    assert!(app.is_paused());
    assert_eq!(app.run_until(at(100)), Some(AppExit::error(2)));
    assert_eq!(*app.world().resource::<u32>(), 8);
    assert_eq!(app.run_until(at(100)), Some(AppExit::error(2)));
}

#[test]
fn a_schedule_in_the_middle_of_a_run_refuses_everything_else() {
    let mut world = World::new();
    world.insert_resource(crate::Log::default());
    let mut schedule = Schedule::new();
    schedule.add((first, first));
    assert!(!schedule.is_halted());
    schedule.run_step(&mut world).unwrap().unwrap();
    assert!(schedule.is_halted());
    for result in [
        schedule.run(&mut world),
        schedule.run_seq(&mut world),
        schedule.prepare(&mut world),
        schedule.run_watched(&mut world, |_, _| {}),
    ] {
        let error = result.unwrap_err();
        assert!(matches!(error, ScheduleError::Halted { .. }));
        assert!(
            error
                .to_string()
                .contains("help: complete it with `Schedule::finish_run`")
        );
    }
    let changes: [fn(&mut Schedule); 6] = [
        |schedule| _ = schedule.add(first),
        |schedule| _ = schedule.remove(first),
        |schedule| _ = schedule.configure("set", |set| set),
        |schedule| _ = schedule.add_flush(),
        |schedule| _ = schedule.setup(|_| {}),
        |schedule| _ = schedule.deterministic(),
    ];
    for change in changes {
        let change = AssertUnwindSafe(|| change(&mut schedule));
        let panic = catch_unwind(change).unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap();
        assert!(
            message.contains("help: complete the run with `Schedule::finish_run`"),
            "{message}"
        );
    }
    assert_eq!(schedule.len(), 2);
    assert!(matches!(
        schedule.run_step(&mut World::new()),
        Err(ScheduleError::OtherWorld { .. })
    ));
    schedule.finish_run(&mut world).unwrap();
    schedule.finish_run(&mut world).unwrap();
    assert_eq!(world.resource::<crate::Log>().0, ["first"; 2]);
    schedule.run(&mut world).unwrap();
    assert_eq!(world.resource::<crate::Log>().0, ["first"; 4]);
}

#[test]
fn a_snapshot_is_refused_in_the_middle_of_a_run_and_a_return_to_one_drops_the_rest() {
    use ecs_core::schedule::conditions::run_once;
    use ecs_core::snapshot::{Snapshot, Snapshotter};
    let mut world = World::new();
    world.insert_resource(crate::Log::default());
    let mut inner = Schedule::named("inner");
    inner.add((first.run_if(run_once()), first));
    let mut schedule = Schedule::new();
    schedule.add((
        |mut commands: Commands| {
            commands
                .queue(|world: &mut World| world.resource_mut::<crate::Log>().0.push("command"));
        },
        inner,
        first,
    ));
    let snapshots = Snapshotter::new().resource::<crate::Log>();
    schedule.prepare(&mut world).unwrap();
    let mut snapshot = Snapshot::new();
    snapshots
        .take_into_with(&mut world, &mut [&mut schedule], &mut snapshot)
        .unwrap();
    schedule.run_step(&mut world).unwrap();
    schedule.run_step(&mut world).unwrap();
    let error = snapshots
        .take_with(&mut world, &mut [&mut schedule])
        .unwrap_err();
    assert!(
        error.to_string().contains("in the middle of a run"),
        "{error}"
    );
    snapshots
        .restore_with(&mut world, &mut [&mut schedule], &mut snapshot)
        .unwrap();
    assert!(!schedule.is_halted());
    assert!(world.resource::<crate::Log>().0.is_empty());
    schedule.run(&mut world).unwrap();
    schedule.run(&mut world).unwrap();
    assert_eq!(
        world.resource::<crate::Log>().0.join(" "),
        "command first first first command first first"
    );
}

#[test]
fn commands_that_wait_for_a_flush_point_wait_for_it_while_systems_are_stepped() {
    let sum = |world: &World| world.view::<Tag>().iter().map(|tag| tag.0).sum::<u32>();
    let build = || {
        let mut schedule = Schedule::new();
        schedule.add((
            (|mut commands: Commands| _ = commands.spawn(Tag(1))).flush_later(),
            (|mut commands: Commands| _ = commands.spawn(Tag(10))).flush_later(),
            |mut commands: Commands| _ = commands.spawn(Tag(100)),
        ));
        schedule.add_flush();
        schedule.add((|mut commands: Commands| _ = commands.spawn(Tag(1000))).flush_later());
        schedule
    };
    let (mut schedule, mut world) = (build(), World::new());
    let mut sums = Vec::new();
    while schedule.run_step(&mut world).unwrap().is_some() {
        sums.push(sum(&world));
    }
    // The flush point is a step too.
    assert_eq!(sums, [0, 0, 100, 111, 111]);
    assert_eq!(sum(&world), 1111);
    let mut whole = World::new();
    build().run_seq(&mut whole).unwrap();
    let order = |world: &World| {
        world
            .view::<Tag>()
            .iter()
            .map(|tag| tag.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(order(&world), order(&whole));
}

#[derive(Component)]
struct Tag(u32);

#[test]
fn an_app_refuses_a_snapshot_in_the_middle_of_a_frame_and_returns_to_an_older_one() {
    #[system]
    fn count(mut n: ResMut<u32>) {
        *n += 1;
    }
    let mut app = App::new();
    app.insert_resource(0_u32);
    app.set_snapshotter(Snapshotter::new().resource::<u32>());
    app.add_systems(PreUpdate, count);
    app.add_systems(FixedUpdate, count);
    app.add_systems(Update, count);
    app.update_by(STEP);
    let mut snapshot = app.snapshot().unwrap();
    app.step_system();
    app.step_system();
    let error = app.snapshot().unwrap_err();
    assert!(
        error.to_string().contains("in the middle of a run"),
        "{error}"
    );
    app.restore(&mut snapshot).unwrap();
    assert!(!app.is_in_frame() && app.is_paused());
    assert_eq!(*app.world().resource::<u32>(), 3);
    app.resume();
    app.update_by(STEP);
    assert_eq!(*app.world().resource::<u32>(), 6);
    assert_eq!(app.world().resource::<Time>().delta(), STEP);
    assert_eq!(app.world().resource::<Time>().frame(), 2);
}

#[system]
fn wake(mut log: ResMut<crate::Log>) {
    log.0.push("wake");
}
#[system]
fn stretch(mut log: ResMut<crate::Log>) {
    log.0.push("stretch");
}
#[system]
fn play(mut log: ResMut<crate::Log>) {
    log.0.push("play");
}

/// An app that starts with two systems and has one more in each frame.
fn starting() -> App {
    let mut app = app();
    app.set_snapshotter(Snapshotter::new().without_resource::<crate::Log>());
    app.add_systems(Startup, (wake, stretch).chain());
    app.add_systems(Update, play);
    app.before_frame(word("before")).after_frame(word("after"));
    app
}

#[test]
fn the_systems_of_startup_are_stepped_before_those_of_the_first_frame() {
    let mut app = starting();
    let names = Arc::new(Mutex::new(Vec::new()));
    let seen = names.clone();
    app.after_step(move |step, _| seen.lock().unwrap().push(step.name()));
    let mut trail = Vec::new();
    while let Some(name) = app.step_system() {
        let frame = app.world().resource::<Time>().frame();
        trail.push((name.rsplit("::").next().unwrap(), frame));
        assert!(app.is_paused() && app.is_in_frame());
        assert_eq!(app.update(), None);
    }
    assert_eq!(trail, [("wake", 0), ("stretch", 0), ("play", 1)]);
    assert_eq!(log(&mut app), "before wake stretch play after");
    assert_eq!(names.lock().unwrap().len(), 3);
    assert!(!app.is_in_frame());
    assert_eq!(elapsed(&app), STEP);
    assert!(app.step_system().is_some_and(|name| name.ends_with("play")));
    app.step();
    assert_eq!(log(&mut app), "before play after");
}

#[test]
fn a_step_or_an_update_completes_startup_and_the_first_frame() {
    for resumes in [false, true] {
        let mut app = starting();
        app.step_system();
        assert_eq!(log(&mut app), "before wake");
        // A copy in the middle would not have the systems that are to come.
        let error = app.snapshot().unwrap_err().to_string();
        assert!(error.contains("in the middle of a run"), "{error}");
        assert!(app.is_in_frame());
        let message = catch_unwind(AssertUnwindSafe(|| _ = app.add_systems(Update, wake)));
        assert!(message.is_err());
        if resumes {
            app.resume().update_by(STEP);
            assert_eq!(log(&mut app), "stretch play after before play after");
        } else {
            app.step();
            assert_eq!(log(&mut app), "stretch play after");
        }
        assert!(app.snapshot().is_ok());
    }
}

#[test]
fn a_startup_without_systems_is_no_step() {
    let mut app = app();
    app.add_systems(Update, play);
    assert!(app.step_system().is_some_and(|name| name.ends_with("play")));
    assert_eq!(app.step_system(), None);
    let mut empty = crate::app();
    assert_eq!(empty.step_system(), None);
    assert_eq!(empty.world().resource::<Time>().frame(), 1);
}

#[test]
fn stepped_systems_of_startup_can_fail_panic_and_end_the_app() {
    let mut app = starting();
    app.add_systems(Startup, || -> Result<(), std::fmt::Error> {
        Err(std::fmt::Error)
    });
    while app.step_system().is_some() {}
    assert_eq!(app.exit(), Some(AppExit::error(1)));
    assert_eq!(log(&mut app), "before wake stretch after");
    assert!(!app.is_in_frame());

    #[system]
    fn bomb() {
        panic!("boom");
    }
    let mut app = starting();
    let reports = Arc::new(Mutex::new(0));
    let seen = reports.clone();
    app.on_panic(move |_, _| *seen.lock().unwrap() += 1);
    app.add_systems(Startup, bomb);
    app.step_system();
    app.step_system();
    assert!(catch_unwind(AssertUnwindSafe(|| app.step_system())).is_err());
    assert_eq!(*reports.lock().unwrap(), 1);
    assert!(!app.is_in_frame());
    log(&mut app);
    // It does not run again.
    app.step();
    assert_eq!(log(&mut app), "before play after");

    let mut app = app_that_ends();
    while app.step_system().is_some() {}
    assert!(app.exit().is_some_and(AppExit::is_success));
    assert_eq!(log(&mut app), "before wake stretch after");
}

fn app_that_ends() -> App {
    let mut app = starting();
    app.add_systems(Startup, |mut exit: ResMut<Exit>| exit.success());
    app
}

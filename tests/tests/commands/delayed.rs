//! Commands that are delayed by runs or by time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ecs_core::command::{Delay, Delayed};
use ecs_core::prelude::*;
use ecs_core::world::CommandQueue;
use ecs_tests::Ledger;
use proptest::prelude::*;

#[derive(Resource, Default)]
struct Log(Vec<usize>);

struct Rang(usize);

#[system]
fn note_rang(mut rang: EventReader<Rang>, mut log: ResMut<Log>) {
    log.0.extend(rang.read().map(|rang| rang.0));
}

/// Returns the delays of a random program, each with the delay of the command that it leaves behind, or of an event.
fn delays() -> impl Strategy<Value = Vec<(Delay, Option<Delay>, bool)>> {
    let delay = || {
        prop_oneof![
            (0..4_u64).prop_map(Delay::Runs),
            (0..40_u64).prop_map(|ms| Delay::Time(Duration::from_millis(ms))),
        ]
    };
    prop::collection::vec((delay(), prop::option::of(delay()), any::<bool>()), 0..12)
}

/// A waiting command in a plain list: its delay, the remaining delay, and its number in the log.
struct Waiting {
    runs: Option<u64>,
    time: Option<Duration>,
    then: Option<Delay>,
    number: usize,
}

fn waiting(delay: Delay, then: Option<Delay>, number: usize) -> Waiting {
    let (runs, time) = match delay {
        Delay::Runs(runs) => (Some(runs), None),
        Delay::Time(time) => (None, Some(time)),
    };
    Waiting {
        runs,
        time,
        then,
        number,
    }
}

proptest! {
    #[test]
    fn delayed_commands_and_events_come_when_a_plain_list_says(
        delays in delays(),
        frames in prop::collection::vec(0..30_u64, 0..10),
        steps in 1..4_usize,
    ) {
        let mut world = World::new();
        world.insert_resource(Log::default());
        world.add_event::<Rang>();
        let mut plain: Vec<Waiting> = Vec::new();
        let (mut runs, mut time) = (0, Duration::ZERO);
        let mut expected = Vec::new();
        let mut delays = delays.into_iter().enumerate();
        for frame in frames {
            for (number, (delay, then, is_event)) in delays.by_ref().take(steps) {
                let then = then.filter(|_| !is_event);
                if is_event {
                    world.delay_event(delay, Rang(number));
                } else {
                    world.delay(delay, move |world| {
                        // The events sent before it.
                        note_rang(&*world);
                        world.resource_mut::<Log>().0.push(number);
                        if let Some(then) = then {
                            world.delay_event(then, Rang(number + 100));
                        }
                    });
                }
                let mut new = waiting(delay, then, number);
                new.runs = new.runs.map(|delay| delay + runs);
                new.time = new.time.map(|delay| delay + time);
                plain.push(new);
            }
            let frame = Duration::from_millis(frame);
            let made = world.advance_delayed(frame);
            note_rang(&world);
            runs += 1;
            time += frame;
            let is_due = |waiting: &Waiting| {
                waiting.runs.is_some_and(|run| run <= runs) || waiting.time.is_some_and(|due| due <= time)
            };
            // The world was empty until the first delay: nothing was counted before.
            let (mut due, rest): (Vec<Waiting>, Vec<Waiting>) = plain.into_iter().partition(is_due);
            plain = rest;
            due.sort_by_key(|waiting| (waiting.runs.is_none(), waiting.runs, waiting.time));
            prop_assert_eq!(made, due.len());
            for done in due {
                expected.push(done.number);
                if let Some(then) = done.then {
                    let mut new = waiting(then, None, done.number + 100);
                    new.runs = new.runs.map(|delay| delay + runs);
                    new.time = new.time.map(|delay| delay + time);
                    plain.push(new);
                }
            }
            prop_assert_eq!(&world.resource::<Log>().0, &expected);
            let functions = world.get_resource::<Delayed>().map_or(0, |delayed| delayed.len());
            let events = world.resource::<Events<Rang>>().delayed();
            prop_assert_eq!(functions + events, plain.len());
        }
    }
}

#[test]
fn a_change_that_panics_leaves_the_others_and_all_are_dropped_with_the_world() {
    let ledger = Ledger::default();
    let mut world = World::new();
    world.insert_resource(Log::default());
    for number in 0..4 {
        let token = Arc::new(ledger.token());
        world.delay(Delay::Runs(1 + number / 3), move |world| {
            assert!(token.id() != 1, "this change panics");
            world.resource_mut::<Log>().0.push(token.id() as usize);
        });
    }
    assert!(catch_unwind(AssertUnwindSafe(|| world.advance_delayed(Duration::ZERO))).is_err());
    assert_eq!(world.resource::<Log>().0, [0]);
    assert_eq!(world.resource::<Delayed>().len(), 2);
    assert_eq!(ledger.alive(), [2, 3]);
    drop(world);
    assert_eq!(ledger.alive(), [0_u32; 0]);
}

/// A delayed command that panics, through as many others.
fn bomb(others: u32) -> impl FnOnce(&mut World) + Clone + Send + 'static {
    move |world| match others {
        0 => panic!("boom"),
        others => world.delay(Delay::Runs(1), bomb(others - 1)),
    }
}
#[system]
fn by_commands(mut commands: Commands, mut once: Local<bool>) {
    if !std::mem::replace(&mut once, true) {
        commands.delay(Delay::Runs(2), bomb(0));
    }
}
#[system]
fn by_others(mut commands: Commands) {
    commands.delay(Delay::Runs(1), bomb(1));
}
#[system]
fn by_world(world: &mut World) {
    world.delay(Delay::Time(Duration::from_millis(30)), bomb(0));
}
#[system]
fn by_reference(world: &World) {
    let mut queue = CommandQueue::new();
    queue.push(|world: &mut World| world.delay(Delay::Runs(1), bomb(0)));
    world.defer(&mut queue);
}
#[system]
fn nothing() {}

#[test]
fn a_delayed_command_that_panics_names_the_system_that_delayed_it_and_how_long_ago() {
    let report = |add: fn(&mut App)| {
        let mut app = App::new();
        app.add_systems(Update, nothing);
        add(&mut app);
        let system = Arc::new(Mutex::new(None));
        let seen = system.clone();
        app.on_panic(move |panic, _| *seen.lock().unwrap() = panic.system());
        let frames = || _ = app.update_times(9, Duration::from_millis(20));
        let panic = catch_unwind(AssertUnwindSafe(frames)).unwrap_err();
        let message = panic.downcast_ref::<String>().unwrap().clone();
        let system = system.lock().unwrap().unwrap_or("none");
        assert!(system == "none" || message.contains(&format!("system `{system}` delayed")));
        let message = message.replace(&format!("`{system}`"), "`it`");
        let (before, after) = message.split_once(", at ").unwrap();
        assert!(after.contains("delayed.rs:") && after.ends_with(", panicked: boom"));
        let system = system.rsplit("::").next().unwrap();
        format!("{system}: {before}")
    };
    assert_eq!(
        report(|app| _ = app.add_systems(Update, by_commands)),
        "by_commands: a command that system `it` delayed 2 runs and 40ms ago"
    );
    assert_eq!(
        report(|app| _ = app.add_systems(FixedUpdate, (nothing, by_commands))),
        "by_commands: a command that system `it` delayed 2 runs and 40ms ago"
    );
    assert_eq!(
        report(|app| _ = app.add_systems(Update, by_others)),
        "by_others: a command that system `it` delayed 1 run and 20ms ago"
    );
    assert_eq!(
        report(|app| _ = app.add_systems(Update, by_world)),
        "by_world: a command that system `it` delayed 2 runs and 40ms ago"
    );
    assert_eq!(
        report(|app| _ = app.add_systems(Update, by_reference)),
        "by_reference: a command that system `it` delayed 1 run and 20ms ago"
    );
    // At a flush point, commands of several steps are applied together.
    let later = |app: &mut App| {
        app.add_systems(Update, (by_commands, nothing, by_others).flush_later());
    };
    assert_eq!(
        report(later),
        "by_commands: a command that system `it` delayed 2 runs and 40ms ago"
    );
    // By the program, after systems have run.
    let outside = |app: &mut App| {
        app.add_systems(Update, |mut commands: Commands| _ = commands.spawn(()));
        app.add_systems(Update, ecs_core::system::from_fn(|_: &mut World| {}));
        app.update();
        app.world_mut().delay(Delay::Runs(3), bomb(0));
    };
    assert_eq!(
        report(outside),
        "none: a command that was delayed 3 runs and 60ms ago"
    );
}

#[system]
fn fuse(mut commands: Commands) {
    commands.delay(Delay::Runs(2), |world| {
        world.spawn(());
    });
}

#[test]
fn a_system_delays_and_a_step_of_the_schedule_counts() {
    let mut world = World::new();
    let mut frame = Schedule::new();
    frame.add((
        fuse,
        ecs_core::system::from_fn(|world: &mut World| {
            world.advance_delayed(Duration::ZERO);
        }),
    ));
    for expected in [0, 1, 2, 3] {
        frame.run(&mut world).unwrap();
        assert_eq!(world.len(), expected);
    }
}

#[derive(Resource, Default)]
struct Made(Vec<&'static str>);

fn note(what: &'static str) -> impl FnOnce(&mut World) + Clone + Send + 'static {
    move |world| world.resource_mut::<Made>().0.push(what)
}

fn made(world: &World) -> String {
    std::mem::take(&mut world.resource_mut::<Made>().0).join(" ")
}

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[system]
fn delay_once(mut commands: Commands, mut done: Local<bool>) {
    if !std::mem::replace(&mut *done, true) {
        commands.delay(Delay::Runs(1), note("next run"));
        commands.delay(Delay::Runs(3), note("third run"));
        commands.delay(Delay::Time(ms(25)), note("25 ms"));
    }
}

#[test]
fn an_app_makes_delayed_changes_at_the_start_of_a_frame_by_the_time_of_the_game() {
    for label in [false, true] {
        let mut app = App::new();
        app.insert_resource(Made::default());
        if label {
            app.add_systems(Update, delay_once);
        } else {
            app.fixed_step(ms(10)).add_systems(FixedUpdate, delay_once);
            app.add_schedule("by hand").add_systems("by hand", || {});
            app.add_systems(
                Update,
                ecs_core::from_fn(|world: &mut World| world.run_schedule("by hand").unwrap()),
            );
        }
        app.update_by(ms(10));
        assert_eq!(made(app.world()), "");
        app.update_by(ms(10));
        assert_eq!(made(app.world()), "next run");
        app.world_mut().resource_mut::<Time>().pause();
        app.update_by(ms(10));
        app.update_by(ms(10));
        assert_eq!(
            made(app.world()),
            "third run",
            "frames count while it is paused"
        );
        app.world_mut().resource_mut::<Time>().resume();
        app.world_mut().resource_mut::<Time>().set_scale(0.5);
        app.update_by(ms(10));
        app.update_by(ms(10));
        assert_eq!(made(app.world()), "", "20 ms by now");
        app.update_by(ms(10));
        assert_eq!(made(app.world()), "25 ms");
    }
}

#[test]
fn startup_is_no_frame_for_what_is_delayed_before_it() {
    let mut app = App::new();
    app.insert_resource(Made::default())
        .add_systems(Startup, || {});
    app.world_mut().delay(Delay::Runs(2), note("second run"));
    app.update_by(ms(10));
    assert_eq!(made(app.world()), "");
    app.update_by(ms(10));
    assert_eq!(made(app.world()), "second run");
}

#[test]
fn what_an_app_delays_before_its_first_frame_counts_that_frame() {
    let mut app = App::new();
    app.insert_resource(Made::default());
    app.world_mut().delay(Delay::Time(ms(20)), note("20 ms"));
    app.update_by(ms(10));
    assert_eq!(made(app.world()), "");
    app.update_by(ms(10));
    assert_eq!(
        made(app.world()),
        "20 ms",
        "also if it is the first app of the program"
    );
}

/// In a process of its own: the time of no other test has begun before.
#[test]
fn a_time_that_a_program_inserts_counts_from_the_delay_on_even_if_it_is_the_first() {
    const ALONE: &str = "ECS_TEST_ALONE";
    let name =
        "delayed::a_time_that_a_program_inserts_counts_from_the_delay_on_even_if_it_is_the_first";
    if std::env::var_os(ALONE).is_none() {
        let mut again = std::process::Command::new(std::env::current_exe().unwrap());
        let ran = again
            .args(["--exact", name])
            .env(ALONE, "1")
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&ran.stdout);
        assert!(
            ran.status.success() && output.contains("1 passed"),
            "{output}"
        );
    }
    let mut world = World::new();
    world.insert_resource(Made::default());
    world.insert_resource(Time::new());
    world.delay(Delay::Time(ms(20)), note("20 ms"));
    world.delay(Delay::Time(ms(21)), note("21 ms"));
    let mut frame = Schedule::new();
    frame.add(|| {});
    for expected in ["", "20 ms", "21 ms"] {
        world.resource_mut::<Time>().advance(ms(10));
        frame.run(&mut world).unwrap();
        assert_eq!(made(&world), expected);
    }
}

#[test]
fn runs_of_a_schedule_count_by_the_time_that_the_world_has() {
    // The time of the game, however many schedules run in a frame.
    let mut world = World::new();
    world.insert_resource(Made::default());
    world.insert_resource(Time::new());
    let (mut first, mut second) = (Schedule::new(), Schedule::new());
    first.add(delay_once);
    let mut frame = |world: &mut World| {
        world.resource_mut::<Time>().advance(ms(10));
        first.run(world).unwrap();
        second.run(world).unwrap();
        made(world)
    };
    assert_eq!(
        [0; 4].map(|_| frame(&mut world)),
        ["next run", "third run", "", "25 ms"]
    );
    // The time of frames.
    let mut world = World::new();
    world.insert_resource(Made::default());
    world.insert_resource(ecs_core::schedule::FrameTime { delta: ms(10) });
    let mut inside = Schedule::new();
    inside.add(delay_once);
    let mut frame = Schedule::new();
    frame.add(inside);
    let mut run = |world: &mut World| {
        frame.run(world).unwrap();
        made(world)
    };
    assert_eq!(
        [0; 4].map(|_| run(&mut world)),
        ["", "next run", "", "third run 25 ms"]
    );
    // The time of the system clock.
    let mut world = World::new();
    world.insert_resource(Made::default());
    let mut frame = Schedule::new();
    frame.add(delay_once);
    frame.run(&mut world).unwrap();
    frame.run(&mut world).unwrap();
    let start = std::time::Instant::now();
    made(&world);
    while !made(&world).contains("25 ms") {
        std::thread::yield_now();
        frame.run(&mut world).unwrap();
        assert!(start.elapsed() < ms(10_000));
    }
    assert!(start.elapsed() >= ms(20), "after {:?}", start.elapsed());
}

#[test]
fn a_run_inside_of_a_run_does_not_count() {
    let mut world = World::new();
    world.insert_resource(Made::default());
    world.delay(Delay::Runs(3), note("third run"));
    let mut inner = Schedule::new();
    inner.add(|| {});
    let mut outer = Schedule::new();
    outer.add(ecs_core::from_fn(move |world: &mut World| {
        inner.run(world).unwrap();
        inner.run(world).unwrap();
    }));
    for expected in ["", "", "third run", ""] {
        outer.run(&mut world).unwrap();
        assert_eq!(made(&world), expected);
    }
}

#[test]
fn a_program_that_counts_by_itself_counts_alone() {
    let mut world = World::new();
    world.insert_resource(Made::default());
    assert_eq!(world.advance_delayed(ms(5)), 0);
    let mut frame = Schedule::new();
    frame.add(delay_once);
    frame.run(&mut world).unwrap();
    frame.run(&mut world).unwrap();
    assert_eq!(made(&world), "");
    assert_eq!(world.advance_delayed(ms(30)), 2);
    assert_eq!(made(&world), "next run 25 ms");
}

#[test]
fn no_time_counts_twice_and_none_runs_back_where_clocks_change() {
    let mut world = World::new();
    world.insert_resource(Made::default());
    let mut frame = Schedule::new();
    frame.add(|| {});
    // The system clock, then frames of 1 ms, then the system clock again: the time between them counts for neither.
    world.delay(Delay::Time(ms(30)), note("30 ms"));
    frame.run(&mut world).unwrap();
    world.insert_resource(ecs_core::schedule::FrameTime { delta: ms(1) });
    frame.run(&mut world).unwrap();
    std::thread::sleep(ms(50));
    world.remove_resource::<ecs_core::schedule::FrameTime>();
    frame.run(&mut world).unwrap();
    assert_eq!(made(&world), "");
    // The time of a game that starts again.
    let (mut world, mut frame) = (World::new(), Schedule::new());
    frame.add(|| {});
    world.insert_resource(Made::default());
    world.insert_resource(Time::new());
    world.resource_mut::<Time>().advance(ms(200));
    world.delay(Delay::Time(ms(30)), note("30 ms"));
    frame.run(&mut world).unwrap();
    world.insert_resource(Time::new());
    frame.run(&mut world).unwrap();
    assert_eq!(made(&world), "");
    world.resource_mut::<Time>().advance(ms(30));
    frame.run(&mut world).unwrap();
    assert_eq!(made(&world), "30 ms");
}

#[test]
fn what_is_delayed_between_runs_waits_from_then_on() {
    // By the system clock, which may have gone on too far if the machine is busy.
    for _ in 0..20 {
        let mut world = World::new();
        world.insert_resource(Made::default());
        world.delay(Delay::Runs(100), |_| {});
        let mut frame = Schedule::new();
        frame.add(|| {});
        frame.run(&mut world).unwrap();
        std::thread::sleep(ms(60));
        let start = std::time::Instant::now();
        world.delay(Delay::Time(ms(50)), note("50 ms"));
        frame.run(&mut world).unwrap();
        if start.elapsed() < ms(50) {
            assert_eq!(made(&world), "");
            return;
        }
    }
    panic!("the machine is too busy for 50 ms");
}

#[test]
fn the_time_of_the_game_does_not_count_where_a_program_counts() {
    let mut world = World::new();
    world.insert_resource(Made::default());
    world.insert_resource(Time::new());
    world.resource_mut::<Time>().advance(ms(1));
    world.advance_delayed(ms(0));
    for _ in 0..3 {
        world.delay(Delay::Time(ms(10)), note("10 ms"));
        world.resource_mut::<Time>().advance(ms(200));
    }
    assert_eq!(world.advance_delayed(ms(9)), 0);
    assert_eq!(world.advance_delayed(ms(1)), 3);
}

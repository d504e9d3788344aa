//! Events and removals that a system does not read because its turn is skipped.

use std::time::Duration;

use ecs_core::event::Events;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::{every, in_state, not, on_event, state_changed};
use ecs_core::schedule::{
    Executor, FrameTime, NextState, Run, ScheduleError, Task, Transitions, Unread, fixed,
};
use ecs_core::view::Removed;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Screen {
    Menu,
    Game,
}
use Screen::{Game, Menu};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Mode {
    Easy,
}

struct Key(usize);

/// The keys that the systems read, by name.
#[derive(Resource, Default)]
struct Log(Vec<(char, usize)>);

/// Logs the keys that it reads.
#[system]
fn read<const NAME: char>(mut keys: EventReader<Key>, mut log: ResMut<Log>) {
    log.0.extend(keys.read().map(|key| (NAME, key.0)));
}

/// Runs all tasks on this thread, the last one first.
struct Backwards;

impl Executor for Backwards {
    fn run(&mut self, run: &mut Run<'_>) {
        while let Some(mut round) = run.round() {
            let mut tasks = Vec::new();
            while let Some(task) = round.next_task() {
                tasks.push(task);
            }
            run_all(&mut tasks);
            while let Some(task) = round.next_local() {
                tasks.extend(task.run());
                run_all(&mut tasks);
            }
        }
    }
}

fn run_all(tasks: &mut Vec<Task<'_>>) {
    while let Some(task) = tasks.pop() {
        tasks.extend(task.run());
    }
}

type RunIt<'a> = &'a dyn Fn(&mut Schedule, &mut World) -> Result<(), ScheduleError>;

/// Calls the test with each way to run a schedule.
fn in_all_executors(test: impl Fn(RunIt<'_>)) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build();
    let pool = pool.unwrap();
    test(&|schedule, world| schedule.run_seq(world));
    test(&|schedule, world| schedule.run_par(world, &pool));
    test(&|schedule, world| schedule.run_with(world, &mut Backwards));
    test(&|schedule, world| schedule.run(world));
}

fn world() -> World {
    let mut world = World::new();
    world.add_event::<Key>();
    world.add_state(Menu);
    world.add_state(Mode::Easy);
    world.insert_resource(Log::default());
    world
}

/// Transitions without handlers.
fn screens() -> Transitions {
    let mut screens = Transitions::new();
    screens.add_state(Menu);
    screens
}

fn schedule<M>(systems: impl IntoConfigs<M>) -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add(systems);
    schedule
}

fn go(world: &World, screen: Screen) {
    world.resource_mut::<NextState<Screen>>().set(screen);
}

fn take_log(world: &World) -> String {
    let mut log = std::mem::take(&mut world.resource_mut::<Log>().0);
    log.sort_unstable();
    let words = log.iter().map(|(name, key)| format!("{name}{key}"));
    words.collect::<Vec<_>>().join(" ")
}

/// Runs frames 1 and 2 in the menu, frame 3 in the game; sends key `n` before frame `n`. Returns the keys that frame 3
/// reads.
#[track_caller]
fn check(frame: impl Fn() -> Schedule, expected: &str) {
    in_all_executors(|run| {
        let mut world = world();
        let mut frame = frame();
        for key in 1..=3 {
            if key == 3 {
                go(&world, Game);
            }
            world.send_event(Key(key));
            run(&mut frame, &mut world).unwrap();
            if key < 3 {
                assert_eq!(take_log(&world), "", "in the menu");
            }
        }
        assert_eq!(take_log(&world), expected);
        run(&mut frame, &mut world).unwrap();
        assert_eq!(take_log(&world), "", "each is read once");
    });
}

/// Makes frames of these systems after the transitions.
macro_rules! frames {
    ($systems:expr) => {
        || {
            let mut frame = schedule(screens());
            frame.add($systems);
            frame
        }
    };
}

macro_rules! check {
    ($systems:expr, $expected:expr) => {
        check(frames!($systems), $expected)
    };
}

#[test]
fn a_system_that_sleeps_because_of_a_state_reads_what_was_sent_since_its_last_turn() {
    check!(read::<'a'>.run_if(in_state(Game)), "a3");
    check!(read::<'a'>.run_if(not(in_state(Menu))), "a3");
    check!(
        read::<'a'>.run_if(in_state(Game).and(in_state(Mode::Easy))),
        "a3"
    );
    check!(
        read::<'a'>.run_if(in_state(Game).or(not(in_state(Mode::Easy)))),
        "a3"
    );
    check!(
        (read::<'a'>, (read::<'b'>, read::<'c'>)).run_if(in_state(Game)),
        "a3 b3 c3"
    );
}

#[test]
fn a_system_that_follows_changes_of_a_state_sleeps_between_them() {
    in_all_executors(|run| {
        let mut world = world();
        let mut frame = schedule(screens());
        frame.add(read::<'a'>.run_if(state_changed::<Screen>()));
        let mut send = |key| {
            world.send_event(Key(key));
            run(&mut frame, &mut world).unwrap();
            go(&world, if key == 3 { Game } else { Menu });
            take_log(&world)
        };
        assert_eq!([1, 2, 3, 4].map(&mut send), ["a1", "", "", "a4"]);
    });
}

#[test]
fn a_system_that_waits_for_another_condition_reads_all_later() {
    check!(read::<'a'>.run_if(every(3)), "a1 a2 a3");
    let game = |screen: Res<ecs_core::schedule::State<Screen>>| *screen.get() == Game;
    check!(read::<'a'>.run_if(game), "a1 a2 a3");
    check!(read::<'a'>.run_if(in_state(Game).and(game)), "a1 a2 a3");
    check!((read::<'a'>, read::<'b'>).run_if(game), "a1 a2 a3 b1 b2 b3");
}

#[test]
fn a_system_sleeps_if_one_of_its_conditions_is_about_states_and_false() {
    let open = |log: Res<Log>| log.0.is_empty();
    let shut = |log: Res<Log>| !log.0.is_empty();
    check!(read::<'a'>.run_if(open).run_if(in_state(Game)), "a3");
    check!(read::<'a'>.run_if(in_state(Game)).run_if(open), "a3");
    // Three turns while it is awake.
    check!(
        read::<'a'>.run_if(in_state(Mode::Easy)).run_if(every(3)),
        "a1 a2 a3"
    );
    check!(
        (read::<'a'>.run_if(in_state(Game)), read::<'b'>).run_if(every(3)),
        "a3 b1 b2 b3"
    );
    check!(read::<'a'>.run_if(shut).run_if(in_state(Game)), "");
}

#[test]
fn what_is_said_on_a_system_a_tuple_or_a_set_takes_precedence_the_innermost_first() {
    let game = || in_state(Game);
    check!(read::<'a'>.run_if(game()).unread(Unread::Keep), "a1 a2 a3");
    check!(read::<'a'>.unread(Unread::Discard).run_if(every(3)), "a3");
    check!(
        (read::<'a'>.unread(Unread::Keep), read::<'b'>)
            .unread(Unread::Discard)
            .run_if(every(3)),
        "a1 a2 a3 b3"
    );
    let in_sets = || {
        let mut frame = schedule(screens());
        frame.add((read::<'a'>, read::<'b'>.unread(Unread::Discard)).in_set("keeps"));
        frame.add(read::<'c'>.in_set("inside"));
        frame.add(read::<'d'>.in_set("outside"));
        frame.configure("keeps", |set| set.unread(Unread::Keep));
        frame.configure("inside", |set| {
            set.in_set("outside").unread(Unread::Discard)
        });
        frame.configure("outside", |set| {
            set.unread(Unread::Keep).run_if(in_state(Game))
        });
        frame.configure("keeps", |set| set.run_if(in_state(Game)));
        frame
    };
    check(in_sets, "a1 a2 a3 b3 c3 d1 d2 d3");
}

#[test]
fn a_step_that_is_skipped_skips_all_inside() {
    let nested = || schedule((read::<'a'>, schedule(read::<'b'>)));
    check!(nested().run_if(in_state(Game)), "a3 b3");
    check!(nested().run_if(every(3)), "a1 a2 a3 b1 b2 b3");
    check!(
        nested().run_if(in_state(Game)).unread(Unread::Keep),
        "a1 a2 a3 b1 b2 b3"
    );
    check!(nested().run_if(every(3)).unread(Unread::Discard), "a3 b3");
    // The inner setting takes precedence; the outer one applies to conditions inside.
    let said = || schedule((read::<'a'>.unread(Unread::Keep), read::<'b'>));
    check!(said().run_if(in_state(Game)), "a1 a2 a3 b3");
    check!(
        schedule(read::<'a'>.run_if(in_state(Game))).unread(Unread::Keep),
        "a1 a2 a3"
    );
    check!(
        schedule(schedule(read::<'a'>.run_if(every(3)))).unread(Unread::Discard),
        "a3"
    );
    // Only the system inside is skipped.
    check!(
        schedule((
            read::<'a'>.run_if(in_state(Game)),
            read::<'b'>.run_if(every(3))
        )),
        "a3 b1 b2 b3"
    );
}

#[test]
fn a_fixed_step_that_sleeps_discards_and_one_without_time_keeps() {
    in_all_executors(|run| {
        let mut world = world();
        let mut frame = schedule(screens());
        let second = Duration::from_secs(1);
        frame.add(fixed(second, schedule(read::<'a'>)).run_if(in_state(Game)));
        frame.add(fixed(second, schedule(read::<'b'>)));
        frame.add(fixed(second, schedule(read::<'c'>)).unread(Unread::Discard));
        let mut send = |key, delta| {
            world.insert_resource(FrameTime {
                delta: Duration::from_millis(delta),
            });
            if key == 2 {
                go(&world, Game);
            }
            world.send_event(Key(key));
            run(&mut frame, &mut world).unwrap();
            take_log(&world)
        };
        assert_eq!(send(1, 100), "");
        assert_eq!(send(2, 100), "", "none has time for a step");
        assert_eq!(send(3, 800), "b1 b2 b3 c1 c2 c3");
        assert_eq!(send(4, 3000), "a2 a3 a4 b4 c4");
    });
}

#[test]
fn handlers_of_states_read_what_was_sent_since_the_last_run_of_the_transitions() {
    let frame = || {
        let mut screens = Transitions::new();
        screens
            .on_enter(Game, read::<'a'>)
            .on_exit(Menu, read::<'b'>.unread(Unread::Keep))
            .on_transition(Menu, Game, schedule(read::<'c'>))
            .on_exit(Game, read::<'d'>);
        schedule(screens)
    };
    check(frame, "a3 b1 b2 b3 c3");
    let kept = || {
        let mut screens = Transitions::new();
        screens.on_enter(Game, read::<'a'>);
        schedule(screens.unread(Unread::Keep))
    };
    check(kept, "a1 a2 a3");
    let sleeping = || {
        let mut screens = Transitions::new();
        screens.on_enter(Game, read::<'a'>);
        let mut frame = schedule(screens.run_if(every(3)));
        frame.add(read::<'b'>.run_if(in_state(Game)));
        frame
    };
    check(sleeping, "a1 a2 a3 b3");
}

#[test]
fn transitions_of_a_missing_state_skip_their_handlers() {
    in_all_executors(|run| {
        let mut screens = Transitions::new();
        screens.on_enter(7_u8, read::<'a'>);
        let mut frame = schedule(screens);
        let mut world = world();
        world.send_event(Key(1));
        assert!(run(&mut frame, &mut world).is_err());
        world.add_state(7_u8);
        world.send_event(Key(2));
        run(&mut frame, &mut world).unwrap();
        assert_eq!(take_log(&world), "a2");
    });
}

#[derive(SystemParam)]
struct Input<'w> {
    keys: EventReader<'w, Key>,
    state: Res<'w, ecs_core::schedule::State<Screen>>,
}

#[system]
fn derived(input: Input<'_>, mut log: ResMut<Log>) {
    let mut input = input;
    assert_eq!(*input.state.get(), Game);
    log.0.extend(input.keys.read().map(|key| ('d', key.0)));
}

#[system]
fn in_tuple(mut both: (EventReader<Key>, Local<u8>), mut log: ResMut<Log>) {
    log.0.extend(both.0.read().map(|key| ('t', key.0)));
}

#[system]
fn in_param_set(mut set: ParamSet<(EventReader<Key>, EventWriter<Key>)>, mut log: ResMut<Log>) {
    log.0.extend(set.p0().read().map(|key| ('p', key.0)));
}

#[system]
fn with_world(world: &World, mut keys: EventReader<Key>) {
    let mut log = world.resource_mut::<Log>();
    log.0.extend(keys.read().map(|key| ('w', key.0)));
}

#[system]
#[allow(
    clippy::too_many_arguments,
    reason = "the list that grows by statements is for nine or more"
)]
fn with_nine(
    _a: Local<u8>,
    _b: Local<u8>,
    _c: Local<u8>,
    _d: Local<u8>,
    _e: Local<u8>,
    _f: Local<u8>,
    _g: Local<u8>,
    mut keys: EventReader<Key>,
    mut log: ResMut<Log>,
) {
    log.0.extend(keys.read().map(|key| ('n', key.0)));
}

#[test]
fn readers_inside_other_parameters_are_skipped_too() {
    let closure = |mut keys: EventReader<Key>, mut log: ResMut<Log>| {
        log.0.extend(keys.read().map(|key| ('c', key.0)));
    };
    check!(
        (
            derived,
            in_tuple,
            in_param_set,
            with_world,
            closure,
            with_nine
        )
            .run_if(in_state(Game)),
        "c3 d3 n3 p3 t3 w3"
    );
}

#[derive(Component)]
#[component(track)]
struct Body;

#[system]
fn bury(mut gone: Removed<Body>, mut log: ResMut<Log>) {
    log.0.push(('r', gone.read().count()));
    assert_eq!(gone.missed(), 0);
}

#[test]
fn removals_are_discarded_and_kept_like_events() {
    in_all_executors(|run| {
        for (unread, expected) in [(Unread::Discard, "r2"), (Unread::Keep, "r5")] {
            let mut world = world();
            let mut frame = schedule(screens());
            let bury = bury.run_if(in_state(Game));
            match unread {
                Unread::Discard => frame.add(bury),
                Unread::Keep => frame.add(bury.unread(Unread::Keep)),
            };
            // The reader registers in the first run.
            run(&mut frame, &mut world).unwrap();
            for count in [3, 2] {
                for _ in 0..count {
                    let body = world.spawn(Body);
                    world.despawn(body).unwrap();
                }
                run(&mut frame, &mut world).unwrap();
                go(&world, Game);
            }
            assert_eq!(take_log(&world), expected);
        }
    });
}

/// Logs that it ran.
#[system]
fn runs<const NAME: char>(mut log: ResMut<Log>) {
    log.0.push((NAME, 0));
}

/// Sends a key in the first two frames only, in the menu; then the game begins.
#[track_caller]
fn check_conditions(frame: impl Fn() -> Schedule, expected: &str) {
    in_all_executors(|run| {
        let mut world = world();
        let mut frame = frame();
        for key in 1..=3 {
            if key < 3 {
                world.send_event(Key(key));
            } else {
                go(&world, Game);
            }
            run(&mut frame, &mut world).unwrap();
        }
        assert_eq!(take_log(&world), expected);
    });
}

macro_rules! check_conditions {
    ($systems:expr, $expected:expr) => {
        check_conditions(frames!($systems), $expected)
    };
}

#[test]
fn conditions_that_read_sleep_behind_a_state_as_systems_do() {
    let pressed = on_event::<Key>;
    check_conditions!(runs::<'a'>.run_if(in_state(Game)).run_if(pressed()), "");
    check_conditions!(
        (runs::<'a'>, runs::<'b'>)
            .run_if(in_state(Game))
            .run_if(pressed()),
        ""
    );
    check_conditions!(runs::<'a'>.run_if(in_state(Game).and(pressed())), "");
    check_conditions!(runs::<'a'>.run_if(pressed().and(in_state(Game))), "");
    let inside = || schedule((runs::<'a'>.run_if(pressed()), runs::<'b'>));
    check_conditions!(inside().run_if(in_state(Game)), "b0");
}

#[test]
fn conditions_that_read_keep_what_is_unread_behind_other_conditions_or_if_it_is_said() {
    let pressed = on_event::<Key>;
    check_conditions!(runs::<'a'>.run_if(every(3)).run_if(pressed()), "a0");
    check_conditions!(runs::<'a'>.run_if(every(3).and(pressed())), "a0");
    check_conditions!(
        runs::<'a'>
            .run_if(in_state(Game))
            .run_if(pressed())
            .unread(Unread::Keep),
        "a0"
    );
    let inside = || schedule((runs::<'a'>.run_if(pressed()), runs::<'b'>));
    check_conditions!(inside().run_if(every(3)), "a0 b0");
}

#[test]
fn a_condition_that_cannot_be_evaluated_counts_as_false() {
    in_all_executors(|run| {
        let mut world = world();
        let exists = |_: Res<u8>| true;
        let mut frame = schedule(read::<'a'>.run_if(exists));
        frame.add(read::<'b'>.run_if(exists).unread(Unread::Discard));
        for key in 1..3 {
            world.send_event(Key(key));
            assert!(run(&mut frame, &mut world).is_err());
        }
        world.insert_resource(0_u8);
        world.send_event(Key(3));
        run(&mut frame, &mut world).unwrap();
        assert_eq!(take_log(&world), "a1 a2 a3 b3");
    });
}

#[system]
fn press(mut keys: EventWriter<Key>, mut next: Local<usize>) {
    keys.send_batch([Key(*next), Key(*next + 1)]);
    *next += 2;
}

#[test]
fn sleeping_readers_keep_only_what_is_sent_between_two_turns() {
    in_all_executors(|run| {
        let mut world = world();
        let mut screens = Transitions::new();
        screens.on_enter(Game, read::<'a'>);
        let mut frame = schedule((screens, press));
        frame.add(read::<'b'>.run_if(in_state(Game)));
        frame.add(schedule(read::<'c'>).run_if(in_state(Game)));
        frame.add(read::<'d'>.run_if(every(1_000_000)).unread(Unread::Discard));
        for _ in 0..10_000 {
            run(&mut frame, &mut world).unwrap();
            assert!(world.resource::<Events<Key>>().len() <= 4);
        }
        go(&world, Game);
        run(&mut frame, &mut world).unwrap();
        assert_eq!(
            take_log(&world),
            "a19998 a19999 b20000 b20001 c20000 c20001"
        );
    });
}

#[test]
fn a_reader_that_keeps_loses_nothing() {
    in_all_executors(|run| {
        let mut world = world();
        let mut frame = schedule((screens(), press));
        frame.add(read::<'a'>.run_if(in_state(Game)).unread(Unread::Keep));
        for _ in 0..999 {
            run(&mut frame, &mut world).unwrap();
        }
        go(&world, Game);
        run(&mut frame, &mut world).unwrap();
        let read = std::mem::take(&mut world.resource_mut::<Log>().0);
        assert!(read.into_iter().map(|(_, key)| key).eq(0..2000));
    });
}

#[test]
fn events_that_are_added_while_a_reader_sleeps_are_discarded_too() {
    in_all_executors(|run| {
        let mut world = world();
        world.remove_resource::<Events<Key>>();
        let mut frame = schedule(screens());
        frame.add(read::<'a'>.run_if(in_state(Game)));
        run(&mut frame, &mut world).unwrap();
        world.send_event(Key(1));
        run(&mut frame, &mut world).unwrap();
        world.send_event(Key(2));
        go(&world, Game);
        run(&mut frame, &mut world).unwrap();
        assert_eq!(take_log(&world), "a2");
    });
}

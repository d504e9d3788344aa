//! Snapshots of apps as bytes: into a new app of the program and into one that has run.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ecs_core::app::{Exit, Last, ReadAppSnapshotError, RestoreBytesError, Stopwatch, Timer};
use ecs_core::command::Delay;
use ecs_core::data::__private::seal_snapshot;
use ecs_core::data::{Loader, ReadSnapshotError, WriteSnapshotError};
use ecs_core::prelude::*;
use ecs_core::schedule::{DespawnOnExit, FixedTime, NextState, State};
use ecs_core::snapshot::{RestoreError, Snapshotter};
use serde::{Deserialize, Serialize};

const FRAME: Duration = Duration::from_millis(30);

#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[resource(data = "bytes.numbers")]
struct Numbers(Vec<u32>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Screen {
    Menu,
    Game,
}

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "bytes.rang")]
struct Rang;

/// Computed, and no data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Playing;

/// Computed from a computed state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Music(u8);

#[system]
fn count(mut numbers: ResMut<Numbers>, mut runs: Local<u32>) {
    *runs += 1;
    numbers.0.push(*runs);
}

/// Notes a number.
fn note(number: u32) -> impl Fn(ResMut<Numbers>) + Clone + Send + Sync + 'static {
    move |mut numbers: ResMut<Numbers>| numbers.0.push(number)
}

fn app() -> App {
    let mut app = App::new();
    app.insert_resource(Numbers::default());
    app.world_mut().register_data_resource::<Numbers>();
    app
}

fn numbers(app: &App) -> Vec<u32> {
    app.world().resource::<Numbers>().0.clone()
}

fn request(app: &mut App, screen: Screen) {
    app.build().unwrap();
    app.world_mut()
        .resource_mut::<NextState<Screen>>()
        .set(screen);
}

fn bytes(app: &mut App) -> Vec<u8> {
    app.snapshot().unwrap().to_bytes().unwrap()
}

#[test]
fn an_app_that_rests_always_has_the_same_bytes() {
    /// Counts the frames in which it sees a change, after its first.
    #[system]
    fn count_changes(exit: Res<Exit>, mut numbers: ResMut<Numbers>) {
        if exit.is_changed() {
            numbers.0.push(1);
        }
    }
    let mut app = app();
    app.add_systems(Update, count_changes);
    app.world_mut().register_data_event::<Rang>();
    for (frames, waits) in [(0, false), (1, true), (3, true)] {
        app.update_times(frames, FRAME);
        if waits {
            app.world_mut().delay_event(Delay::Runs(9), Rang);
        }
        let first = bytes(&mut app);
        assert!(first == bytes(&mut app), "after {frames} frames");
        let mut into = app.snapshot().unwrap();
        app.snapshot_into(&mut into).unwrap();
        assert!(first == into.to_bytes().unwrap());
        app.pause();
        app.update_by(FRAME);
        assert!(first == bytes(&mut app), "a pause changes nothing");
        app.resume();
        app.restore(&mut into).unwrap();
        assert!(first == bytes(&mut app), "a return to here changes nothing");
    }
    assert_eq!(numbers(&app), [1], "`Exit` is new once");
}

fn return_to(app: &mut App, bytes: &[u8]) {
    app.restore_bytes(bytes).unwrap();
}

#[system]
fn fail_once(mut numbers: ResMut<Numbers>) {
    let failed = numbers.0.contains(&13);
    numbers.0.push(13);
    assert!(failed, "the first time");
}

fn game() -> App {
    let mut app = app();
    app.add_state(Screen::Menu)
        .add_computed_state(|screen: &Screen| (*screen == Screen::Game).then_some(Playing))
        .add_computed_state(|_: &Playing| Some(Music(3)))
        .set_snapshotter(Snapshotter::new().without_captured())
        .on_enter(Screen::Game, note(1))
        .on_enter(Playing, note(2))
        .on_enter(Music(3), note(3))
        .on_exit(Screen::Game, note(4))
        .on_exit(Playing, note(5));
    let world = app.world_mut();
    world.register_data_state::<Screen>("bytes.screen");
    app
}

#[test]
fn states_requests_and_their_entities_come_back_and_computed_states_need_not_be_data() {
    let mut app = game();
    request(&mut app, Screen::Game);
    app.update_by(FRAME);
    let player = app.world_mut().spawn(DespawnOnExit(Screen::Game));
    request(&mut app, Screen::Menu);
    let saved = bytes(&mut app);
    let mut other = game();
    other.update_by(FRAME);
    for mut other in [game(), other] {
        return_to(&mut other, &saved);
        let world = other.world();
        assert_eq!(*world.resource::<State<Screen>>(), Screen::Game);
        assert_eq!(*world.resource::<State<Playing>>(), Playing);
        assert_eq!(*world.resource::<State<Music>>(), Music(3));
        assert!(world.contains(player));
        assert_eq!(numbers(&other), [1, 2, 3]);
        other.update_by(FRAME);
        assert_eq!(numbers(&other), [1, 2, 3, 5, 4]);
        assert!(!other.world().contains(player));
        assert!(!other.world().contains_resource::<State<Music>>());
    }
}

#[test]
fn a_state_that_is_no_data_is_refused_by_name() {
    let mut app = app();
    app.add_state(Screen::Menu).add_state(Music(1));
    app.world_mut()
        .register_data_state::<Screen>("bytes.screen");
    app.update_by(FRAME);
    let error = app.snapshot().unwrap().to_bytes().unwrap_err();
    let text = error.to_string();
    assert!(text.contains("the resource `State<app::snapshot_bytes::Music>` is not data"));
    assert!(
        text.contains("help: make the state data by `register_data_state`"),
        "{text}"
    );
    assert!(!text.contains("Screen"), "{text}");
}

#[test]
fn the_rest_of_a_transition_after_a_panic_comes_back() {
    let build = || {
        let mut app = game();
        app.on_enter(Playing, fail_once);
        app
    };
    let mut app = build();
    app.update_by(FRAME);
    request(&mut app, Screen::Game);
    catch_unwind(AssertUnwindSafe(|| app.update_by(FRAME))).unwrap_err();
    assert_eq!(numbers(&app), [1, 2, 13]);
    // The computed states are in the middle of the transition, so they have to be data now.
    let error = app.snapshot().unwrap().to_bytes().unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("`Transitions` remembers a `StateMemory<app::snapshot_bytes::Playing>`"),
        "{text}"
    );

    let build = || {
        let mut app = self::app();
        app.add_state(Screen::Menu)
            .on_exit(Screen::Menu, fail_once)
            .on_enter(Screen::Game, count);
        app.world_mut()
            .register_data_state::<Screen>("bytes.screen");
        app
    };
    let mut app = build();
    app.update_by(FRAME);
    request(&mut app, Screen::Game);
    catch_unwind(AssertUnwindSafe(|| app.update_by(FRAME))).unwrap_err();
    let saved = bytes(&mut app);
    app.update_by(FRAME);
    assert_eq!(numbers(&app), [13, 1]);
    let mut other = build();
    return_to(&mut other, &saved);
    assert_eq!(*other.world().resource::<State<Screen>>(), Screen::Menu);
    other.update_by(FRAME);
    assert_eq!(numbers(&other), [13, 1], "the rest alone");
}

#[test]
fn a_load_that_no_frame_has_followed_comes_back_and_later_loads_count() {
    let build = || {
        let mut app = game();
        app.fixed_step(Duration::from_millis(20))
            .add_systems(FixedUpdate, count);
        app
    };
    let mut old = build();
    request(&mut old, Screen::Game);
    old.update_times(5, FRAME);
    let save = old.world().save().to_vec().unwrap();
    let mut app = build();
    app.update_by(FRAME);
    Loader::new()
        .enter_states()
        .load_bytes(app.world_mut(), &save)
        .unwrap();
    let saved = bytes(&mut app);
    app.update_by(FRAME);
    let mut ran = build();
    ran.update_by(FRAME);
    for mut other in [build(), ran] {
        for _ in 0..2 {
            return_to(&mut other, &saved);
            other.update_by(FRAME);
            assert_eq!(numbers(&other), numbers(&app));
            let fixed = *other.world().resource::<FixedTime>();
            assert_eq!((fixed.steps(), fixed.overstep()), (9, Duration::ZERO));
            // The steps follow a load after the return, too.
            Loader::new().load_bytes(other.world_mut(), &save).unwrap();
            other.update_by(FRAME);
            assert_eq!(other.world().resource::<FixedTime>().steps(), 9);
        }
    }
}

#[test]
fn the_end_of_an_app_and_its_times_come_back() {
    let build = || {
        let mut app = app();
        app.add_systems(
            Last,
            |time: Res<Time>, real: Res<RealTime>, mut exit: ResMut<Exit>| {
                assert_eq!(time.frame(), real.frame());
                if real.frame() == 3 {
                    exit.error(7);
                }
            },
        );
        app
    };
    let mut app = build();
    app.update_times(2, FRAME);
    let saved = bytes(&mut app);
    app.update_by(FRAME);
    let ended = bytes(&mut app);
    let mut other = build();
    return_to(&mut other, &ended);
    assert_eq!(other.update_by(FRAME), Some(AppExit::error(7)));
    assert_eq!(other.world().resource::<RealTime>().elapsed(), FRAME * 3);
    return_to(&mut other, &saved);
    assert_eq!(other.update_by(Duration::ZERO), Some(AppExit::error(7)));
    assert_eq!(other.world().resource::<Time>().elapsed(), FRAME * 2);
}

#[test]
fn timers_in_locals_and_conditions_come_back() {
    #[system]
    fn tick(
        mut timer: Local<Option<Timer>>,
        mut watch: Local<Stopwatch>,
        time: Res<Time>,
        mut numbers: ResMut<Numbers>,
    ) {
        let timer = timer.get_or_insert(Timer::repeating(Duration::from_millis(70)));
        watch.tick(time.delta());
        let ended = timer.tick(time.delta()).times_finished();
        numbers
            .0
            .push(watch.elapsed().as_millis() as u32 * 10 + ended as u32);
    }
    let build = || {
        let mut app = app();
        app.add_systems(Update, tick)
            .add_systems(Update, note(5).run_if(ecs_core::app::on_timer(FRAME * 2)))
            .set_snapshotter(
                Snapshotter::new()
                    .local_data::<Option<Timer>>()
                    .without_captured(),
            );
        app
    };
    let mut app = build();
    app.update_times(3, FRAME);
    let saved = bytes(&mut app);
    app.update_times(6, FRAME);
    let mut other = build();
    return_to(&mut other, &saved);
    other.update_times(6, FRAME);
    assert_eq!(numbers(&other), numbers(&app));
    assert!(numbers(&app).contains(&901) && numbers(&app).contains(&5));
}

#[test]
fn delayed_events_that_are_no_data_are_refused_by_name() {
    #[derive(Clone)]
    struct Whistled;
    let mut app = app();
    app.world_mut().delay_event(Delay::Runs(1), Whistled);
    app.set_snapshotter(Snapshotter::new().events::<Whistled>());
    let mut snapshot = app.snapshot().unwrap();
    let error = snapshot.to_bytes().unwrap_err();
    let WriteSnapshotError::NoData {
        resources, delayed, ..
    } = &error
    else {
        panic!("{error}");
    };
    assert!(delayed.is_empty() && resources.len() == 1, "{error}");
    assert!(resources[0].contains("Whistled"), "{error}");
    let help = error.to_string();
    let help = help.split_once("help: ").unwrap().1;
    assert!(
        help.starts_with("give the event a name, `#[event(data = "),
        "{error}"
    );
    assert!(!help.contains("resource a name"), "{error}");
    // Snapshots in memory have them.
    let waiting = |app: &App| app.world().resource::<Events<Whistled>>().delayed();
    app.update_by(FRAME);
    assert_eq!(waiting(&app), 0);
    app.restore(&mut snapshot).unwrap();
    assert_eq!(waiting(&app), 1);
    app.update_by(FRAME);
    assert_eq!(waiting(&app), 0);
}

#[test]
fn delayed_commands_that_wait_are_refused_by_name_or_left_out_with_a_list() {
    let push = |number| move |world: &mut World| world.resource_mut::<Numbers>().0.push(number);
    let mut app = app();
    app.world_mut().delay(Delay::Runs(1), push(1));
    app.world_mut().delay(Delay::Time(FRAME * 3), push(2));
    let line = line!() - 1;
    app.update_by(FRAME);
    let error = app.snapshot().unwrap().to_bytes().unwrap_err();
    let WriteSnapshotError::NoData { delayed, .. } = &error else {
        panic!("{error}");
    };
    let name = "app::snapshot_bytes::delayed_commands_that_wait_are_refused_by_name_or_left_out_with_a_list";
    assert!(
        delayed.len() == 1 && delayed[0].name.starts_with(name),
        "{delayed:?}"
    );
    assert_eq!(
        (delayed[0].at.file(), delayed[0].at.line()),
        (file!(), line)
    );
    let text = error.to_string();
    let place = format!("`, from {}:{line}:", file!());
    assert!(text.contains(&place), "{text}");
    assert!(
        text.contains("help: write `delay_event` in place of `delay`"),
        "{text}"
    );

    app.set_snapshotter(Snapshotter::new().for_bytes());
    let text = app.snapshot().unwrap_err().to_string();
    assert!(
        text.contains("is a function, which cannot become bytes") && text.contains(&place),
        "{text}"
    );
    app.set_snapshotter(Snapshotter::new().for_bytes().without_others());
    let snapshot = app.snapshot().unwrap();
    assert_eq!(snapshot.left_out().delayed, *delayed);
    assert!(
        snapshot
            .left_out()
            .to_string()
            .starts_with("the delayed command `")
    );
    let saved = snapshot.to_bytes().unwrap();
    let mut other = self::app();
    return_to(&mut other, &saved);
    // Later ones count on from there.
    other.world_mut().delay(Delay::Time(FRAME * 2), push(3));
    other.update_by(FRAME);
    assert_eq!(numbers(&other), [1]);
    other.update_times(9, FRAME);
    assert_eq!(numbers(&other), [1, 3]);
    app.update_times(9, FRAME);
    assert_eq!(numbers(&app), [1, 2], "it still waits in the first app");
    // When none waits, nothing is in the way.
    app.set_snapshotter(Snapshotter::new());
    let saved = bytes(&mut app);
    return_to(&mut other, &saved);
    assert_eq!(numbers(&other), [1, 2]);
}

#[test]
fn whatever_has_no_written_form_is_left_out_and_the_app_keeps_its_own() {
    #[derive(Resource, Clone)]
    struct Socket(u32);
    #[derive(Component, Clone)]
    struct InTable(#[expect(dead_code, reason = "a value")] u32);
    #[derive(Component, Clone)]
    #[component(storage = "sparse")]
    struct Texture(#[expect(dead_code, reason = "a value")] u32);
    #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[component(data = "bytes.kept")]
    struct Kept(u32);
    #[derive(Clone, Default)]
    struct Cache(u32);
    #[system]
    fn look(mut cache: Local<Cache>, mut numbers: ResMut<Numbers>) {
        cache.0 += 1;
        numbers.0.push(cache.0);
    }
    let build = |socket| {
        let mut app = app();
        app.insert_resource(Socket(socket))
            .add_systems(Update, look);
        let world = app.world_mut();
        world.register::<InTable>();
        world.register::<Texture>();
        world.register::<Kept>();
        let snapshotter = Snapshotter::new()
            .resource::<Socket>()
            .component::<InTable>()
            .component::<Texture>()
            .local::<Cache>()
            .for_bytes();
        app.set_snapshotter(snapshotter.clone());
        assert_eq!(app.snapshot().unwrap_err().to_string().lines().count(), 4);
        app.set_snapshotter(snapshotter.without_others());
        app
    };
    let mut app = build(1);
    let world = app.world_mut();
    let both = world.spawn((Kept(1), InTable(1), Texture(1)));
    let kept = world.spawn(Kept(2));
    let alone = world.spawn(InTable(3));
    app.update_times(2, FRAME);
    let snapshot = app.snapshot().unwrap();
    assert_eq!(snapshot.left_out().to_string().lines().count(), 4);
    let saved = snapshot.to_bytes().unwrap();
    let mut ran = build(2);
    ran.world_mut().spawn((Kept(7), InTable(7)));
    ran.update_by(FRAME);
    for (mut other, cache) in [(build(2), 1), (ran, 2)] {
        return_to(&mut other, &saved);
        other.update_by(FRAME);
        assert_eq!(numbers(&other), [1, 2, cache], "its own cache");
        let world = other.world_mut();
        assert_eq!(world.resource::<Socket>().0, 2);
        assert_eq!(
            world.query::<&InTable>().count() + world.query::<&Texture>().count(),
            0
        );
        let found: Vec<_> = world
            .query::<(Entity, &Kept)>()
            .iter()
            .map(|(e, k)| (e, k.0))
            .collect();
        assert_eq!(found, [(kept, 2), (both, 1)]);
        assert!(world.contains(alone));
        world.check_invariants();
    }
}

#[test]
fn bytes_of_another_program_name_the_first_difference_and_change_nothing() {
    #[system]
    fn other_system(_numbers: Res<Numbers>) {}
    #[system]
    fn remember(_runs: Local<u32>) {}
    #[system]
    fn typed<T: Default + Send + Sync + 'static>(_runs: Local<T>) {}
    let built = |systems: fn(&mut App)| {
        let mut app = app();
        app.add_systems(Update, count);
        systems(&mut app);
        app
    };
    let none: fn(&mut App) = |_| {};
    let stateless: fn(&mut App) = |app| _ = app.add_systems(Update, other_system);
    let local: fn(&mut App) = |app| _ = app.add_systems(Update, remember);
    let saved = bytes(&mut built(none));
    for (systems, here) in [(stateless, "other_system"), (local, "remember")] {
        let mut app = built(systems);
        app.update_by(FRAME);
        let error = app.read_snapshot(&saved).unwrap_err();
        let ReadAppSnapshotError::Read(ReadSnapshotError::OtherSystems {
            here: found,
            written,
        }) = &error
        else {
            panic!("{error}");
        };
        assert!(
            found.ends_with(&format!("::{here}`")) && written == "none",
            "{error}"
        );
        assert_eq!(numbers(&app), [1]);
    }
    let order = |first: bool| {
        let mut app = app();
        match first {
            true => app.add_systems(Update, (count, other_system)),
            false => app.add_systems(Update, (other_system, count)),
        };
        app
    };
    let error = order(true)
        .read_snapshot(&bytes(&mut order(false)))
        .unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("::count` here, and `app::snapshot_bytes::"),
        "{text}"
    );
    assert!(text.ends_with("help: use a save, which other programs read"));
    // The same name, and another memory.
    let number = |is_first: bool| {
        let mut app = app();
        match is_first {
            true => app.add_systems(Update, typed::<u32>),
            false => app.add_systems(Update, typed::<u64>),
        };
        app
    };
    let text = number(true)
        .read_snapshot(&bytes(&mut number(false)))
        .unwrap_err()
        .to_string();
    assert!(text.contains("::typed"), "{text}");
    // A snapshot without these schedules is refused by the return.
    let mut app = built(none);
    let mut snapshot = app.read_snapshot(&saved).unwrap();
    assert_eq!(
        built(none).restore(&mut snapshot),
        Err(RestoreError::OtherWorld)
    );
}

#[test]
fn bytes_with_a_state_that_is_not_computed_here_are_read_but_not_restored() {
    let app_that_computes = |is_computed: bool| {
        let mut app = app();
        app.add_systems(Update, count)
            .add_state(Screen::Game)
            .add_computed_state(move |_: &Screen| is_computed.then_some(Playing));
        app
    };
    let mut one = app_that_computes(true);
    one.update_by(FRAME);
    let saved = bytes(&mut one);
    let mut other = app_that_computes(false);
    other.update_times(2, FRAME);
    let hash = other.world().hash().unwrap();
    let error = other.restore_bytes(&saved).unwrap_err();
    let RestoreBytesError::Restore(reason) = error else {
        panic!("{error}");
    };
    assert_eq!(reason, RestoreError::OtherSchedules);
    assert_eq!(error.to_string(), reason.to_string());
    assert_eq!(other.world().hash().unwrap(), hash);
    other.update_by(FRAME);
    assert_eq!(numbers(&other), [1, 2, 3]);
}

#[test]
fn damaged_bytes_are_errors_that_change_nothing() {
    let mut app = game();
    app.add_systems(Update, count);
    request(&mut app, Screen::Game);
    app.update_times(2, FRAME);
    app.world_mut().spawn(DespawnOnExit(Screen::Game));
    let saved = bytes(&mut app);
    let mut other = game();
    other.add_systems(Update, count).update_by(FRAME);
    let hash = other.world().hash().unwrap();
    let mut refused = 0;
    for at in 0..saved.len() - 8 {
        let mut damaged = saved.clone();
        damaged[at] ^= 1 << (at % 8);
        let read = |app: &mut App, bytes: &[u8]| app.read_snapshot(bytes).map(drop);
        assert!(read(&mut other, &damaged).is_err(), "its checksum is wrong");
        assert!(read(&mut other, &saved[..at]).is_err());
        assert!(matches!(
            other.restore_bytes(&damaged),
            Err(RestoreBytesError::Read(_))
        ));
        seal_snapshot(&mut damaged);
        // Bytes from a stranger with a checksum that is right: an error, or an app that goes on.
        match other.read_snapshot(&damaged) {
            Err(error) => {
                refused += 1;
                assert!(!error.to_string().is_empty());
            }
            Ok(mut snapshot) => {
                let mut victim = game();
                victim.add_systems(Update, count);
                if victim.restore_bytes(&damaged).is_ok() {
                    victim.world().check_invariants();
                    victim.update_by(FRAME);
                }
                drop(std::mem::take(&mut snapshot));
            }
        }
    }
    assert!(refused > saved.len() / 2);
    assert_eq!(other.world().hash().unwrap(), hash);
    assert_eq!(numbers(&other), [1]);
}

/// An app with fixed steps of a length.
fn stepped(step: Duration) -> App {
    let mut app = app();
    app.fixed_step(step);
    app.add_systems(FixedUpdate, count);
    app
}

fn times(app: &App) -> (Time, FixedTime) {
    let world = app.world();
    let time = world.resource::<Time>().clone();
    (time, *world.resource::<FixedTime>())
}

#[test]
fn times_and_steps_of_any_length_are_read_again() {
    const CENTURY: Duration = Duration::from_secs(100 * 365 * 86_400);
    let second = Duration::from_secs(1);
    for (step, frame) in [
        (second, second),
        // Most of the time is lost.
        (second, Duration::MAX),
        (CENTURY, CENTURY),
        (CENTURY, Duration::MAX / 3),
        (Duration::MAX, Duration::MAX),
    ] {
        let mut first = stepped(step);
        for _ in 0..4 {
            first.update_by(frame);
        }
        let mut second = stepped(step);
        second.restore_bytes(&bytes(&mut first)).unwrap();
        for app in [&mut first, &mut second] {
            app.update_by(frame);
        }
        assert_eq!(numbers(&first), numbers(&second), "{step:?} {frame:?}");
        assert_eq!(times(&first), times(&second), "{step:?} {frame:?}");
    }
}

#[test]
fn counts_of_frames_and_steps_end_at_the_greatest_number() {
    let second = Duration::from_secs(1);
    let mut app = stepped(second);
    app.update_by(second);
    let mut text = serde_json::to_string(&app.world().save()).unwrap();
    for count in ["frame", "steps"] {
        let [one, last] = [1, u64::MAX - 1].map(|number| format!(r#""{count}":{number},"#));
        assert!(text.contains(&one), "{text}");
        text = text.replace(&one, &last);
    }
    let mut first = stepped(second);
    Loader::new()
        .deserialize(
            first.world_mut(),
            &mut serde_json::Deserializer::from_str(&text),
        )
        .unwrap();
    for frame in 0..3 {
        let bytes = bytes(&mut first);
        let mut other = stepped(second);
        other.restore_bytes(&bytes).unwrap();
        for app in [&mut first, &mut other] {
            app.update_by(second);
        }
        assert_eq!(times(&first), times(&other), "{frame}");
        let (time, fixed) = times(&first);
        assert_eq!([time.frame(), fixed.steps()], [u64::MAX; 2], "{frame}");
    }
}

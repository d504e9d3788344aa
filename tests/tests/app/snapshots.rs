//! Snapshots of apps: what they have, what they refuse, and rollback of fixed steps.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ecs_core::app::{AppSnapshotError, Exit, Last, RealTime};
use ecs_core::command::Delay;
use ecs_core::data::{Loader, Rollback, RollbackFrame, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::record::{Recorder, Replay};
use ecs_core::schedule::{DespawnOnExit, FixedTime, NextState, State};
use ecs_core::snapshot::{RestoreError, Ring, Snapshotter};
use ecs_core::task::Tasks;
use ecs_core::world::hooks::{DeferredWorld, Trigger};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

const FRAME: Duration = Duration::from_millis(30);

#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[resource(data = "test.numbers")]
struct Numbers(Vec<u32>);

#[system]
fn count(mut numbers: ResMut<Numbers>, mut runs: Local<u32>) {
    *runs += 1;
    numbers.0.push(*runs);
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

#[test]
fn a_snapshot_before_the_first_frame_is_of_an_app_that_has_started() {
    let mut app = app();
    app.add_systems(Startup, |mut numbers: ResMut<Numbers>| numbers.0.push(100));
    app.add_systems(Update, count);
    let mut first = app.snapshot().unwrap();
    for _ in 0..2 {
        app.update_times(3, FRAME);
        assert_eq!(numbers(&app), [100, 1, 2, 3]);
        app.restore(&mut first).unwrap();
        assert_eq!(numbers(&app), [100]);
    }
}

#[test]
fn an_app_that_has_ended_goes_on_after_a_return() {
    let mut app = app();
    app.add_systems(Update, count).add_systems(
        Last,
        |numbers: Res<Numbers>, mut exit: ResMut<Exit>| {
            if numbers.0.len() == 3 {
                exit.success();
            }
        },
    );
    app.update_by(FRAME);
    let mut snapshot = app.snapshot().unwrap();
    for _ in 0..2 {
        assert_eq!(app.update_times(9, FRAME), Some(AppExit::Success));
        assert_eq!(numbers(&app), [1, 2, 3]);
        app.restore(&mut snapshot).unwrap();
    }
    app.update_times(9, FRAME);
    let mut ended = app.snapshot().unwrap();
    app.restore(&mut snapshot).unwrap();
    app.restore(&mut ended).unwrap();
    assert_eq!(app.update_by(FRAME), Some(AppExit::Success), "it had ended");
    assert_eq!(numbers(&app), [1, 2, 3]);
}

#[test]
fn a_value_that_cannot_be_copied_is_refused_by_name_or_left_out_with_a_list() {
    #[derive(Resource)]
    struct Socket(u32);
    #[derive(Default)]
    struct Cache(u32);
    #[derive(Component)]
    #[component(storage = "sparse")]
    struct Texture(u32);
    #[derive(Component)]
    struct InTable;
    #[system]
    fn look(mut cache: Local<Cache>, mut numbers: ResMut<Numbers>) {
        cache.0 += 1;
        numbers.0.push(cache.0);
    }
    let mut app = app();
    app.insert_resource(Socket(1)).add_systems(Update, look);
    app.update_by(FRAME);
    let sprite = app.world_mut().spawn(Texture(1));
    let error = app.snapshot().unwrap_err();
    let AppSnapshotError::Snapshot(error) = error else {
        panic!("{error}");
    };
    assert!(error.resources[0].ends_with("Socket") && error.components[0].ends_with("Texture"));
    assert!(error.remembered[0].1.ends_with("Cache"), "{error}");

    app.set_snapshotter(Snapshotter::new().without_others());
    let mut snapshot = app.snapshot().unwrap();
    let left_out = snapshot.left_out().to_string();
    let lines: Vec<&str> = left_out.lines().collect();
    assert!(lines[0].starts_with("the component `") && lines[0].ends_with("Texture`"));
    assert!(lines[1].starts_with("the resource `") && lines[1].ends_with("Socket`"));
    assert!(lines[2].contains("look` remembers: ") && lines[2].ends_with("Cache"));
    assert_eq!(lines.len(), 3);
    app.world_mut().resource_mut::<Socket>().0 = 2;
    app.world_mut().get_mut::<Texture>(sprite).unwrap().0 = 2;
    app.update_by(FRAME);
    app.restore(&mut snapshot).unwrap();
    assert_eq!(
        app.world().resource::<Socket>().0,
        2,
        "not changed by the return"
    );
    assert_eq!(app.world().get::<Texture>(sprite).unwrap().0, 2);
    app.update_by(FRAME);
    assert_eq!(
        numbers(&app),
        [1, 3],
        "the log has returned, and the cache has not"
    );

    // The rows of a table have no columns of it.
    let entity = app.world_mut().spawn(InTable);
    app.set_snapshotter(Snapshotter::new());
    let error = app.snapshot().unwrap_err().to_string();
    let line = format!("InTable` cannot be copied: entity {entity} has it");
    assert!(error.contains(&line), "{error}");
    app.set_snapshotter(Snapshotter::new().without_others());
    let mut snapshot = app.snapshot().unwrap();
    assert!(snapshot.left_out().to_string().contains("InTable`"));
    app.restore(&mut snapshot).unwrap();
    assert!(app.world().contains(entity) && app.world().get::<InTable>(entity).is_none());
}

#[test]
fn a_clone_that_panics_leaves_the_app_what_it_copies_and_leaves_out() {
    #[derive(Resource)]
    struct Socket(u32);

    #[derive(Resource, Debug)]
    struct Fragile(bool);
    impl Clone for Fragile {
        fn clone(&self) -> Self {
            assert!(!self.0, "it is broken");
            Self(false)
        }
    }

    let mut app = app();
    app.insert_resource(Socket(1))
        .insert_resource(Fragile(true));
    let snapshotter = Snapshotter::new()
        .resource::<Fragile>()
        .without_resource::<Socket>();
    app.set_snapshotter(snapshotter);
    catch_unwind(AssertUnwindSafe(|| app.snapshot())).unwrap_err();
    app.world_mut().resource_mut::<Fragile>().0 = false;
    let mut snapshot = app.snapshot().unwrap();
    app.world_mut().resource_mut::<Socket>().0 = 2;
    app.world_mut().resource_mut::<Fragile>().0 = true;
    catch_unwind(AssertUnwindSafe(|| app.snapshot_into(&mut snapshot))).unwrap_err();
    app.world_mut().resource_mut::<Fragile>().0 = false;
    app.snapshot_into(&mut snapshot).unwrap();
    app.restore(&mut snapshot).unwrap();
    assert_eq!(app.world().resource::<Socket>().0, 2);
}

#[test]
fn running_tasks_are_refused_or_noted() {
    let mut app = app();
    app.insert_resource(Tasks::default());
    app.snapshot().expect("no task is running");
    let promise = app
        .world_mut()
        .resource_mut::<Tasks>()
        .promise(|world, _: Result<(), _>| world.resource_mut::<Numbers>().0.push(7));
    let error = app.snapshot().unwrap_err().to_string();
    assert!(error.contains("Tasks"), "{error}");
    app.set_snapshotter(Snapshotter::new().without_others());
    let mut snapshot = app.snapshot().unwrap();
    assert_eq!(snapshot.left_out().tasks, 1);
    assert!(snapshot.left_out().to_string().ends_with("1 running task"));
    app.restore(&mut snapshot).unwrap();
    promise.keep(());
    assert_eq!(app.world_mut().flush_tasks(), 1);
    assert_eq!(numbers(&app), [7]);
}

#[test]
fn delayed_commands_are_made_again_after_a_return() {
    let mut app = app();
    app.update_by(FRAME);
    let push = |number| move |world: &mut World| world.resource_mut::<Numbers>().0.push(number);
    app.world_mut().delay(Delay::Runs(2), push(1));
    app.world_mut().delay(Delay::Time(FRAME * 3), push(2));
    let mut snapshot = app.snapshot().unwrap();
    for _ in 0..2 {
        let mut seen = Vec::new();
        for _ in 0..4 {
            app.update_by(FRAME);
            seen.push(numbers(&app).len());
        }
        assert_eq!(seen, [0, 1, 2, 2]);
        app.restore(&mut snapshot).unwrap();
    }
    // A command that was delayed after the snapshot is gone.
    app.world_mut().delay(Delay::Runs(1), push(3));
    app.restore(&mut snapshot).unwrap();
    app.update_times(9, FRAME);
    assert_eq!(numbers(&app), [1, 2]);
}

#[test]
fn a_frame_in_the_middle_is_refused_and_dropped_by_a_return() {
    let mut app = app();
    app.add_systems(
        Update,
        (count, |mut numbers: ResMut<Numbers>| numbers.0.push(50)),
    );
    app.update_by(FRAME);
    let mut snapshot = app.snapshot().unwrap();
    for _ in 0..2 {
        app.step_system();
        assert_eq!(numbers(&app), [1, 50, 2]);
        let error = app.snapshot().unwrap_err().to_string();
        assert!(error.contains("in the middle of a run"), "{error}");
        assert!(error.contains("`App::step`"), "{error}");
        app.restore(&mut snapshot).unwrap();
        assert!(app.is_paused() && !app.is_in_frame());
        app.step();
        assert_eq!(numbers(&app), [1, 50, 2, 50]);
        app.restore(&mut snapshot).unwrap();
    }
    app.snapshot().unwrap();
    app.resume();
    app.update_by(FRAME);
    assert_eq!(numbers(&app), [1, 50, 2, 50]);
}

#[test]
fn a_schedule_by_hand_returns_with_the_app() {
    #[system]
    fn play(world: &mut World) -> Result<(), ecs_core::schedule::ScheduleError> {
        world.run_schedule("turn")
    }
    let mut app = app();
    app.add_schedule("turn").add_systems("turn", count);
    app.add_systems(Update, play);
    app.update_times(2, FRAME);
    let mut snapshot = app.snapshot().unwrap();
    app.update_times(2, FRAME);
    app.restore(&mut snapshot).unwrap();
    app.update_by(FRAME);
    assert_eq!(numbers(&app), [1, 2, 3]);
}

#[test]
fn a_snapshot_belongs_to_its_app_and_its_systems() {
    let mut app = app();
    app.add_systems(Update, count);
    let mut snapshot = app.snapshot().unwrap();
    let mut other = self::app();
    other.add_systems(Update, count);
    assert_eq!(other.restore(&mut snapshot), Err(RestoreError::OtherWorld));
    app.add_systems(Update, |_: Local<u8>| {});
    assert_eq!(
        app.restore(&mut snapshot),
        Err(RestoreError::OtherSchedules)
    );
    let mut wrong = App::new();
    wrong.add_systems("nowhere", count);
    assert!(matches!(wrong.snapshot(), Err(AppSnapshotError::App(_))));
}

#[test]
fn a_frame_that_panicked_in_a_transition_is_forgotten_by_a_return() {
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    enum Screen {
        Menu,
        Game,
    }
    #[system]
    fn fail(numbers: Res<Numbers>) {
        assert!(numbers.0.is_empty(), "not with numbers");
    }
    let mut app = app();
    app.add_state(Screen::Menu)
        .on_exit(Screen::Menu, fail)
        .on_enter(Screen::Game, count);
    app.update_by(FRAME);
    let mut snapshot = app.snapshot().unwrap();
    app.world_mut().resource_mut::<Numbers>().0.push(5);
    let request = |app: &mut App| {
        app.world_mut()
            .resource_mut::<NextState<Screen>>()
            .set(Screen::Game);
    };
    request(&mut app);
    catch_unwind(AssertUnwindSafe(|| app.update_by(FRAME))).unwrap_err();
    app.restore(&mut snapshot).unwrap();
    app.update_by(FRAME);
    assert_eq!(*app.world().resource::<State<Screen>>(), Screen::Menu);
    request(&mut app);
    app.update_by(FRAME);
    assert_eq!(numbers(&app), [1], "left and entered");
}

#[test]
fn after_a_return_a_panic_no_longer_ends_the_next_frame_early() {
    #[system]
    fn fail(numbers: Res<Numbers>) {
        assert!(!numbers.0.contains(&7), "not with seven");
    }
    let mut app = app();
    app.add_systems(Update, (count, fail));
    app.update_by(FRAME);
    let mut snapshot = app.snapshot().unwrap();
    app.world_mut().resource_mut::<Numbers>().0.push(7);
    catch_unwind(AssertUnwindSafe(|| app.update_by(FRAME))).unwrap_err();
    app.restore(&mut snapshot).unwrap();
    // Asked for between two frames, so the next one is the last.
    app.world_mut().resource_mut::<Exit>().success();
    assert_eq!(app.update_by(FRAME), Some(AppExit::Success));
    assert_eq!(numbers(&app), [1, 2]);
}

#[test]
fn a_recording_knows_that_the_app_has_returned() {
    let build = || {
        let mut app = app();
        app.add_systems(Update, count);
        app
    };
    let path = std::env::temp_dir().join(format!("ecs-returns-{}.rec", std::process::id()));
    let mut app = build();
    app.add_plugin(Recorder::new(&path));
    app.update_times(2, FRAME);
    let mut snapshot = app.snapshot().unwrap();
    let mut ring = Ring::new(Snapshotter::new(), 2);
    app.take_in(&mut ring, 2).unwrap();
    for is_in_ring in [false, true] {
        app.update_times(3, FRAME);
        match is_in_ring {
            true => app.restore_from(&mut ring, 2).unwrap(),
            false => app.restore(&mut snapshot).unwrap(),
        }
    }
    app.update_by(FRAME);
    assert_eq!(numbers(&app), [1, 2, 3]);
    drop(app);
    let mut replay = Replay::open(&path, build).unwrap();
    let mut seen = Vec::new();
    while replay.step().unwrap() {
        seen.push(numbers(replay.program()).len());
    }
    std::fs::remove_file(&path).unwrap();
    assert_eq!(seen, [1, 2, 3, 4, 5, 3, 4, 5, 3]);
}

#[test]
fn a_snapshot_between_a_load_and_the_next_frame_follows_the_load() {
    let build = || {
        let mut app = app();
        app.fixed_step(Duration::from_millis(20))
            .add_systems(FixedUpdate, count);
        app
    };
    let mut old = build();
    old.update_times(5, FRAME);
    let save = old.world().save().to_vec().unwrap();
    let mut app = build();
    app.update_by(FRAME);
    Loader::new().load_bytes(app.world_mut(), &save).unwrap();
    let mut snapshot = app.snapshot().unwrap();
    for _ in 0..2 {
        app.update_by(FRAME);
        let fixed = *app.world().resource::<FixedTime>();
        assert_eq!((fixed.steps(), fixed.overstep()), (9, Duration::ZERO));
        app.restore(&mut snapshot).unwrap();
    }
}

/// A game of which only the fixed steps are simulated.
struct Machine {
    app: App,
    rollback: Rollback<u8>,
}

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "test.inputs")]
struct Inputs(Vec<u8>);

#[derive(Resource, Default)]
struct Drawn(u32);

#[system]
fn simulate(
    inputs: Res<Inputs>,
    time: Res<Time>,
    real: Res<RealTime>,
    mut runs: Local<u32>,
    mut numbers: ResMut<Numbers>,
) {
    *runs += 1;
    assert!(real.frame() <= 40);
    let input: u32 = inputs.0.iter().map(|&input| u32::from(input)).sum();
    let elapsed = time.elapsed().as_millis() as u32;
    assert_eq!(time.delta(), Duration::from_millis(10));
    numbers.0.push(*runs * 1_000_000 + elapsed * 1000 + input);
}

#[system]
fn draw(mut drawn: ResMut<Drawn>) {
    drawn.0 += 1;
}

impl Machine {
    fn new() -> Self {
        let mut app = app();
        app.insert_resource(Inputs(vec![0, 0]))
            .init_resource::<Drawn>()
            .fixed_step(Duration::from_millis(10))
            .fixed_by_hand()
            .add_systems(Startup, |time: Res<Time>| {
                assert_eq!(time.delta(), Duration::ZERO);
            })
            .add_systems(FixedUpdate, simulate)
            .add_systems(Update, draw);
        let snapshotter = Snapshotter::new().without_resource::<Drawn>();
        let rollback = Rollback::new(2, snapshotter).hashes(1, WorldHasher::new());
        Self { app, rollback }
    }

    fn step(&mut self) {
        let apply = |world: &mut World, frame: &RollbackFrame<'_, u8>| {
            world.resource_mut::<Inputs>().0 = frame.inputs.to_vec();
        };
        let advanced = self
            .rollback
            .advance_by(&mut self.app.fixed_steps(), apply)
            .unwrap();
        assert!(advanced.errors.is_empty() && !advanced.is_waiting);
    }
}

#[test]
fn fixed_steps_are_rolled_back_while_frames_go_on() {
    let (mut one, mut two) = (Machine::new(), Machine::new());
    let input = |player: u64, step: u64| (step * (player + 3) % 5) as u8;
    for step in 0..20 {
        one.rollback.add_input(0, step, input(0, step)).unwrap();
        two.rollback.add_input(1, step, input(1, step)).unwrap();
        if step >= 3 {
            one.rollback
                .add_input(1, step - 3, input(1, step - 3))
                .unwrap();
            two.rollback
                .add_input(0, step - 3, input(0, step - 3))
                .unwrap();
        }
        one.step();
        two.step();
        // Each machine draws at its own rate.
        one.app.update_by(Duration::from_millis(16));
        two.app.update_times(2, Duration::from_millis(7));
    }
    assert!(one.rollback.stats().rollbacks > 3);
    let (frame, hash) = one.rollback.last_confirmed_hash().unwrap();
    assert_eq!(two.rollback.confirmed_hash(frame), Some(hash));
    let frame = frame as usize;
    assert_eq!(numbers(&one.app)[..frame], numbers(&two.app)[..frame]);
    assert_eq!(
        numbers(&one.app)[3],
        4_000_000 + 40_000 + 3 * 3 % 5 + 3 * 4 % 5
    );
    // The frames have their own times, which never return.
    let time = |app: &App| app.world().resource::<Time>().elapsed().as_millis();
    let real = |app: &App| app.world().resource::<RealTime>().elapsed().as_millis();
    assert_eq!((time(&one.app), real(&one.app)), (20 * 16, 20 * 16));
    assert_eq!((time(&two.app), real(&two.app)), (20 * 14, 20 * 14));
    assert_eq!(one.app.world().resource::<Drawn>().0, 20);
    assert_eq!(two.app.world().resource::<Drawn>().0, 40);
    assert_eq!(numbers(&one.app).len(), 20, "and frames run no steps");
}

#[test]
fn what_waits_before_steps_are_by_hand_waits_for_them() {
    let mut app = app();
    let push = |number| move |world: &mut World| world.resource_mut::<Numbers>().0.push(number);
    app.world_mut().delay(Delay::Runs(1), push(1));
    app.fixed_by_hand().update();
    assert!(numbers(&app).is_empty());
    let mut rollback = Rollback::<u8>::new(1, Snapshotter::new());
    rollback.add_input(0, 0, 0).unwrap();
    rollback
        .advance_by(&mut app.fixed_steps(), |_, _| {})
        .unwrap();
    assert_eq!(numbers(&app), [1]);
}

#[test]
fn delayed_commands_wait_for_steps_and_not_for_frames() {
    let mut machine = Machine::new();
    machine.app.update_times(5, FRAME);
    let push = |number| move |world: &mut World| world.resource_mut::<Numbers>().0.push(number);
    let world = machine.app.world_mut();
    world.delay(Delay::Runs(2), push(1));
    world.delay(Delay::Time(Duration::from_millis(30)), push(2));
    let mut made = Vec::new();
    for step in 0..5 {
        machine.rollback.add_input(0, step, 0).unwrap();
        machine.step();
        machine.app.update_times(3, FRAME);
        made.push(
            numbers(&machine.app)
                .iter()
                .filter(|number| **number < 1000)
                .count(),
        );
    }
    assert_eq!(made, [0, 1, 2, 2, 2]);
    // The other player's input for the first step changes nothing, but all steps run again.
    machine.rollback.add_input(1, 0, 1).unwrap();
    machine.rollback.add_input(0, 5, 0).unwrap();
    machine.step();
    let seen = numbers(&machine.app);
    assert_eq!(
        seen.iter().position(|number| *number == 1),
        Some(1),
        "{seen:?}"
    );
    assert_eq!(
        seen.iter().position(|number| *number == 2),
        Some(3),
        "{seen:?}"
    );
}

/// The screens of a race that two players run in fixed steps.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Race {
    Running,
    Won,
}

/// The places of the players, and the step in which one of them has won.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "test.places")]
struct Places {
    at: [u8; 2],
    won_in: Option<u64>,
}

/// Runs ten steps, with the other player's inputs three steps late: after step 0 it seems to win in step 1, but stops, and no player
/// wins before step 4. Returns the step noted, the screen and the number of runners after each step.
fn race(requests_in_steps: bool) -> Vec<(Option<u64>, Race, usize)> {
    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "test.runner")]
    struct Runner;

    let run = |inputs: Res<Inputs>, time: Res<FixedTime>, mut places: ResMut<Places>| {
        for (place, input) in places.at.iter_mut().zip(&inputs.0) {
            *place += input;
        }
        if places.won_in.is_none() && places.at.iter().any(|place| *place >= 10) {
            // In the first step it is 1.
            places.won_in = Some(time.steps() - 1);
        }
    };
    let request = |places: Res<Places>, mut next: ResMut<NextState<Race>>| {
        if places.won_in.is_some() {
            next.set(Race::Won);
        }
    };
    let mut app = app();
    app.insert_resource(Inputs(vec![0, 0]))
        .init_resource::<Places>()
        .add_state(Race::Running)
        .fixed_by_hand()
        .add_systems(FixedUpdate, run);
    if requests_in_steps {
        app.add_systems(FixedUpdate, request);
    }
    let runner = (Runner, DespawnOnExit(Race::Running));
    app.world_mut().spawn_batch([runner.clone(), runner]);
    let snapshotter = Snapshotter::new()
        .without_resource::<State<Race>>()
        .without_resource::<NextState<Race>>();
    let mut rollback = Rollback::new(2, snapshotter);
    let apply = |world: &mut World, frame: &RollbackFrame<'_, u8>| {
        world.resource_mut::<Inputs>().0 = frame.inputs.to_vec();
    };
    rollback.add_input(1, 0, 5).unwrap();
    let mut seen = Vec::new();
    for step in 0..10_u64 {
        rollback.add_input(0, step, 2).unwrap();
        if step > 3 {
            rollback.add_input(1, step - 3, 0).unwrap();
        }
        rollback.advance_by(&mut app.fixed_steps(), apply).unwrap();
        let won_in = app.world().resource::<Places>().won_in;
        let is_final = won_in.is_some_and(|step| step < rollback.confirmed());
        if is_final && !requests_in_steps {
            app.world_mut()
                .resource_mut::<NextState<Race>>()
                .set(Race::Won);
        }
        app.update_by(FRAME);
        let screen = app.world().resource::<State<Race>>().get().clone();
        let runners = app.world().query::<&Runner>().count();
        seen.push((won_in, screen, runners));
        if is_final && !requests_in_steps {
            // The last step: with the runners, the simulation has ended.
            break;
        }
    }
    seen
}

#[test]
fn a_state_changes_when_the_step_that_wants_it_is_confirmed() {
    let seen = race(false);
    let wrong = (Some(1), Race::Running, 2);
    assert_eq!(seen[1..4], [wrong.clone(), wrong.clone(), wrong]);
    let unconfirmed = (Some(4), Race::Running, 2);
    assert_eq!(
        seen[4..7],
        [unconfirmed.clone(), unconfirmed.clone(), unconfirmed]
    );
    assert_eq!(seen[7..], [(Some(4), Race::Won, 0)]);
}

/// The guide to netcode says so.
#[test]
fn a_transition_that_a_wrong_prediction_wanted_is_not_taken_back() {
    let seen = race(true);
    assert_eq!(seen[0], (None, Race::Running, 2));
    assert_eq!(seen[1], (Some(1), Race::Won, 0), "a wrong prediction");
    assert_eq!(
        seen[4],
        (Some(4), Race::Won, 2),
        "the runners of step 1 have come back, in a state that was left"
    );
}

#[test]
fn systems_are_added_to_fixed_steps_by_hand_and_removed() {
    let mut app = app();
    app.fixed_by_hand();
    app.build().unwrap();
    app.add_systems(FixedUpdate, count);
    let mut rollback = Rollback::<u8>::new(1, Snapshotter::new());
    let mut step = |app: &mut App, frame| {
        rollback.add_input(0, frame, 0).unwrap();
        rollback
            .advance_by(&mut app.fixed_steps(), |_, _| {})
            .unwrap();
    };
    step(&mut app, 0);
    assert_eq!(numbers(&app), [1]);
    assert_eq!(app.world().resource::<FixedTime>().steps(), 1);
    assert_eq!(app.remove_systems(FixedUpdate, count), 1);
    step(&mut app, 1);
    assert_eq!(numbers(&app), [1]);
}

#[test]
#[should_panic(expected = "help: call `fixed_by_hand` before the app is built")]
fn fixed_steps_of_frames_do_not_run_by_hand() {
    _ = App::new().fixed_steps();
}

proptest! {
    #[test]
    fn fixed_steps_with_late_inputs_do_the_same_as_with_all_on_time(
        steps in prop::collection::vec((0..5_u8, 0..5_u8, 0..5_u64, 0..40_u64), 1..24),
    ) {
        let mut machine = Machine::new();
        let mut known = 0;
        let mut deliver = |machine: &mut Machine, before: u64| {
            while known < before {
                let (_, input, ..) = steps[known as usize];
                machine.rollback.add_input(1, known, input).unwrap();
                known += 1;
            }
        };
        for (step, &(own, _, delay, frame)) in (0_u64..).zip(&steps) {
            machine.rollback.add_input(0, step, own).unwrap();
            deliver(&mut machine, (step + 1).saturating_sub(delay));
            machine.step();
            machine.app.update_by(Duration::from_millis(frame));
        }
        let end = steps.len() as u64;
        deliver(&mut machine, end);
        machine.rollback.add_input(0, end, 0).unwrap();
        machine.step();
        let expected = (1_u32..).zip(&steps).map(|(step, &(own, other, ..))| {
            step * 1_000_000 + step * 10_000 + u32::from(own) + u32::from(other)
        });
        prop_assert_eq!(&numbers(&machine.app)[..steps.len()], expected.collect::<Vec<_>>());
        let drawn: u64 = steps.iter().map(|&(.., frame)| frame).sum();
        let elapsed = machine.app.world().resource::<Time>().elapsed();
        prop_assert_eq!(elapsed, Duration::from_millis(drawn), "frames never return");
    }
}

#[test]
fn closures_outside_of_schedules_that_capture_values_are_listed_by_name() {
    struct Hit;
    let mut app = app();
    let world = app.world_mut();
    world.observe(|_: Trigger<Hit>, mut calls: Local<u32>| *calls += 1);
    assert!(app.snapshot().unwrap().left_out().is_empty());
    let number = numbers(&app).len();
    let world = app.world_mut();
    let observer = world.observe(move |_: Trigger<Hit>, _: Res<Time>| assert_eq!(number, 0));
    let by_world =
        world.observe(move |_: Trigger<Hit>, _: DeferredWorld<'_>| assert_eq!(number, 0));
    let counting = world.register_system(move |_: Res<Time>| number);
    let snapshot = app.snapshot().unwrap();
    assert_eq!(snapshot.left_out().outside.len(), 3);
    let text = snapshot.left_out().to_string();
    assert!(text.ends_with("` outside of schedules"), "{text}");
    app.set_snapshotter(Snapshotter::new().without_captured());
    assert!(app.snapshot().unwrap().left_out().is_empty());
    app.set_snapshotter(Snapshotter::new());
    let world = app.world_mut();
    assert!(world.unobserve(observer) && world.unobserve(by_world));
    assert!(world.unregister_system(counting));
    assert!(app.snapshot().unwrap().left_out().is_empty());
}

#[test]
fn a_value_that_an_observer_or_registered_system_remembers_is_copied_or_refused_by_name() {
    #[derive(Default, Clone)]
    struct Notes(Vec<u32>);
    struct Hit;
    #[system]
    fn hear(_: Trigger<Hit>, mut notes: Local<Notes>) {
        notes.0.push(1);
    }
    #[system]
    fn write(mut notes: Local<Notes>) -> usize {
        notes.0.push(1);
        notes.0.len()
    }
    let mut app = app();
    app.world_mut().observe(hear);
    let writing = app.world_mut().register_system(write);
    let error = app.snapshot().unwrap_err().to_string();
    assert!(
        error.contains("write` remembers a value that cannot be copied: "),
        "{error}"
    );
    assert!(!error.contains("hear`"), "it has not been called: {error}");
    app.world_mut().trigger(Hit);
    let error = app.snapshot().unwrap_err().to_string();
    assert!(
        error.contains("hear` remembers a value that cannot be copied: "),
        "{error}"
    );
    app.set_snapshotter(Snapshotter::new().local::<Notes>());
    let mut before = app.snapshot().unwrap();
    for _ in 0..2 {
        assert_eq!(app.world_mut().run_system(writing, ()), Ok(1));
        app.restore(&mut before).unwrap();
    }
}

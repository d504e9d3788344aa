//! Systems remember in unusual places: behind a `ParamSet`, in both parts of a pipe, in the same function twice, in instances of a
//! generic function, in closures, in conditions, and outside of schedules.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ecs_core::app::{Last, RestoreBytesError};
use ecs_core::command::Delay;
use ecs_core::data::{WorldData, WriteSnapshotError};
use ecs_core::observer;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::{every, not, on_event, run_once};
use ecs_core::snapshot::{RestoreError, Snapshotter};
use ecs_core::system::{In, from_fn};
use ecs_core::world::hooks::{OnAdd, Trigger, TriggerMut};
use serde::{Deserialize, Serialize};

const FRAME: Duration = Duration::from_millis(7);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "memories.place", track)]
struct Place(u32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "memories.speed", track, storage = "sparse")]
struct Speed(u32);

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "memories.bell")]
struct Bell(u32);

#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[resource(data = "memories.log")]
struct Log(Vec<(String, u32)>);

impl Log {
    fn note(&mut self, who: &str, number: impl TryInto<u32>) {
        let number = number.try_into().unwrap_or(u32::MAX);
        self.0.push((who.to_owned(), number));
    }
}

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "memories.frame")]
struct FrameNumber(u32);

/// Changes something else in each frame, by its number alone.
#[system]
fn change(
    mut frame: ResMut<FrameNumber>,
    mut places: Query<&mut Place>,
    speeds: Query<(Entity, &Speed)>,
    mut bells: EventWriter<Bell>,
    mut commands: Commands,
) {
    frame.0 += 1;
    let number = frame.0;
    let first = speeds.iter().next().map(|(entity, _)| entity);
    match (number % 5, first) {
        (0, _) => _ = commands.spawn((Place(number), Speed(number))),
        (1, _) => places.iter_mut().take(1).for_each(|mut place| place.0 += 1),
        (2, Some(entity)) => commands.remove::<Speed>(entity),
        (3, _) => (0..3).for_each(|bell| bells.send(Bell(number * 10 + bell))),
        (4, Some(entity)) if number.is_multiple_of(3) => commands.despawn(entity),
        _ => {}
    }
}

type Changes<'w> = (
    Query<'w, &'static Place, Changed<Place>>,
    Query<'w, &'static mut Place, Added<Place>>,
);

#[system]
fn by_turns(mut sets: ParamSet<Changes<'_>>, mut log: ResMut<Log>) {
    let changed = sets.p0().iter().count();
    let added = sets.p1().iter_mut().count();
    log.note("changed", changed);
    log.note("added", added);
}

#[system]
fn count<const BY: u32>(mut runs: Local<u32>, mut log: ResMut<Log>) {
    *runs += BY;
    log.note("count", *runs);
}

#[system]
fn read_one(mut bells: EventReader<Bell>, mut before: Local<Vec<u32>>) -> u32 {
    before.extend(bells.read().take(1).map(|bell| bell.0));
    before.iter().sum()
}

#[system]
fn most_bells(sum: u32, mut most: Local<Option<u32>>, mut log: ResMut<Log>) {
    *most = (*most).max(Some(sum));
    log.note("most_bells", most.unwrap_or_default());
}

#[system]
fn gone(mut speeds: Removed<Speed>, mut log: ResMut<Log>) {
    speeds
        .read()
        .for_each(|entity| log.note("gone", entity.index()));
}

fn game() -> App {
    let mut app = App::new();
    let snapshotter = Snapshotter::new();
    app.set_snapshotter(
        snapshotter
            .local_data::<Vec<u32>>()
            .local_data::<Option<u32>>(),
    );
    app.init_resource::<Log>()
        .init_resource::<FrameNumber>()
        .add_event::<Bell>();
    app.add_systems(Update, change);
    app.add_systems(Update, (by_turns, count::<1>, count::<3>));
    app.add_systems(FixedUpdate, (count::<5>, gone, read_one.pipe(most_bells)));
    app.add_systems(
        Last,
        from_fn(|mut runs: Local<u64>, mut log: ResMut<Log>| {
            *runs += 2;
            log.note("closure", *runs);
        })
        .run_if(|mut asked: Local<u32>, frame: Res<FrameNumber>| {
            *asked += 1;
            (*asked + frame.0).is_multiple_of(4)
        }),
    );
    app
}

fn future(app: &mut App) -> Log {
    app.update_times(11, FRAME);
    app.world().resource::<Log>().clone()
}

/// Runs an app for some frames. In each one, the future is the same from a snapshot in memory, and from bytes in a new app and in one
/// that has run.
fn assert_same_futures(make: fn() -> App, frames: u32) -> App {
    let (mut app, mut old) = (make(), make());
    old.update_times(17, FRAME);
    for frame in 0..frames {
        let mut before = app.snapshot().unwrap();
        assert!(before.left_out().is_empty(), "{}", before.left_out());
        let bytes = before.to_bytes().unwrap();
        let expected = future(&mut app);
        let mut new = make();
        for app in [&mut new, &mut old] {
            app.restore_bytes(&bytes).unwrap();
        }
        app.restore(&mut before).unwrap();
        for (name, app) in [("new", &mut new), ("old", &mut old), ("app", &mut app)] {
            assert_eq!(future(app), expected, "{name}, frame {frame}");
            let again = app.snapshot().unwrap().to_bytes().unwrap();
            app.restore_bytes(&again).unwrap();
        }
        app.restore(&mut before).unwrap();
        app.update_by(FRAME);
    }
    app
}

#[test]
fn memories_in_unusual_places_come_back_in_memory_and_from_bytes() {
    let app = assert_same_futures(game, 40);
    let log = app.world().resource::<Log>();
    for who in ["changed", "added", "count", "most_bells", "gone", "closure"] {
        assert!(
            log.0
                .iter()
                .any(|(name, number)| name == who && *number > 0),
            "{who}"
        );
    }
}

struct Rang(u32);

#[system]
fn hear(
    rang: Trigger<Rang>,
    mut sum: Local<u32>,
    mut bells: EventReader<Bell>,
    mut log: ResMut<Log>,
) {
    *sum += rang.0 + bells.read().take(1).map(|bell| bell.0).sum::<u32>();
    log.note("hear", *sum);
}

#[system]
fn count_places(_: OnAdd<Place>, mut count: Local<u32>, mut log: ResMut<Log>) {
    *count += 1;
    log.note("count_places", *count);
}

#[system]
fn added_since(by: u32, mut sum: Local<u32>, added: Query<&Place, Added<Place>>) -> u32 {
    *sum += by + added.iter().count() as u32;
    *sum
}

#[derive(Resource, Clone, Copy)]
struct AddedSince(SystemHandle<u32, u32>);

/// Runs the systems outside of schedules, the observers from the second third of ten frames on.
#[system]
fn call_others(world: &mut World) {
    let number = world.resource::<FrameNumber>().0;
    if number % 10 > 3 {
        world.trigger(Rang(number));
    }
    let AddedSince(handle) = *world.resource::<AddedSince>();
    let sum = world.run_system(handle, number).unwrap();
    world.resource_mut::<Log>().note("added_since", sum);
}

#[system]
fn called(mut runs: Local<u32>, mut bells: EventReader<Bell>, mut log: ResMut<Log>) {
    *runs += 1 + bells.read().count() as u32;
    log.note("called", *runs);
}

fn with_others() -> App {
    let mut app = game();
    app.add_systems(PostUpdate, call_others);
    app.set_snapshotter(
        Snapshotter::new()
            .local_data::<Vec<u32>>()
            .local_data::<Option<u32>>()
            .without_resource::<AddedSince>(),
    );
    let world = app.world_mut();
    world.observe(count_places);
    world.observe(hear);
    world.observe(hear);
    world.observe(|mut rang: TriggerMut<Rang>, mut calls: Local<u32>| {
        *calls += 1;
        rang.0 += *calls;
    });
    world.observe(
        |_: OnAdd<Speed>, mut calls: Local<u64>, mut log: ResMut<Log>| {
            *calls += 1;
            log.note("closure of OnAdd", *calls);
        },
    );
    let handle = world.register_system(added_since);
    world.insert_resource(AddedSince(handle));
    app
}

#[test]
fn systems_outside_of_schedules_remember_in_memory_and_as_bytes() {
    let app = assert_same_futures(with_others, 25);
    let log = app.world().resource::<Log>();
    for who in ["hear", "count_places", "added_since", "closure of OnAdd"] {
        assert!(log.0.iter().any(|(name, _)| name == who), "{who}");
    }
}

#[test]
fn functions_that_are_called_and_observers_of_an_entity_remember_in_memory() {
    let mut app = with_others();
    app.add_systems(Last, from_fn(|world: &mut World| called(&*world)));
    let bell = app.world_mut().spawn(());
    let own = |_: Trigger<Rang>, mut calls: Local<u32>, mut log: ResMut<Log>| {
        *calls += 1;
        log.note("own", *calls);
    };
    app.world_mut().observe_on(bell, own).unwrap();
    let ring = from_fn(move |world: &mut World| _ = world.trigger_on(bell, Rang(1)));
    app.add_systems(Last, ring);
    let snapshotter = Snapshotter::new()
        .without_captured()
        .without_resource::<AddedSince>();
    app.set_snapshotter(snapshotter.local::<Vec<u32>>().local::<Option<u32>>());

    let mut first = app.snapshot().unwrap();
    let start = future(&mut app);
    let mut later = app.snapshot().unwrap();
    let end = future(&mut app);
    app.world_mut().despawn(bell).unwrap();
    for is_later in [true, false, true] {
        let (snapshot, expected) = match is_later {
            true => (&mut later, &end),
            false => (&mut first, &start),
        };
        app.restore(snapshot).unwrap();
        assert_eq!(future(&mut app), *expected);
    }
    assert!(
        end.0.contains(&("called".to_owned(), 22 + 12)) && end.0.contains(&("own".to_owned(), 22))
    );
}

#[test]
fn the_memory_of_a_function_that_is_called_has_no_bytes_and_is_refused_or_left_out_by_name() {
    let mut app = with_others();
    app.update_by(FRAME);
    called(app.world());
    let mut before = app.snapshot().unwrap();
    let error = before.to_bytes().unwrap_err();
    assert!(
        matches!(&error, WriteSnapshotError::NoData { called, .. } if called[0].ends_with("called"))
    );
    let error = error.to_string();
    assert!(
        error.contains("::called` was called as a function, and its memory"),
        "{error}"
    );
    assert!(
        error.contains("help: add the function to a schedule or call"),
        "{error}"
    );
    let named = || {
        let snapshotter = Snapshotter::new().without_resource::<AddedSince>();
        snapshotter
            .local_data::<Vec<u32>>()
            .local_data::<Option<u32>>()
    };
    app.set_snapshotter(named().for_bytes());
    let error = app.snapshot().unwrap_err().to_string();
    assert!(
        error.contains("::called` was called as a function, and its memory"),
        "{error}"
    );
    app.set_snapshotter(named().for_bytes().without_others());
    let snapshot = app.snapshot().unwrap();
    let [left_out] = snapshot.left_out().outside[..] else {
        panic!("{}", snapshot.left_out());
    };
    assert!(left_out.ends_with("::called"));
    let bytes = snapshot.to_bytes().unwrap();
    called(app.world());
    app.restore_bytes(&bytes).unwrap();
    called(app.world());
    assert_eq!(
        app.world().resource::<Log>().0.last(),
        Some(&("called".to_owned(), 3))
    );
    app.restore(&mut before).unwrap();
    called(app.world());
    assert_eq!(
        app.world().resource::<Log>().0.last(),
        Some(&("called".to_owned(), 2))
    );
}

#[test]
fn bytes_with_the_memory_of_an_observer_or_registered_system_are_refused_by_a_program_without_it() {
    let mut app = with_others();
    app.update_times(10, FRAME);
    let bytes = app.snapshot().unwrap().to_bytes().unwrap();
    let mut other = game();
    other.add_systems(PostUpdate, call_others);
    let error = other.restore_bytes(&bytes).unwrap_err();
    let RestoreBytesError::Read(error) = error else {
        panic!("{error}");
    };
    let error = error.to_string();
    assert!(
        error.contains("no observer or registered system is `"),
        "{error}"
    );
    assert!(
        error.contains("help: call `observe` or `register_system`"),
        "{error}"
    );
}

/// Observers under conditions that remember.
fn with_conditions() -> App {
    let mut app = with_others();
    let world = app.world_mut();
    world.observe(observer(hear).run_if(every(3)));
    world.observe(observer(hear).run_if(on_event::<Bell>()).run_if(every(2)));
    let third = |mut asked: Local<u64>| {
        *asked += 1;
        asked.is_multiple_of(3)
    };
    world.observe(
        observer(|_: Trigger<Rang>, mut log: ResMut<Log>| log.note("third", 1)).run_if(third),
    );
    world.observe(observer(count_places).run_if(not(run_once())));
    let system = |mut log: ResMut<Log>| log.note("system", 1);
    app.add_systems(Update, system.run_if(every(2).and(on_event::<Bell>())));
    app
}

#[test]
fn conditions_of_observers_remember_in_memory_and_as_bytes() {
    let app = assert_same_futures(with_conditions, 25);
    let log = app.world().resource::<Log>();
    assert!(log.0.iter().any(|(name, _)| name == "third"));
}

#[test]
fn a_snapshot_asks_no_condition_of_an_observer() {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    let mut app = with_others();
    let asked = || ASKED.fetch_add(1, Ordering::Relaxed).is_multiple_of(2);
    let pawn = app.world_mut().spawn(());
    let sums = |_: Trigger<Rang>, mut sum: Local<u32>, mut log: ResMut<Log>| {
        *sum += 1;
        log.note("sum", *sum);
    };
    app.world_mut().observe(observer(sums).run_if(asked));
    app.world_mut()
        .observe_on(pawn, observer(sums).run_if(asked))
        .unwrap();
    app.update();
    let rings = |app: &mut App| {
        for _ in 0..3 {
            app.world_mut().trigger_on(pawn, Rang(0)).unwrap();
        }
        let log = app.world().resource::<Log>().0.clone();
        log.into_iter().rfind(|(name, _)| name == "sum").unwrap().1
    };
    // Each event asks first the one of all entities, which hears, and then the other one, which does not.
    assert_eq!(rings(&mut app), 3);
    let mut before = app.snapshot().unwrap();
    assert_eq!(rings(&mut app), 6);
    app.restore(&mut before).unwrap();
    assert_eq!(rings(&mut app), 6);
    assert_eq!(ASKED.load(Ordering::Relaxed), 3 * 6);
}

#[test]
fn a_return_whose_end_panics_has_returned_all_the_same() {
    /// Panics when it is dropped, if that is wanted.
    #[derive(Clone, Default)]
    struct Armed;
    static IS_ARMED: AtomicBool = AtomicBool::new(false);
    impl Drop for Armed {
        fn drop(&mut self) {
            assert!(!IS_ARMED.swap(false, Ordering::Relaxed), "armed");
        }
    }

    // The memory of an observer that had not run, and a resource that was not there.
    for is_resource in [false, true] {
        let mut world = World::new();
        world.insert_resource(Log::default());
        world.register_data_event::<Bell>();
        world.observe(|_: Trigger<Rang>, _: Local<Armed>| {});
        let mut frame = Schedule::new();
        frame.add(|mut log: ResMut<Log>| log.note("first", 1));
        frame.add(|mut log: ResMut<Log>| log.note("second", 2));
        frame.prepare(&mut world).unwrap();
        let mut other = World::new();
        other.delay_event(Delay::Runs(2), Bell(1));
        world.insert_resource(other.remove_resource::<Events<Bell>>().unwrap());
        let snapshotter = Snapshotter::new().local::<Armed>().resource::<Arc<Armed>>();
        let mut before = snapshotter
            .take_with(&mut world, &mut [&mut frame])
            .unwrap();
        match is_resource {
            false => _ = world.trigger(Rang(1)),
            true => _ = world.insert_resource(Arc::new(Armed)),
        }
        frame.run_step(&mut world).unwrap();
        IS_ARMED.store(true, Ordering::Relaxed);
        let mut schedules = [&mut frame];
        let returns = || snapshotter.restore_with(&mut world, &mut schedules, &mut before);
        assert!(catch_unwind(AssertUnwindSafe(returns)).is_err());
        assert!(world.resource::<Log>().0.is_empty());
        frame
            .run(&mut world)
            .expect("the run that had begun is gone");
        assert_eq!(world.resource::<Log>().0.len(), 2);
        assert_eq!(world.resource::<Events<Bell>>().delayed(), 1);
    }
}

#[test]
fn a_return_that_fails_leaves_the_memory_of_observers_as_it_is() {
    #[system]
    fn panics(_: Trigger<Rang>, _: Local<Armed>) {}

    /// Panics when it is cloned, if that is wanted.
    #[derive(Default)]
    struct Armed;
    static IS_ARMED: AtomicBool = AtomicBool::new(false);
    impl Clone for Armed {
        fn clone(&self) -> Self {
            assert!(!IS_ARMED.load(Ordering::Relaxed), "armed");
            Self
        }
    }

    let mut app = with_others();
    app.world_mut().observe(panics);
    app.set_snapshotter(
        Snapshotter::new()
            .local::<Vec<u32>>()
            .local::<Option<u32>>()
            .local::<Armed>()
            .without_resource::<AddedSince>(),
    );
    app.update_times(15, FRAME);
    let mut before = app.snapshot().unwrap();
    app.update_times(5, FRAME);
    let mut here = app.snapshot().unwrap();
    let expected = future(&mut app);
    app.restore(&mut here).unwrap();
    IS_ARMED.store(true, Ordering::Relaxed);
    assert!(catch_unwind(AssertUnwindSafe(|| app.restore(&mut before))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| app.snapshot())).is_err());
    IS_ARMED.store(false, Ordering::Relaxed);
    assert_eq!(future(&mut app), expected);
    let mut other = with_others();
    assert_eq!(other.restore(&mut before), Err(RestoreError::OtherWorld));
}

#[test]
fn a_registered_system_takes_a_snapshot_and_returns_to_it_while_it_runs() {
    #[system]
    fn number(mut runs: Local<u32>) -> u32 {
        *runs += 1;
        *runs
    }
    let mut world = World::new();
    let mut frame = Schedule::new();
    frame.add(change.run_if(|| false));
    world.insert_resource(FrameNumber(0));
    world.add_event::<Bell>();
    frame.prepare(&mut world).unwrap();
    let saved = Arc::new(Mutex::new((frame, None)));
    let place = Arc::clone(&saved);
    let save = from_fn(move |world: &mut World| {
        let (frame, snapshot) = &mut *place.lock().unwrap();
        *snapshot = Some(Snapshotter::new().take_with(world, &mut [frame]).unwrap());
    });
    let load = move |world: &mut World| {
        let (frame, snapshot) = &mut *saved.lock().unwrap();
        let snapshot = snapshot.as_mut().unwrap();
        let snapshotter = Snapshotter::new();
        snapshotter
            .restore_with(world, &mut [frame], snapshot)
            .unwrap();
    };
    // Both remember a number, which is not at its place while they run.
    let save = world.register_system(number.pipe(from_fn(|In(_): In<u32>| ())).pipe(save));
    let by_system = number
        .pipe(from_fn(|In(_): In<u32>| ()))
        .pipe(from_fn(load.clone()));
    let by_system = world.register_system(by_system);
    let number = world.register_system(number);
    assert_eq!(world.run_system(number, ()), Ok(1));
    world.run_system(save, ()).unwrap();
    for _ in 0..2 {
        assert_eq!(world.run_system(number, ()), Ok(2));
        world.run_system(by_system, ()).unwrap();
        assert_eq!(world.run_system(number, ()), Ok(2));
        load(&mut world);
    }
}

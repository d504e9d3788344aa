//! Recordings of a small game: what is written, and whether a replay does the same.

mod by_hand;
mod cadence;
mod edits;
mod killed;
mod kinds;
mod long;
mod parts;
mod planted;
mod tasks;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use ecs_core::app::Last;
use ecs_core::data::WorldHasher;
use ecs_core::prelude::*;
use ecs_core::record::{
    DifferenceKind, Outcome, Recorder, Recording, RecordingEnd, Replay, first_difference,
};
use ecs_core::schedule::NextState;
use ecs_core::schedule::conditions::in_state;
use ecs_core::snapshot::Snapshotter;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "test.place")]
struct Place {
    x: f32,
    y: f32,
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "test.spark", storage = "sparse")]
struct Spark(u32);

/// The input of a player.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "test.keys")]
struct Keys(Vec<char>);

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "test.random")]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        self.0 >> 33
    }
}

/// An event from outside.
#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "test.shout")]
struct Shout(u8);

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "test.log")]
struct Log(Vec<String>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Mode {
    Walk,
    Rest,
}

#[system(for_each)]
fn walk(place: &mut Place, time: Res<Time>) {
    place.x += time.delta_secs();
    place.y = place.y.mul_add(0.99, place.x.sin());
}

#[system]
fn spawn_sparks(mut random: ResMut<Random>, keys: Res<Keys>, mut commands: Commands) {
    for key in &keys.0 {
        let size = random.next() as u32 % 9 + *key as u32;
        commands.spawn((
            Place {
                x: size as f32,
                y: 1.0,
            },
            Spark(size),
        ));
    }
}

#[system]
fn burn(mut sparks: Query<(Entity, &mut Spark)>, mut commands: Commands, mut runs: Local<u32>) {
    *runs += 1;
    for (entity, spark) in &mut sparks {
        spark.0 = spark.0.saturating_sub(*runs % 7);
        if spark.0 == 0 {
            commands.despawn(entity);
        }
    }
}

#[system]
fn hear(mut shouts: EventReader<Shout>, mut log: ResMut<Log>) {
    log.0
        .extend(shouts.read().map(|shout| format!("{}", shout.0)));
}

#[system]
fn notice(keys: Option<Res<Keys>>, mut log: ResMut<Log>) {
    if keys.is_some_and(|keys| keys.is_changed()) {
        log.0.push("keys".to_owned());
    }
}

fn game(app: &mut App) {
    app.world_mut().register_data_state::<Mode>("test.mode");
    app.init_resource::<Keys>()
        .init_resource::<Random>()
        .init_resource::<Log>()
        .add_event::<Shout>()
        .add_state(Mode::Walk)
        .add_systems(Startup, |mut commands: Commands| {
            commands.spawn(Place { x: 1.0, y: 2.0 });
        })
        .add_systems(FixedUpdate, burn)
        .add_systems(
            Update,
            (
                walk.run_if(in_state(Mode::Walk)),
                spawn_sparks,
                hear,
                notice,
            ),
        );
}

fn app() -> App {
    let mut app = App::new();
    app.add_plugin(game);
    app
}

/// A folder that is removed at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("ecs-record-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn path(&self) -> PathBuf {
        self.0.join("match.rec")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Plays frames with inputs of all kinds, and returns the exact hash after each.
fn play(app: &mut App, frames: u64) -> Vec<u64> {
    let mut hashes = Vec::new();
    for frame in 0..frames {
        let world = app.world_mut();
        match frame % 13 {
            1 => world.resource_mut::<Keys>().0 = vec!['a', 'b'],
            2 => world.resource_mut::<Keys>().0.clear(),
            3 => drop(world.insert_resource(Keys(vec!['z']))),
            4 => drop(world.resource_mut::<Keys>()),
            5 => world.send_event(Shout(frame as u8)),
            6 => world.resource_mut::<NextState<Mode>>().set(Mode::Rest),
            8 => world.resource_mut::<NextState<Mode>>().set(Mode::Walk),
            9 => world
                .resource_mut::<Time>()
                .set_scale(0.5 + (frame % 3) as f64),
            _ => {}
        }
        app.update_by(Duration::from_micros(9_000 + frame * 37 % 12_000));
        hashes.push(exact(app));
    }
    hashes
}

fn exact(app: &mut App) -> u64 {
    WorldHasher::new()
        .only_data()
        .exact(app.world_mut())
        .unwrap()
}

fn recorded(path: &Path, frames: u64, recorder: impl FnOnce(Recorder) -> Recorder) -> Vec<u64> {
    let mut app = app();
    app.add_plugin(recorder(Recorder::new(path)));
    play(&mut app, frames)
}

#[test]
fn a_replay_goes_through_the_same_worlds() {
    let folder = Folder::new();
    let hashes = recorded(&folder.path(), 200, |recorder| recorder.hash_every(1));
    let mut replay = Replay::open(folder.path(), app).unwrap();
    assert_eq!(replay.recording().end_frame(), 200);
    for (frame, hash) in hashes.iter().enumerate() {
        assert!(replay.step().unwrap());
        assert_eq!(exact(replay.program()), *hash, "frame {frame}");
    }
    assert!(!replay.step().unwrap());
    assert_eq!(*replay.outcome(), Outcome::Same);
}

#[test]
fn a_replay_can_go_to_any_frame_in_any_order() {
    let folder = Folder::new();
    let hashes = recorded(&folder.path(), 120, |recorder| {
        recorder.snapshot_every(25).hash_every(7)
    });
    let mut replay = Replay::open(folder.path(), app).unwrap();
    let mut random = Random(5);
    for _ in 0..60 {
        let to = random.next() % 120;
        replay.run_to(to + 1).unwrap();
        assert_eq!(exact(replay.program()), hashes[to as usize], "to {to}");
        for back in 1..=(random.next() % 5).min(to) {
            assert!(replay.back().unwrap());
            assert_eq!(
                exact(replay.program()),
                hashes[(to - back) as usize],
                "{back} back from {to}"
            );
        }
    }
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
    assert!(
        replay
            .run_to(121)
            .unwrap_err()
            .to_string()
            .contains("no frame 121")
    );
}

#[test]
fn parts_are_bounded_and_each_can_be_played_alone() {
    let folder = Folder::new();
    let path = folder.path();
    let hashes = recorded(&path, 600, |recorder| {
        recorder.keep(40_000).hash_every(1).snapshot_every(50)
    });
    let parts: Vec<PathBuf> = fs::read_dir(&folder.0)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let bytes: u64 = parts
        .iter()
        .map(|part| fs::metadata(part).unwrap().len())
        .sum();
    assert!(
        parts.len() > 2 && bytes < 60_000,
        "{} parts, {bytes} bytes",
        parts.len()
    );
    for part in &parts {
        let mut replay = Replay::open(part, app).unwrap();
        let first = replay.recording().first_frame();
        assert!(replay.step().unwrap());
        assert_eq!(exact(replay.program()), hashes[first as usize]);
        assert_eq!(replay.finish().unwrap(), Outcome::Same);
    }
    let mut replay = Replay::open(&path, app).unwrap();
    assert!(replay.recording().first_frame() > 0);
    assert_eq!(replay.recording().end_frame(), 600);
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
    assert_eq!(exact(replay.program()), hashes[599]);
}

#[test]
fn a_new_recording_replaces_the_old_one_with_all_parts() {
    let folder = Folder::new();
    recorded(&folder.path(), 600, |recorder| recorder.keep(40_000));
    recorded(&folder.path(), 3, |recorder| recorder.keep(40_000));
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 1);
    assert_eq!(Recording::read(folder.path()).unwrap().end_frame(), 3);
}

#[test]
fn what_was_written_before_a_cut_can_be_replayed() {
    let folder = Folder::new();
    let path = folder.path();
    let hashes = recorded(&path, 40, |recorder| recorder.hash_every(1));
    let bytes = fs::read(&path).unwrap();
    let mut ends = Vec::new();
    for length in (0..bytes.len()).step_by(7) {
        fs::write(&path, &bytes[..length]).unwrap();
        match Recording::read(&path) {
            Ok(recording) => ends.push((recording.end_frame(), recording.end())),
            Err(error) => assert!(ends.is_empty(), "{length}: {error}"),
        }
    }
    assert!(
        ends.iter().any(|(frames, _)| *frames == 1) && ends.is_sorted_by_key(|(frames, _)| *frames)
    );
    assert!(ends.iter().any(|(_, end)| *end == RecordingEnd::Cut));
    fs::write(&path, &bytes[..bytes.len() * 4 / 5]).unwrap();
    let mut replay = Replay::open(&path, app).unwrap();
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
    let last = replay.frame() as usize - 1;
    assert_eq!(exact(replay.program()), hashes[last]);
}

#[test]
fn damage_ends_a_recording_or_is_an_error() {
    let folder = Folder::new();
    let path = folder.path();
    recorded(&path, 12, |recorder| recorder.hash_at_most(2));
    let whole = fs::read(&path).unwrap();
    let frames = Recording::read(&path).unwrap().end_frame();
    let mut random = Random(3);
    let mut kinds = [0; 3];
    for _ in 0..600 {
        let mut bytes = whole.clone();
        let at = random.next() as usize % bytes.len();
        bytes[at] ^= 1 << (random.next() % 8);
        fs::write(&path, &bytes).unwrap();
        match Recording::read(&path) {
            Ok(recording) if recording.end_frame() < frames => kinds[0] += 1,
            Ok(recording) => {
                assert_eq!(recording.end_frame(), frames);
                kinds[1] += 1;
            }
            Err(_) => kinds[2] += 1,
        }
    }
    assert!(kinds[0] > 30 && kinds[2] > 10, "{kinds:?}");
}

#[test]
fn a_hook_that_panics_outside_of_a_frame_takes_no_frame_from_the_recording() {
    let folder = Folder::new();
    let path = folder.path();
    let mut recorded = app();
    recorded.add_plugin(Recorder::new(&path));
    let mut calls = 0;
    recorded.before_frame(move |_| {
        calls += 1;
        assert_ne!(calls, 6, "out of memory");
    });
    let frame = Duration::from_millis(16);
    recorded.update_times(5, frame);
    let run = std::panic::AssertUnwindSafe(|| _ = recorded.update_by(frame));
    assert!(std::panic::catch_unwind(run).is_err());
    recorded.update_times(5, frame);
    drop(recorded);
    let mut replay = Replay::open(&path, app).unwrap();
    assert_eq!(replay.recording().panic(), None);
    assert_eq!(replay.recording().end_frame(), 10);
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
}

#[test]
fn a_panic_is_written_with_its_frame_and_can_be_repeated() {
    let folder = Folder::new();
    let path = folder.path();
    let make = || {
        let mut app = app();
        app.add_systems(Update, |sparks: Query<&Spark>| {
            assert!(sparks.iter().all(|spark| spark.0 < 128), "too hot");
        });
        app
    };
    let mut recorded = make();
    recorded.add_plugin(Recorder::new(&path));
    let frame = Duration::from_millis(16);
    recorded.update_times(10, frame);
    recorded.world_mut().resource_mut::<Keys>().0 = vec!['z'; 40];
    let run = std::panic::AssertUnwindSafe(|| _ = recorded.update_by(frame));
    assert!(std::panic::catch_unwind(run).is_err());
    // It is in the file while the program still runs.
    let mut replay = Replay::open(&path, make).unwrap();
    let panic = replay.recording().panic().unwrap().clone();
    assert_eq!(panic.frame, 10);
    assert!(panic.message.contains("too hot"), "{panic:?}");
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
    let repeat = std::panic::AssertUnwindSafe(|| replay.repeat_panic());
    assert!(std::panic::catch_unwind(repeat).is_err());
    // The app may go on: the next frame begins with a snapshot.
    recorded.world_mut().resource_mut::<Keys>().0.clear();
    let hot: Vec<Entity> = recorded.world_mut().query::<Entity>().iter().collect();
    hot.into_iter()
        .for_each(|entity| _ = recorded.world_mut().despawn(entity));
    recorded.update_times(5, frame);
    let hash = exact(&mut recorded);
    drop(recorded);
    let mut replay = Replay::open(&path, make).unwrap();
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
    assert_eq!((replay.frame(), exact(replay.program())), (15, hash));
}

#[test]
fn entities_that_code_between_frames_changes_are_recorded() {
    let folder = Folder::new();
    let path = folder.path();
    let mut recorded = app();
    recorded.add_plugin(Recorder::new(&path).hash_every(1));
    let mut hashes = Vec::new();
    for frame in 0..30 {
        if frame % 10 == 4 {
            recorded.world_mut().spawn(Place { x: 7.0, y: 8.0 });
        }
        recorded.update_by(Duration::from_millis(16));
        hashes.push(exact(&mut recorded));
    }
    drop(recorded);
    let mut replay = Replay::open(&path, app).unwrap();
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
    for frame in [29, 3, 4, 5, 14, 13, 0, 24] {
        replay.run_to(frame + 1).unwrap();
        assert_eq!(
            exact(replay.program()),
            hashes[frame as usize],
            "frame {frame}"
        );
    }
}

#[test]
fn another_program_is_noticed_after_the_first_frame_that_differs() {
    let folder = Folder::new();
    recorded(&folder.path(), 60, |recorder| {
        recorder.hash_every(5).each_step()
    });
    #[system(for_each)]
    fn push(place: &mut Place, keys: Res<Keys>) {
        if keys.0.contains(&'z') {
            place.x += 0.001;
        }
    }
    let mut replay = Replay::open(folder.path(), || {
        let mut app = app();
        app.add_systems(Last, push);
        app
    });
    // A snapshot names the systems, so another program is refused before it runs.
    let error = replay.as_mut().unwrap_err().to_string();
    assert!(error.contains("push"), "{error}");
}

/// The version of a program.
#[derive(Resource, Clone)]
struct IsChanged(bool);

#[system(for_each)]
fn push(place: &mut Place, time: Res<Time>, is_changed: Res<IsChanged>) {
    let by = if is_changed.0 && time.frame() > 33 {
        2.0
    } else {
        1.0
    };
    place.y += by;
}

/// Two versions of a program, whose system `push` has other results after some frames.
fn changed_game(is_changed: bool) -> App {
    let mut app = app();
    app.insert_resource(IsChanged(is_changed))
        .add_systems(Last, push);
    app.set_snapshotter(Snapshotter::new().without_resource::<IsChanged>());
    app
}

#[test]
fn the_first_difference_names_frame_system_entity_and_field() {
    let folder = Folder::new();
    let paths = ["a.rec", "b.rec"].map(|name| folder.0.join(name));
    for (path, is_changed) in paths.iter().zip([false, true]) {
        let mut app = changed_game(is_changed);
        app.add_plugin(Recorder::new(path).hash_every(10));
        play(&mut app, 80);
    }
    let [a, b] = &paths;
    let found = first_difference((a, changed_game(false)), (b, changed_game(true)))
        .unwrap()
        .unwrap();
    assert_eq!(found.frame, 33);
    let text = found.to_string();
    assert!(
        text.contains("test.place") && text.contains("0v1"),
        "{text}"
    );
    let DifferenceKind::Results { system, .. } = &found.kind else {
        panic!("{text}");
    };
    assert!(system.as_ref().unwrap().contains("push"), "{text}");
    assert!(
        first_difference((a, changed_game(false)), (a, changed_game(false)))
            .unwrap()
            .is_none()
    );
}

#[test]
fn a_recording_beside_itself_shows_where_two_builds_part() {
    let folder = Folder::new();
    let path = folder.0.join("a.rec");
    let mut app = changed_game(false);
    app.add_plugin(Recorder::new(&path));
    play(&mut app, 80);
    let builds = |one, other| {
        let found = first_difference((&path, changed_game(one)), (&path, changed_game(other)));
        found.unwrap()
    };
    for (one, other) in [(false, true), (true, false)] {
        let found = builds(one, other).unwrap();
        assert_eq!(found.frame, 33);
        let DifferenceKind::Results { system, .. } = &found.kind else {
            panic!("{found}");
        };
        assert!(system.as_ref().unwrap().contains("push"), "{found}");
    }
    assert!(builds(true, true).is_none());
}

#[test]
fn other_inputs_are_said_to_be_the_difference() {
    let folder = Folder::new();
    let paths = ["a.rec", "b.rec"].map(|name| folder.0.join(name));
    for (path, key) in paths.iter().zip(['a', 'b']) {
        let mut app = app();
        app.add_plugin(Recorder::new(path).hash_every(1));
        app.update_by(Duration::from_millis(10));
        app.world_mut().resource_mut::<Keys>().0 = vec![key];
        app.update_by(Duration::from_millis(10));
    }
    let [a, b] = &paths;
    let found = first_difference((a, app()), (b, app())).unwrap().unwrap();
    let text = found.to_string();
    assert!(
        matches!(found.kind, DifferenceKind::Inputs(_)) && found.frame == 1,
        "{text}"
    );
    assert!(
        text.contains("test.keys") && text.contains("'a'") | text.contains("\"a\""),
        "{text}"
    );
    let [a, b] = [a, b].map(|path| Recording::read(path).unwrap());
    let found = a.first_difference(&b).unwrap().to_string();
    assert_eq!(
        found,
        "frame 1: the inputs differ: `test.keys` has another value"
    );
}

#[test]
fn the_check_lists_inputs_and_what_cannot_be_recorded() {
    #[derive(Resource, Clone, Default)]
    struct Opaque(u32);
    #[system]
    fn look(world: &World) {
        assert!(!world.contains_resource::<u8>());
    }
    #[system]
    fn read(opaque: Res<Opaque>) {
        assert_eq!(opaque.0, 1);
    }
    let mut whole = app();
    let check = Recorder::check(&mut whole).unwrap();
    assert!(
        check.to_string().contains("input `test.keys`, read by"),
        "{check}"
    );
    // Systems read the state, and transitions write it.
    assert!(
        check
            .inputs
            .iter()
            .all(|input| !input.name.contains("State")),
        "{check}"
    );
    let mut partial = app();
    partial
        .insert_resource(Opaque(1))
        .add_systems(Update, (look, read));
    let check = Recorder::check(&mut partial).unwrap();
    let text = check.to_string();
    assert!(!check.is_complete(), "{text}");
    assert!(
        text.contains("nothing is recorded") && text.contains("Opaque"),
        "{text}"
    );
    assert!(
        text.contains("look` may read and write anything in the world"),
        "{text}"
    );
}

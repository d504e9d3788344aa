//! Planted desyncs: one call names the frame, the system, the entity, the component and the field of each kind.

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use ecs_core::app::{First, Last};
use ecs_core::prelude::*;
use ecs_core::record::{DifferenceKind, Outcome, Recorder, Recording, Replay, first_difference};
use ecs_core::snapshot::Snapshotter;
use serde::{Deserialize, Serialize};

use super::Folder;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "planted.ship")]
struct Ship {
    speed: f32,
    target: u64,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "planted.rock", storage = "sparse")]
struct Rock(u64);

/// The cause of a difference between two runs.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
enum Planted {
    Nothing,
    SetOrder,
    Clock,
    Address,
    MulAdd(bool),
    Static,
    ThreadSum,
}

/// The first frame with a difference, by the number that systems see.
const FRAME: u64 = 23;

static CALLS: AtomicU64 = AtomicU64::new(0);

#[system(for_each)]
fn steer(ship: &mut Ship) {
    ship.speed = ship.speed * 0.97 + 0.31;
}

/// The wrong system.
#[system]
fn aim(mut ships: Query<(Entity, &mut Ship)>, planted: Res<Planted>, time: Res<Time>) {
    for (entity, ship) in &mut ships {
        // One ship of five, from one frame on.
        if time.frame() < FRAME || entity.index() % 5 != 3 {
            continue;
        }
        match *planted {
            Planted::Nothing => {}
            Planted::SetOrder => {
                let set: HashSet<u64> = (0..500).collect();
                ship.target = set.iter().fold(0, |hash, n| hash * 31 % 1_000_003 + n);
            }
            Planted::Clock => {
                let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                ship.target = now.unwrap().as_nanos() as u64;
                // At least a tick of any clock.
                thread::sleep(Duration::from_micros(50));
            }
            Planted::Address => {
                let place = Box::leak(Box::new([0_u64; 9]));
                ship.target = std::ptr::from_ref(place) as u64;
            }
            Planted::MulAdd(is_fused) => {
                ship.speed = match is_fused {
                    true => ship.speed.mul_add(0.991_3, 0.013_7),
                    false => ship.speed * 0.991_3 + 0.013_7,
                };
            }
            Planted::Static => ship.target = CALLS.fetch_add(1, Ordering::Relaxed),
            Planted::ThreadSum => {
                // Each thread adds when it comes: the order is in the sum.
                let sum = AtomicU64::new(0);
                let parts = (1..=4).map(|n| n as u64);
                thread::scope(|scope| {
                    for part in parts {
                        let sum = &sum;
                        scope.spawn(move || {
                            for turn in 0..2_000 {
                                let update = |now: u64| {
                                    let term = 1.0 / (part * 7_919 + turn) as f64;
                                    Some((f64::from_bits(now) + term).to_bits())
                                };
                                _ = sum.fetch_update(Ordering::Relaxed, Ordering::Relaxed, update);
                                thread::yield_now();
                            }
                        });
                    }
                });
                ship.target = sum.into_inner();
            }
        }
    }
}

#[system]
fn mine(mut rocks: CompMut<Rock>, ships: Comp<Ship>) {
    let sum: u64 = ships.iter().map(|ship| ship.target % 97).sum();
    rocks
        .iter_mut()
        .for_each(|rock| rock.0 = rock.0.wrapping_add(sum));
}

fn game(planted: Planted) -> App {
    let mut app = App::new();
    for n in 0..12 {
        let speed = n as f32 * 0.37;
        app.world_mut().spawn(Ship { speed, target: n });
        app.world_mut().spawn(Rock(n));
    }
    app.insert_resource(planted);
    app.add_systems(Update, (steer, aim, mine));
    app.set_snapshotter(Snapshotter::new().without_resource::<Planted>());
    app
}

#[test]
fn one_call_names_the_place_of_each_kind() {
    let kinds = [
        [Planted::SetOrder; 2],
        [Planted::Clock; 2],
        [Planted::Address; 2],
        [Planted::MulAdd(false), Planted::MulAdd(true)],
        [Planted::Static; 2],
        [Planted::ThreadSum; 2],
    ];
    for kind in kinds {
        let folder = Folder::new();
        let paths = ["a.rec", "b.rec"].map(|name| folder.0.join(name));
        for (path, planted) in paths.iter().zip(kind) {
            let mut app = game(planted);
            app.add_plugin(Recorder::new(path).hash_every(8));
            app.update_times(60, Duration::from_millis(16));
        }
        let [a, b] = &paths;
        let found = first_difference((a, game(kind[0])), (b, game(kind[1])));
        let found = found.unwrap().unwrap();
        let text = found.to_string();
        // The replay has another sum again, perhaps the one of the other file: then no value is left to show.
        if kind[0] == Planted::ThreadSum
            && text.contains("planted::aim")
            && found.frame + 1 >= FRAME
        {
            continue;
        }
        let DifferenceKind::Results {
            system: Some(system),
            ..
        } = &found.kind
        else {
            panic!("{kind:?}: {text}");
        };
        assert!(system.ends_with("planted::aim"), "{kind:?}: {text}");
        // Two roundings instead of one make no difference at first.
        let frame = match kind[0] {
            Planted::MulAdd(_) => 33,
            _ => FRAME - 1,
        };
        let field = match kind[0] {
            Planted::MulAdd(_) => "speed",
            _ => "target",
        };
        // The ships are the even ids, and the first that the system changes is 8.
        assert_eq!(found.frame, frame, "{kind:?}: {text}");
        let is_ship = text.contains(&format!(": 8v1 planted.ship.{field}: "));
        assert!(text.contains(" -> ") && is_ship, "{kind:?}: {text}");
    }
}

#[test]
fn the_same_program_has_no_difference() {
    let folder = Folder::new();
    let paths = ["a.rec", "b.rec"].map(|name| folder.0.join(name));
    for path in &paths {
        let mut app = game(Planted::Nothing);
        app.add_plugin(Recorder::new(path).hash_every(1).each_step());
        app.update_times(60, Duration::from_millis(16));
    }
    let [a, b] = &paths;
    let make = || game(Planted::Nothing);
    assert!(
        first_difference((a, make()), (b, make()))
            .unwrap()
            .is_none()
    );
    let [a, b] = [a, b].map(|path| Recording::read(path).unwrap());
    assert!(a.first_difference(&b).is_none());
}

#[test]
fn files_alone_name_the_frame_or_the_system() {
    let folder = Folder::new();
    let record = |name: &str, planted, make: fn(Recorder) -> Recorder| {
        let path = folder.0.join(name);
        let mut app = game(planted);
        app.add_plugin(make(Recorder::new(&path)));
        app.update_times(60, Duration::from_millis(16));
        drop(app);
        Recording::read(&path).unwrap()
    };
    let [one, two] = [Planted::MulAdd(false), Planted::MulAdd(true)];
    // Hashes of some frames.
    let rare = |recorder: Recorder| recorder.hash_every(8);
    let found = record("a", one, rare).first_difference(&record("b", two, rare));
    let found = found.unwrap();
    assert_eq!(found.frame, 40, "{found}");
    assert!(
        matches!(
            found.kind,
            DifferenceKind::Hashes {
                since: 33,
                system: None,
                ..
            }
        ),
        "{found:?}"
    );
    assert_eq!(
        found.to_string(),
        "frame 40: the hashes differ, since frame 33 at the earliest"
    );
    // Hashes of each step.
    let steps = |recorder: Recorder| recorder.hash_every(0).each_step();
    let found = record("c", one, steps).first_difference(&record("d", two, steps));
    let text = found.unwrap().to_string();
    assert!(text.starts_with("frame 33: the results of `"), "{text}");
    assert!(text.ends_with("planted::aim` differ"), "{text}");
    // Other lengths of frames.
    let a = record("e", one, rare);
    let path = folder.0.join("f");
    let mut app = game(one);
    app.add_plugin(rare(Recorder::new(&path)));
    app.update_times(5, Duration::from_millis(16));
    app.update_by(Duration::from_millis(17));
    drop(app);
    let found = a.first_difference(&Recording::read(&path).unwrap());
    assert_eq!(
        found.unwrap().to_string(),
        "frame 5: the inputs differ: its length is 16ms and 17ms"
    );
}

#[system]
fn is_nothing_planted(planted: Res<Planted>) -> bool {
    *planted == Planted::Nothing
}

#[test]
fn without_hashes_of_frames_a_replay_compares_those_of_the_steps() {
    let folder = Folder::new();
    let path = folder.path();
    let record = |mut app: App| {
        app.add_plugin(Recorder::new(&path).hash_every(0).each_step());
        app.update_times(40, Duration::from_millis(16));
    };
    let replay = |app: App| {
        let mut replay = Replay::open(&path, || app).unwrap();
        (replay.finish().unwrap(), replay.compared())
    };
    // The last step does not run if something is planted, so only one side has it, at the end of its list.
    let with_last = |planted| {
        let mut app = game(planted);
        app.add_systems(Last, coast.run_if(is_nothing_planted));
        app
    };
    record(game(Planted::Nothing));
    assert_eq!(replay(game(Planted::Nothing)), (Outcome::Same, 3 * 40));

    for planted in [Planted::Address, Planted::Static] {
        record(game(planted));
        let (outcome, compared) = replay(game(Planted::Nothing));
        let Outcome::Different {
            frame,
            since,
            system: Some(system),
            ..
        } = outcome
        else {
            panic!("{planted:?} is not noticed");
        };
        assert_eq!((frame, since, compared), (FRAME - 1, FRAME - 1, 3 * 40));
        assert!(system.ends_with("planted::aim"), "{planted:?}: {system}");
    }

    for sides in [
        [Planted::Nothing, Planted::MulAdd(true)],
        [Planted::MulAdd(true), Planted::Nothing],
    ] {
        let [recorded, replayed] = sides.map(with_last);
        record(recorded);
        let (outcome, _) = replay(replayed);
        let text = outcome.to_string();
        let start = "the world differs after frame 0: first after `";
        assert!(text.starts_with(start), "{sides:?}: {text}");
        assert!(text.ends_with("planted::coast`"), "{sides:?}: {text}");
    }
}

/// Queues commands in some frames, and changes values in all.
#[system]
fn launch(
    mut commands: Commands,
    mut ships: Query<&mut Ship>,
    planted: Res<Planted>,
    time: Res<Time>,
) {
    for ship in &mut ships {
        ship.target += 1;
    }
    match (time.frame() % 10, *planted) {
        (7, Planted::Static) if time.frame() > FRAME => _ = commands.spawn(Rock(1)),
        (7, _) => _ = commands.spawn(Rock(0)),
        (3, _) => _ = commands.spawn(()),
        _ => {}
    }
}

/// Has commands, and queues none.
#[system]
fn drift(mut ships: Query<&mut Ship>, planted: Res<Planted>, time: Res<Time>, _: Commands) {
    for ship in &mut ships {
        let is_other = *planted == Planted::Clock && time.frame() == FRAME + 3;
        ship.speed += if is_other { 0.25 } else { 0.5 };
    }
}

#[test]
fn systems_with_commands_are_named_whether_or_not_they_queue_some() {
    let make = |planted| {
        let mut app = App::new();
        app.set_snapshotter(Snapshotter::new().without_resource::<Planted>());
        app.insert_resource(planted)
            .add_systems(Update, (steer, launch, drift, steer));
        app.world_mut().spawn(Ship {
            speed: 1.0,
            target: 0,
        });
        app.world_mut().register::<Rock>();
        app
    };
    let folder = Folder::new();
    let record = |name: &str, planted| {
        let path = folder.0.join(name);
        let mut app = make(planted);
        app.add_plugin(
            Recorder::new(&path)
                .hash_every(0)
                .snapshot_every(20)
                .each_step(),
        );
        app.update_times(60, Duration::from_millis(16));
        drop(app);
        let mut replay = Replay::open(&path, || make(planted)).unwrap();
        replay.run_to(41).unwrap();
        replay.back().unwrap();
        assert_eq!(replay.finish().unwrap(), Outcome::Same);
        Recording::read(&path).unwrap()
    };
    let same = record("same", Planted::Nothing);
    for (name, planted, system) in [
        ("spawned", Planted::Static, "planted::launch` differ"),
        ("written", Planted::Clock, "planted::drift` differ"),
    ] {
        let found = same.first_difference(&record(name, planted));
        let text = found.unwrap_or_else(|| panic!("{name}")).to_string();
        assert!(text.ends_with(system), "{text}");
        let path = |name: &str| folder.0.join(name);
        let (one, two) = (
            (path("same"), make(Planted::Nothing)),
            (path(name), make(planted)),
        );
        let found = first_difference(one, two).unwrap().unwrap();
        assert!(found.to_string().contains(&system[..15]), "{found}");
    }
}

/// Adds the first rock in the tenth frame.
#[system]
fn quarry(mut commands: Commands, time: Res<Time>) {
    if time.frame() == 10 {
        commands.spawn(Rock(0));
    }
}

/// True in all frames, and counts them.
#[system]
fn counted(mut tally: ResMut<Tally>, planted: Res<Planted>, time: Res<Time>) -> bool {
    let is_other = *planted == Planted::Clock && time.frame() == FRAME;
    tally.0 += if is_other { 2 } else { 1 };
    true
}

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "planted.tally")]
struct Tally(u32);

#[system(for_each)]
fn polish(rock: &mut Rock, planted: Res<Planted>, time: Res<Time>) {
    let is_other = *planted == Planted::Static && time.frame() == FRAME;
    rock.0 += if is_other { 2 } else { 1 };
}

#[test]
fn steps_of_two_schedules_and_data_that_comes_later_are_hashed() {
    let folder = Folder::new();
    let record = |name: &str, planted| {
        let path = folder.0.join(name);
        let mut app = App::new();
        app.set_snapshotter(Snapshotter::new().without_resource::<Planted>());
        app.insert_resource(planted).insert_resource(Tally(0));
        // Two steps have the same name and number, and one has a condition that writes.
        app.add_systems(First, polish);
        app.add_systems(FixedUpdate, polish.run_if(counted));
        app.add_systems(Update, quarry);
        app.add_plugin(Recorder::new(&path).hash_every(0).each_step());
        app.update_times(40, App::DEFAULT_FIXED_STEP);
        drop(app);
        Recording::read(&path).unwrap()
    };
    let same = record("same", Planted::Nothing);
    for (name, planted) in [("rock", Planted::Static), ("tally", Planted::Clock)] {
        let found = same.first_difference(&record(name, planted)).unwrap();
        assert_eq!(found.frame, FRAME - 1, "{found}");
        let text = found.to_string();
        assert!(text.ends_with("planted::polish` differ"), "{text}");
    }
}

/// The number that a build would have as a constant.
static BUILD: AtomicU64 = AtomicU64::new(1);

#[system(for_each)]
fn coast(ship: &mut Ship, time: Res<Time>) {
    ship.speed += 1.0;
    if time.frame() > FRAME {
        ship.target += BUILD.load(Ordering::Relaxed);
    }
}

#[test]
fn recordings_of_two_builds_differ_in_the_values_of_their_snapshots() {
    let game = || {
        let mut app = App::new();
        let ship = Ship {
            speed: 0.0,
            target: 0,
        };
        app.world_mut().spawn(ship);
        app.add_systems(Update, coast);
        app
    };
    let folder = Folder::new();
    let path = |name: &str| folder.0.join(name);
    for (name, build, snapshots) in [("one", 1, 10), ("other", 3, 15), ("never", 3, 0)] {
        BUILD.store(build, Ordering::Relaxed);
        let recorder = Recorder::new(path(name)).hash_every(8);
        let mut app = game();
        app.add_plugin(recorder.snapshot_every(snapshots));
        app.update_times(70, Duration::from_millis(16));
    }
    BUILD.store(1, Ordering::Relaxed);
    let sides = |name| ((path("one"), game()), (path(name), game()));
    let (one, other) = sides("other");
    let found = first_difference(one, other).unwrap().unwrap();
    let text = found.to_string();
    // Seven frames have added 1 and 3.
    let recorded = "frame 24: the recorded hashes differ, since frame 17 at the earliest, and these replays do not; in the snapshots before frame 30: 0v1 planted.ship.target: 7 -> 21; help: ";
    assert!(text.starts_with(recorded), "{text}");
    let (one, other) = sides("never");
    let text = first_difference(one, other).unwrap().unwrap().to_string();
    assert!(
        text.contains("these replays do not; help: if one build"),
        "{text}"
    );
}

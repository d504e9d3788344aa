//! Recordings from strangers, with checksums that are right: each is an error, or is replayed up to where it does not fit.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

use ecs_core::data::DataTasks;
use ecs_core::prelude::*;
use ecs_core::record::__private::seal_recording;
use ecs_core::record::{Recorder, Recording, RecordingError, Replay};
use ecs_core::snapshot::Snapshotter;
use ecs_core::system::from_fn;
use ecs_core::task::{self, Order, Tasks};
use serde::{Deserialize, Serialize};

const FRAME: Duration = Duration::from_millis(30);

/// A recording. If the number is odd, its checksums are made right first.
pub type Input = super::ReaderBytes;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "fuzz.mark", track)]
struct Mark(u8);

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "fuzz.keys")]
struct Keys(Vec<u8>);

/// The key with which a system panics.
const PANIC: u8 = 238;

/// The keys that start tasks.
const TASKS: [u8; 2] = [4, 9];

/// No data: a recording names it.
#[derive(Resource)]
struct Opaque(u32);

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "fuzz.ping")]
struct Ping(Entity);

#[system]
fn mark(
    keys: Option<Res<Keys>>,
    mut pings: EventReader<Ping>,
    mut runs: Local<u32>,
    mut commands: Commands,
) {
    *runs = runs.wrapping_add(1);
    for key in keys.iter().flat_map(|keys| keys.0.iter().take(9)) {
        assert!(*key != PANIC, "a system of the recorded program panics");
        commands.spawn(Mark(*key));
    }
    pings.read().for_each(|ping| commands.despawn(ping.0));
}

/// Starts a task for some keys; its result is missing for odd ones. It comes in the same frame.
#[system]
fn ask(keys: Option<Res<Keys>>, mut tasks: ResMut<Tasks>) {
    let keys = keys.iter().flat_map(|keys| keys.0.iter().take(9));
    for key in keys.filter(|key| TASKS.contains(key)) {
        let promise = tasks.data_promise(|world, value: Result<u8, _>| {
            world.spawn(Mark(value.unwrap_or(1)));
        });
        match key % 2 {
            0 => promise.keep(*key),
            _ => drop(promise),
        }
    }
}

fn app() -> App {
    let mut app = App::new();
    app.set_snapshotter(Snapshotter::new().without_resource::<Opaque>());
    app.init_resource::<Keys>()
        .insert_resource(Opaque(0))
        .insert_resource(Tasks::new(Order::default()))
        .add_event::<Ping>()
        .add_systems(Update, (mark, ask, from_fn(task::flush)))
        .single_threaded(true);
    app
}

/// A file of this process, which is removed when it is dropped.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        let id = (std::process::id(), std::thread::current().id());
        Self(std::env::temp_dir().join(format!("fuzz-recording-{id:?}.rec")))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        _ = fs::remove_file(&self.0);
    }
}

/// Returns inputs to start from, with their names. They have names of types of this package.
#[must_use]
pub fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let recorded = |each_step: bool, is_ended: bool| {
        let scratch = Scratch::new();
        let recorder = Recorder::new(&scratch.0).hash_every(2).snapshot_every(4);
        let mut app = app();
        app.add_plugin(if each_step {
            recorder.each_step()
        } else {
            recorder
        });
        for frame in 0..9_u8 {
            let world = app.world_mut();
            match frame {
                1 => world.resource_mut::<Keys>().0 = vec![frame, 7],
                2 => world.resource_mut::<Keys>().0 = TASKS.to_vec(),
                3 => {
                    world.resource_mut::<Keys>().0.clear();
                    let marked = world.query::<Entity>().iter().next();
                    marked
                        .into_iter()
                        .for_each(|entity| world.send_event(Ping(entity)));
                }
                5 => drop(world.remove_resource::<Keys>()),
                6 => drop(world.insert_resource(Keys(vec![1]))),
                7 => drop(world.spawn(Mark(200))),
                _ => {}
            }
            app.update_by(FRAME * u32::from(frame / 3));
        }
        if is_ended {
            app.world_mut().resource_mut::<Opaque>().0 += 1;
            app.update_by(FRAME);
            app.world_mut().resource_mut::<Keys>().0 = vec![4, PANIC];
            let panicked = catch_unwind(AssertUnwindSafe(|| app.update_by(FRAME)));
            assert!(panicked.is_err(), "the last frame panics");
        }
        drop(app);
        let bytes = fs::read(&scratch.0).expect("the recorder has written it");
        [&[1], &bytes[..]].concat()
    };
    vec![
        ("frames", recorded(false, false)),
        ("steps", recorded(true, false)),
        ("panic", recorded(false, true)),
    ]
}

/// Reads an input as it is.
///
/// # Errors
/// If it is not read.
pub fn read(input: &[u8]) -> Result<(), RecordingError> {
    let scratch = Scratch::new();
    fs::write(&scratch.0, &input[1..]).expect("the folder for temporary files accepts it");
    Recording::read(&scratch.0).map(drop)
}

/// Reads a recording, and replays it forward, back and by seeking.
///
/// # Panics
/// If the world is not consistent meanwhile.
pub fn run(input: Input) {
    let Input { how, mut bytes } = input;
    if how % 2 == 1 {
        seal_recording(&mut bytes);
    }
    let scratch = Scratch::new();
    fs::write(&scratch.0, &bytes).expect("the folder for temporary files accepts it");
    let Ok(recording) = Recording::read(&scratch.0) else {
        return;
    };
    let (first, end) = (recording.first_frame(), recording.end_frame());
    assert!(first <= end);
    let Ok(mut replay) = Replay::new(recording, app()) else {
        return;
    };
    let went_on = catch_unwind(AssertUnwindSafe(|| {
        while let Ok(true) = replay.step() {
            replay.world().check_invariants();
        }
        _ = replay.back();
        _ = replay.run_to(first + (end - first) / 2);
    }));
    replay.world().check_invariants();
    // A system panics without its resource, and did so in the recorded program.
    drop(went_on);
}

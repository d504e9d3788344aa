//! Recordings from strangers, with checksums that are right: each is an error, or is replayed up to where it does not fit.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use ecs_core::prelude::*;
use ecs_core::record::__private::seal_recording;
use ecs_core::record::{Recorder, Recording, RecordingError, Replay};
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
        commands.spawn(Mark(*key));
    }
    pings.read().for_each(|ping| commands.despawn(ping.0));
}

fn app() -> App {
    let mut app = App::new();
    app.init_resource::<Keys>()
        .add_event::<Ping>()
        .add_systems(Update, mark)
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
    let recorded = |each_step: bool| {
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
                2 => world.resource_mut::<Keys>().0.clear(),
                3 => {
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
        drop(app);
        let bytes = fs::read(&scratch.0).expect("the recorder has written it");
        [&[1], &bytes[..]].concat()
    };
    vec![("frames", recorded(false)), ("steps", recorded(true))]
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
    let went_on = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
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

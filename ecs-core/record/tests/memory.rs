//! The memory of a recording that was read, against a counting allocator.

#[path = "../../../tests/src/counting.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "the file of another package, which uses all of it"
)]
mod counting;

use std::fs;
use std::time::Duration;

use counting::{Counting, allocated};
use ecs_core::prelude::*;
use ecs_core::record::__private::seal_recording;
use ecs_core::record::{Recorder, Recording};
use serde::{Deserialize, Serialize};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "test.keys")]
struct Keys(Vec<u8>);

#[system]
fn look(keys: Res<Keys>, mut sum: Local<usize>) {
    *sum += keys.0.len();
}

type Setting = fn(Recorder) -> Recorder;

/// Bytes beside the file and its index, however long the file is.
const CONSTANT: isize = 4096;

/// Records frames; each so many frames, one has an input of so many bytes.
fn recorded(name: &str, inputs: (usize, usize), with: Setting) -> Vec<u8> {
    let path = std::env::temp_dir().join(format!("memory-{}-{name}.rec", std::process::id()));
    let mut app = App::new();
    app.init_resource::<Keys>().add_systems(Update, look);
    app.add_plugin(with(Recorder::new(&path)));
    for frame in 0..5_000 {
        if frame % inputs.0 == 1 {
            app.world_mut().resource_mut::<Keys>().0 = vec![frame as u8; inputs.1];
        }
        app.update_by(Duration::from_millis(16));
    }
    drop(app);
    let bytes = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    bytes
}

/// Returns the memory of a recording with these bytes, and its frames; `None` if it is not read.
fn memory_of(bytes: &[u8]) -> Option<(isize, u64)> {
    let path = std::env::temp_dir().join(format!("memory-{}.rec", std::process::id()));
    fs::write(&path, bytes).unwrap();
    let before = allocated();
    let recording = Recording::read(&path);
    let memory = allocated() - before;
    fs::remove_file(&path).unwrap();
    recording
        .ok()
        .map(|recording| (memory, recording.end_frame()))
}

#[test]
fn a_recording_takes_at_most_twice_the_memory_of_its_file() {
    let kinds: [(&str, (usize, usize), Setting); 5] = [
        ("short", (10_000, 0), |recorder| recorder),
        ("hashed", (10_000, 0), |recorder| recorder.hash_every(1)),
        ("long", (2, 500), |recorder| recorder),
        ("inputs", (1, 1), |recorder| recorder.each_step()),
        ("snapshots", (3, 4), |recorder| recorder.snapshot_every(1)),
    ];
    let mut random = 7_u64;
    let mut next = || {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (random >> 33) as usize
    };
    for (name, inputs, with) in kinds {
        let whole = recorded(name, inputs, with);
        let len = whole.len() as isize;
        let (memory, frames) = memory_of(&whole).unwrap();
        assert_eq!(frames, 5_000, "{name}");
        assert!(
            memory <= 2 * len + CONSTANT,
            "{name}: {memory} bytes of memory for a file of {len}"
        );
        let mut read = 0;
        for round in 0..60 {
            let mut bytes = whole.clone();
            for _ in 0..=round % 3 {
                let at = next() % bytes.len();
                bytes[at] ^= 1 << (next() % 8);
            }
            if round % 2 == 0 {
                seal_recording(&mut bytes);
            }
            if let Some((memory, _)) = memory_of(&bytes) {
                read += 1;
                assert!(
                    memory <= 2 * len + CONSTANT,
                    "{name}, mutant {round}: {memory} bytes of memory for a file of {len}"
                );
            }
        }
        assert!(read > 10, "{name}: only {read} mutants were read");
    }
}

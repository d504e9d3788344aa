//! The memory of a recording that was read, against a counting allocator.

#[path = "../../../tests/src/counting.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "the file of another package, which uses all of it"
)]
mod counting;

use std::fs;
use std::sync::{Mutex, PoisonError};
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

/// The counts are of the whole process: one test at a time.
static ALONE: Mutex<()> = Mutex::new(());

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
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
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

/// Appends records of a kind, with a body each.
fn append(bytes: &mut Vec<u8>, kind: u8, bodies: impl Iterator<Item = Vec<u8>>) {
    for body in bodies {
        bytes.extend((body.len() as u32).to_le_bytes());
        bytes.extend([0; 4]);
        bytes.push(kind);
        bytes.extend(body);
    }
    seal_recording(bytes);
}

/// Returns a text in a file.
fn text(text: &str) -> Vec<u8> {
    let len = (text.len() as u32).to_le_bytes();
    [&len[..], text.as_bytes()].concat()
}

#[test]
fn thousands_of_the_shortest_records_take_at_most_twice_the_memory_of_their_file() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let whole = recorded("shortest", (10_000, 0), |recorder| recorder);
    let snapshot = |_| [&5_000_u64.to_le_bytes()[..], &[1]].concat();
    let name = |n: u32| text(std::str::from_utf8(&n.to_le_bytes().map(|byte| byte & 127)).unwrap());
    let bounded = |what: &str, add: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = whole.clone();
        add(&mut bytes);
        let read = memory_of(&bytes);
        let memory = read.map_or(0, |(memory, _)| memory);
        let len = bytes.len() as isize;
        assert!(
            memory <= 2 * len + CONSTANT,
            "{what}: {memory} bytes of memory for a file of {len}"
        );
        read.is_some()
    };
    let count = 20_000;
    // Names of what is not recorded, and panics, of which the last one counts.
    assert!(bounded("names", &|bytes| append(
        bytes,
        6,
        (0..count).map(name)
    )));
    let panic = |n| [name(n), text("")].concat();
    assert!(bounded("panics", &|bytes| append(
        bytes,
        5,
        (0..count).map(panic)
    )));
    // Steps with new names: a number of one or two groups of seven bits, the name, and the hash.
    let number = |n: u32| match n {
        0..128 => vec![n as u8],
        _ => vec![n as u8 | 128, (n >> 7) as u8],
    };
    let step = |n| [number(n), text(""), vec![0; 8]].concat();
    assert!(bounded("steps", &|bytes| append(
        bytes,
        4,
        (0..16_000).map(step)
    )));
    // Snapshots without a frame between them are refused, and those with one are not.
    assert!(!bounded("snapshots", &|bytes| append(
        bytes,
        1,
        (0..count).map(snapshot)
    )));
    let frames = |bytes: &mut Vec<u8>| {
        for frame in 5_000..5_000 + u64::from(count) {
            let snapshot = [&frame.to_le_bytes()[..], &[1]].concat();
            bytes.extend([9, 0, 0, 0, 0, 0, 0, 0, 1]);
            bytes.extend(snapshot);
            // The length of the frame, of one nanosecond.
            bytes.extend([2, 0, 0, 0, 0, 0, 0, 0, 2, 2, 1]);
        }
        seal_recording(bytes);
    };
    assert!(bounded("snapshots and frames", &frames));
}

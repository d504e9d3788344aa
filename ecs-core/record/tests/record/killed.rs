//! A program that is killed leaves a recording of everything before.

use std::env;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use ecs_core::record::{Outcome, Recorder, Replay};

use super::{Folder, Random, app, play};

const FILE: &str = "ECS_KILLED_RECORDING";

#[test]
#[ignore = "the program that the next test kills"]
fn program() {
    let Some(path) = env::var_os(FILE) else {
        return;
    };
    let mut app = app();
    // Small parts, so that many kills hit a change of parts.
    let recorder = Recorder::new(path).hash_every(1).snapshot_every(30);
    app.add_plugin(recorder.keep(30_000));
    play(&mut app, u64::MAX);
}

#[test]
fn a_program_killed_at_any_moment_leaves_frames_that_replay() {
    let folder = Folder::new();
    let kills = if env::var_os("ECS_SOAK").is_some() {
        200
    } else {
        20
    };
    let mut random = Random(u64::from(std::process::id()));
    let (mut frames, mut later) = (0, 0);
    for kill in 0..kills {
        let mut child = Command::new(env::current_exe().unwrap());
        child.args(["killed::program", "--exact", "--ignored"]);
        child.env(FILE, folder.path()).stdout(Stdio::null());
        let mut child = child.spawn().unwrap();
        // Until it records, and then for a random time.
        // Some kills come after the oldest parts were removed, however busy the machine is.
        let first = match kill % 4 {
            0 => folder.0.join("match.rec.000006"),
            _ => folder.path(),
        };
        while !first.exists() && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_micros(200));
        }
        thread::sleep(Duration::from_micros(random.next() % 60_000));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut replay = Replay::open(folder.path(), app).unwrap();
        assert_eq!(replay.finish().unwrap(), Outcome::Same, "kill {kill}");
        frames += replay.compared();
        later += u32::from(replay.recording().first_frame() > 0);
        for entry in std::fs::read_dir(&folder.0).unwrap() {
            std::fs::remove_file(entry.unwrap().path()).unwrap();
        }
    }
    assert!(
        frames > kills * 20 && later > 0,
        "{frames} frames, {later} with old parts removed"
    );
}

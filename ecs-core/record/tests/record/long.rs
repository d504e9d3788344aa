//! Long recordings: bounded files, and short ways to any frame.

use std::time::{Duration, Instant};

use ecs_core::record::{Outcome, Recorder, Replay};

use super::{Folder, Keys, Random, app, exact};

#[test]
fn thousands_of_frames_stay_in_bounded_files_and_are_near() {
    let folder = Folder::new();
    // All of them take minutes in a debug build, because each is hashed.
    let frames: u64 = if std::env::var_os("ECS_SOAK").is_some() {
        100_000
    } else {
        10_000
    };
    let keep = 1 << 20;
    let mut app_of_match = app();
    let recorder = Recorder::new(folder.path()).keep(keep).hash_every(10);
    app_of_match.add_plugin(recorder.snapshot_every(200));
    let mut hashes = Vec::new();
    for frame in 0..frames {
        if frame % 40 < 2 {
            let keys = &mut app_of_match.world_mut().resource_mut::<Keys>().0;
            *keys = if frame % 40 == 0 {
                vec!['k']
            } else {
                Vec::new()
            };
        }
        app_of_match.update_by(Duration::from_millis(16));
        hashes.push(exact(&mut app_of_match));
    }
    drop(app_of_match);
    let files = std::fs::read_dir(&folder.0).unwrap();
    let bytes: u64 = files
        .map(|file| file.unwrap().metadata().unwrap().len())
        .sum();
    assert!(bytes < keep + keep / 4, "{bytes} bytes");
    let mut replay = Replay::open(folder.path(), app).unwrap();
    let first = replay.recording().first_frame();
    assert_eq!(replay.recording().end_frame(), frames);
    let mut random = Random(9);
    let mut longest = Duration::ZERO;
    for _ in 0..20 {
        let frame = first + random.next() % (frames - first);
        let before = replay.compared();
        let start = Instant::now();
        replay.run_to(frame + 1).unwrap();
        longest = longest.max(start.elapsed());
        assert!(
            replay.compared() - before <= 21,
            "from the nearest snapshot"
        );
        assert_eq!(
            exact(replay.program()),
            hashes[frame as usize],
            "frame {frame}"
        );
    }
    println!("{bytes} bytes from frame {first} on, the longest seek took {longest:?}");
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
}

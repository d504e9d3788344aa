//! How often a recorder hashes the world.

use super::*;

/// Records frames of a world with a number of entities, and returns the number of hashes in the recording.
fn hashes(
    entities: u32,
    frames: u32,
    between: Duration,
    settings: fn(Recorder) -> Recorder,
) -> u64 {
    let make = move || {
        let mut app = App::new();
        app.add_systems(Startup, move |mut commands: Commands| {
            for n in 0..entities {
                commands.spawn(Place {
                    x: n as f32,
                    y: 1.0,
                });
            }
        });
        app.set_snapshotter(Snapshotter::new().without_captured());
        app
    };
    let folder = Folder::new();
    let mut app = make();
    app.add_plugin(settings(Recorder::new(folder.path())));
    for _ in 0..frames {
        std::thread::sleep(between);
        app.update_by(Duration::from_millis(16));
    }
    drop(app);
    let mut replay = Replay::open(folder.path(), make).unwrap();
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
    replay.compared()
}

#[test]
fn a_large_world_is_hashed_less_often_than_a_small_one() {
    // The next hash waits for a hundred times as long as the first one took, which the frames do not.
    let large = hashes(60_000, 100, Duration::ZERO, |recorder| recorder);
    assert!((1..=3).contains(&large), "{large}");
    // Here a frame is longer than a hundred hashes, or not much shorter.
    let small = hashes(1, 40, Duration::from_millis(3), |recorder| recorder);
    assert!(small >= 8, "{small}");
}

#[test]
fn hashes_come_every_so_many_frames_for_any_size() {
    for entities in [0, 1, 2_000] {
        let with = |settings| hashes(entities, 50, Duration::ZERO, settings);
        assert_eq!(with(|recorder| recorder.hash_every(1)), 50);
        assert_eq!(with(|recorder| recorder.hash_every(7)), 8);
        assert_eq!(with(|recorder| recorder.hash_every(100)), 1);
        assert_eq!(with(|recorder| recorder.hash_every(0)), 0);
    }
}

//! The frames after which a recorder hashes the world.

use super::*;

/// Records frames of a world with a number of entities, and returns the number of hashes in the recording.
fn hashes(entities: u32, frames: u32, settings: fn(Recorder) -> Recorder) -> u64 {
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
        app.update_by(Duration::from_millis(16));
    }
    drop(app);
    let mut replay = Replay::open(folder.path(), make).unwrap();
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
    replay.compared()
}

#[test]
fn without_a_setting_the_first_frame_is_hashed_and_a_large_world_seldom() {
    // The next hash waits for a hundred times as long as the first one took, which the frames do not.
    let large = hashes(60_000, 100, |recorder| recorder);
    assert!((1..50).contains(&large), "{large}");
}

#[test]
fn a_large_world_is_hashed_in_parts_after_each_frame() {
    let with = |settings| hashes(2_000, 50, settings);
    assert_eq!(with(|recorder| recorder.hash_at_most(0)), 50);
    assert_eq!(with(|recorder| recorder.hash_at_most(100)), 50);
    assert_eq!(with(|recorder| recorder.hash_at_most(1_000_000)), 50);
}

#[test]
fn hashes_come_every_so_many_frames_for_any_size() {
    for entities in [0, 1, 2_000] {
        let with = |settings| hashes(entities, 50, settings);
        assert_eq!(with(|recorder| recorder.hash_every(1)), 50);
        assert_eq!(with(|recorder| recorder.hash_every(7)), 8);
        assert_eq!(with(|recorder| recorder.hash_every(100)), 1);
        assert_eq!(with(|recorder| recorder.hash_every(0)), 0);
    }
}

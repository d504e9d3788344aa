//! A run that ends at any moment goes on from its last checkpoint, on any number of shards, as if nothing had happened.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use ecs_core::shard::{self, ShardConfig, ShardError, Shards, shard_check};

use crate::town::town;
use crate::{hash_of, hash_of_processes};

/// A folder that is gone at the end of the test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("ecs-shard-{name}-{}", std::process::id()));
        _ = fs::remove_dir_all(&path);
        Self(path)
    }

    /// Returns the names of the files in it.
    pub(crate) fn files(&self) -> Vec<String> {
        let files = fs::read_dir(&self.0).into_iter().flatten().flatten();
        let mut names: Vec<String> = files
            .map(|file| file.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs the town up to a tick with a checkpoint every few ticks; returns the first tick that ran, and the hash.
fn run(
    folder: &Path,
    shards: usize,
    until: u64,
    config: fn(ShardConfig) -> ShardConfig,
) -> Result<(u64, u64), ShardError> {
    let with_checkpoints = |shards: &mut Shards| {
        town(shards);
        shards.checkpoint(folder, 7);
    };
    let threads = config(ShardConfig::threads(NonZeroUsize::new(shards).unwrap()));
    let runs = shard::run(&threads, with_checkpoints, |shard| {
        let first = shard.ticks();
        while shard.ticks() < until {
            shard.tick()?;
        }
        Ok((first, shard.hash()?))
    })?;
    assert!(runs.iter().all(|run| *run == runs[0]));
    Ok(runs[0])
}

#[test]
fn a_run_goes_on_from_its_last_checkpoint() {
    let folder = Folder::new("resume");
    let whole = hash_of(town, 1, 60).unwrap();
    for shards in [1, 2, 3] {
        for stopped_at in [7, 20, 45] {
            _ = fs::remove_dir_all(&folder.0);
            run(&folder.0, shards, stopped_at, |config| config).unwrap();
            let (first, hash) = run(&folder.0, shards, 60, ShardConfig::resume).unwrap();
            assert_eq!(first, stopped_at / 7 * 7);
            assert_eq!(hash, whole, "{shards} shards, stopped at {stopped_at}");
        }
    }
}

#[test]
fn another_number_of_shards_goes_on() {
    let folder = Folder::new("others");
    let whole = hash_of(town, 1, 60).unwrap();
    let (mut shards, mut tick) = (2, 0);
    for (next, stop) in [(2, 16), (3, 30), (1, 44), (4, 60)] {
        let (first, hash) = run(&folder.0, next, stop, ShardConfig::resume).unwrap();
        assert_eq!(first, tick / 7 * 7, "{shards} shards, then {next}");
        (shards, tick) = (next, stop);
        if stop == 60 {
            assert_eq!(hash, whole);
        }
    }
}

#[test]
fn without_a_checkpoint_a_run_begins_anew() {
    let folder = Folder::new("none");
    let (first, hash) = run(&folder.0, 2, 10, ShardConfig::resume).unwrap();
    assert_eq!((first, hash), (0, hash_of(town, 1, 10).unwrap()));
}

#[test]
fn only_the_newest_checkpoints_stay() {
    let folder = Folder::new("newest");
    run(&folder.0, 2, 100, |config| config).unwrap();
    let files = folder.files();
    assert!(
        files.contains(&"000000000098.0-of-2".to_owned()),
        "{files:?}"
    );
    assert!(
        files.contains(&"000000000098.1-of-2".to_owned()),
        "{files:?}"
    );
    assert!(files.len() <= 6, "{files:?}");
    // Another number of shards has files of its own.
    run(&folder.0, 3, 130, ShardConfig::resume).unwrap();
    let files = folder.files();
    assert!(
        files.iter().all(|file| file.ends_with("-of-3")),
        "{files:?}"
    );
}

#[test]
fn a_run_begins_anew_only_where_there_are_no_checkpoints() {
    let folder = Folder::new("anew");
    run(&folder.0, 2, 20, |config| config).unwrap();
    for shards in [1, 2] {
        let error = run(&folder.0, shards, 5, |config| config).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("up to tick 14; help: go on"), "{error}");
    }
    assert_eq!(run(&folder.0, 2, 21, ShardConfig::resume).unwrap().0, 14);
}

#[test]
fn a_check_writes_no_checkpoints() {
    let folder = Folder::new("check");
    let checked = |shards: &mut Shards| {
        town(shards);
        shards.checkpoint(&folder.0, 2);
    };
    shard_check(checked, 5).unwrap();
    assert_eq!(folder.files(), [""; 0]);
}

#[test]
fn a_checkpoint_that_not_all_shards_have_does_not_count() {
    let folder = Folder::new("partial");
    run(&folder.0, 2, 29, |config| config).unwrap();
    fs::remove_file(folder.0.join("000000000028.1-of-2")).unwrap();
    let (first, hash) = run(&folder.0, 2, 40, ShardConfig::resume).unwrap();
    assert_eq!((first, hash), (21, hash_of(town, 1, 40).unwrap()));
}

#[test]
fn processes_agree_on_a_tick_although_each_has_a_folder_of_its_own() {
    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("ecs-shard-{name}-{}", std::process::id()))
    }
    fn west(shards: &mut Shards) {
        town(shards);
        shards.checkpoint(folder("west"), 4);
    }
    fn east(shards: &mut Shards) {
        town(shards);
        shards.checkpoint(folder("east"), 4);
    }
    let (west_folder, _east_folder) = (Folder::new("west"), Folder::new("east"));
    let run = |until| hash_of_processes([west, east], until, |_, config| config.resume());
    let whole = |until| hash_of(town, 1, until).unwrap();
    assert_eq!(run(13), [Ok(whole(13)), Ok(whole(13))]);
    // One of them is at tick 12, and the other one at tick 8.
    fs::remove_file(west_folder.0.join("000000000012.0-of-2")).unwrap();
    assert_eq!(run(20), [Ok(whole(20)), Ok(whole(20))]);
}

#[test]
fn damage_is_an_error_and_no_other_result() {
    let folder = Folder::new("damage");
    run(&folder.0, 2, 21, |config| config).unwrap();
    let path = folder.0.join("000000000021.0-of-2");
    let bytes = fs::read(&path).unwrap();
    for at in [0, 8, 12, 20, bytes.len() / 2, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        fs::write(&path, damaged).unwrap();
        let error = run(&folder.0, 2, 22, ShardConfig::resume)
            .unwrap_err()
            .to_string();
        assert!(error.contains("000000000021.0-of-2"), "{error}");
    }
    fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
    assert!(run(&folder.0, 2, 22, ShardConfig::resume).is_err());
}

/// Each step leaves other files in the folder if all processes are killed in it, while they write the checkpoint of tick 28.
#[test]
fn a_checkpoint_may_be_cut_off_in_each_of_its_steps() {
    let whole = Folder::new("whole");
    run(&whole.0, 2, 29, |config| config).unwrap();
    let new = [0, 1].map(|shard| fs::read(whole.0.join(file(28, shard))).unwrap());
    let expected = hash_of(town, 1, 40).unwrap();
    let half = |bytes: &[u8]| bytes[..bytes.len() / 2].to_vec();
    let temporary = |shard| format!(".{}.0123456789abcdef.ecs-new", file(28, shard));
    let steps = [
        (
            "created",
            [(temporary(0), Vec::new()), (temporary(1), Vec::new())],
            21,
        ),
        (
            "half written",
            [(temporary(0), half(&new[0])), (temporary(1), Vec::new())],
            21,
        ),
        (
            "written",
            [
                (temporary(0), new[0].clone()),
                (temporary(1), half(&new[1])),
            ],
            21,
        ),
        (
            "renamed by one",
            [(file(28, 0), new[0].clone()), (temporary(1), half(&new[1]))],
            21,
        ),
        (
            "renamed by the other",
            [
                (temporary(0), new[0].clone()),
                (file(28, 1), new[1].clone()),
            ],
            21,
        ),
        (
            "renamed by both",
            [(file(28, 0), new[0].clone()), (file(28, 1), new[1].clone())],
            28,
        ),
    ];
    for (step, files, tick) in steps {
        let folder = Folder::new(&format!("step-{step}"));
        fs::create_dir_all(&folder.0).unwrap();
        for shard in [0, 1] {
            let old = file(21, shard);
            fs::copy(whole.0.join(&old), folder.0.join(&old)).unwrap();
        }
        for (name, bytes) in files {
            fs::write(folder.0.join(name), bytes).unwrap();
        }
        let (first, hash) = run(&folder.0, 2, 40, ShardConfig::resume).unwrap();
        assert_eq!((first, hash), (tick, expected), "{step}");
        // What the killed processes have left is gone.
        assert!(
            folder.files().iter().all(|name| !name.starts_with('.')),
            "{step}: {:?}",
            folder.files()
        );
    }
    // One shard has deleted the old one already.
    fs::remove_file(whole.0.join(file(21, 0))).unwrap();
    let (first, hash) = run(&whole.0, 2, 40, ShardConfig::resume).unwrap();
    assert_eq!((first, hash), (28, expected));
}

fn file(tick: u64, shard: usize) -> String {
    format!("{tick:012}.{shard}-of-2")
}

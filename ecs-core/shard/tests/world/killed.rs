//! Processes that are killed at any moment: the others end with an error, and all go on from a checkpoint as if nothing had
//! happened.
//!
//! With `ECS_SOAK` there are 200 kills at random moments and 72 in phases of a checkpoint, each followed by a run to the end.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ecs_core::prelude::*;
use ecs_core::shard::{self, Gid, Peers, ShardConfig, Shards};
use serde::{Deserialize, Serialize, Serializer};

use crate::checkpoints::Folder;
use crate::town::town;
use crate::{free_addresses, hash_of};

/// The number of ticks of a run.
const TICKS: u64 = 60;

const PROCESSES: usize = 2;

/// The variable with the folder of checkpoints, which makes a test one of the processes.
const FOLDER: &str = "ECS_SHARD_TEST_FOLDER";

/// The variable with the path of a file that says that a snapshot is being written as bytes.
const COPIES: &str = "ECS_SHARD_TEST_COPIES";

/// The bytes of the archive, which make the phases of a checkpoint longer.
const ARCHIVE: usize = 1 << 20;

/// The archive of the town: every checkpoint has it.
#[derive(Resource, Clone, Debug, Deserialize)]
#[resource(data = "killed.archive")]
struct Archive(String);

impl Serialize for Archive {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(path) = std::env::var_os(COPIES) {
            fs::write(path, "").unwrap();
            thread::sleep(Duration::from_millis(100));
        }
        serializer.serialize_newtype_struct("Archive", &self.0)
    }
}

#[system]
fn visit(_archive: Res<Archive>) {}

fn town_with_archive(shards: &mut Shards) {
    shards.setup(|world| _ = world.insert_resource(Archive("a".repeat(ARCHIVE))));
    town(shards);
    shards.systems(visit);
}

/// One of the processes: it prints its hash.
#[test]
#[ignore = "one of the processes of the other tests here"]
fn process() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let game = |shards: &mut Shards| {
        town_with_archive(shards);
        shards.checkpoint(&folder, 3);
    };
    // A process that is killed before it calls is waited for this long. None is silent, however busy the machine is.
    let peers = Peers::from_env().unwrap();
    let peers = peers
        .deadline(Duration::from_secs(10))
        .silence(Duration::from_secs(60));
    let config = ShardConfig::processes(peers).resume();
    let hashes = shard::run(&config, game, |shard| {
        while shard.ticks() < TICKS {
            shard.tick()?;
        }
        shard.hash()
    });
    match hashes {
        Ok(hashes) => println!("hash {}", hashes[0]),
        Err(error) => println!("error {error}"),
    }
}

/// Begins all processes. `copies` is the path of the file that marks the first phase of a checkpoint.
fn begin(folder: &Path, run: u64, copies: Option<&Path>) -> Vec<Child> {
    let addresses: Vec<String> = free_addresses(PROCESSES)
        .iter()
        .map(SocketAddr::to_string)
        .collect();
    let process = |me: usize| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "killed::process", "--ignored", "--nocapture"])
            .env(FOLDER, folder)
            .env("SHARD_PEERS", addresses.join(","))
            .env("SHARD_ME", me.to_string())
            .env("SHARD_RUN", run.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(path) = copies {
            command.env(COPIES, path);
        }
        command.spawn().unwrap()
    };
    (0..PROCESSES).map(process).collect()
}

/// Waits for the end of a process, and returns the lines that it has printed.
fn end(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the line that a whole run prints.
fn expected() -> String {
    format!("hash {}", hash_of(town_with_archive, 1, TICKS).unwrap())
}

/// Kills processes. Returns false if they had ended before, and panics unless the others end with an error or with the right hash.
fn kill(mut children: Vec<Child>, victims: &[usize], expected: &str) -> bool {
    let is_done = victims
        .iter()
        .any(|&victim| children[victim].try_wait().unwrap().is_some());
    for &victim in victims {
        children[victim].kill().unwrap();
    }
    let begun = Instant::now();
    for (number, child) in children.into_iter().enumerate() {
        let printed = end(child);
        if victims.contains(&number) {
            continue;
        }
        let victim = victims[0];
        let errors = ["died", "did not come"].map(|why| format!("error shard {victim} {why}"));
        let is_error = errors.iter().any(|error| printed.contains(error));
        assert!(is_error || printed.contains(expected), "{printed}");
        assert!(!printed.contains("panicked"), "{printed}");
    }
    assert!(
        begun.elapsed() < Duration::from_secs(30),
        "a survivor hangs"
    );
    !is_done
}

/// Runs to the end, and panics if the hash differs from the one of a run without kills.
fn go_on(folder: &Path, run: u64, expected: &str, after: &str) {
    for child in begin(folder, run, None) {
        let printed = end(child);
        assert!(printed.contains(expected), "after {after}: {printed}");
    }
}

/// Goes on in a copy of the folder, so that the next run still finds what the killed processes have left.
fn go_on_in_a_copy(folder: &Path, run: u64, expected: &str, after: &str) {
    let name = folder.file_name().unwrap().to_string_lossy();
    let copy = Folder::new(&format!("copy-of-{name}"));
    fs::create_dir_all(&copy.0).unwrap();
    for file in fs::read_dir(folder).into_iter().flatten().flatten() {
        fs::copy(file.path(), copy.0.join(file.file_name())).unwrap();
    }
    go_on(&copy.0, run, expected, after);
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some()
}

#[test]
fn killed_processes_go_on_as_if_nothing_had_happened() {
    // More of them before a change lands, as random tests have it.
    let kills = match (is_set("ECS_SOAK"), is_set("ECS_WORLDS")) {
        (true, _) => 200,
        (false, true) => 6,
        (false, false) => 3,
    };
    let expected = expected();
    let folder = Folder::new("killed");
    let begun = Instant::now();
    go_on(&folder.0, 0, &expected, "no kill");
    let whole = begun.elapsed();
    _ = fs::remove_dir_all(&folder.0);
    let (mut killed, mut run) = (0, 0);
    while killed < kills {
        run += 2;
        let random = Gid::random_of(run, 7);
        let children = begin(&folder.0, run, None);
        thread::sleep(whole.mul_f64((random >> 11) as f64 / (1_u64 << 53) as f64));
        let victim = (random & 0xff) as usize % PROCESSES;
        if !kill(children, &[victim], &expected) {
            // It begins anew.
            _ = fs::remove_dir_all(&folder.0);
            continue;
        }
        killed += 1;
        let after = format!("{killed} kills");
        if killed % 3 == 0 {
            go_on(&folder.0, run + 1, &expected, &after);
            _ = fs::remove_dir_all(&folder.0);
        } else if is_set("ECS_SOAK") {
            go_on_in_a_copy(&folder.0, run + 1, &expected, &after);
        }
    }
    println!("{killed} kills in {} runs", run / 2);
}

/// A phase of a checkpoint that can be seen in its folder.
#[derive(Clone, Copy, Debug)]
enum CheckpointPhase {
    /// The copy in memory is written as bytes.
    Copied,
    /// A file with a name for the time being is there, and not all of its bytes.
    Created,
    /// All bytes are there; they are brought to the disk.
    Written,
    /// One shard has given its file the right name.
    RenamedByOne,
    /// All shards have.
    RenamedByAll,
    /// One shard has deleted the checkpoint before.
    DeletedByOne,
}

impl CheckpointPhase {
    const ALL: [Self; 6] = [
        Self::Copied,
        Self::Created,
        Self::Written,
        Self::RenamedByOne,
        Self::RenamedByAll,
        Self::DeletedByOne,
    ];

    /// Returns true if a checkpoint is in this phase, with an older one that is whole. Files that were there `before` say nothing
    /// about this run.
    fn is_seen(self, folder: &Path, before: &[String], copies: &Path) -> bool {
        if let Self::Copied = self {
            return copies.exists();
        }
        let (mut new, mut ticks) = (Vec::new(), Vec::<u64>::new());
        let mut last = 0;
        for file in fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = file.file_name().to_string_lossy().into_owned();
            let is_new = !before.contains(&name);
            match name.split_once('.') {
                Some(("", _)) if is_new => new.extend(file.metadata().ok().map(|data| data.len())),
                Some((tick, _)) if !tick.is_empty() => {
                    ticks.push(tick.parse().unwrap());
                    if is_new {
                        last = last.max(ticks[ticks.len() - 1]);
                    }
                }
                _ => {}
            }
        }
        ticks.sort_unstable();
        let counts: Vec<usize> = ticks.chunk_by(u64::eq).map(<[u64]>::len).collect();
        let is_whole = |len: &u64| *len >= ARCHIVE as u64;
        let is_renamed = last != 0 && ticks.last() == Some(&last);
        match self {
            Self::Copied => unreachable!("it is seen by another file"),
            Self::Created => !counts.is_empty() && new.iter().any(|len| !is_whole(len)),
            Self::Written => !counts.is_empty() && new.iter().any(is_whole),
            Self::RenamedByOne => is_renamed && matches!(counts[..], [.., PROCESSES, 1]),
            Self::RenamedByAll => is_renamed && matches!(counts[..], [.., PROCESSES, PROCESSES]),
            Self::DeletedByOne => is_renamed && matches!(counts[..], [1, PROCESSES, ..]),
        }
    }
    /// Kills processes in this phase. Returns false if the run has ended before it was seen.
    fn kill_in(
        self,
        folder: &Folder,
        run: u64,
        copies: &Path,
        victims: &[usize],
        expected: &str,
    ) -> bool {
        let _ = fs::remove_file(copies);
        let before = folder.files();
        let copied = matches!(self, Self::Copied).then_some(copies);
        let mut children = begin(&folder.0, run, copied);
        // There are many checkpoints.
        while !self.is_seen(&folder.0, &before, copies) && children[0].try_wait().unwrap().is_none()
        {
            std::hint::spin_loop();
        }
        let is_killed = kill(children, victims, expected);
        if !is_killed {
            _ = fs::remove_dir_all(&folder.0);
        }
        is_killed
    }
}

#[test]
fn processes_that_are_killed_in_any_phase_of_a_checkpoint_go_on() {
    let turns = if is_set("ECS_SOAK") { 6 } else { 1 };
    let expected = expected();
    let folder = Folder::new("phases");
    let copies = PathBuf::from(format!("{}-copies", folder.0.display()));
    let mut run = 0;
    for turn in 0..turns {
        for (number, phase) in CheckpointPhase::ALL.into_iter().enumerate() {
            // One of them, or all at once.
            let victims: &[&[usize]] = match turns {
                1 => &[[&[0][..], &[0, 1], &[1]][number % 3]],
                _ => &[&[turn % PROCESSES], &[0, 1]],
            };
            for victims in victims {
                let is_killed = (0..20).any(|_| {
                    run += 2;
                    phase.kill_in(&folder, run, &copies, victims, &expected)
                });
                let after = format!("a kill of {victims:?} in the phase {phase:?}");
                match is_killed {
                    true => println!("{after}"),
                    false => println!("SKIPPED: {after}: it is too short to be seen here"),
                }
                if turns > 1 {
                    go_on_in_a_copy(&folder.0, run + 1, &expected, &after);
                }
            }
        }
    }
    go_on(&folder.0, run + 1, &expected, "the last kill");
    let _ = fs::remove_file(&copies);
    println!("{} runs", run / 2);
}

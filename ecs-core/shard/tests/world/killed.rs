//! Processes that are killed at any moment: the others end with an error, and all go on from a checkpoint as if nothing had
//! happened.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ecs_core::shard::{self, Gid, Peers, ShardConfig, Shards};

use crate::checkpoints::Folder;
use crate::hash_of;
use crate::town::town;

/// The number of ticks of a run.
const TICKS: u64 = 60;

/// The variable with the folder of checkpoints, which makes a test one of the processes.
const FOLDER: &str = "ECS_SHARD_TEST_FOLDER";

/// One of the processes: it prints its hash.
#[test]
#[ignore = "one of the processes of `killed_processes_go_on_as_if_nothing_had_happened`"]
fn process() {
    let Ok(folder) = std::env::var(FOLDER) else {
        return;
    };
    let game = |shards: &mut Shards| {
        town(shards);
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

/// Begins all processes.
fn begin(folder: &Path, processes: usize, run: u64) -> Vec<Child> {
    let ports: Vec<TcpListener> = (0..processes)
        .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
        .collect();
    let addresses: Vec<SocketAddr> = ports
        .iter()
        .map(|port| port.local_addr().unwrap())
        .collect();
    let addresses: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
    drop(ports);
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
        command.spawn().unwrap()
    };
    (0..processes).map(process).collect()
}

/// Waits for the end of a process, and returns the lines that it has printed.
fn end(child: Child) -> String {
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn killed_processes_go_on_as_if_nothing_had_happened() {
    let is_set = |name| std::env::var_os(name).is_some();
    // More of them before a change lands, as random tests have it.
    let kills = match (is_set("ECS_SOAK"), is_set("ECS_WORLDS")) {
        (true, _) => 200,
        (false, true) => 6,
        (false, false) => 3,
    };
    let expected = format!("hash {}", hash_of(town, 1, TICKS).unwrap());
    let folder = Folder::new("killed");
    let processes = 2;
    let (mut killed, mut run) = (0, 0);
    while killed < kills {
        run += 1;
        let random = Gid::random_of(run, 7);
        let mut children = begin(&folder.0, processes, run);
        let begun = Instant::now();
        // A whole run takes about a second in a debug build.
        while begun.elapsed() < Duration::from_micros(random % 1_500_000) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let victim = (random >> 32) as usize % processes;
        let is_done = children[victim].try_wait().unwrap().is_some();
        children[victim].kill().unwrap();
        let begun = Instant::now();
        for (number, child) in children.into_iter().enumerate() {
            let printed = end(child);
            if number == victim {
                continue;
            }
            let is_lost = printed.contains(&format!("error shard {victim} "));
            let is_whole = printed.contains(&expected);
            assert!(
                is_lost || is_whole || printed.contains("error"),
                "{printed}"
            );
            assert!(!printed.contains("panicked"), "{printed}");
        }
        assert!(
            begun.elapsed() < Duration::from_secs(30),
            "a survivor hangs"
        );
        if is_done {
            // It begins anew.
            _ = std::fs::remove_dir_all(&folder.0);
        } else {
            killed += 1;
        }
        if killed % 3 == 0 {
            for child in begin(&folder.0, processes, 1_000_000 + run) {
                let printed = end(child);
                assert!(
                    printed.contains(&expected),
                    "after {killed} kills: {printed}"
                );
            }
            _ = std::fs::remove_dir_all(&folder.0);
        }
    }
}

//! Shards as processes: the test program starts itself several times.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ecs_core::shard::{Net, Peers, run_processes, run_threads};

use super::{LONG, SOON, addresses, exchange, run_here};

/// The variable with the work of a child.
pub(super) const WORK: &str = "NET_TEST_WORK";

/// In front of the lines that a child prints.
const MARK: &str = "child: ";

#[test]
#[ignore = "the program that other tests start"]
fn program() {
    let Ok(work) = env::var(WORK) else { return };
    if work == "threads" {
        println!("{MARK}{}", threads_that_are_left());
        return;
    }
    if work == "settings" {
        println!("{MARK}{}", Peers::from_env().unwrap_err());
        return;
    }
    #[cfg(target_os = "linux")]
    if work == "call" {
        println!(
            "{MARK}answer of {} bytes",
            super::spaces::call_first_machine()
        );
        return;
    }
    let patience = env::var("NET_TEST_PATIENCE")
        .map_or(LONG, |text| Duration::from_millis(text.parse().unwrap()));
    let peers = Peers::from_env()
        .unwrap()
        .schema(17)
        .patience(patience)
        .deadline(Duration::from_secs(20));
    // A busy machine lets a thread wait for long, and TCP sends again what was lost only after a pause, which doubles.
    let peers = match work.as_str() {
        "forever" => peers,
        _ => peers.silence(SOON),
    };
    let address = env::var("SHARD_PEERS")
        .unwrap()
        .split(',')
        .nth(peers.me())
        .unwrap()
        .to_owned();
    let result = run_processes(&peers, |net| {
        println!("{MARK}met");
        match work.as_str() {
            "exchange" => exchange(net, 200, 1000).and_then(|()| exchange(net, 3, 8 << 20)),
            "exchange_far" => exchange(net, 40, 1000).and_then(|()| exchange(net, 3, 500_000)),
            "slowly" => (0..20).try_for_each(|_| {
                thread::sleep(Duration::from_millis(40));
                exchange(net, 1, 1000)
            }),
            "forever" => exchange(net, u64::MAX, 1000),
            other => panic!("{other}"),
        }
    });
    let text = match result {
        Ok(Ok(())) => "done".to_owned(),
        Ok(Err(error)) => format!("{error:?}"),
        Err(error) => format!("no meeting: {error:?}"),
    };
    // Timely's threads have ended, and the port is free at once.
    TcpListener::bind(address).unwrap();
    println!("{MARK}{text}, {} threads", settled_threads(2));
}

/// The number of threads of this process. The harness has two, with and without `--test-threads=1`.
fn own_threads() -> usize {
    fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// The number of threads of this process, when there are no more than `expected` or two seconds have passed. A thread is in the list
/// for a moment after it was joined.
fn settled_threads(expected: usize) -> usize {
    let end = Instant::now() + Duration::from_secs(2);
    while own_threads() > expected && Instant::now() < end {
        thread::sleep(Duration::from_millis(5));
    }
    own_threads()
}

/// Runs shards that end in all ways, and returns the number of threads that they leave.
fn threads_that_are_left() -> isize {
    let before = own_threads();
    let work = |net: &mut dyn Net| {
        exchange(net, 5, 1000).unwrap();
        assert!(net.me() != 1, "a test panics on purpose");
        exchange(net, 5, 1000).unwrap_err();
    };
    run_threads(3, LONG, work);
    run_here(&addresses(3), |peers| peers, work);
    run_here(&addresses(3), |peers| peers, |net| exchange(net, 5, 1000));
    // One that meets no other.
    let missing = Peers::new(addresses(3), 1).deadline(Duration::from_millis(50));
    run_processes(&missing, |_| ()).unwrap_err();
    settled_threads(before) as isize - before as isize
}

/// A process of a run.
pub(super) struct Shard {
    pub(super) child: Child,
    lines: std::io::Lines<BufReader<ChildStdout>>,
}

impl Drop for Shard {
    fn drop(&mut self) {
        // Also if a test fails in the middle.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Shard {
    /// Starts a process of a run, with more settings of the command.
    pub(super) fn start(
        addresses: &[SocketAddr],
        me: usize,
        work: &str,
        set: impl FnOnce(Command) -> Command,
    ) -> Shard {
        let list: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
        Shard::start_with(work, |command| {
            let mut command = set(command);
            command
                .env("SHARD_PEERS", list.join(","))
                .env("SHARD_ME", me.to_string());
            command
        })
    }

    /// Starts a process, with more settings of the command.
    pub(super) fn start_with(work: &str, set: impl FnOnce(Command) -> Command) -> Shard {
        let mut command = set(Command::new(env::current_exe().unwrap()));
        command.args([
            "children::program",
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ]);
        command
            .env(WORK, work)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Shard { child, lines }
    }

    /// Returns the next line of the program. Others may only come from the test harness.
    pub(super) fn line(&mut self) -> String {
        loop {
            let line = self.lines.next().expect("the program has ended").unwrap();
            // The harness writes the name of the test first, without a new line.
            if let Some((_, line)) = line.split_once(MARK) {
                return line.to_owned();
            }
            let harness = ["", "running 1 test", "test children::program ... "];
            assert!(harness.contains(&line.as_str()), "not ours: {line:?}");
        }
    }

    /// Waits for the end, and returns everything that was written to the standard error.
    fn finish(mut self) -> String {
        let mut errors = String::new();
        std::io::Read::read_to_string(self.child.stderr.as_mut().unwrap(), &mut errors).unwrap();
        assert!(self.child.wait().unwrap().success(), "{errors}");
        errors
    }
}

fn start_all(addresses: &[SocketAddr], work: &str, patience: Duration) -> Vec<Shard> {
    let patience = patience.as_millis().to_string();
    let start = |me| {
        Shard::start(addresses, me, work, |mut command| {
            command.env("NET_TEST_PATIENCE", &patience);
            command
        })
    };
    let mut shards: Vec<Shard> = (0..addresses.len()).map(start).collect();
    for shard in &mut shards {
        assert_eq!(shard.line(), "met");
    }
    shards
}

fn signal(shard: &Shard, name: &str) {
    let pid = shard.child.id().to_string();
    assert!(
        Command::new("kill")
            .args([name, &pid])
            .status()
            .unwrap()
            .success()
    );
}

/// The last line of a program that leaves no thread.
fn last_line(text: &str) -> String {
    if cfg!(target_os = "linux") {
        format!("{text}, 2 threads")
    } else {
        format!("{text}, 0 threads")
    }
}

#[test]
fn processes_get_what_others_send_and_print_nothing_of_their_own() {
    for count in 2..=3 {
        let shards = start_all(&addresses(count), "exchange", LONG);
        for mut shard in shards {
            assert_eq!(shard.line(), last_line("done"));
            assert_eq!(shard.finish(), "");
        }
    }
}

#[test]
fn the_others_lose_a_process_that_is_killed_within_a_second() {
    let mut times = Vec::new();
    for victim in 0..3 {
        let mut shards = start_all(&addresses(3), "forever", LONG);
        thread::sleep(Duration::from_millis(30 + 20 * victim as u64));
        let mut killed = shards.remove(victim);
        let begin = Instant::now();
        killed.child.kill().unwrap();
        for mut shard in shards {
            assert_eq!(
                shard.line(),
                last_line(&format!("Lost {{ shards: [{victim}] }}"))
            );
            times.push(begin.elapsed());
            assert_eq!(shard.finish(), "");
        }
    }
    // On a busy machine not all of them.
    assert!(
        times.iter().min() < Some(&Duration::from_secs(1)),
        "{times:?}"
    );
    assert!(times.iter().max() < Some(&SOON), "{times:?}");
}

#[test]
#[cfg(unix)]
fn a_process_that_stands_still_is_silent_for_all_within_a_second() {
    let mut shards = start_all(&addresses(3), "forever", LONG);
    // It is watched from its first sign of life on.
    thread::sleep(Duration::from_millis(50));
    let mut stopped = shards.remove(1);
    signal(&stopped, "-STOP");
    let begin = Instant::now();
    let mut times = Vec::new();
    for mut shard in shards {
        let line = shard.line();
        let silent = "Silent { shards: [1], waited: ";
        assert!(line.starts_with(silent), "{line}");
        times.push(begin.elapsed());
        assert_eq!(shard.finish(), "");
    }
    // On a busy machine not all of them.
    assert!(
        times.iter().min() < Some(&Duration::from_secs(1)),
        "{times:?}"
    );
    assert!(times.iter().max() < Some(&SOON), "{times:?}");
    // When it goes on, it learns that.
    signal(&stopped, "-CONT");
    let line = stopped.line();
    assert!(line.starts_with("Silent { shards: [1], waited: "), "{line}");
    assert_eq!(stopped.finish(), "");
}

#[test]
fn a_run_begins_at_the_same_addresses_as_soon_as_the_last_one_has_ended() {
    let addresses = addresses(2);
    for _ in 0..3 {
        let shards = start_all(&addresses, "exchange", LONG);
        for mut shard in shards {
            assert_eq!(shard.line(), last_line("done"));
        }
        let mut shards = start_all(&addresses, "forever", LONG);
        shards[0].child.kill().unwrap();
        assert_eq!(shards[1].line(), last_line("Lost { shards: [0] }"));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn no_thread_is_left() {
    let mut shard = Shard::start_with("threads", |command| command);
    assert_eq!(shard.line(), "0");
}

//! A program has the same log in every process, whatever other worlds did before, and on any number of threads.
//!
//! A long random program logs each hook, observer, drop, error and id, and at times the whole observable state of its world.
//! It runs in several processes: in fresh ones, in ones where other worlds used the same types in other orders before, and
//! without threads and with one, two and eight. All logs must be equal.

mod bundles;
mod direct;
mod dump;
mod kinds;
mod log;
mod program;
mod systems;
mod warm;

use std::env;
use std::fmt::Write as _;
use std::process::Command;

use rayon::ThreadPoolBuilder;
use warm::WarmUp;

/// The processes: their warm-up, and the number of threads of schedules (0: no pool).
const PROCESSES: [(WarmUp, usize); 9] = [
    (WarmUp::Nothing, 0),
    (WarmUp::Nothing, 1),
    (WarmUp::Nothing, 8),
    (WarmUp::Backwards, 0),
    (WarmUp::Backwards, 2),
    (WarmUp::Some, 0),
    (WarmUp::OtherDice, 2),
    (WarmUp::OtherDice, 8),
    (WarmUp::Beside, 8),
];

/// The environment variable with the index of a process in [`PROCESSES`].
const WHICH: &str = "ECS_DETERMINISM_PROCESS";
/// The prefix of log lines in the output.
const MARK: &str = "| ";

const SEEDS: [u64; 2] = [1, 2];
const STEPS: usize = 700;

#[test]
#[cfg_attr(miri, ignore = "starts processes")]
fn the_same_program_does_the_same_in_every_process_and_on_any_number_of_threads() {
    if let Ok(which) = env::var(WHICH) {
        let (warm_up, threads) = PROCESSES[which.parse::<usize>().expect("a number")];
        print!("{}", program_in_this_process(warm_up, threads));
        return;
    }
    let logs: Vec<String> = (0..PROCESSES.len()).map(log_of).collect();
    let lines = logs[0].lines().count();
    assert!(lines > 10_000, "the program has written {lines} lines only");
    for (process, log) in PROCESSES.iter().zip(&logs) {
        if let Some(difference) = difference(&logs[0], log) {
            panic!("{process:?} differs from {:?}:\n{difference}", PROCESSES[0]);
        }
    }
}

fn program_in_this_process(warm_up: WarmUp, threads: usize) -> String {
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads.max(1))
        .build()
        .expect("a few threads");
    let pool = (threads > 0).then_some(&pool);
    // The panics of the program are expected, so they are not reported.
    std::panic::set_hook(Box::new(|_| {}));
    let _beside = warm_up.start();
    let mut text = String::from("\n");
    for seed in SEEDS {
        for line in log::logged(|| program::run(seed, STEPS, pool))
            .iter()
            .flat_map(|line| line.lines())
        {
            writeln!(text, "{MARK}{line}").expect("writing to a string cannot fail");
        }
    }
    text
}

/// Returns the log of the process with that index.
fn log_of(process: usize) -> String {
    let this = env::current_exe().expect("the test is an executable");
    let output = Command::new(this)
        .args(["--exact", "--nocapture", "--test-threads=1"])
        .arg("the_same_program_does_the_same_in_every_process_and_on_any_number_of_threads")
        .env(WHICH, process.to_string())
        .output()
        .expect("the test can start itself");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{:?} failed:\n{errors}",
        PROCESSES[process]
    );
    let mut log = String::new();
    for line in text.lines().filter_map(|line| line.strip_prefix(MARK)) {
        writeln!(log, "{line}").expect("writing to a string cannot fail");
    }
    log
}

/// Returns the first lines that differ, and the lines before them.
fn difference(one: &str, other: &str) -> Option<String> {
    let (one, other): (Vec<&str>, Vec<&str>) = (one.lines().collect(), other.lines().collect());
    let longest = one.len().max(other.len());
    let first = (0..longest).find(|&n| one.get(n) != other.get(n))?;
    let before = one[first.saturating_sub(8)..first.min(one.len())].join("\n  ");
    let line = |lines: &[&str]| {
        lines
            .get(first)
            .map_or("(nothing more)".to_owned(), |&line| line.to_owned())
    };
    Some(format!(
        "line {first} of {longest}:\n  {before}\n- {}\n+ {}",
        line(&one),
        line(&other)
    ))
}

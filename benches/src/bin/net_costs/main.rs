//! `net_costs`: the bytes that a server sends, and the cost of its tick, with 1,000 entities and 32 clients; ours, and with the feature
//! `replicon` `bevy_replicon`.
//!
//! ```text
//! cargo run --profile bench -p ecs-benches --features replicon --ignore-rust-version --bin net_costs
//! cargo run --profile bench -p ecs-benches --features replicon --ignore-rust-version --bin net_costs -- --count
//! ```
//!
//! With `--count` it counts the instructions of a tick under valgrind, which other processes do not disturb. `--only NAME` runs one
//! subject, `--filter TEXT` the scenarios whose names begin with a text, and `--ticks NUMBER` so many ticks. `README.md` describes
//! the rows.

use std::collections::{HashMap, VecDeque};
use std::env;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use crowd::{CLIENTS, Changes, Crowd, Row, SCENARIOS, Scenario};

mod crowd;
mod mail;
mod network;
mod replicator;
#[cfg(feature = "replicon")]
mod replicon;

const TICKS_PER_SECOND: u32 = 60;

/// The ticks before the measurement: connections, and the arrival of the world.
const START: u32 = 60;

/// The ticks after it, without changes.
const END: u32 = 60;

/// The messages of a server to its clients.
#[derive(Clone, Copy, Default)]
struct Sent {
    bytes: u64,
    messages: u64,
}

/// A server and its clients, by one library.
trait Subject {
    fn name(&self) -> &'static str;
    /// Writes the changes of a tick into the server's world.
    fn change(&mut self, crowd: &Crowd, changes: &Changes);
    /// A tick of the server: receives, and sends. This is measured.
    fn server(&mut self);
    /// A tick of all clients: each receives, and confirms.
    fn clients(&mut self);
    /// Returns what the server has sent so far.
    fn sent(&self) -> Sent;
    /// Returns the crowd of a client, by name.
    fn rows(&mut self, client: u32) -> HashMap<String, Row>;
}

/// The measurements of a subject.
#[derive(Default)]
struct Measured {
    times: Vec<Duration>,
    sent: Sent,
    /// The sum of the parts of the world that a client has as they were at the server.
    agreement: f64,
}

fn subjects(scenario: Scenario, crowd: &Crowd, only: Option<&str>) -> Vec<Box<dyn Subject>> {
    let mut subjects: Vec<Box<dyn Subject>> = Vec::new();
    let wants = |name: &str| only.is_none_or(|only| name.contains(only));
    #[cfg(feature = "replicon")]
    if wants("bevy_replicon") {
        subjects.push(Box::new(replicon::Replicon::new(scenario, crowd)));
    }
    if wants("ours, packets") {
        subjects.push(Box::new(replicator::Packets::new(scenario, crowd)));
    }
    if wants("ours, network") {
        subjects.push(Box::new(network::Plugins::new(scenario, crowd)));
    }
    subjects
}

/// A tick of the server that counts. Valgrind finds it by its name.
#[inline(never)]
fn counted_tick(subject: &mut dyn Subject) {
    subject.server();
}

/// Runs all subjects in turns, and checks that all clients have the server's world in the end.
fn measure(scenario: Scenario, options: &Options) -> Vec<(&'static str, Measured)> {
    let mut crowd = Crowd::new(scenario);
    let mut subjects = subjects(scenario, &crowd, options.only.as_deref());
    let mut measured = Vec::from_iter(subjects.iter().map(|_| Measured::default()));
    // The crowd as it was when the messages that arrive now were sent.
    let mut past = VecDeque::new();
    let counted = START..START + options.ticks;
    for tick in 0..counted.end + END {
        let changes = match tick < counted.end {
            true => crowd.change(),
            false => Changes::default(),
        };
        past.push_back(crowd.rows.clone());
        if past.len() > scenario.latency as usize + 1 {
            past.pop_front();
        }
        for (subject, measured) in subjects.iter_mut().zip(&mut measured) {
            subject.change(&crowd, &changes);
            if !counted.contains(&tick) {
                subject.server();
                subject.clients();
                continue;
            }
            let before = subject.sent();
            let start = Instant::now();
            counted_tick(&mut **subject);
            measured.times.push(start.elapsed());
            let after = subject.sent();
            measured.sent.bytes += after.bytes - before.bytes;
            measured.sent.messages += after.messages - before.messages;
            subject.clients();
            if !options.is_counted {
                measured.agreement += scenario.agreement(&past[0], 0, &subject.rows(0));
            }
        }
    }
    for (subject, measured) in subjects.iter_mut().zip(&mut measured) {
        for client in 0..CLIENTS {
            let agreement = scenario.agreement(&crowd.rows, client, &subject.rows(client));
            let name = subject.name();
            assert!(
                agreement == 1.0,
                "{name}: client {client} has {agreement} of the world"
            );
        }
        measured.times.sort_unstable();
    }
    let names = subjects.iter().map(|subject| subject.name());
    names.zip(measured).collect()
}

/// The arguments.
struct Options {
    ticks: u32,
    only: Option<String>,
    filter: String,
    /// Count instructions.
    count: bool,
    /// True in a process that valgrind runs.
    is_counted: bool,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            ticks: 300,
            only: None,
            filter: String::new(),
            count: false,
            is_counted: false,
        };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("`{argument}` has no value"));
            match &*argument {
                "--ticks" => {
                    let number = value()?.parse().ok().filter(|&ticks| ticks > 0);
                    options.ticks = number.ok_or("the ticks are not a number above 0")?;
                }
                "--only" => options.only = Some(value()?),
                "--filter" => options.filter = value()?,
                "--count" => options.count = true,
                "--counted" => options.is_counted = true,
                _ => return Err(format!("there is no argument `{argument}`")),
            }
        }
        Ok(options)
    }

    /// Returns the number of instructions of a tick.
    fn instructions(&self, scenario: &str, subject: &str) -> Result<f64, String> {
        let program = env::current_exe().map_err(|error| error.to_string())?;
        let output = Command::new("valgrind")
            .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
            .arg("--toggle-collect=*counted_tick*")
            .arg(program)
            .args(["--counted", "--filter", scenario, "--only", subject])
            .args(["--ticks", &self.ticks.to_string()])
            .output()
            .map_err(|error| format!("valgrind: {error}"))?;
        let text = String::from_utf8_lossy(&output.stderr);
        let collected = text.split("Collected : ").nth(1);
        let collected = collected.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
        let collected: f64 = collected.ok_or_else(|| format!("valgrind printed\n{text}"))?;
        Ok(collected / f64::from(self.ticks))
    }
}

fn run(options: &Options) -> Result<(), String> {
    let wanted = |scenario: &&Scenario| match options.is_counted {
        true => scenario.name == options.filter,
        false => scenario.name.starts_with(&options.filter),
    };
    for scenario in SCENARIOS.iter().filter(wanted) {
        if !options.is_counted {
            println!("{}", scenario.name);
        }
        for (name, measured) in measure(*scenario, options) {
            if options.is_counted {
                continue;
            }
            let ticks = f64::from(options.ticks);
            let of_client = |number: u64| number as f64 / ticks / f64::from(CLIENTS);
            let micros = |time: Duration| time.as_secs_f64() * 1e6;
            let times = &measured.times;
            print!(
                "  {name:14} {:8.1} bytes in {:5.2} messages a client and tick, {:5.1} % up to date; a tick {:7.0} us (median {:7.0})",
                of_client(measured.sent.bytes),
                of_client(measured.sent.messages),
                measured.agreement / ticks * 100.0,
                micros(times[0]),
                micros(times[times.len() / 2]),
            );
            if options.count {
                print!(
                    ", {:10.0} instructions",
                    options.instructions(scenario.name, name)?
                );
            }
            println!();
        }
    }
    Ok(())
}

fn main() -> ExitCode {
    let options = Options::parse(env::args().skip(1));
    match options.and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("net_costs: {message}");
            ExitCode::FAILURE
        }
    }
}

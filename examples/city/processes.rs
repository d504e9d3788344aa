//! The city as several processes of this program, one of which may be killed.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use ecs_core::shard::{self, ShardConfig, Shards};

use crate::city::city;
use crate::options::Options;
use crate::{CityRun, run_shard};

/// The number of ticks between two checkpoints.
const CHECKPOINT_EVERY: u64 = 10;

/// Runs one of the processes, and prints its result in one line.
pub(crate) fn run_one(options: &Options) -> Result<(), Box<dyn Error>> {
    let game = |shards: &mut Shards| {
        city(shards, options.agents);
        if let Some(folder) = &options.checkpoints {
            shards.checkpoint(folder, CHECKPOINT_EVERY);
        }
    };
    let runs = shard::run(&ShardConfig::from_env()?, game, |shard| {
        run_shard(shard, options, |tick| println!("tick {tick}"))
    })?;
    let CityRun {
        hash,
        people,
        speed,
        moved,
        bytes,
        ..
    } = &runs[0];
    println!("done {hash} {people} {speed} {moved} {bytes}");
    if let (Some(path), Some(map)) = (&options.picture, &runs[0].map) {
        std::fs::write(path, map.to_svg())?;
    }
    Ok(())
}

/// Runs all processes, and kills one if the options ask for it. Returns their result.
pub(crate) fn run_all(
    options: &Options,
    processes: NonZeroUsize,
) -> Result<CityRun, Box<dyn Error>> {
    let processes = processes.get();
    let folder = std::env::temp_dir().join(format!("ecs-city-{}", std::process::id()));
    let mut begun = Processes::begin(
        options,
        processes,
        options.kills_one.then_some(&*folder),
        false,
    )?;
    if options.kills_one {
        let half = options.ticks / 2;
        begun.wait_for_tick(0, half)?;
        let last = processes - 1;
        begun.children[last].kill()?;
        println!("killed process {last} after tick {half}");
        for (number, output) in begun.finish().into_iter().enumerate() {
            if number != last {
                println!("process {number}: {}", output.error.trim());
            }
        }
        begun = Processes::begin(options, processes, Some(&folder), true)?;
        let resumed = begun.next_tick(0)?;
        println!("resumed; the first tick is number {resumed}");
    }
    let mut runs = Vec::new();
    for (number, output) in begun.finish().into_iter().enumerate() {
        match output.run {
            Some(run) => runs.push(run),
            None => return Err(format!("process {number} failed: {}", output.error).into()),
        }
    }
    _ = std::fs::remove_dir_all(&folder);
    if runs.iter().any(|run| run.hash != runs[0].hash) {
        return Err("the processes disagree".into());
    }
    Ok(CityRun::of_all(runs))
}

struct Processes {
    children: Vec<Child>,
    outputs: Vec<BufReader<std::process::ChildStdout>>,
}

/// The output of a process that has ended.
struct Output {
    run: Option<CityRun>,
    error: String,
}

impl Processes {
    fn begin(
        options: &Options,
        processes: usize,
        checkpoints: Option<&Path>,
        resumes: bool,
    ) -> Result<Self, Box<dyn Error>> {
        let ports: Vec<TcpListener> = (0..processes)
            .map(|_| TcpListener::bind("127.0.0.1:0"))
            .collect::<Result<_, _>>()?;
        let addresses: Vec<String> = ports
            .iter()
            .map(|port| Ok(port.local_addr()?.to_string()))
            .collect::<Result<_, std::io::Error>>()?;
        drop(ports);
        let mut children = Vec::new();
        for me in 0..processes {
            let mut command = Command::new(std::env::current_exe()?);
            command
                .arg("--one-process")
                .args(["--agents", &options.agents.to_string()])
                .args(["--ticks", &options.ticks.to_string()])
                .env("SHARD_PEERS", addresses.join(","))
                .env("SHARD_ME", me.to_string())
                .env("SHARD_RESUME", if resumes { "1" } else { "0" })
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            if let Some(folder) = checkpoints {
                command.arg("--checkpoints").arg(folder);
            }
            if let (0, Some(path)) = (me, &options.picture) {
                command.arg("--picture").arg(path);
            }
            children.push(command.spawn()?);
        }
        let mut outputs = Vec::new();
        for child in &mut children {
            let output = child.stdout.take().ok_or("the output is piped")?;
            outputs.push(BufReader::new(output));
        }
        Ok(Self { children, outputs })
    }

    /// Returns the next tick that a process has finished.
    fn next_tick(&mut self, process: usize) -> Result<u64, Box<dyn Error>> {
        let mut line = String::new();
        self.outputs[process].read_line(&mut line)?;
        let tick = line.trim().strip_prefix("tick ");
        Ok(tick
            .ok_or(format!("process {process} has ended early"))?
            .parse()?)
    }

    fn wait_for_tick(&mut self, process: usize, tick: u64) -> Result<(), Box<dyn Error>> {
        while self.next_tick(process)? < tick {}
        Ok(())
    }

    /// Waits for the end of all processes.
    fn finish(self) -> Vec<Output> {
        let mut outputs = Vec::new();
        for (mut child, output) in self.children.into_iter().zip(self.outputs) {
            let lines = output.lines().map_while(Result::ok);
            let run = lines
                .filter_map(|line| parse(line.strip_prefix("done ")?))
                .last();
            let mut error = String::new();
            if let Some(mut stderr) = child.stderr.take() {
                _ = std::io::Read::read_to_string(&mut stderr, &mut error);
            }
            _ = child.wait();
            outputs.push(Output { run, error });
        }
        outputs
    }
}

/// Reads the result that a process has printed.
fn parse(line: &str) -> Option<CityRun> {
    let mut words = line.split(' ');
    let (hash, people) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let speed = words.next()?.parse().ok()?;
    let (moved, bytes) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    Some(CityRun {
        hash,
        people,
        speed,
        moved,
        bytes,
        map: None,
    })
}

//! A city on several shards, with the history of one world.
//!
//! ```text
//! cargo run --release --example city -- --shards 2 --agents 100000 --ticks 100
//! ```
//!
//! runs it in one world, and again in two threads, and compares. `--processes 2` runs two processes that talk over TCP, and
//! `--kill-one` kills one of them in the middle and resumes from the last checkpoint. `--picture city.svg` draws the map.

mod city;
mod options;
mod picture;
mod processes;

use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

use ecs_core::shard::{self, Shard, ShardConfig, ShardError, Shards};

use city::city;
use options::Options;
use picture::CityMap;

/// The result of a run.
#[derive(Clone, Debug)]
struct CityRun {
    hash: u64,
    people: u64,
    /// Ticks in a second.
    speed: f64,
    /// Entities that moved to another shard.
    moved: u64,
    /// Bytes that were sent to another shard.
    bytes: u64,
    map: Option<CityMap>,
}

impl CityRun {
    /// Returns the result of all shards from the results of each.
    fn of_all(mut runs: Vec<Self>) -> Self {
        let moved = runs.iter().map(|run| run.moved).sum();
        let bytes = runs.iter().map(|run| run.bytes).sum();
        Self {
            moved,
            bytes,
            // The others are the same on all shards, and the first one has drawn the map.
            ..runs.swap_remove(0)
        }
    }
}

fn main() -> ExitCode {
    match compare() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs one world and several shards, and compares them.
fn compare() -> Result<(), Box<dyn Error>> {
    let options = Options::from_env()?;
    if options.is_process {
        return processes::run_one(&options);
    }
    let game = |shards: &mut Shards| city(shards, options.agents);
    let one = run(&ShardConfig::solo(), &game, &options)?;
    report("one world", &one);
    let others = match options.processes {
        Some(processes) => processes::run_all(&options, processes)?,
        None => run(&ShardConfig::threads(options.shards), &game, &options)?,
    };
    let name = match options.processes {
        Some(processes) => format!("{processes} processes"),
        None => format!("{} shards", options.shards),
    };
    report(&name, &others);
    if let (Some(path), Some(map)) = (&options.picture, &others.map) {
        std::fs::write(path, map.to_svg())?;
        println!("the map is in {}", path.display());
    }
    if one.hash != others.hash {
        return Err("the hashes differ".into());
    }
    println!(
        "hash equal: {:016x} after {} ticks, {:.2} times as many ticks a second",
        one.hash,
        options.ticks,
        others.speed / one.speed
    );
    Ok(())
}

fn report(name: &str, run: &CityRun) {
    println!(
        "{name}: {:.1} ticks a second, {} live in the end; {} moved to another shard, {} bytes sent",
        run.speed, run.people, run.moved, run.bytes
    );
}

/// Runs the city on the shards of this process.
fn run(
    config: &ShardConfig,
    game: &(impl Fn(&mut Shards) + Sync),
    options: &Options,
) -> Result<CityRun, ShardError> {
    let runs = shard::run(config, game, |shard| run_shard(shard, options, |_| ()))?;
    Ok(CityRun::of_all(runs))
}

/// Runs one shard, and calls a function after each tick.
fn run_shard(
    shard: &mut Shard<'_>,
    options: &Options,
    mut after_tick: impl FnMut(u64),
) -> Result<CityRun, ShardError> {
    let (begin, first) = (Instant::now(), shard.ticks());
    while shard.ticks() < options.ticks {
        shard.tick()?;
        after_tick(shard.ticks());
    }
    let speed = (shard.ticks() - first) as f64 / begin.elapsed().as_secs_f64();
    Ok(CityRun {
        hash: shard.hash()?,
        people: shard.total()?,
        speed,
        moved: shard.stats().migrants,
        bytes: shard.stats().bytes,
        map: match options.picture.is_some() {
            true => Some(CityMap::of(shard)?),
            false => None,
        },
    })
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use ecs_core::shard::shard_check;

    use super::*;

    #[test]
    fn the_city_has_one_history() {
        shard_check(|shards| city(shards, 600), 60).unwrap_or_else(|error| panic!("{error}"));
    }

    #[test]
    fn from_any_checkpoint_the_city_has_the_same_history() {
        let folder = std::env::temp_dir().join(format!("ecs-city-{}", std::process::id()));
        let hash_at = |ticks, config: ShardConfig| {
            let game = |shards: &mut Shards| {
                city(shards, 600);
                shards.checkpoint(&folder, 5);
            };
            let options = Options {
                ticks,
                ..Options::default()
            };
            run(&config, &game, &options).unwrap().hash
        };
        let shards = |count| ShardConfig::threads(NonZeroUsize::new(count).unwrap());
        let straight = hash_at(40, ShardConfig::solo());
        for (ticks, before, after) in [(7, 1, 2), (12, 2, 2), (26, 3, 1), (35, 2, 3)] {
            std::fs::remove_dir_all(&folder).unwrap();
            hash_at(ticks, shards(before));
            let resumed = hash_at(40, shards(after).resume());
            assert_eq!(resumed, straight, "from a checkpoint before tick {ticks}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn the_map_shows_everybody_and_the_borders() {
        let options = Options {
            agents: 600,
            ticks: 3,
            picture: Some("city.svg".into()),
            ..Options::default()
        };
        let game = |shards: &mut Shards| city(shards, options.agents);
        let config = ShardConfig::threads(NonZeroUsize::new(3).unwrap());
        let run = run(&config, &game, &options).unwrap();
        let svg = run.map.unwrap().to_svg();
        assert!(svg.starts_with("<svg"), "{svg}");
        assert_eq!(
            svg.matches("<line").count(),
            2,
            "two borders between three shards"
        );
    }
}

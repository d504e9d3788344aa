//! Costs of shards: processor time of the threads that run them, so that other processes disturb little.
//!
//! ```text
//! cargo run --profile bench -p ecs-benches --features shards --bin shard_costs
//! ```
//!
//! With `ghosts`, `migrants`, `checkpoint` or `city` behind `--` it measures only that.

use std::num::NonZeroUsize;
use std::time::Duration;

use ecs_core::prelude::*;
use ecs_core::shard::{
    self, Gid, Grid, Neighbours, Shard, ShardConfig, ShardError, Shards, TickNumber,
};
use serde::{Deserialize, Serialize};

#[path = "../../../examples/city/city.rs"]
mod city;

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "costs.place")]
struct Place([f32; 2]);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "costs.value")]
struct Value([f32; 3]);

/// The rows of a measurement.
const ROWS: u64 = 100_000;

/// Every n-th entity jumps by a distance in odd ticks. By half of the world it comes to another shard, and by all of it to its own
/// place.
#[derive(Resource)]
struct Jumps {
    every: u64,
    by: f32,
}

#[system(for_each)]
fn jump(gid: &Gid, place: &mut Place, tick: Res<TickNumber>, jumps: Res<Jumps>) {
    if tick.number() % 2 == 1 && gid.number().is_multiple_of(jumps.every) {
        place.0[0] = (place.0[0] + jumps.by).rem_euclid(64.0);
    }
}

#[system(for_each)]
fn rest(value: &mut Value, _near: Option<Res<Neighbours<(Value,)>>>) {
    value.0[0] += 1.0;
}

/// A world of rows with 36 bytes each. Each side sees all rows within `radius` of the border.
fn rows(shards: &mut Shards, rows: u64, radius: f32, jumps: Option<(u64, f32)>) {
    shards.setup(move |world| {
        if let Some((every, by)) = jumps {
            world.insert_resource(Jumps { every, by });
        }
        world.spawn_batch((0..rows).map(|n| {
            let at = |salt| (Gid::random_of(n, salt) % 6400) as f32 / 100.0;
            (Place([at(1), at(2)]), Value([n as f32; 3]))
        }));
    });
    let place = shards.place(Grid::bounded(64, 64, 1.0), |place: &Place| place.0);
    if radius > 0.0 {
        place.mirror::<(Value,)>(radius);
    }
    shards.sort_rows(64);
    match jumps {
        Some(_) => shards.systems((jump, rest)),
        None => shards.systems(rest),
    };
}

/// Returns the processor time of this thread.
fn thread_time() -> Duration {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: the pointer is to a value of this function.
        unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }
    #[cfg(not(all(target_os = "linux", target_env = "gnu")))]
    {
        use std::sync::OnceLock;
        use std::time::Instant;
        static BEGIN: OnceLock<Instant> = OnceLock::new();
        BEGIN.get_or_init(Instant::now).elapsed()
    }
}

/// The cost of ticks: the least over several of them, for each shard.
struct TickCost {
    /// Processor time of all shards together.
    sum: Duration,
    /// Processor time of the shard with most.
    slowest: Duration,
    stats: shard::ShardStats,
}

fn measure(
    shards: usize,
    ticks: u64,
    game: impl Fn(&mut Shards) + Sync,
) -> Result<TickCost, ShardError> {
    let config = ShardConfig::threads(NonZeroUsize::new(shards).unwrap_or(NonZeroUsize::MIN));
    let work = |shard: &mut Shard<'_>| {
        shard.run(3)?;
        let mut times = Vec::new();
        for _ in 0..ticks {
            // Two ticks: every second one has jumps.
            let begin = thread_time();
            shard.run(2)?;
            times.push((thread_time() - begin) / 2);
        }
        times.sort_unstable();
        Ok((times[times.len() / 4], *shard.stats()))
    };
    let costs = shard::run(&config, game, work)?;
    Ok(TickCost {
        sum: costs.iter().map(|(time, _)| *time).sum(),
        slowest: costs
            .iter()
            .map(|(time, _)| *time)
            .max()
            .unwrap_or_default(),
        stats: costs[0].1,
    })
}

fn row(name: &str, value: f64, unit: &str, goal: &str) {
    println!("| {name} | {value:.1} {unit} | {goal} |");
}

fn nanos(time: Duration, each: f64) -> f64 {
    time.as_nanos() as f64 / each
}

fn main() -> Result<(), ShardError> {
    println!("| cost | measured | goal |\n|---|---|---|");
    let asked: Vec<String> = std::env::args().skip(1).collect();
    type Measurement = fn() -> Result<(), ShardError>;
    let all: [(&str, Measurement); 4] = [
        ("ghosts", ghosts),
        ("migrants", migrants),
        ("checkpoint", checkpoint),
        ("city", city),
    ];
    for (name, measurement) in all {
        if asked.is_empty() || asked.iter().any(|asked| asked == name) {
            measurement()?;
        }
    }
    Ok(())
}

fn ghosts() -> Result<(), ShardError> {
    // Both measure the same rows and systems, so the difference is the ghosts.
    let alone = measure(1, 12, |shards| rows(shards, ROWS, 31.0, None))?;
    let ghosts = measure(2, 12, |shards| rows(shards, ROWS, 31.0, None))?;
    let of_all = ghosts.stats.ghosts as f64 / ghosts.stats.rounds as f64 * 2.0;
    row(
        "a ghost, in all",
        nanos(ghosts.sum.saturating_sub(alone.sum), of_all),
        "ns",
        "40 ns",
    );
    Ok(())
}

fn migrants() -> Result<(), ShardError> {
    // Both measure the same systems on two shards, so the difference is the migrants.
    for (name, every) in [("a migrant, out and in", 25), ("in a storm of all rows", 1)] {
        let [stay, leave] = [64.0, 32.0]
            .map(|by| measure(2, 24, |shards| rows(shards, ROWS, 0.0, Some((every, by)))));
        let time = leave?.sum.saturating_sub(stay?.sum);
        // They move in every second tick.
        let each = ROWS as f64 / every as f64 / 2.0;
        row(name, nanos(time, each), "ns", "60 ns");
    }
    Ok(())
}

fn checkpoint() -> Result<(), ShardError> {
    let folder = std::env::temp_dir().join(format!("ecs-shard-costs-{}", std::process::id()));
    let stop = shard::run(
        &ShardConfig::solo(),
        |shards| {
            rows(shards, 1_000_000, 0.0, None);
            shards.checkpoint(&folder, 4);
        },
        |shard| {
            let mut times = Vec::new();
            for _ in 0..12 {
                let begin = thread_time();
                shard.tick()?;
                times.push(thread_time() - begin);
                // The writer is not part of the stop.
                if shard.ticks() % 4 == 0 {
                    std::thread::sleep(Duration::from_secs(1));
                }
            }
            let with: Duration = times
                .iter()
                .skip(3)
                .step_by(4)
                .copied()
                .min()
                .unwrap_or_default();
            let without = times.iter().copied().min().unwrap_or_default();
            Ok(with - without)
        },
    )?;
    _ = std::fs::remove_dir_all(&folder);
    row(
        "a checkpoint of 1 M rows stops the tick for",
        stop[0].as_secs_f64() * 1e3,
        "ms",
        "30 ms",
    );
    Ok(())
}

fn city() -> Result<(), ShardError> {
    let people = 1_000_000;
    let one = measure(1, 6, |shards| city::city(shards, people))?;
    let two = measure(2, 6, |shards| city::city(shards, people))?;
    row(
        "city, 1 M people, one world, a tick",
        one.sum.as_secs_f64() * 1e3,
        "ms",
        "",
    );
    row(
        "city, 1 M people, 2 shards, the slower one",
        two.slowest.as_secs_f64() * 1e3,
        "ms",
        "",
    );
    let efficiency = one.sum.as_secs_f64() / (2.0 * two.slowest.as_secs_f64()) * 100.0;
    row("city, a core of 2 shards", efficiency, "%", "95 %");
    let four = measure(4, 6, |shards| city::city(shards, people))?;
    let efficiency = one.sum.as_secs_f64() / (4.0 * four.slowest.as_secs_f64()) * 100.0;
    row("city, a core of 4 shards", efficiency, "%", "90 %");
    Ok(())
}

//! Costs of shards: processor time of the threads that run them, and the time of rounds.
//!
//! ```text
//! cargo run --profile bench -p ecs-benches --features shards --bin shard_costs
//! ```
//!
//! With `rounds`, `ghosts`, `migrants`, `checkpoint` or `city` behind `--` it measures only that. Each figure is a minimum over many
//! repetitions, and differences are of minima that were measured in turns. Other programs still disturb it by the memory and the
//! caches that they use: on Linux root can begin with `chrt -f 50 taskset -c 0` to keep them from the processor, and for `city`, which
//! wants a core for each of two shards, with `chrt -f 50`.

use std::num::NonZeroUsize;
use std::time::Duration;

use ecs_core::prelude::*;
use ecs_core::shard::{
    self, Gid, Grid, Neighbours, Shard, ShardConfig, ShardError, Shards, TickNumber,
};
use serde::{Deserialize, Serialize};

#[path = "../../../../examples/city/city.rs"]
mod city;
mod rounds;

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "costs.place")]
struct Place([f32; 2]);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "costs.value")]
struct Value([f32; 3]);

/// The rows of a measurement.
const ROWS: u64 = 100_000;

const TURNS: usize = 5;

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
#[derive(Clone, Copy)]
struct TickCost {
    /// Processor time of all shards together.
    sum: Duration,
    /// Processor time of the shard with most.
    slowest: Duration,
    stats: shard::ShardStats,
}

impl TickCost {
    fn min(self, other: Self) -> Self {
        Self {
            sum: self.sum.min(other.sum),
            slowest: self.slowest.min(other.slowest),
            stats: self.stats,
        }
    }

    /// Returns the nanoseconds that each of some things costs more than in another measurement.
    fn more_than(&self, other: &Self, things: f64) -> f64 {
        nanos(self.sum.saturating_sub(other.sum), things)
    }
}

/// Repeats several measurements in turns, and returns the best of each.
fn in_turns<const N: usize>(
    measurements: [&dyn Fn() -> Result<TickCost, ShardError>; N],
) -> Result<[TickCost; N], ShardError> {
    let mut best = [None; N];
    for _ in 0..TURNS {
        for (best, measurement) in best.iter_mut().zip(measurements) {
            let cost = measurement()?;
            *best = Some(best.map_or(cost, |best: TickCost| best.min(cost)));
        }
    }
    Ok(best.map(|best| best.expect("there are several turns")))
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
        let best = times.into_iter().min().unwrap_or_default();
        Ok((best, *shard.stats()))
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

/// Prints a figure, the same as a multiple of another one, and the goal.
fn row(name: &str, value: f64, unit: &str, beside: Option<(f64, &str)>, goal: &str) {
    let beside = beside.map_or(String::new(), |(of, what)| {
        format!("{:.2} x {what}: {of:.1} {unit}", value / of)
    });
    println!("| {name} | {value:.1} {unit} | {beside} | {goal} |");
}

fn nanos(time: Duration, each: f64) -> f64 {
    time.as_nanos() as f64 / each
}

fn main() -> Result<(), ShardError> {
    let asked: Vec<String> = std::env::args().skip(1).collect();
    if rounds::is_peer(&asked) {
        return Ok(());
    }
    println!("| cost | measured | beside | goal |\n|---|---|---|---|");
    type Measurement = fn() -> Result<(), ShardError>;
    let all: [(&str, Measurement); 5] = [
        ("rounds", rounds::rounds),
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

/// The words for the time that a tick takes for each row if one world has all of them.
const ROW_OF_ONE: &str = "a row in a tick of one world";

fn ghosts() -> Result<(), ShardError> {
    // Both measure the same rows and systems, so the difference is the ghosts.
    let on = |shards| measure(shards, 12, |shards| rows(shards, ROWS, 31.0, None));
    let [one, two] = in_turns([&|| on(1), &|| on(2)])?;
    let of_all = two.stats.ghosts as f64 / two.stats.rounds as f64 * 2.0;
    let alone = (nanos(one.sum, ROWS as f64), ROW_OF_ONE);
    let ghost = two.more_than(&one, of_all);
    row("a ghost, in all", ghost, "ns", Some(alone), "40 ns");
    Ok(())
}

fn migrants() -> Result<(), ShardError> {
    // Both measure the same systems on two shards, so the difference is the migrants.
    for (name, every) in [
        ("a migrant, out and in, of one in 25 rows", 25),
        ("a migrant in a storm of all rows", 1),
    ] {
        let on = |shards, by| {
            let jumps = Some((every, by));
            measure(shards, 24, |shards| rows(shards, ROWS, 0.0, jumps))
        };
        let [one, stay, leave] = in_turns([&|| on(1, 64.0), &|| on(2, 64.0), &|| on(2, 32.0)])?;
        // They move in every second tick.
        let migrant = leave.more_than(&stay, ROWS as f64 / every as f64 / 2.0);
        let alone = (nanos(one.sum, ROWS as f64), ROW_OF_ONE);
        row(name, migrant, "ns", Some(alone), "60 ns");
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
            for _ in 0..20 {
                let begin = thread_time();
                shard.tick()?;
                times.push(thread_time() - begin);
                // The writer is not part of the stop.
                if shard.ticks() % 4 == 0 {
                    std::thread::sleep(Duration::from_secs(1));
                }
            }
            let without = times.iter().min().copied().unwrap_or_default();
            let with = times.iter().skip(3).step_by(4);
            let longest = with.clone().max().copied().unwrap_or_default();
            let shortest = with.min().copied().unwrap_or_default();
            Ok([without, shortest, longest])
        },
    )?;
    _ = std::fs::remove_dir_all(&folder);
    let [without, shortest, longest] = stop[0].map(|time| time.as_secs_f64() * 1e3);
    let alone = Some((without, "a tick without"));
    let name = "a checkpoint of 1 M rows stops the tick for";
    row(name, shortest - without, "ms", alone, "30 ms");
    // The first one finds no memory to copy rows to.
    let name = "the longest stop of five";
    row(name, longest - without, "ms", alone, "30 ms");
    Ok(())
}

fn city() -> Result<(), ShardError> {
    let on = |shards| measure(shards, 6, |shards| city::city(shards, 1_000_000));
    let [one, two, four] = in_turns([&|| on(1), &|| on(2), &|| on(4)])?;
    let one = one.sum.as_secs_f64() * 1e3;
    row("city, 1 M people, one world, a tick", one, "ms", None, "");
    for (count, cost, goal) in [(2.0, two, "95 %"), (4.0, four, "90 %")] {
        let slowest = cost.slowest.as_secs_f64() * 1e3;
        let name = format!("city, the slowest of {count} shards");
        row(&name, slowest, "ms", Some((one, "one world")), "");
        let name = format!("city, a core of {count} shards");
        row(&name, one / (count * slowest) * 100.0, "%", None, goal);
    }
    Ok(())
}

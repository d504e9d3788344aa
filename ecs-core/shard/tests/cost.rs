//! The cost model of the guide: how much of their time many machines spend on agents, by simulation.
//!
//! It cannot be measured here. The costs are measured on one machine (see `benches/` and the chapter on shards), and the network is
//! assumed: 10 Gbit/s, 15 us of latency, and an exponential jitter with a mean of 30 us, of which the slowest message counts.

use ecs_core::shard::{self, ShardConfig};

/// Measured or assumed costs, in microseconds.
struct Costs {
    /// An agent and tick on one core.
    agent: f64,
    /// The cores of a machine.
    cores: f64,
    /// A message to another machine: written, read, and the thread woken.
    message: f64,
    /// An agent that is shown to a neighbour, in all.
    ghost: f64,
    /// The latency of the network.
    latency: f64,
    /// The mean of the jitter.
    jitter: f64,
    /// Bytes in a microsecond.
    bandwidth: f64,
    /// The bytes of a ghost.
    ghost_bytes: f64,
    /// Rounds of a tick.
    rounds: f64,
}

const COSTS: Costs = Costs {
    agent: 0.45,
    cores: 16.0,
    message: 5.0,
    ghost: 0.042,
    latency: 15.0,
    jitter: 30.0,
    bandwidth: 1250.0,
    ghost_bytes: 32.0,
    rounds: 2.0,
};

impl Costs {
    /// Returns the part of the time that machines spend on agents: on stripes of a square with four agents for each cell.
    fn efficiency(&self, agents: f64, machines: u32) -> f64 {
        let side = (agents / 4.0).sqrt();
        // Both borders of a stripe, one column of cells each; a stripe is never narrower than one column.
        let ghosts = 2.0 * side * 4.0;
        let work = self.agent * agents / f64::from(machines) / self.cores;
        let others = f64::from(machines - 1);
        let bytes = ghosts * self.ghost_bytes;
        let border = ghosts * self.ghost / self.cores + bytes / self.bandwidth;
        let rounds = self.rounds * (others * self.message + self.latency + self.slowest(machines));
        work / (work + border + rounds)
    }

    /// Returns the mean of the slowest jitter among the messages that all machines wait for, by simulation.
    fn slowest(&self, machines: u32) -> f64 {
        let mut seed = 7_u64;
        let mut random = || {
            seed = ecs_core::shard::Gid::random_of(seed, 1);
            (seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        let trials = 200;
        let messages = machines * (machines - 1);
        let slowest = |_| {
            let jitters = (0..messages).map(|_| -self.jitter * (1.0 - random()).ln());
            jitters.fold(0.0, f64::max)
        };
        (0..trials).map(slowest).sum::<f64>() / f64::from(trials)
    }
}

#[test]
fn the_table_of_the_guide_is_what_the_model_says() {
    let chapter = include_str!("../../src/guide/shards.md");
    for (agents, name) in [
        (1e6, "1 million"),
        (1e7, "10 million"),
        (1e8, "100 million"),
    ] {
        let machines = [4, 16, 64].map(|machines| {
            let percent = COSTS.efficiency(agents, machines) * 100.0;
            format!("{percent:.0} %")
        });
        let row = format!("| {name} | {} |", machines.join(" | "));
        assert!(chapter.contains(&row), "the chapter lacks\n{row}");
    }
}

#[test]
fn more_agents_scale_further_and_more_machines_less_well() {
    assert!(COSTS.efficiency(1e8, 64) > COSTS.efficiency(1e6, 64));
    assert!(COSTS.efficiency(1e6, 4) > COSTS.efficiency(1e6, 64));
}

/// Entities that stay in their cells, with mirrored components like those of the city.
mod crowd {
    use ecs_core::prelude::*;
    use ecs_core::shard::{Grid, Shards};
    use serde::{Deserialize, Serialize};

    #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    #[component(data = "cost.place")]
    struct Place([f32; 2]);
    #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    #[component(data = "cost.heading")]
    struct Heading([f32; 2]);
    #[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
    #[component(data = "cost.food")]
    struct Food(i32);

    pub(super) fn crowd(shards: &mut Shards) {
        shards.setup(|world| {
            let at = |n: u32| Place([(n % 16) as f32 + 0.5, (n / 16) as f32 + 0.5]);
            let rest = |n: u32| (Heading([n as f32 * 0.1, 0.3]), Food(n as i32));
            world.spawn_batch(
                (0..256)
                    .map(|n| (at(n), rest(n)))
                    .map(|(at, (to, food))| (at, to, food)),
            );
        });
        let place = shards.place(Grid::torus(16, 1.0), |place: &Place| place.0);
        place.mirror::<(Heading, Food)>(1.0);
    }
}

#[test]
fn a_ghost_of_the_model_has_the_bytes_of_a_ghost() {
    let two = ShardConfig::threads(2.try_into().unwrap());
    let stats = shard::run(&two, crowd::crowd, |shard| {
        let begin = *shard.stats();
        shard.run(10)?;
        Ok((begin, *shard.stats()))
    });
    for (begin, end) in stats.unwrap() {
        let (bytes, ghosts) = (end.bytes - begin.bytes, end.ghosts - begin.ghosts);
        // Both borders, in each tick.
        assert_eq!(ghosts, 10 * 2 * 16);
        let each = bytes as f64 / ghosts as f64;
        println!("{each} bytes");
        assert!(
            (each - COSTS.ghost_bytes).abs() < 4.0,
            "{each} bytes for each ghost"
        );
    }
}

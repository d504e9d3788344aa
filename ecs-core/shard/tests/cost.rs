//! The cost model of the guide: how much of their time many machines spend on agents, by simulation.
//!
//! It cannot be measured here. The costs are measured on one machine (see `benches/` and the chapter on shards), and the network is
//! assumed: 10 Gbit/s, 15 us of latency, and an exponential jitter with a mean of 30 us, of which the slowest message counts.

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
    ghost: 0.04,
    latency: 15.0,
    jitter: 30.0,
    bandwidth: 1250.0,
    ghost_bytes: 28.0,
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

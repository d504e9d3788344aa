//! The workload: a crowd on a server, which all clients see a part of.

use std::collections::HashMap;

/// The entities of the server.
pub(crate) const ENTITIES: u32 = 1_000;

/// The clients.
pub(crate) const CLIENTS: u32 = 32;

/// The entities whose health changes in a tick.
const WOUNDED: u32 = 10;

/// The zones of the server; entity and client `n` are in zone `n % ZONES`.
pub(crate) const ZONES: u32 = 10;

/// Some conditions for the crowd.
#[derive(Clone, Copy)]
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    /// The number of entities that move in each tick, always the same ones.
    pub(crate) moving: u32,
    /// The ticks that a message needs, in each direction.
    pub(crate) latency: u32,
    /// True if a client sees its own zone only.
    pub(crate) zones: bool,
}

pub(crate) const SCENARIOS: [Scenario; 6] = [
    scenario("10 % move", 100, 0, false),
    scenario("100 % move", ENTITIES, 0, false),
    scenario("nothing moves", 0, 0, false),
    scenario("10 % move, 3 ticks away", 100, 3, false),
    scenario("10 % move, a tenth is seen", 100, 0, true),
    scenario("100 % move, a tenth is seen", ENTITIES, 0, true),
];

const fn scenario(name: &'static str, moving: u32, latency: u32, zones: bool) -> Scenario {
    Scenario {
        name,
        moving,
        latency,
        zones,
    }
}

impl Scenario {
    /// Returns true if a client sees an entity.
    pub(crate) const fn sees(&self, client: u32, entity: u32) -> bool {
        !self.zones || client % ZONES == entity % ZONES
    }

    /// Returns the part of a client's entities that are like these, and panics if it has others than it sees.
    pub(crate) fn agreement(&self, rows: &[Row], client: u32, seen: &HashMap<String, Row>) -> f64 {
        let (mut count, mut equal) = (0, 0);
        let all = (0..)
            .zip(rows)
            .filter(|&(entity, _)| self.sees(client, entity));
        for (_, row) in all {
            count += 1;
            equal += usize::from(seen.get(&row.name) == Some(row));
        }
        assert_eq!(seen.len(), count, "the entities of client {client}");
        equal as f64 / count as f64
    }
}

/// An entity: where it is, which changes often, its health, which changes rarely, and its name, which never changes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) place: [f32; 3],
    pub(crate) health: u32,
    pub(crate) name: String,
}

/// The crowd as it is at the server.
pub(crate) struct Crowd {
    scenario: Scenario,
    pub(crate) rows: Vec<Row>,
    /// The entities that move.
    moving: Vec<u32>,
    tick: u32,
}

/// The entities that have changed in a tick.
#[derive(Default)]
pub(crate) struct Changes {
    pub(crate) moved: Vec<u32>,
    pub(crate) wounded: Vec<u32>,
}

/// Returns a number that looks random.
const fn mixed(number: u32) -> u32 {
    let mixed = (number ^ number >> 16).wrapping_mul(0x045D_9F3B);
    let mixed = (mixed ^ mixed >> 16).wrapping_mul(0x045D_9F3B);
    mixed ^ mixed >> 16
}

impl Crowd {
    pub(crate) fn new(scenario: Scenario) -> Self {
        let row = |number: u32| Row {
            place: [number as f32, 0.5, -(number as f32)],
            health: 100,
            name: format!("walker {number}"),
        };
        // Scattered, as if they had been spawned at any time.
        let mut all = Vec::from_iter(0..ENTITIES);
        all.sort_unstable_by_key(|&number| mixed(number));
        all.truncate(scenario.moving as usize);
        all.sort_unstable();
        Self {
            scenario,
            rows: (0..ENTITIES).map(row).collect(),
            moving: all,
            tick: 0,
        }
    }

    /// Runs a tick of the game.
    pub(crate) fn change(&mut self) -> Changes {
        self.tick += 1;
        for &number in &self.moving {
            let place = &mut self.rows[number as usize].place;
            place[0] += 0.25;
            place[2] -= 0.125;
        }
        let wounded = (0..WOUNDED).map(|n| mixed(self.tick * WOUNDED + n) % ENTITIES);
        let mut wounded = Vec::from_iter(wounded);
        if self.scenario.moving == 0 {
            wounded.clear();
        }
        wounded.sort_unstable();
        wounded.dedup();
        for &number in &wounded {
            let health = &mut self.rows[number as usize].health;
            *health = (*health + 99) % 101;
        }
        Changes {
            moved: self.moving.clone(),
            wounded,
        }
    }
}

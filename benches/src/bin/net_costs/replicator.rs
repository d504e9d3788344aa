//! `ecs_core::data::Replicator` alone: packets for a transport that the program brings, like `bevy_replicon`.

use std::collections::HashMap;

use ecs_core::data::{ClientId, Protocol, Replica, Replicator};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

use crate::crowd::{CLIENTS, Changes, Crowd, Row, Scenario};
use crate::mail::Mail;
use crate::{Sent, Subject};

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "crowd.place", track)]
pub(crate) struct Place(pub(crate) [f32; 3]);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "crowd.health", track)]
pub(crate) struct Health(pub(crate) u32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "crowd.name", track)]
pub(crate) struct Named(pub(crate) String);

/// Spawns the crowd.
pub(crate) fn spawn(world: &mut World, crowd: &Crowd) -> Vec<Entity> {
    let rows = crowd.rows.iter().cloned();
    let parts = rows.map(|row| (Place(row.place), Health(row.health), Named(row.name)));
    parts.map(|parts| world.spawn(parts)).collect()
}

/// Writes what has changed.
pub(crate) fn write(world: &World, entities: &[Entity], crowd: &Crowd, changes: &Changes) {
    let mut places = world.view_mut::<Place>();
    for &number in &changes.moved {
        let place = places.get_mut(entities[number as usize]);
        place.expect("it is there").0 = crowd.rows[number as usize].place;
    }
    drop(places);
    let mut healths = world.view_mut::<Health>();
    for &number in &changes.wounded {
        let health = healths.get_mut(entities[number as usize]);
        health.expect("it is there").0 = crowd.rows[number as usize].health;
    }
}

/// Returns the crowd of a client.
pub(crate) fn rows(world: &World) -> HashMap<String, Row> {
    let query = world.query::<(&Place, &Health, &Named)>();
    let rows = query.iter().map(|(place, health, name)| Row {
        place: place.0,
        health: health.0,
        name: name.0.clone(),
    });
    rows.map(|row| (row.name.clone(), row)).collect()
}

struct Client {
    id: ClientId,
    world: World,
    replica: Replica,
    packets: Mail<Vec<u8>>,
    /// Confirmations on their way back.
    confirmed: Mail<u64>,
}

pub(crate) struct Packets {
    scenario: Scenario,
    world: World,
    entities: Vec<Entity>,
    /// The numbers of the entities in the crowd, by their index.
    numbers: Vec<u32>,
    replicator: Replicator,
    clients: Vec<Client>,
    tick: u32,
    sent: Sent,
}

impl Packets {
    pub(crate) fn new(scenario: Scenario, crowd: &Crowd) -> Self {
        let protocol = Protocol::new()
            .with::<Place>()
            .with::<Health>()
            .with::<Named>();
        let mut replicator = Replicator::new(protocol.clone());
        let mut world = World::new();
        let entities = spawn(&mut world, crowd);
        let client = |_| Client {
            id: replicator.connect(),
            world: World::new(),
            replica: Replica::new(protocol.clone()),
            packets: Mail::new(),
            confirmed: Mail::new(),
        };
        let clients = (0..CLIENTS).map(client).collect();
        let most = entities.iter().map(|entity| entity.index()).max();
        let mut numbers = vec![0; most.map_or(0, |most| most as usize + 1)];
        for (number, entity) in (0..).zip(&entities) {
            numbers[entity.index() as usize] = number;
        }
        Self {
            scenario,
            world,
            entities,
            numbers,
            replicator,
            clients,
            tick: 0,
            sent: Sent::default(),
        }
    }
}

impl Subject for Packets {
    fn name(&self) -> &'static str {
        "ours, packets"
    }

    fn change(&mut self, crowd: &Crowd, changes: &Changes) {
        write(&self.world, &self.entities, crowd, changes);
    }

    fn server(&mut self) {
        self.tick += 1;
        for client in &mut self.clients {
            while let Some(packet) = client.confirmed.receive(self.tick) {
                let known = self.replicator.acknowledge(client.id, packet);
                known.expect("the client is connected");
            }
        }
        self.replicator
            .update(&self.world)
            .expect("values have bytes");
        for (number, client) in (0..).zip(&mut self.clients) {
            let (scenario, numbers) = (&self.scenario, &self.numbers);
            let sees = |entity: Entity| {
                let sees = scenario.sees(number, numbers[entity.index() as usize]);
                sees.then_some(1.0)
            };
            // No entity changes its zone.
            let packets =
                self.replicator
                    .packets_again(client.id, usize::MAX, 1, &[], sees, |_| &[]);
            let packet = packets.expect("the client is connected").swap_remove(0);
            self.sent.messages += 1;
            self.sent.bytes += packet.len() as u64;
            let arrives = self.tick + self.scenario.latency;
            client.packets.send(arrives, packet);
        }
    }

    fn clients(&mut self) {
        for client in &mut self.clients {
            while let Some(packet) = client.packets.receive(self.tick) {
                let applied = client.replica.apply(&mut client.world, &packet);
                applied.expect("the server is honest");
                let arrives = self.tick + self.scenario.latency;
                let number = client.replica.applied();
                client.confirmed.send(arrives, number);
            }
        }
    }

    fn sent(&self) -> Sent {
        self.sent
    }

    fn rows(&mut self, client: u32) -> HashMap<String, Row> {
        rows(&self.clients[client as usize].world)
    }
}

//! The plugin of `ecs_core::net`, with connections, confirmations, clocks and limits.

use std::collections::HashMap;
use std::time::Duration;

use ecs_core::net::{
    EndpointSettings, InRoom, LinkQuality, MemoryNetwork, Network, Online, PlayerJoined, Rooms,
    Transport,
};
use ecs_core::prelude::*;

use crate::crowd::{CLIENTS, Changes, Crowd, Row, Scenario, ZONES};
use crate::replicator::{Health, Named, Place, rows, spawn, write};
use crate::{Sent, Subject, TICKS_PER_SECOND};

const TICK: Duration = Duration::from_nanos(1_000_000_000 / TICKS_PER_SECOND as u64);

pub(crate) struct Plugins {
    internet: MemoryNetwork,
    server: App,
    entities: Vec<Entity>,
    clients: Vec<App>,
}

fn network(scenario: Scenario) -> Network {
    // More than any scenario needs: `bevy_replicon` has no limit either.
    let endpoint = EndpointSettings::default().max_incoming(64).rate(4_000_000);
    let network = Network::new()
        .replicate::<Place>()
        .replicate::<Health>()
        .replicate::<Named>()
        .steps_per_second(TICKS_PER_SECOND)
        .steps_per_state(1)
        .endpoint(endpoint);
    match scenario.zones {
        true => network.see_by_rooms(),
        false => network,
    }
}

/// The players are numbered from 1, in the order of the clients.
#[system]
fn enter(mut joined: EventReader<PlayerJoined>, mut rooms: ResMut<Rooms>) {
    for event in joined.read() {
        rooms.enter(event.player, (event.player.0 - 1) % ZONES);
    }
}

impl Plugins {
    pub(crate) fn new(scenario: Scenario, crowd: &Crowd) -> Self {
        let internet = MemoryNetwork::new(1);
        let transport = internet.transport();
        let address = transport.address();
        let mut server = App::new();
        server.single_threaded(true).add_systems(Update, enter);
        server.add_plugin(network(scenario).server(transport));
        let entities = spawn(server.world_mut(), crowd);
        if scenario.zones {
            for (number, &entity) in (0..).zip(&entities) {
                let room = server.world_mut().insert(entity, InRoom(number % ZONES));
                room.expect("it is there");
            }
        }
        // One after the other, so that their numbers are in order.
        let mut clients = Vec::new();
        for _ in 0..CLIENTS {
            let mut client = App::new();
            client.single_threaded(true);
            client.add_plugin(network(scenario).client(internet.transport(), address));
            while client.world().resource::<Online>().player().is_none() {
                internet.advance(TICK);
                server.update_by(TICK);
                client.update_by(TICK);
            }
            clients.push(client);
        }
        internet.set_quality(LinkQuality {
            latency: TICK * scenario.latency,
            ..LinkQuality::default()
        });
        Self {
            internet,
            server,
            entities,
            clients,
        }
    }
}

impl Subject for Plugins {
    fn name(&self) -> &'static str {
        "ours, network"
    }

    fn change(&mut self, crowd: &Crowd, changes: &Changes) {
        write(self.server.world(), &self.entities, crowd, changes);
        self.internet.advance(TICK);
    }

    fn server(&mut self) {
        self.server.update_by(TICK);
    }

    fn clients(&mut self) {
        for client in &mut self.clients {
            client.update_by(TICK);
        }
    }

    fn sent(&self) -> Sent {
        let online = self.server.world().resource::<Online>();
        let stats = online.players().iter().map(|player| &player.stats);
        stats.fold(Sent::default(), |sum, stats| Sent {
            bytes: sum.bytes + stats.bytes_sent,
            messages: sum.messages + stats.datagrams_sent,
        })
    }

    fn rows(&mut self, client: u32) -> HashMap<String, Row> {
        rows(self.clients[client as usize].world())
    }
}

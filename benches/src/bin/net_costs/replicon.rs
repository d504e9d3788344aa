//! `bevy_replicon`, with a messaging backend in memory.

use std::collections::HashMap;
use std::time::Duration;

use bevy_app::{App, PluginGroup as _, PostUpdate, TaskPoolPlugin};
use bevy_ecs::prelude::*;
use bevy_replicon::bytes::Bytes;
use bevy_replicon::prelude::*;
use bevy_state::app::StatesPlugin;
use bevy_state::state::NextState;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use serde::{Deserialize, Serialize};

use crate::crowd::{CLIENTS, Changes, Crowd, Row, Scenario, ZONES};
use crate::mail::Mail;
use crate::{Sent, Subject, TICKS_PER_SECOND};

#[derive(Component, Serialize, Deserialize)]
struct Place([f32; 3]);

#[derive(Component, Serialize, Deserialize)]
struct Health(u32);

#[derive(Component, Serialize, Deserialize)]
struct Named(String);

/// The zone of an entity or a client.
#[derive(Component, PartialEq)]
#[component(immutable)]
struct Zone(u32);

impl VisibilityFilter for Zone {
    type ClientComponent = Self;
    type Scope = Entity;

    fn is_visible(&self, _client: Entity, zone: Option<&Self>) -> bool {
        zone == Some(self)
    }
}

/// Messages, each with its channel.
type Messages = Mail<(usize, Bytes)>;

struct Client {
    app: App,
    /// The client at the server.
    entity: Entity,
    to_client: Messages,
    to_server: Messages,
}

pub(crate) struct Replicon {
    scenario: Scenario,
    server: App,
    entities: Vec<Entity>,
    clients: Vec<Client>,
    tick: u32,
    sent: Sent,
}

fn app(scenario: Scenario) -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, StatesPlugin));
    let tick = Duration::from_secs(1) / TICKS_PER_SECOND;
    app.insert_resource(TimeUpdateStrategy::ManualDuration(tick));
    // A message in each frame.
    app.add_plugins(RepliconPlugins.set(ServerPlugin::new(PostUpdate)));
    app.replicate::<Place>()
        .replicate::<Health>()
        .replicate::<Named>();
    if scenario.zones {
        app.add_visibility_filter::<Zone>();
    }
    app.finish();
    app.cleanup();
    app
}

impl Replicon {
    pub(crate) fn new(scenario: Scenario, crowd: &Crowd) -> Self {
        let mut server = app(scenario);
        let mut state = server.world_mut().resource_mut::<NextState<ServerState>>();
        state.set(ServerState::Running);
        server.update();
        let world = server.world_mut();
        let spawn = |(number, row): (u32, &Row)| {
            let row = row.clone();
            let parts = (Place(row.place), Health(row.health), Named(row.name));
            let mut entity = world.spawn((Replicated, parts));
            if scenario.zones {
                entity.insert(Zone(number % ZONES));
            }
            entity.id()
        };
        let entities = (0..).zip(&crowd.rows).map(spawn).collect();
        let client = |number| {
            let mut app = app(scenario);
            let mut state = app.world_mut().resource_mut::<NextState<ClientState>>();
            state.set(ClientState::Connected);
            let mut entity = server
                .world_mut()
                .spawn(ConnectedClient { max_size: 1_200 });
            if scenario.zones {
                entity.insert(Zone(number % ZONES));
            }
            Client {
                entity: entity.id(),
                app,
                to_client: Messages::new(),
                to_server: Messages::new(),
            }
        };
        let clients = (0..CLIENTS).map(client).collect();
        Self {
            scenario,
            server,
            entities,
            clients,
            tick: 0,
            sent: Sent::default(),
        }
    }
}

impl Subject for Replicon {
    fn name(&self) -> &'static str {
        "bevy_replicon"
    }

    fn change(&mut self, crowd: &Crowd, changes: &Changes) {
        let world = self.server.world_mut();
        for &number in &changes.moved {
            let place = world.get_mut::<Place>(self.entities[number as usize]);
            place.expect("it is there").0 = crowd.rows[number as usize].place;
        }
        for &number in &changes.wounded {
            let health = world.get_mut::<Health>(self.entities[number as usize]);
            health.expect("it is there").0 = crowd.rows[number as usize].health;
        }
    }

    fn server(&mut self) {
        self.tick += 1;
        let mut messages = self.server.world_mut().resource_mut::<ServerMessages>();
        for client in &mut self.clients {
            while let Some((channel, bytes)) = client.to_server.receive(self.tick) {
                messages.insert_received(client.entity, channel, bytes);
            }
        }
        self.server.update();
        let mut messages = self.server.world_mut().resource_mut::<ServerMessages>();
        let arrives = self.tick + self.scenario.latency;
        for (entity, channel, bytes) in messages.drain_sent() {
            self.sent.messages += 1;
            self.sent.bytes += bytes.len() as u64;
            let mut clients = self.clients.iter_mut();
            let client = clients.find(|client| client.entity == entity);
            let client = client.expect("a message for a client");
            client.to_client.send(arrives, (channel, bytes));
        }
    }

    fn clients(&mut self) {
        let arrives = self.tick + self.scenario.latency;
        for client in &mut self.clients {
            let world = client.app.world_mut();
            let mut messages = world.resource_mut::<ClientMessages>();
            while let Some((channel, bytes)) = client.to_client.receive(self.tick) {
                messages.insert_received(channel, bytes);
            }
            client.app.update();
            let world = client.app.world_mut();
            let mut messages = world.resource_mut::<ClientMessages>();
            for message in messages.drain_sent() {
                client.to_server.send(arrives, message);
            }
        }
    }

    fn sent(&self) -> Sent {
        self.sent
    }

    fn rows(&mut self, client: u32) -> HashMap<String, Row> {
        let world = self.clients[client as usize].app.world_mut();
        let mut query = world.query::<(&Place, &Health, &Named)>();
        let rows = query.iter(world).map(|(place, health, name)| Row {
            place: place.0,
            health: health.0,
            name: name.0.clone(),
        });
        rows.map(|row| (row.name.clone(), row)).collect()
    }
}

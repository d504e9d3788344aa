//! Apps as servers, clients, listen servers and alone, over bad networks.

mod hostile;
mod messages;
mod newcomer;
mod owned;
mod prediction;
mod visibility;

use std::net::SocketAddr;
use std::time::Duration;

use ecs_core::net::{
    ClientStatus, Delivery, DisconnectReason, EndpointSettings, ForEntity, FromClient, LinkQuality,
    MemoryNetwork, Network, NetworkProblem, NetworkRole, Online, Owner, PlayerId, PlayerJoined,
    PlayerLeft, Receivers, SpawnKey, ToClients, Transport,
};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

const FRAME: Duration = Duration::from_nanos(16_666_667);

#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "game.place", track)]
struct Place {
    x: i32,
    y: i32,
}

#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "game.steer")]
struct Steer {
    x: i8,
    fires: bool,
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.bullet", track)]
struct Bullet {
    speed: i32,
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.cards", track)]
struct Cards(Vec<u8>);

/// A text, with an entity that it is about.
#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "game.said")]
struct Said {
    text: String,
    about: Option<Entity>,
}

#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "game.shout")]
struct Shout(u32, Option<Entity>);

#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "game.jump")]
struct Jump(i32);

fn network() -> Network {
    Network::new()
        .replicate::<Place>()
        .replicate::<Bullet>()
        .replicate_to_owner::<Cards>()
        .input::<Steer>()
        .predict::<Place>()
        .interpolate::<Place>(|a, b, part| Place {
            x: a.x + ((b.x - a.x) as f32 * part) as i32,
            y: a.y + ((b.y - a.y) as f32 * part) as i32,
        })
        .to_server::<Said>(Delivery::Ordered)
        .to_server_for::<Jump>(Delivery::Reliable)
        .to_clients::<Shout>(Delivery::Ordered)
}

#[system(for_each)]
fn walk(place: &mut Place, steer: &Steer) {
    place.x += i32::from(steer.x) * 100;
}

#[system(for_each)]
fn fly(place: &mut Place, bullet: &Bullet) {
    place.y += bullet.speed;
}

/// Shoots at both ends; the client's shot becomes the server's.
#[system]
fn shoot(
    mut players: Query<(&Place, &Steer, &Owner)>,
    online: Res<Online>,
    mut commands: Commands,
) {
    if online.is_replay() {
        return;
    }
    for (place, steer, owner) in &mut players {
        if steer.fires && online.tick().is_multiple_of(20) {
            let key = SpawnKey(online.tick());
            commands.spawn((*place, Bullet { speed: 7 }, *owner, key));
        }
    }
}

#[system]
fn welcome(mut joined: EventReader<PlayerJoined>, mut commands: Commands) {
    for event in joined.read() {
        let y = event.player.0 as i32 * 1_000;
        let cards = Cards(vec![event.player.0 as u8; 3]);
        commands.spawn((
            Place { x: 0, y },
            Steer::default(),
            Owner(event.player),
            cards,
        ));
    }
}

#[system]
fn goodbye(mut left: EventReader<PlayerLeft>, owners: Comp<Owner>, mut commands: Commands) {
    for event in left.read() {
        for (entity, owner) in (&owners).with_entity().iter() {
            if owner.0 == event.player {
                commands.despawn(entity);
            }
        }
    }
}

fn game(app: &mut App) {
    app.add_systems(FixedUpdate, (shoot, walk, fly).chain());
    app.add_systems(Update, (welcome, goodbye));
    app.single_threaded(true);
}

/// A server and its clients.
struct Match {
    internet: MemoryNetwork,
    address: SocketAddr,
    server: App,
    clients: Vec<App>,
}

fn ms(time: u64) -> Duration {
    Duration::from_millis(time)
}

fn bad() -> LinkQuality {
    LinkQuality {
        latency: ms(60),
        jitter: ms(30),
        loss: 0.05,
        duplicates: 0.02,
        bandwidth: None,
    }
}

impl Match {
    fn new(clients: usize, quality: LinkQuality, network: fn() -> Network) -> Self {
        let internet = MemoryNetwork::new(11);
        internet.set_quality(quality);
        let transport = internet.transport();
        let address = transport.address();
        let mut server = App::new();
        server
            .add_plugin(game)
            .add_plugin(network().server(transport));
        let mut all = Self {
            internet,
            address,
            server,
            clients: Vec::new(),
        };
        for _ in 0..clients {
            all.join(network);
        }
        all
    }

    fn join(&mut self, network: fn() -> Network) {
        let mut client = App::new();
        let plugin = network().client(self.internet.transport(), self.address);
        client.add_plugin(game).add_plugin(plugin);
        self.clients.push(client);
    }

    fn run(&mut self, frames: u32) {
        for _ in 0..frames {
            self.internet.advance(FRAME);
            assert_eq!(self.server.update_by(FRAME), None);
            for client in &mut self.clients {
                assert_eq!(client.update_by(FRAME), None);
            }
        }
    }

    fn apps(&mut self) -> impl Iterator<Item = &mut App> {
        std::iter::once(&mut self.server).chain(&mut self.clients)
    }
}

fn online(app: &App) -> Res<'_, Online> {
    app.world().resource::<Online>()
}

/// Returns the entity of a player, in any app.
fn avatar(app: &App, player: u32) -> Option<Entity> {
    let owners = app.world().view::<Owner>();
    let bullets = app.world().view::<Bullet>();
    let mut all = (&owners).exclude(&bullets).with_entity().iter();
    all.find(|(_, owner)| owner.0 == PlayerId(player))
        .map(|(entity, _)| entity)
}

fn place(app: &App, player: u32) -> Place {
    let entity = avatar(app, player).expect("the player has an entity");
    *app.world().get::<Place>(entity).unwrap()
}

fn steer(app: &mut App, x: i8, fires: bool) {
    let me = online(app).player().expect("it is connected");
    let entity = avatar(app, me.0).expect("the player has an entity");
    app.world_mut().insert(entity, Steer { x, fires }).unwrap();
}

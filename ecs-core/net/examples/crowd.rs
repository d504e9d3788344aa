//! The cost of a server: 1,000 entities, 32 clients.
//!
//! ```sh
//! cargo run --release -p ecs-net --example crowd -- 300 1000   # ticks, moving entities: prints bytes
//! valgrind --tool=callgrind --toggle-collect='*server_frame*' target/release/examples/crowd 300 1000
//! ```

use std::time::Duration;

use ecs_core::net::{
    EndpointSettings, MemoryNetwork, Network, Online, Owner, PlayerJoined, Transport,
};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

const ENTITIES: u32 = 1_000;
const CLIENTS: u32 = 32;
const FRAME: Duration = Duration::from_nanos(16_666_667);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "crowd.place", track)]
struct Place(f32, f32, f32);

#[derive(Component, Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[component(data = "crowd.steer")]
struct Steer(i8);

/// Entities that move.
#[derive(Component)]
struct Walks;

fn network() -> Network {
    Network::new()
        .replicate::<Place>()
        .input::<Steer>()
        .endpoint(EndpointSettings::default().max_incoming(64).rate(256_000))
}

#[system]
fn walk(mut walkers: Query<&mut Place, With<Walks>>) {
    for mut place in &mut walkers {
        place.0 += 0.25;
    }
}

#[system]
fn join(mut joined: EventReader<PlayerJoined>, mut commands: Commands) {
    for event in joined.read() {
        commands.spawn((Place(0.0, 0.0, 0.0), Steer(0), Owner(event.player)));
    }
}

#[inline(never)]
fn server_frame(server: &mut App) {
    server.update_by(FRAME);
}

fn main() {
    let mut args = std::env::args()
        .skip(1)
        .map(|arg| arg.parse::<u32>().expect("a number"));
    let (ticks, moving) = (args.next().unwrap_or(300), args.next().unwrap_or(ENTITIES));
    let internet = MemoryNetwork::new(1);
    let transport = internet.transport();
    let address = transport.address();
    let mut server = App::new();
    server
        .single_threaded(true)
        .add_systems(FixedUpdate, walk)
        .add_systems(Update, join);
    server.add_plugin(network().server(transport));
    for number in 0..ENTITIES {
        let place = Place(number as f32, 0.0, 0.0);
        match number < moving {
            true => server.world_mut().spawn((place, Walks)),
            false => server.world_mut().spawn(place),
        };
    }
    let client = |_| {
        let mut client = App::new();
        client
            .single_threaded(true)
            .add_plugin(network().client(internet.transport(), address));
        client
    };
    let mut clients: Vec<App> = (0..CLIENTS).map(client).collect();
    let mut run = |ticks: u32| {
        for _ in 0..ticks {
            internet.advance(FRAME);
            server_frame(&mut server);
            clients
                .iter_mut()
                .for_each(|client| _ = client.update_by(FRAME));
        }
        let online = server.world().resource::<Online>();
        let sent = online
            .players()
            .iter()
            .map(|player| player.stats.bytes_sent)
            .sum::<u64>();
        let seen = clients
            .iter()
            .map(|client| client.world().view::<Place>().iter().count());
        (sent, seen.min())
    };
    // The world arrives first.
    let (before, _) = run(300);
    let (sent, seen) = run(ticks);
    let bytes = (sent - before) as f64 / f64::from(ticks * CLIENTS);
    println!(
        "{moving} of {ENTITIES} move: {bytes:.0} bytes a client and frame; each client sees at least {seen:?} entities"
    );
}

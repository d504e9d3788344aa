//! The plugin: the part that an app takes.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ecs_app::{App, First, Last, Plugin, RealTime};
use ecs_engine::World;
use ecs_engine::schedule::ScheduleError;
use ecs_engine::system::from_fn;

use crate::client::ClientSide;
use crate::endpoint::Endpoint;
use crate::kinds::NetworkKinds;
use crate::online::{NetworkRole, Online};
use crate::player::{Owner, PlayerId, PlayerJoined, PlayerLeft, SpawnKey};
use crate::server::ServerSide;
use crate::visibility::Rooms;

/// A plugin that connects an app with others: made by [`Network::server`](crate::Network::server), [`client`](crate::Network::client),
/// [`listen`](crate::Network::listen) and [`alone`](crate::Network::alone).
///
/// It receives and runs steps in [`First`], and sends in [`Last`]. The app has the resource [`Online`].
#[must_use]
pub struct NetworkPlugin {
    pub(crate) kinds: NetworkKinds,
    pub(crate) role: NetworkRole,
    pub(crate) endpoint: Option<Endpoint>,
    pub(crate) server: Option<SocketAddr>,
    pub(crate) step: Duration,
}

impl fmt::Debug for NetworkPlugin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NetworkPlugin({:?})", self.role)
    }
}

/// One side of the network.
enum NetworkSide {
    Server(Box<ServerSide>),
    Client(Box<ClientSide>),
}

struct RunningNetwork {
    kinds: NetworkKinds,
    side: NetworkSide,
}

impl RunningNetwork {
    fn begin(&mut self, world: &mut World) -> Result<(), ScheduleError> {
        let elapsed = world.resource::<RealTime>().delta();
        match &mut self.side {
            NetworkSide::Server(server) => server.begin(world, &mut self.kinds, elapsed),
            NetworkSide::Client(client) => client.begin(world, &mut self.kinds, elapsed),
        }
    }

    fn end(&mut self, world: &mut World) {
        match &mut self.side {
            NetworkSide::Server(server) => server.end_frame(world, &mut self.kinds),
            NetworkSide::Client(client) => client.end_frame(world, &mut self.kinds),
        }
    }
}

impl Plugin for NetworkPlugin {
    fn build(self, app: &mut App) {
        app.fixed_step(self.step).fixed_by_hand();
        app.insert_resource(Online::new(self.role, self.step));
        app.init_resource::<Rooms>();
        app.add_event::<PlayerJoined>().add_event::<PlayerLeft>();
        let world = app.world_mut();
        world.register::<Owner>();
        world.register::<SpawnKey>();
        for kind in &self.kinds.to_server {
            kind.messages.register(world);
        }
        for kind in &self.kinds.to_clients {
            kind.messages.register(world);
        }
        let side = match (self.endpoint, self.server) {
            (Some(endpoint), Some(server)) => {
                let client = ClientSide::new(endpoint, server, &self.kinds);
                NetworkSide::Client(Box::new(client))
            }
            (endpoint, _) => {
                let host = matches!(self.role, NetworkRole::Listen | NetworkRole::Alone);
                let host = host.then_some(PlayerId::HOST);
                let server = ServerSide::new(endpoint, host, &self.kinds);
                NetworkSide::Server(Box::new(server))
            }
        };
        let running = Arc::new(Mutex::new(RunningNetwork {
            kinds: self.kinds,
            side,
        }));
        let ends = running.clone();
        let receive = from_fn(move |world: &mut World| {
            let mut running = running.lock().unwrap_or_else(PoisonError::into_inner);
            running.begin(world)
        });
        let send = from_fn(move |world: &mut World| {
            let mut running = ends.lock().unwrap_or_else(PoisonError::into_inner);
            running.end(world);
        });
        app.add_systems(First, receive);
        app.add_systems(Last, send);
    }
}

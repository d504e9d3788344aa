//! The state of the network in an app: the resource `Online`.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::Duration;

use ecs_engine::meta::ConstTypeIdOf;
use ecs_engine::resource::Resource;

use crate::codec::NetworkProblem;
use crate::peer::{DisconnectReason, PeerStats};
use crate::player::{Owner, PlayerId};

/// The role of an app in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NetworkRole {
    /// It has the world, and no player.
    Server,
    /// It has a copy of the part that its player sees.
    Client,
    /// It has the world and a player, and others connect to it.
    Listen,
    /// It has the world and the only player.
    Alone,
}

/// The connection of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientStatus {
    /// It has asked to connect, and waits for the server's answer.
    Connecting,
    /// It is connected, or needs no connection.
    Connected,
    /// It is not connected any more; [`Online::connect`] connects again.
    Ended(DisconnectReason),
}

/// A player of a server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PlayerInfo {
    /// The player.
    pub player: PlayerId,
    /// The address of the player's machine.
    pub address: SocketAddr,
    /// The figures of the connection.
    pub stats: PeerStats,
    /// The number of steps that ran without a new input of the player, because none had arrived.
    pub missed_inputs: u64,
    /// The number of inputs and messages that were refused: for entities of other players, or for steps that have run.
    pub refused: u64,
}

/// Figures about the prediction of a client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PredictionStats {
    /// The number of packets with states of the server.
    pub states: u64,
    /// The number of steps that ran again.
    pub replayed: u64,
    /// The number of times that a state of the server led to a different present than the predicted one.
    pub corrections: u64,
    /// The number of entities spawned ahead that became the server's.
    pub adopted: u64,
    /// The number of entities spawned ahead that the server did not spawn.
    pub withdrawn: u64,
    /// The number of steps that the client is ahead of the newest state.
    pub ahead: u64,
}

/// A request of a system, which is carried out at the end of the frame.
#[derive(Debug)]
pub(crate) enum OnlineRequest {
    Connect(SocketAddr),
    Leave(String),
    Kick(PlayerId, String),
}

/// The state of the network: a resource of each app with the plugin, whatever its [role](NetworkRole) is.
///
/// ```
/// use ecs_core::net::{Network, Online};
/// use ecs_core::prelude::*;
///
/// #[system]
/// fn shrink(online: Res<Online>, mut size: ResMut<f32>) {
///     if online.has_authority() {
///         *size -= 1.0;
///     }
/// }
///
/// let mut app = App::new();
/// app.insert_resource(9.0_f32).add_systems(Update, shrink);
/// app.add_plugin(Network::new().alone());
/// app.update();
/// assert_eq!(*app.world().resource::<f32>(), 8.0);
/// ```
#[derive(Debug)]
pub struct Online {
    pub(crate) role: NetworkRole,
    pub(crate) player: Option<PlayerId>,
    pub(crate) status: ClientStatus,
    pub(crate) tick: u64,
    pub(crate) is_replay: bool,
    pub(crate) step: Duration,
    pub(crate) players: Vec<PlayerInfo>,
    pub(crate) stats: PeerStats,
    pub(crate) prediction: PredictionStats,
    pub(crate) problems: VecDeque<NetworkProblem>,
    pub(crate) requests: Vec<OnlineRequest>,
}

impl Resource for Online {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_net::Online", "Online");
}

/// The number of problems that are kept.
const PROBLEMS: usize = 64;

impl Online {
    pub(crate) const fn new(role: NetworkRole, step: Duration) -> Self {
        Self {
            role,
            player: match role {
                NetworkRole::Server | NetworkRole::Client => None,
                NetworkRole::Listen | NetworkRole::Alone => Some(PlayerId::HOST),
            },
            status: match role {
                NetworkRole::Client => ClientStatus::Connecting,
                _ => ClientStatus::Connected,
            },
            tick: 0,
            is_replay: false,
            step,
            players: Vec::new(),
            stats: PeerStats {
                rtt: Duration::ZERO,
                jitter: Duration::ZERO,
                loss: 0.0,
                bytes_sent: 0,
                bytes_received: 0,
                datagrams_sent: 0,
                datagrams_received: 0,
                datagrams_lost: 0,
                duplicates: 0,
                dropped: 0,
                refused: 0,
            },
            prediction: PredictionStats {
                states: 0,
                replayed: 0,
                corrections: 0,
                adopted: 0,
                withdrawn: 0,
                ahead: 0,
            },
            problems: VecDeque::new(),
            requests: Vec::new(),
        }
    }

    /// Returns the role of this app.
    #[must_use]
    pub const fn role(&self) -> NetworkRole {
        self.role
    }

    /// Returns true if this app has the world, and false if it is a client, which only has a copy.
    #[must_use]
    pub const fn has_authority(&self) -> bool {
        !matches!(self.role, NetworkRole::Client)
    }

    /// Returns the player at this machine; `None` at a server, and at a client before it is connected.
    #[must_use]
    pub const fn player(&self) -> Option<PlayerId> {
        self.player
    }

    /// Returns true if an entity with this owner belongs to the player at this machine.
    #[must_use]
    pub fn is_mine(&self, owner: &Owner) -> bool {
        self.player == Some(owner.0)
    }

    /// Returns the state of a client's connection; `Connected` in other roles.
    #[must_use]
    pub const fn status(&self) -> &ClientStatus {
        &self.status
    }

    /// Returns true if this app has the world or is connected to the one that has it.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.status == ClientStatus::Connected
    }

    /// Returns the number of the step of `FixedUpdate` that is running, or ran last. A step has the same number on a server and its
    /// clients, which run ahead.
    #[must_use]
    pub const fn tick(&self) -> u64 {
        self.tick
    }

    /// Returns true if this step is running again, because a client corrects its prediction. Systems should then not spawn, play
    /// a sound or send a message a second time.
    #[must_use]
    pub const fn is_replay(&self) -> bool {
        self.is_replay
    }

    /// Returns the length of a step.
    #[must_use]
    pub const fn step(&self) -> Duration {
        self.step
    }

    /// Returns the players that are connected to this app, without the one at this machine, in the order they joined.
    #[must_use]
    pub fn players(&self) -> &[PlayerInfo] {
        &self.players
    }

    /// Returns the figures of a client's connection.
    #[must_use]
    pub const fn stats(&self) -> &PeerStats {
        &self.stats
    }

    /// Returns the figures of a client's prediction.
    #[must_use]
    pub const fn prediction(&self) -> &PredictionStats {
        &self.prediction
    }

    /// Returns the last problems, at most 64, and forgets them.
    pub fn take_problems(&mut self) -> Vec<NetworkProblem> {
        self.problems.drain(..).collect()
    }

    /// Connects a client to a server at the end of the frame: to the same one again, or to another one. Everything that came from the
    /// old one is removed from the world.
    pub fn connect(&mut self, server: SocketAddr) {
        self.requests.push(OnlineRequest::Connect(server));
    }

    /// Ends the connection of a client at the end of the frame; the server gets the text.
    pub fn leave(&mut self, text: &str) {
        self.requests.push(OnlineRequest::Leave(text.to_owned()));
    }

    /// Ends the connection to a player at the end of the frame; the client gets the text. [`PlayerLeft`](crate::PlayerLeft) follows.
    pub fn kick(&mut self, player: PlayerId, text: &str) {
        self.requests
            .push(OnlineRequest::Kick(player, text.to_owned()));
    }

    pub(crate) fn note(&mut self, problem: NetworkProblem) {
        if self.problems.len() == PROBLEMS {
            self.problems.pop_front();
        }
        self.problems.push_back(problem);
    }
}

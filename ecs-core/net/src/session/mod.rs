//! Matches without a server: each machine simulates everything, and they send each other their inputs.
//!
//! ```text
//! to all, unreliable, each frame: 0, frame: varint, lead + 128: u8, has a hash: u8, frame of the hash: varint, hash: u64,
//!     for each player the frame of the first input that the sender lacks: varint, then lists of inputs to the end
//! list: player: varint, first frame: varint, count: varint, inputs: [length: varint, bytes]
//! to all, ordered: 1, the players who have left as bits: varint, for each the first frame whose input the sender lacks: varint
//! ```

mod gone;
mod messages;

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use ecs_data::{Advanced, Rollback, RollbackError, RollbackFrame, RollbackInput, Simulation};
use ecs_engine::World;

use crate::endpoint::{Endpoint, EndpointSettings};
use crate::messages::NetworkValue;
use crate::peer::{DisconnectReason, PeerEvent, PeerId, PeerStats};
use crate::transport::Transport;

/// The number of frames that a machine is advised to wait at once.
const MAX_WAIT: f64 = 8.0;

/// Something that has happened in a [`PeerSession`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// All players are connected; frames run from now on.
    Started,
    /// A player has left. Its inputs are `I::default()` from this frame on, on all machines.
    PlayerLeft {
        /// The number of the player.
        player: usize,
        /// The frame.
        frame: u64,
    },
    /// A machine has another world than this one: a system is not [deterministic](ecs_data::DeterminismCheck).
    Desync {
        /// The number of the other machine's player.
        player: usize,
        /// The frame at whose beginning the worlds differ.
        frame: u64,
    },
    /// A spectator watches.
    SpectatorJoined {
        /// Its address.
        address: SocketAddr,
    },
    /// The connection of a spectator has ended; at a spectator, its own connection to the match.
    SpectatorLeft {
        /// The address of the other end.
        address: SocketAddr,
        /// The reason.
        reason: DisconnectReason,
    },
}

/// A match of several machines without a server, over [`Rollback`]: each sends its inputs to all others.
///
/// All machines know each other's addresses, and list them in the same order. A player who leaves, or whose connection is lost, does
/// nothing from a frame on that the others agree about. Spectators get all inputs from one of the players.
///
/// No player can send inputs for another one who is there, and spectators send none. A player who has left cannot come back.
///
/// A report that a player is gone proves nothing. A player has to go when more than half of the others report that they have lost it.
/// If two players have lost each other, they cannot go on together: the one whom more players have lost has to go, or if they are equal
/// the one with the higher number. So a player who claims to have lost several others is the one who goes. But no machine can tell a lie
/// about one other player from a broken path between the two, and a player can stay connected without sending inputs, so that all
/// others wait: play with people you trust, or over a server.
///
/// ```
/// use ecs_core::data::{Rollback, RollbackFrame};
/// use ecs_core::net::{EndpointSettings, MemoryNetwork, PeerSession, Transport};
/// use ecs_core::prelude::*;
/// use ecs_core::snapshot::Snapshotter;
/// use std::time::Duration;
///
/// #[derive(Resource, Clone, Default)]
/// struct Sum(u64);
///
/// let network = MemoryNetwork::new(1);
/// let transports = [network.transport(), network.transport()];
/// let addresses = transports.each_ref().map(|transport| transport.address());
/// let step = Duration::from_millis(16);
/// let mut number = 0;
/// let mut machines = transports.map(|transport| {
///     let rollback = Rollback::<u8>::new(2, Snapshotter::new().resource::<Sum>()).input_delay(1);
///     let session = PeerSession::new(transport, 1, EndpointSettings::default(), &addresses, number, rollback, step);
///     number += 1;
///     let mut app = App::new();
///     app.init_resource::<Sum>();
///     (app, session)
/// });
/// for _ in 0..100 {
///     network.advance(step);
///     for (app, session) in &mut machines {
///         session.update(step);
///         session.advance(&mut app.frames_of(step), 3, |world: &mut World, frame: &RollbackFrame<'_, u8>| {
///             world.resource_mut::<Sum>().0 += frame.inputs.iter().map(|&input| u64::from(input)).sum::<u64>();
///         })?;
///     }
/// }
/// let sum = machines[0].0.world().resource::<Sum>().0;
/// assert!(sum > 90 * 6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PeerSession<I> {
    endpoint: Endpoint,
    rollback: Rollback<I>,
    step: Duration,
    /// `None` for a spectator.
    me: Option<usize>,
    players: Vec<SessionPlayer>,
    peers: BTreeMap<PeerId, SessionPeer>,
    has_started: bool,
    /// True if there was an [`advance`](Self::advance) since the last [`update`](Self::update).
    has_advanced: bool,
    /// The time since two other players have lost each other.
    disputed: Duration,
    events: VecDeque<SessionEvent>,
}

/// A player, as this machine knows it.
struct SessionPlayer {
    address: SocketAddr,
    /// True if it has left.
    has_left: bool,
    /// By the players who are there and have lost it, the first frame whose input each lacks.
    ends: BTreeMap<usize, u64>,
    /// It does nothing from this frame on, when all agree.
    gone_from: Option<u64>,
    is_reported: bool,
}

/// Another machine.
struct SessionPeer {
    address: SocketAddr,
    /// `None` for a spectator.
    player: Option<usize>,
    is_connected: bool,
    /// By player, the first input that it lacks.
    lacks: Vec<u64>,
    /// The number of frames that this machine is ahead of the other one, by the last message.
    last_lead: f64,
    /// The same as an average, and the average of the numbers that the other one says it is ahead.
    lead: f64,
    its_lead: f64,
    /// The frame of the desync that was reported.
    differs: Option<u64>,
    /// A bit for each player that the other machine knows to have left.
    gone: u64,
}

impl<I: NetworkValue + RollbackInput> PeerSession<I> {
    /// Returns the session of a player, and begins to connect to the others.
    ///
    /// `players` has the addresses of all players, in the same order on all machines, and `me` is the position of this one, whose address
    /// may be any. `step` is the length of a frame. All machines have the same number of the `protocol`, and a rollback with the same
    /// [delay](Rollback::input_delay). `settings` says after which time a silent machine has left, and how many
    /// [incoming](EndpointSettings::max_incoming) connections there are beside the players': spectators.
    ///
    /// # Panics
    /// If there is no player `me`, or there are more than 64.
    #[must_use]
    #[track_caller]
    pub fn new(
        transport: impl Transport + 'static,
        protocol: u64,
        settings: EndpointSettings,
        players: &[SocketAddr],
        me: usize,
        rollback: Rollback<I>,
        step: Duration,
    ) -> Self {
        assert!(
            me < players.len() && players.len() <= 64,
            "there is no player {me} among {}, or there are more than 64",
            players.len()
        );
        let mut endpoint = Endpoint::new(transport, protocol, settings);
        // Strangers must not take their places.
        endpoint.reserve(&players[..me]);
        let mut session = Self::with(endpoint, players, Some(me), rollback, step);
        // Each pair has one connection.
        for (number, &address) in players.iter().enumerate().skip(me + 1) {
            session.connect(address, Some(number));
        }
        session.start();
        session
    }

    /// Returns the session of a spectator, who sees each frame once all of its inputs are known. It connects to one of the players,
    /// which has to happen before the 1,024th frame, and whose settings allow [incoming](EndpointSettings::max_incoming) connections:
    /// without them, the spectator's time out.
    #[must_use]
    pub fn spectator(
        transport: impl Transport + 'static,
        protocol: u64,
        settings: EndpointSettings,
        players: &[SocketAddr],
        of: SocketAddr,
        rollback: Rollback<I>,
        step: Duration,
    ) -> Self {
        let endpoint = Endpoint::new(transport, protocol, settings.max_incoming(0));
        let rollback = rollback.max_prediction(0);
        let mut session = Self::with(endpoint, players, None, rollback, step);
        session.connect(of, None);
        session
    }

    fn with(
        endpoint: Endpoint,
        players: &[SocketAddr],
        me: Option<usize>,
        rollback: Rollback<I>,
        step: Duration,
    ) -> Self {
        let player = |&address| SessionPlayer {
            address,
            has_left: false,
            ends: BTreeMap::new(),
            gone_from: None,
            is_reported: false,
        };
        Self {
            endpoint,
            rollback,
            step,
            me,
            players: players.iter().map(player).collect(),
            peers: BTreeMap::new(),
            has_started: false,
            has_advanced: false,
            disputed: Duration::ZERO,
            events: VecDeque::new(),
        }
    }

    fn connect(&mut self, address: SocketAddr, player: Option<usize>) {
        let peer = self.endpoint.connect(address);
        self.peers
            .insert(peer, SessionPeer::new(address, player, self.players.len()));
    }

    /// Returns the next event.
    pub fn next_event(&mut self) -> Option<SessionEvent> {
        self.events.pop_front()
    }

    /// Returns the rollback, for its figures and hashes.
    #[must_use]
    pub const fn rollback(&self) -> &Rollback<I> {
        &self.rollback
    }

    /// Returns the figures of the connection to a player.
    #[must_use]
    pub fn stats(&self, player: usize) -> Option<PeerStats> {
        let mut peers = self.peers.iter();
        let found = peers.find(|(_, peer)| peer.player == Some(player));
        self.endpoint.stats(*found?.0)
    }

    /// Returns the number of frames that this machine should wait, because it is ahead of others and makes them roll back. While it is
    /// above 0, skip the [`advance`](Self::advance) of some frames, such as every eighth, so that players don't notice. Each counts.
    #[must_use]
    pub fn wait_advice(&self) -> u32 {
        let players = self
            .peers
            .values()
            .filter(|peer| peer.player.is_some() && peer.is_connected);
        let waits = players.map(|peer| (peer.lead - peer.its_lead) / 2.0);
        waits.fold(0.0, f64::max).min(MAX_WAIT) as u32
    }

    /// Returns the number of frames whose inputs are known and that have not run yet. A spectator calls [`advance`](Self::advance) that
    /// many times.
    #[must_use]
    pub fn behind(&self) -> u64 {
        self.rollback
            .confirmed()
            .saturating_sub(self.rollback.frame())
    }

    /// Leaves the match; the others go on.
    pub fn leave(&mut self) {
        for &peer in self.peers.keys() {
            self.endpoint.disconnect(peer, "");
        }
        self.peers.clear();
    }

    /// Receives messages, and lets time pass. Call it once a frame, even while this machine waits.
    pub fn update(&mut self, elapsed: Duration) {
        if self.has_started && !std::mem::take(&mut self.has_advanced) {
            // A frame was left out. The figures are averages, and would advise to leave out many more.
            for peer in self.peers.values_mut() {
                peer.lead -= 1.0;
                peer.its_lead += 1.0;
            }
        }
        self.endpoint.update(elapsed);
        while let Some(event) = self.endpoint.next_event() {
            match event {
                PeerEvent::Connected { peer } => self.connected(peer),
                PeerEvent::Disconnected { peer, reason } => self.disconnected(peer, reason),
                PeerEvent::Message { peer, bytes, .. } => {
                    if self.read(peer, &bytes).is_err() {
                        self.endpoint
                            .disconnect(peer, "your program has sent a damaged message");
                        let error = crate::DatagramError::BadNumber;
                        self.disconnected(peer, DisconnectReason::Malformed(error));
                    }
                }
            }
        }
        self.lose_outvoted(elapsed);
        self.fill_gone();
        if self.me.is_none() {
            // It says which inputs it lacks, also while there is no frame to run.
            self.send();
        }
    }

    fn connected(&mut self, peer: PeerId) {
        let Some(address) = self.endpoint.address_of(peer) else {
            return;
        };
        let mut all = self.players.iter();
        let player = all.position(|player| player.address == address);
        if player.is_some_and(|player| self.me.is_some() && self.players[player].has_left) {
            // The others agree about its last input, or are about to.
            self.endpoint.disconnect(peer, "you have left this match");
            return;
        }
        let count = self.players.len();
        let known = self.peers.entry(peer);
        let known = known.or_insert_with(|| SessionPeer::new(address, player, count));
        known.is_connected = true;
        if known.player.is_none() && self.me.is_some() {
            self.events
                .push_back(SessionEvent::SpectatorJoined { address });
        }
        self.start();
    }

    /// Starts when all players are there.
    fn start(&mut self) {
        let connected = self.peers.values().filter(|peer| peer.is_connected);
        let there = match self.me {
            Some(_) => {
                connected.filter(|peer| peer.player.is_some()).count() + 1 >= self.players.len()
            }
            None => connected.count() > 0,
        };
        if there && !std::mem::replace(&mut self.has_started, true) {
            self.events.push_back(SessionEvent::Started);
        }
    }

    fn disconnected(&mut self, peer: PeerId, reason: DisconnectReason) {
        let Some(known) = self.peers.remove(&peer) else {
            return;
        };
        match known.player {
            Some(player) if self.me.is_some() => self.lose(player),
            _ => {
                let address = known.address;
                self.events
                    .push_back(SessionEvent::SpectatorLeft { address, reason });
            }
        }
    }

    /// Runs the next frame with the input of this machine's player, or waits; sends the inputs to the others. See
    /// [`Rollback::advance_by`].
    ///
    /// Until the match has [started](SessionEvent::Started), it waits.
    ///
    /// # Errors
    /// As for [`Rollback::advance_by`].
    ///
    /// # Panics
    /// As for [`Rollback::advance_by`].
    #[expect(
        clippy::result_large_err,
        reason = "it is the error of the rollback, which is rare"
    )]
    pub fn advance(
        &mut self,
        simulation: &mut dyn Simulation,
        input: I,
        apply: impl FnMut(&mut World, &RollbackFrame<'_, I>),
    ) -> Result<Advanced, RollbackError> {
        self.has_advanced = true;
        let mut advanced = Advanced::default();
        advanced.is_waiting = true;
        if self.has_started {
            if let Some(me) = self.me {
                // The player exists, and its inputs come from here alone.
                _ = self.rollback.add_local_input(me, input);
            }
            advanced = self.rollback.advance_by(simulation, apply)?;
        }
        if self.me.is_some() {
            self.send();
        }
        Ok(advanced)
    }
}

impl SessionPeer {
    fn new(address: SocketAddr, player: Option<usize>, players: usize) -> Self {
        Self {
            address,
            player,
            is_connected: false,
            lacks: vec![0; players],
            last_lead: 0.0,
            lead: 0.0,
            its_lead: 0.0,
            differs: None,
            gone: 0,
        }
    }
}

impl<I> fmt::Debug for PeerSession<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerSession")
            .field("me", &self.me)
            .field("players", &self.players.len())
            .field("rollback", &self.rollback)
            .finish_non_exhaustive()
    }
}

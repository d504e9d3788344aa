//! Matches without a server: each machine simulates everything, and they send each other their inputs.
//!
//! ```text
//! to all, unreliable, each frame: 0, frame: varint, lead + 128: u8, has a hash: u8, frame of the hash: varint, hash: u64,
//!     for each player the frame of the first input that the sender lacks: varint, then lists of inputs to the end
//! list: player: varint, first frame: varint, count: varint, inputs: [length: varint, bytes]
//! to all, ordered: 1, the players who have left as bits: varint, for each the first frame whose input the sender lacks: varint
//! ```

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use ecs_data::{
    Advanced, InputError, Rollback, RollbackError, RollbackFrame, RollbackInput, Simulation,
};
use ecs_engine::World;

use crate::codec::{BadValue, read_value, write_value};
use crate::endpoint::{Endpoint, EndpointSettings};
use crate::messages::NetworkValue;
use crate::peer::{Delivery, DisconnectReason, PeerEvent, PeerId, PeerStats};
use crate::transport::Transport;
use crate::wire::{WireReader, put_bytes, put_varint};

/// The number of inputs of a player in one message.
const INPUTS: usize = 32;

/// The number of inputs of a player in one message to a spectator, who may have to catch up.
const SPECTATOR_INPUTS: usize = 128;

/// The number of frames for which a player who has left gets inputs in advance.
const AHEAD: u64 = 64;

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
    /// The connection of a spectator has ended, or a spectator's to the match.
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
/// But the players believe each other about who has left: if one says that another is gone, all end their connections to that player,
/// and take the last inputs of that player from each other. A player can also stay connected without sending inputs, so that all others
/// wait. No machine can tell a lie from a broken path between two others: play with people you trust, or over a server.
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
    events: VecDeque<SessionEvent>,
}

/// A player, as this machine knows it.
struct SessionPlayer {
    address: SocketAddr,
    /// True if it has left.
    has_left: bool,
    /// By the players who are there, the first frame whose input each lacks.
    ends: BTreeMap<usize, u64>,
    /// The frame from which on it does nothing, when all agree.
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
    /// The frames that this machine is ahead of it, and that it says it is ahead of this one.
    lead: f64,
    its_lead: f64,
    /// The frame of the desync that was reported.
    differs: Option<u64>,
    /// The players who have left, as it knows them, as bits.
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

    /// Returns the session of a spectator, who sees the match when all inputs are known. It connects to one of the players, before the
    /// 1,024th frame.
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

    /// Returns the number of frames that this machine should wait, because it is ahead of others and makes them roll back: leave
    /// out as many calls of [`advance`](Self::advance), one in each few frames, so that players don't notice.
    #[must_use]
    pub fn wait_advice(&self) -> u32 {
        let players = self
            .peers
            .values()
            .filter(|peer| peer.player.is_some() && peer.is_connected);
        let waits = players.map(|peer| (peer.lead - peer.its_lead) / 2.0);
        waits.fold(0.0, f64::max).min(MAX_WAIT) as u32
    }

    /// Returns the number of frames whose inputs are known, and that did not run yet: a spectator calls [`advance`](Self::advance) as often.
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

    /// Receives, and lets time pass. Call it once a frame, also while this machine waits.
    pub fn update(&mut self, elapsed: Duration) {
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
        self.fill_gone();
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

    /// Notes that a player has left, and says so to the others, with the inputs that have arrived.
    fn lose(&mut self, player: usize) {
        if std::mem::replace(&mut self.players[player].has_left, true) {
            return;
        }
        let mut peers = self.peers.iter();
        let peer = peers.find(|(_, peer)| peer.player == Some(player));
        if let Some((&peer, _)) = peer {
            self.endpoint
                .disconnect(peer, "another player has lost you");
            self.peers.remove(&peer);
        }
        let gone = self.gone();
        let mut bytes = vec![1];
        put_varint(&mut bytes, gone);
        for number in bits(gone) {
            // From now on this machine takes these inputs only from players who are still there.
            let end = self.rollback.next_input(number).unwrap_or(0);
            put_varint(&mut bytes, end);
            let known = &mut self.players[number];
            known.ends.remove(&player);
            if let Some(me) = self.me {
                known.ends.insert(me, end);
            }
            // The one who has the missing inputs may be the one who has left now.
            known.gone_from = known.gone_from.filter(|from| end >= *from);
        }
        for &peer in self.peers.keys() {
            // A connection with a backlog ends on its own.
            _ = self.endpoint.send(peer, Delivery::Ordered, bytes.clone());
        }
    }

    /// Returns the players who have left, as bits.
    fn gone(&self) -> u64 {
        let players = self.players.iter().enumerate();
        let gone = players.filter(|(_, player)| player.has_left);
        gone.fold(0, |bits, (number, _)| bits | 1 << number)
    }

    /// Adds the inputs of players who are gone, when the others agree about who is gone, and about their last inputs.
    fn fill_gone(&mut self) {
        let gone = self.gone();
        if gone == 0 || self.me.is_none() {
            return;
        }
        let others = self.peers.values().filter(|peer| peer.player.is_some());
        let agree = others.clone().all(|peer| peer.gone & gone == gone);
        let others: Vec<usize> = others.filter_map(|peer| peer.player).collect();
        for number in bits(gone) {
            let player = &mut self.players[number];
            let says = |other: &usize| player.ends.contains_key(other);
            if player.gone_from.is_none() && agree && others.iter().all(says) {
                let frame = player.ends.values().copied().max().unwrap_or(0);
                player.gone_from = Some(frame);
                if !std::mem::replace(&mut player.is_reported, true) {
                    let left = SessionEvent::PlayerLeft {
                        player: number,
                        frame,
                    };
                    self.events.push_back(left);
                }
            }
            let until = self.rollback.frame() + AHEAD;
            while let Some(from) = player.gone_from
                && let Ok(next) = self.rollback.next_input(number)
                && (from..until).contains(&next)
                && self.rollback.add_input(number, next, I::default()).is_ok()
            {}
        }
    }

    fn read(&mut self, from: PeerId, bytes: &[u8]) -> Result<(), BadValue> {
        let mut input = WireReader::new(bytes);
        match input.u8().map_err(|_| BadValue)? {
            0 => self.read_frame(from, input),
            1 => self.read_gone(from, input),
            _ => Err(BadValue),
        }
    }

    /// Reads the players who have left, as another player knows them.
    fn read_gone(&mut self, from: PeerId, mut input: WireReader<'_>) -> Result<(), BadValue> {
        let gone = input.varint().map_err(|_| BadValue)?;
        let mut ends = Vec::new();
        for player in bits(gone) {
            let end = input.varint().map_err(|_| BadValue)?;
            if player >= self.players.len() || end > self.rollback.frame() + 2_048 {
                return Err(BadValue);
            }
            ends.push((player, end));
        }
        input.finish().map_err(|_| BadValue)?;
        let sender = self.peers.get_mut(&from).filter(|_| self.me.is_some());
        let Some(sender) = sender else {
            return Ok(());
        };
        sender.gone |= gone;
        let Some(number) = sender.player else {
            return Ok(());
        };
        for (player, end) in ends {
            if Some(player) != self.me && player != number {
                self.lose(player);
                self.players[player].ends.insert(number, end);
            }
        }
        Ok(())
    }

    fn read_frame(&mut self, from: PeerId, mut input: WireReader<'_>) -> Result<(), BadValue> {
        fn bad<T>(_: T) -> BadValue {
            BadValue
        }
        let Some(peer) = self.peers.get_mut(&from) else {
            return Ok(());
        };
        let frame = input.at_most(u64::MAX / 2).map_err(bad)?;
        let its_lead = f64::from(input.u8().map_err(bad)?) - 128.0;
        let has_hash = input.u8().map_err(bad)? == 1;
        let hash_of = input.varint().map_err(bad)?;
        let hash = input.u64().map_err(bad)?;
        for lacks in &mut peer.lacks {
            *lacks = (*lacks).max(input.at_most(u64::MAX / 2).map_err(bad)?);
        }
        let rtt = self.endpoint.stats(from).unwrap_or_default().rtt;
        let there = frame as f64 + rtt.as_secs_f64() / 2.0 / self.step.as_secs_f64();
        let lead = (self.rollback.frame() as f64 - there).clamp(-100.0, 100.0);
        peer.lead += (lead - peer.lead) / 16.0;
        peer.its_lead += (its_lead - peer.its_lead) / 16.0;
        // Any stranger may be a spectator.
        let simulates = match self.me {
            Some(_) => peer.player,
            None => {
                let mut all = self.players.iter();
                all.position(|player| player.address == peer.address)
            }
        };
        if has_hash
            && let Some(player) = simulates
            && let Some(ours) = self.rollback.confirmed_hash(hash_of)
            && ours != hash
            && peer.differs.is_none()
        {
            peer.differs = Some(hash_of);
            self.events.push_back(SessionEvent::Desync {
                player,
                frame: hash_of,
            });
        }
        let sender = peer.player;
        while !input.is_empty() {
            let player = input.varint().map_err(bad)? as usize;
            let first = input.at_most(u64::MAX / 2).map_err(bad)?;
            let count = input.at_most(SPECTATOR_INPUTS as u64).map_err(bad)?;
            let known = self.players.get(player).ok_or(BadValue)?;
            // Only a player's own machine has its inputs, others pass on those of one that has left.
            let may = self.me.is_none()
                || sender == Some(player)
                || sender.is_some() && known.has_left && Some(player) != self.me;
            for frame in first..first + count {
                let bytes = input.bytes().map_err(bad)?;
                if !may {
                    continue;
                }
                let value = read_value::<I>(bytes, &Some)?;
                match self.rollback.add_input(player, frame, value) {
                    Err(InputError::Conflict { .. }) if known.has_left => {}
                    Err(InputError::Conflict { .. }) => return Err(BadValue),
                    _ => {}
                }
            }
        }
        Ok(())
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
        let mut advanced = Advanced::default();
        advanced.is_waiting = true;
        if self.has_started {
            if let Some(me) = self.me {
                // The player exists, and its inputs come from here alone.
                _ = self.rollback.add_local_input(me, input);
            }
            advanced = self.rollback.advance_by(simulation, apply)?;
        }
        self.send();
        Ok(advanced)
    }

    fn send(&mut self) {
        let hash = self.rollback.last_confirmed_hash();
        for (&id, peer) in self.peers.iter().filter(|(_, peer)| peer.is_connected) {
            let mut bytes = vec![0];
            put_varint(&mut bytes, self.rollback.frame());
            bytes.push((peer.lead.round() + 128.0).clamp(0.0, 255.0) as u8);
            bytes.push(hash.is_some().into());
            let (frame, hash) = hash.unwrap_or_default();
            put_varint(&mut bytes, frame);
            bytes.extend(hash.to_le_bytes());
            for player in 0..self.players.len() {
                put_varint(&mut bytes, self.rollback.next_input(player).unwrap_or(0));
            }
            let is_spectator = peer.player.is_none();
            for (player, known) in self.players.iter().enumerate() {
                let passes_on = is_spectator || known.has_left;
                if self.me.is_none() || Some(player) != self.me && !passes_on {
                    continue;
                }
                let most = if is_spectator {
                    SPECTATOR_INPUTS
                } else {
                    INPUTS
                };
                let first = peer.lacks[player];
                let inputs = self.rollback.inputs_from(player, first).take(most);
                let mut list = Vec::new();
                let mut count = 0;
                for (frame, input) in inputs {
                    let mut value = Vec::new();
                    // What was forgotten cannot be sent.
                    if frame != first + count || write_value(input, &Some, &mut value).is_err() {
                        break;
                    }
                    put_bytes(&mut list, &value);
                    count += 1;
                }
                if count > 0 {
                    put_varint(&mut bytes, player as u64);
                    put_varint(&mut bytes, first);
                    put_varint(&mut bytes, count);
                    bytes.extend(list);
                }
            }
            // The next one repeats all of it.
            _ = self.endpoint.send(id, Delivery::Unreliable, bytes);
        }
        self.endpoint.flush();
    }
}

impl SessionPeer {
    fn new(address: SocketAddr, player: Option<usize>, players: usize) -> Self {
        Self {
            address,
            player,
            is_connected: false,
            lacks: vec![0; players],
            lead: 0.0,
            its_lead: 0.0,
            differs: None,
            gone: 0,
        }
    }
}

/// Returns the positions of bits.
fn bits(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |position| set & 1 << position != 0)
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

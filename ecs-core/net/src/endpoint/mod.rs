//! Connections over a transport: the handshake, time-outs, and the sending of datagrams.
//!
//! ```text
//! 0 request: protocol: u64, salt: u64, zeros up to 32 bytes: an answer is never longer than its question
//! 1 challenge: salt: u64, cookie: u64
//! 2 response: protocol: u64, salt: u64, cookie: u64
//! 3 accepted: salt: u64, token: u64
//! 4 refused: salt: u64, reason: u8 (0 full, 1 protocol), protocol: u64
//! 5 data: token: u64, then `link/mod.rs`
//! 6 disconnect: token: u64, text
//! ```
//! An endpoint that is asked remembers nothing before the response: the cookie is a keyed hash of the address and the salt, so only
//! a client that receives at its address can send it back. The token of a connection is known to its two ends, so that datagrams
//! with a forged address are refused.

mod arrival;
mod settings;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::SocketAddr;
use std::time::Duration;

use crate::link::{MESSAGE_MEMORY, PeerLink};
use crate::peer::{
    Delivery, DisconnectReason, MAX_MESSAGE, PeerEvent, PeerId, PeerStats, SendError,
};
use crate::transport::{MAX_DATAGRAM, Transport};
use crate::wire::DatagramError;
pub use settings::EndpointSettings;

const REQUEST: u8 = 0;
const CHALLENGE: u8 = 1;
const RESPONSE: u8 = 2;
const ACCEPTED: u8 = 3;
const REFUSED: u8 = 4;
const DATA: u8 = 5;
const DISCONNECT: u8 = 6;

/// The number of bytes of a request.
const REQUEST_LENGTH: usize = 32;

/// The time between two attempts to connect.
const RETRY: Duration = Duration::from_millis(100);

/// The time that one update lets pass, so that the clock has no end.
const LONGEST: Duration = Duration::from_secs(86_400);

/// The number of bytes of the text of a disconnect.
const MAX_TEXT: usize = 200;

/// The number of copies of a disconnect, because nothing confirms it.
const FAREWELLS: usize = 3;

/// The number of datagrams that one update reads.
const READS: usize = 4_096;

/// Connections to other programs over a [`Transport`], each with messages of three kinds of [`Delivery`].
///
/// An endpoint connects to others, lets others connect, or both. It never waits, and knows no clock: [`update`](Self::update) reads
/// what has arrived and lets time pass, and [`flush`](Self::flush) sends.
///
/// ```
/// use ecs_core::net::{Delivery, Endpoint, EndpointSettings, MemoryNetwork, PeerEvent};
/// use std::time::Duration;
///
/// let network = MemoryNetwork::new(1);
/// let mut server = Endpoint::new(network.transport(), 77, EndpointSettings::default().max_incoming(8));
/// let mut client = Endpoint::new(network.transport(), 77, EndpointSettings::default());
/// let to_server = client.connect(server.address());
/// client.send(to_server, Delivery::Ordered, b"hello".to_vec()).unwrap_err(); // not connected yet
///
/// let mut texts = Vec::new();
/// for _ in 0..5 {
///     for end in [&mut server, &mut client] {
///         end.update(Duration::from_millis(10));
///         while let Some(event) = end.next_event() {
///             match event {
///                 PeerEvent::Connected { peer } => end.send(peer, Delivery::Ordered, b"hello".to_vec()).unwrap(),
///                 PeerEvent::Message { bytes, .. } => texts.push(bytes),
///                 PeerEvent::Disconnected { reason, .. } => panic!("{reason}"),
///                 _ => {}
///             }
///         }
///         end.flush();
///     }
/// }
/// assert_eq!(texts, [b"hello", b"hello"]);
/// ```
///
/// # Strangers
/// A request costs an endpoint nothing but the answer, which is shorter. Only a client that receives at its address gets a
/// connection, and only the ends of a connection know the token that each of its datagrams has. Datagrams of strangers are counted
/// ([`strangers`](Self::strangers)); if a peer sends what no honest program sends, the connection ends with the [reason](DatagramError). No
/// bytes make an endpoint panic, or keep more than 3 MiB for a peer. Nothing is encrypted: a machine on the path can read and
/// forge the datagrams.
pub struct Endpoint {
    transport: Box<dyn Transport>,
    protocol: u64,
    settings: EndpointSettings,
    now: Duration,
    keys: RandomState,
    peers: BTreeMap<PeerId, Peer>,
    by_address: HashMap<SocketAddr, PeerId>,
    next_peer: u64,
    /// Addresses that always may connect.
    reserved: Vec<SocketAddr>,
    /// When connections were opened, by which address and with which salt; the oldest ones first.
    spent: VecDeque<(Duration, SocketAddr, u64)>,
    events: VecDeque<PeerEvent>,
    strangers: u64,
    last_stranger: Option<(SocketAddr, DatagramError)>,
    broken: u64,
}

struct Peer {
    address: SocketAddr,
    is_incoming: bool,
    salt: u64,
    state: PeerState,
    last_received: Duration,
    link: PeerLink,
}

#[derive(Clone, Copy)]
enum PeerState {
    Connecting {
        cookie: Option<u64>,
        asked: Option<Duration>,
    },
    Connected {
        token: u64,
    },
}

impl Endpoint {
    /// Returns an endpoint without connections. Two programs only connect if both have the same `protocol`: a number for all types that
    /// they send each other, such as [`SchemaHash::id`](ecs_data::SchemaHash::id).
    #[must_use]
    pub fn new(
        transport: impl Transport + 'static,
        protocol: u64,
        settings: EndpointSettings,
    ) -> Self {
        Self {
            transport: Box::new(transport),
            protocol,
            settings,
            now: Duration::ZERO,
            keys: RandomState::new(),
            peers: BTreeMap::new(),
            by_address: HashMap::new(),
            next_peer: 0,
            reserved: Vec::new(),
            spent: VecDeque::new(),
            events: VecDeque::new(),
            strangers: 0,
            last_stranger: None,
            broken: 0,
        }
    }

    /// Returns the address that others send to.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.transport.address()
    }

    /// Begins to connect to an address. [`PeerEvent::Connected`] or [`PeerEvent::Disconnected`] follows.
    ///
    /// If there is a connection to the address, it ends without an event, and a new one begins.
    pub fn connect(&mut self, address: SocketAddr) -> PeerId {
        if let Some(&old) = self.by_address.get(&address) {
            self.disconnect(old, "");
        }
        let salt = self.keys.hash_one((address, self.next_peer, self.now));
        let state = PeerState::Connecting {
            cookie: None,
            asked: None,
        };
        self.add_peer(address, false, salt, state)
    }

    /// Lets some addresses connect even if all places of strangers are taken.
    pub(crate) fn reserve(&mut self, addresses: &[SocketAddr]) {
        self.reserved.extend_from_slice(addresses);
    }

    fn add_peer(
        &mut self,
        address: SocketAddr,
        is_incoming: bool,
        salt: u64,
        state: PeerState,
    ) -> PeerId {
        let peer = PeerId(self.next_peer);
        self.next_peer += 1;
        self.by_address.insert(address, peer);
        let known = Peer {
            address,
            is_incoming,
            salt,
            state,
            last_received: self.now,
            link: PeerLink::new(self.now),
        };
        self.peers.insert(peer, known);
        peer
    }

    fn remove(&mut self, peer: PeerId) -> Option<Peer> {
        let known = self.peers.remove(&peer)?;
        if self.by_address.get(&known.address) == Some(&peer) {
            self.by_address.remove(&known.address);
        }
        Some(known)
    }

    fn lose(&mut self, peer: PeerId, reason: DisconnectReason) {
        if self.remove(peer).is_some() {
            self.events
                .push_back(PeerEvent::Disconnected { peer, reason });
        }
    }

    /// Ends a connection; the other end gets the first 200 bytes of the text. Messages that have not arrived there are lost. Returns
    /// false if there is no such connection.
    pub fn disconnect(&mut self, peer: PeerId, text: &str) -> bool {
        let Some(known) = self.remove(peer) else {
            return false;
        };
        if let PeerState::Connected { token } = known.state {
            let mut bytes = vec![DISCONNECT];
            bytes.extend(token.to_le_bytes());
            bytes.extend_from_slice(&text.as_bytes()[..text.floor_char_boundary(MAX_TEXT)]);
            for _ in 0..FAREWELLS {
                self.post(known.address, &bytes);
            }
        }
        true
    }

    /// Returns the connected peers, in the order they connected.
    pub fn peers(&self) -> impl Iterator<Item = PeerId> + '_ {
        let connected = self.peers.iter();
        let connected =
            connected.filter(|(_, peer)| matches!(peer.state, PeerState::Connected { .. }));
        connected.map(|(&id, _)| id)
    }

    /// Returns the address of a peer.
    #[must_use]
    pub fn address_of(&self, peer: PeerId) -> Option<SocketAddr> {
        self.peers.get(&peer).map(|peer| peer.address)
    }

    /// Returns the figures of a connection.
    #[must_use]
    pub fn stats(&self, peer: PeerId) -> Option<PeerStats> {
        self.peers.get(&peer).map(|peer| peer.link.stats)
    }

    /// Returns the number of datagrams that belonged to no connection, and the last one's sender and mistake.
    #[must_use]
    pub fn strangers(&self) -> (u64, Option<(SocketAddr, DatagramError)>) {
        (self.strangers, self.last_stranger)
    }

    /// Returns the number of errors of the transport.
    #[must_use]
    pub fn transport_errors(&self) -> u64 {
        self.broken
    }

    /// Returns the number of bytes a second that are sent to each peer.
    pub(crate) fn rate(&self) -> f64 {
        self.settings.rate.into()
    }

    /// Returns the number of bytes that the next [`flush`](Self::flush) may send to a peer: 0 without a connection.
    #[must_use]
    pub fn room(&self, peer: PeerId) -> usize {
        self.peers.get(&peer).map_or(0, |peer| peer.link.room())
    }

    /// Adds a message to the ones that the next [`flush`](Self::flush) sends.
    ///
    /// # Errors
    /// See [`SendError`]. An unreliable message may be dropped without an error.
    pub fn send(
        &mut self,
        peer: PeerId,
        delivery: Delivery,
        message: Vec<u8>,
    ) -> Result<(), SendError> {
        self.send_with_priority(peer, delivery, 1.0, message)
    }

    /// Like [`send`](Self::send), with a priority among the unreliable messages of the same [`flush`](Self::flush): if the rate does not
    /// allow all of them, the ones with the highest priorities are sent, and the others are dropped. Reliable messages come before.
    ///
    /// # Errors
    /// As for [`send`](Self::send).
    pub fn send_with_priority(
        &mut self,
        peer: PeerId,
        delivery: Delivery,
        priority: f32,
        message: Vec<u8>,
    ) -> Result<(), SendError> {
        if message.len() > MAX_MESSAGE {
            return Err(SendError::TooLong {
                bytes: message.len(),
            });
        }
        let known = self.peers.get_mut(&peer);
        let connected = known.filter(|known| matches!(known.state, PeerState::Connected { .. }));
        let Some(known) = connected else {
            return Err(SendError::NotConnected { peer });
        };
        let waiting = known.link.waiting();
        if delivery != Delivery::Unreliable
            && waiting + message.len() + MESSAGE_MEMORY > self.settings.backlog
        {
            return Err(SendError::Backlog { bytes: waiting });
        }
        known.link.send(delivery, priority, message);
        Ok(())
    }

    /// Returns the next event: first the connections and ends, then the messages of each peer in turn.
    pub fn next_event(&mut self) -> Option<PeerEvent> {
        if let Some(event) = self.events.pop_front() {
            return Some(event);
        }
        for (&peer, known) in &mut self.peers {
            if let Some((delivery, bytes)) = known.link.take() {
                return Some(PeerEvent::Message {
                    peer,
                    delivery,
                    bytes,
                });
            }
        }
        None
    }

    /// Reads everything that has arrived, and lets time pass, at most a day.
    pub fn update(&mut self, elapsed: Duration) {
        self.now += elapsed.min(LONGEST);
        for known in self.peers.values_mut() {
            known.link.earn(elapsed, self.settings.rate.into());
        }
        // One byte more than is allowed, so that a longer one is not taken for a whole one.
        let mut buffer = [0; MAX_DATAGRAM + 1];
        for _ in 0..READS {
            match self.transport.receive(&mut buffer) {
                Ok(Some((from, length))) => {
                    if let Err(error) = self.read(from, &buffer[..length]) {
                        self.strangers += 1;
                        self.last_stranger = Some((from, error));
                    }
                }
                Ok(None) => break,
                Err(_) => {
                    self.broken += 1;
                    break;
                }
            }
        }
        let timeout = self.settings.timeout;
        let late = self.peers.iter();
        let late = late.filter(|(_, peer)| self.now - peer.last_received > timeout);
        for peer in Vec::from_iter(late.map(|(&id, _)| id)) {
            self.lose(peer, DisconnectReason::TimedOut);
        }
    }

    /// Sends everything that is due to all peers.
    pub fn flush(&mut self) {
        let ids = Vec::from_iter(self.peers.keys().copied());
        for id in ids {
            self.flush_peer(id);
        }
    }

    fn flush_peer(&mut self, id: PeerId) {
        let now = self.now;
        let Some(peer) = self.peers.get_mut(&id) else {
            return;
        };
        let address = peer.address;
        match &mut peer.state {
            PeerState::Connected { token } => {
                let mut head = [DATA; 9];
                head[1..].copy_from_slice(&token.to_le_bytes());
                // Often enough that a few may get lost.
                let asks = now - peer.link.last_sent >= self.settings.timeout / 10;
                let (transport, broken) = (&mut self.transport, &mut self.broken);
                let (mut bytes, mut datagrams) = (0, 0);
                peer.link.write(now, &head, asks, &mut |datagram| {
                    bytes += datagram.len() as u64;
                    datagrams += 1;
                    *broken += u64::from(transport.send(address, datagram).is_err());
                });
                peer.link.stats.bytes_sent += bytes;
                peer.link.stats.datagrams_sent += datagrams;
            }
            PeerState::Connecting { cookie, asked } => {
                if asked.is_some_and(|asked| now - asked < RETRY) {
                    return;
                }
                *asked = Some(now);
                let mut bytes = vec![if cookie.is_some() { RESPONSE } else { REQUEST }];
                bytes.extend(self.protocol.to_le_bytes());
                bytes.extend(peer.salt.to_le_bytes());
                bytes.extend(cookie.unwrap_or(0).to_le_bytes());
                bytes.resize(REQUEST_LENGTH, 0);
                self.post(address, &bytes);
            }
        }
    }

    fn post(&mut self, to: SocketAddr, bytes: &[u8]) {
        self.broken += u64::from(self.transport.send(to, bytes).is_err());
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint")
            .field("address", &self.address())
            .field("peers", &self.peers.len())
            .finish_non_exhaustive()
    }
}

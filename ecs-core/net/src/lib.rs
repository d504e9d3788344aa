//! Apps that play together over a network; part of `ecs-core`, which re-exports it as `ecs_core::net` with the feature `net`.
//!
//! | item | meaning |
//! |---|---|
//! | [`Network`], [`NetworkPlugin`] | everything that a game sends, and the plugin of a server, a client, a listen server or a game alone |
//! | [`Online`], [`NetworkRole`], [`ClientStatus`] | the resource with the state of the network |
//! | [`PlayerId`], [`Owner`], [`PlayerJoined`], [`PlayerLeft`], [`PlayerInfo`] | players and their entities |
//! | [`FromClient`], [`ForEntity`], [`ToClients`], [`Receivers`] | messages, which are events |
//! | [`SpawnKey`], [`PredictionStats`] | entities that a client spawns ahead; figures of its prediction |
//! | [`Rooms`], [`InRoom`] | the rooms that players see |
//! | [`PeerSession`], [`SessionEvent`] | a match without a server, over a `Rollback` |
//! | [`NetworkProblem`] | something that the network could not do |
//! | [`Transport`], [`UdpTransport`] | datagrams between addresses, by UDP or by other means |
//! | [`MemoryNetwork`], [`MemoryTransport`], [`LinkQuality`] | a network for tests, with latency, jitter, loss, duplicates and a bandwidth |
//! | [`Endpoint`], [`EndpointSettings`] | connections over a transport |
//! | [`PeerId`], [`PeerEvent`], [`PeerStats`] | the other end of a connection, its events, its figures |
//! | [`Delivery`] | the three promises about messages |
//! | [`DisconnectReason`], [`SendError`], [`DatagramError`] | the errors |
//!
//! # Why connections are not a library's
//! `renet` 2.0.1 has no more than three dependencies, and knows no clock, like this package. But a piece of a message whose number is beyond the
//! count makes its receiver panic, messages without bytes take memory without a limit, datagrams are up to 1,219 bytes long, and messages
//! have no priorities. The handshake that belongs to it, `renetcode`, brings a library of ciphers.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod client;
mod codec;
mod endpoint;
mod kinds;
mod link;
mod memory;
mod messages;
mod network;
mod online;
mod peer;
mod player;
mod plugin;
mod random;
mod server;
mod session;
mod shown;
mod step;
mod transport;
mod visibility;
mod wire;

pub use codec::NetworkProblem;
pub use endpoint::{Endpoint, EndpointSettings};
pub use memory::{LinkQuality, MemoryNetwork, MemoryTransport};
pub use messages::NetworkValue;
pub use network::Network;
pub use online::{ClientStatus, NetworkRole, Online, PlayerInfo, PredictionStats};
pub use peer::{Delivery, DisconnectReason, MAX_MESSAGE, PeerEvent, PeerId, PeerStats, SendError};
pub use player::{
    ForEntity, FromClient, Owner, PlayerId, PlayerJoined, PlayerLeft, Receivers, SpawnKey,
    ToClients,
};
pub use plugin::NetworkPlugin;
pub use session::{PeerSession, SessionEvent};
pub use transport::{MAX_DATAGRAM, Transport, UdpTransport};
pub use visibility::{InRoom, Rooms};
pub use wire::DatagramError;

//! The words of connections: peers, their messages, their ends and their statistics.

use std::fmt;
use std::time::Duration;

use crate::wire::DatagramError;

/// The greatest number of bytes of a message.
pub const MAX_MESSAGE: usize = 256 * 1024;

/// The number that an [`Endpoint`](crate::Endpoint) gives another end of a connection. Numbers are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PeerId(pub(crate) u64);

impl fmt::Display for PeerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The promise about a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// It may get lost, and arrive before earlier ones. It never arrives twice.
    Unreliable,
    /// It arrives once, perhaps before earlier ones.
    Reliable,
    /// It arrives once, after all earlier ordered ones.
    Ordered,
}

/// Something that has happened to a connection; see [`Endpoint::next_event`](crate::Endpoint::next_event).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PeerEvent {
    /// A connection is there, which this end or the other one has asked for.
    Connected {
        /// The other end.
        peer: PeerId,
    },
    /// A message has arrived.
    Message {
        /// The sender.
        peer: PeerId,
        /// The channel.
        delivery: Delivery,
        /// The message.
        bytes: Vec<u8>,
    },
    /// A connection has ended, or none came about. It is not reported if this end has ended it.
    Disconnected {
        /// The other end.
        peer: PeerId,
        /// The reason.
        reason: DisconnectReason,
    },
}

/// The reason why a connection has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DisconnectReason {
    /// The other end has said so, with a text.
    ByPeer(String),
    /// Nothing has come from the other end for too long.
    TimedOut,
    /// The other end runs a program whose messages differ.
    OtherProtocol {
        /// The number of this program.
        ours: u64,
        /// The number of the other program.
        theirs: u64,
    },
    /// The other end has as many connections as it allows.
    Full,
    /// The other end has connected again from the same address.
    Replaced,
    /// The other end has sent something that no honest program sends.
    Malformed(DatagramError),
}

impl fmt::Display for DisconnectReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByPeer(text) if text.is_empty() => f.write_str("the other end has left"),
            Self::ByPeer(text) => write!(f, "the other end has left: {text}"),
            Self::TimedOut => f.write_str("the other end does not answer"),
            Self::OtherProtocol { ours, theirs } => write!(
                f,
                "the other end runs another version of the program ({theirs:016x}, here {ours:016x}); help: run the same build on both"
            ),
            Self::Full => f.write_str("the server is full"),
            Self::Replaced => f.write_str("the other end has connected again"),
            Self::Malformed(error) => write!(f, "the other end is damaged or hostile: {error}"),
        }
    }
}

impl std::error::Error for DisconnectReason {}

/// The reason why a message is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SendError {
    /// There is no such connection, or not any more.
    NotConnected {
        /// The receiver.
        peer: PeerId,
    },
    /// The message is longer than [`MAX_MESSAGE`].
    TooLong {
        /// The number of its bytes.
        bytes: usize,
    },
    /// More than [`EndpointSettings::backlog`](crate::EndpointSettings::backlog) wait for their confirmation: the other end, or the
    /// path to it, is too slow.
    Backlog {
        /// The number of bytes that wait.
        bytes: usize,
    },
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotConnected { peer } => write!(f, "there is no connection {peer}"),
            Self::TooLong { bytes } => write!(
                f,
                "a message of {bytes} bytes is longer than {MAX_MESSAGE}; help: send it in parts"
            ),
            Self::Backlog { bytes } => write!(
                f,
                "{bytes} bytes wait for their confirmation; help: send less, or disconnect the peer"
            ),
        }
    }
}

impl std::error::Error for SendError {}

/// Figures of a connection.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PeerStats {
    /// The moving average of the time to the other end and back, including the wait for its next frame.
    pub rtt: Duration,
    /// The average distance of a measurement from `rtt`.
    pub jitter: Duration,
    /// The moving average of the part of the datagrams from here that gets lost, from 0 to 1.
    pub loss: f32,
    /// The number of bytes sent in datagrams, without the headers of IP and UDP.
    pub bytes_sent: u64,
    /// The number of bytes received in datagrams.
    pub bytes_received: u64,
    /// The number of datagrams sent.
    pub datagrams_sent: u64,
    /// The number of datagrams received.
    pub datagrams_received: u64,
    /// The number of datagrams that got lost, as far as this end knows. A late one counts, too.
    pub datagrams_lost: u64,
    /// The number of datagrams that came twice.
    pub duplicates: u64,
    /// The number of unreliable messages that were dropped because the rate was used up.
    pub dropped: u64,
    /// The number of datagrams that were left unconfirmed because too many messages wait to be taken.
    pub refused: u64,
}

//! The limits of an endpoint.

use std::time::Duration;

/// The limits of an [`Endpoint`](crate::Endpoint).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct EndpointSettings {
    /// The greatest number of connections that others may open; 0 without this: others cannot connect.
    pub max_incoming: usize,
    /// The time without a datagram after which a connection ends; 5 s.
    pub timeout: Duration,
    /// The number of bytes a second that are sent to each peer; 128,000.
    pub rate: u32,
    /// The number of bytes of reliable messages that may wait for their confirmation, for each peer; 4 MiB. Each message counts 64 bytes
    /// beside its own.
    pub backlog: usize,
}

impl Default for EndpointSettings {
    fn default() -> Self {
        Self {
            max_incoming: 0,
            timeout: Duration::from_secs(5),
            rate: 128_000,
            backlog: 4 * 1024 * 1024,
        }
    }
}

impl EndpointSettings {
    /// Lets others open this many connections.
    #[must_use]
    pub const fn max_incoming(mut self, connections: usize) -> Self {
        self.max_incoming = connections;
        self
    }

    /// Sets the time without a datagram after which a connection ends.
    #[must_use]
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the number of bytes a second that are sent to each peer.
    #[must_use]
    pub const fn rate(mut self, bytes: u32) -> Self {
        self.rate = bytes;
        self
    }

    /// Sets the number of bytes of reliable messages that may wait for their confirmation, for each peer. Each message counts 64 bytes
    /// beside its own.
    #[must_use]
    pub const fn backlog(mut self, bytes: usize) -> Self {
        self.backlog = bytes;
        self
    }
}

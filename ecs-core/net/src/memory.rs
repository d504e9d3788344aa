//! A network inside of a process, as bad as a test wants it.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::random::Random;
use crate::transport::Transport;

/// The quality of a path between two transports of a [`MemoryNetwork`], in one direction.
///
/// ```
/// use ecs_core::net::LinkQuality;
/// use std::time::Duration;
///
/// let mobile = LinkQuality {
///     latency: Duration::from_millis(60),
///     jitter: Duration::from_millis(30),
///     loss: 0.05,
///     duplicates: 0.01,
///     bandwidth: Some(100_000),
/// };
/// assert_eq!(LinkQuality::default().latency, Duration::ZERO);
/// # _ = mobile;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkQuality {
    /// The time that each datagram takes at least.
    pub latency: Duration,
    /// The greatest time that a datagram takes beyond the latency. Datagrams overtake one another by it.
    pub jitter: Duration,
    /// The part of the datagrams that gets lost, from 0 to 1.
    pub loss: f32,
    /// The part of the datagrams that arrives twice, from 0 to 1.
    pub duplicates: f32,
    /// The number of bytes a second. Datagrams wait for those before them; one that would wait for more than 250 ms gets lost.
    pub bandwidth: Option<u32>,
}

/// The time that a datagram waits at most for the bandwidth.
const QUEUE: Duration = Duration::from_millis(250);

/// A network inside of a process for tests: with latency, jitter, loss, duplicates and a bandwidth, by simulated time.
///
/// The same seed and the same calls in the same order lead to the same datagrams at the same times, on any machine. Clones are the
/// same network.
///
/// ```
/// use ecs_core::net::{LinkQuality, MemoryNetwork, Transport};
/// use std::time::Duration;
///
/// let network = MemoryNetwork::new(7);
/// network.set_quality(LinkQuality { latency: Duration::from_millis(50), ..LinkQuality::default() });
/// let (mut one, mut other) = (network.transport(), network.transport());
/// one.send(other.address(), b"hello")?;
///
/// let mut buffer = [0; 64];
/// network.advance(Duration::from_millis(49));
/// assert_eq!(other.receive(&mut buffer)?, None);
/// network.advance(Duration::from_millis(1));
/// assert_eq!(other.receive(&mut buffer)?, Some((one.address(), 5)));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone)]
pub struct MemoryNetwork(Arc<Mutex<SimulatedNetwork>>);

struct SimulatedNetwork {
    now: Duration,
    random: Random,
    quality: LinkQuality,
    paths: HashMap<(SocketAddr, SocketAddr), LinkQuality>,
    /// By path, the time at which its bandwidth is free again.
    busy: HashMap<(SocketAddr, SocketAddr), Duration>,
    /// Datagrams by their time of arrival, and the number that says which one was sent first.
    on_the_way: BTreeMap<(Duration, u64), MemoryDatagram>,
    arrived: HashMap<SocketAddr, VecDeque<MemoryDatagram>>,
    sent: u64,
    transports: u32,
    bytes: u64,
}

struct MemoryDatagram {
    from: SocketAddr,
    to: SocketAddr,
    bytes: Vec<u8>,
}

impl MemoryNetwork {
    /// Returns a network without latency and loss.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Arc::new(Mutex::new(SimulatedNetwork {
            now: Duration::ZERO,
            random: Random::new(seed),
            quality: LinkQuality::default(),
            paths: HashMap::new(),
            busy: HashMap::new(),
            on_the_way: BTreeMap::new(),
            arrived: HashMap::new(),
            sent: 0,
            transports: 0,
            bytes: 0,
        })))
    }

    fn state(&self) -> MutexGuard<'_, SimulatedNetwork> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a new transport with an address of its own.
    #[must_use]
    pub fn transport(&self) -> MemoryTransport {
        let mut state = self.state();
        state.transports += 1;
        let [_, high, middle, low] = state.transports.to_be_bytes();
        let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::new(10, high, middle, low)), 1);
        state.arrived.insert(address, VecDeque::new());
        MemoryTransport {
            network: self.clone(),
            address,
        }
    }

    /// Sets the quality of all paths that have no other one.
    pub fn set_quality(&self, quality: LinkQuality) {
        self.state().quality = quality;
    }

    /// Sets the quality of a path, in one direction.
    pub fn set_path(&self, from: SocketAddr, to: SocketAddr, quality: LinkQuality) {
        self.state().paths.insert((from, to), quality);
    }

    /// Lets time pass: datagrams arrive.
    pub fn advance(&self, time: Duration) {
        let state = &mut *self.state();
        state.now = state.now.saturating_add(time);
        while let Some(first) = state.on_the_way.first_entry()
            && first.key().0 <= state.now
        {
            let datagram = first.remove();
            if let Some(arrived) = state.arrived.get_mut(&datagram.to) {
                arrived.push_back(datagram);
            }
        }
    }

    /// Returns the number of bytes that were sent so far, lost ones included.
    #[must_use]
    pub fn bytes_sent(&self) -> u64 {
        self.state().bytes
    }
}

impl SimulatedNetwork {
    fn send(&mut self, from: SocketAddr, to: SocketAddr, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let path = (from, to);
        let quality = self.paths.get(&path).copied().unwrap_or(self.quality);
        // The same number of random values for each datagram, so that one path does not change another.
        let (loss, twice) = (self.random.unit(), self.random.unit());
        let jitters = [self.random.unit(), self.random.unit()];
        let mut leaves = self.now;
        if let Some(bandwidth) = quality.bandwidth {
            let busy = self.busy.entry(path).or_default();
            leaves = leaves.max(*busy);
            if leaves - self.now > QUEUE {
                return;
            }
            let takes = bytes.len() as f64 / f64::from(bandwidth.max(1));
            leaves = leaves.saturating_add(Duration::from_secs_f64(takes));
            *busy = leaves;
        }
        if loss < quality.loss {
            return;
        }
        let copies = if twice < quality.duplicates { 2 } else { 1 };
        for jitter in &jitters[..copies] {
            let way = quality
                .latency
                .saturating_add(quality.jitter.mul_f32(*jitter));
            let arrives = leaves.saturating_add(way);
            self.sent += 1;
            let datagram = MemoryDatagram {
                from,
                to,
                bytes: bytes.to_vec(),
            };
            if arrives <= self.now {
                if let Some(arrived) = self.arrived.get_mut(&to) {
                    arrived.push_back(datagram);
                }
            } else {
                self.on_the_way.insert((arrives, self.sent), datagram);
            }
        }
    }
}

impl fmt::Debug for MemoryNetwork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.state();
        f.debug_struct("MemoryNetwork")
            .field("now", &state.now)
            .field("on_the_way", &state.on_the_way.len())
            .finish_non_exhaustive()
    }
}

/// An end of a [`MemoryNetwork`]. When it is dropped, datagrams to it get lost.
pub struct MemoryTransport {
    network: MemoryNetwork,
    address: SocketAddr,
}

impl Transport for MemoryTransport {
    fn send(&mut self, to: SocketAddr, datagram: &[u8]) -> io::Result<()> {
        self.network.state().send(self.address, to, datagram);
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<(SocketAddr, usize)>> {
        let mut state = self.network.state();
        let arrived = state.arrived.get_mut(&self.address);
        let Some(datagram) = arrived.and_then(VecDeque::pop_front) else {
            return Ok(None);
        };
        let length = datagram.bytes.len().min(buffer.len());
        buffer[..length].copy_from_slice(&datagram.bytes[..length]);
        Ok(Some((datagram.from, length)))
    }

    fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for MemoryTransport {
    fn drop(&mut self) {
        self.network.state().arrived.remove(&self.address);
    }
}

impl fmt::Debug for MemoryTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryTransport({})", self.address)
    }
}

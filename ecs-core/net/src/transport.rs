//! Datagrams from one address to another.

use std::fmt;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};

/// The greatest number of bytes of a datagram that an [`Endpoint`](crate::Endpoint) sends. Every path of the internet carries it.
pub const MAX_DATAGRAM: usize = 1_200;

/// Sends and receives datagrams, which may be lost, come twice, or overtake one another.
///
/// [`UdpTransport`] is the usual one, and [`MemoryTransport`](crate::MemoryTransport) is for tests. Implement it for whatever else
/// carries datagrams: a relay, WebRTC. If the other ends have no socket addresses there, make some up.
pub trait Transport: Send {
    /// Sends a datagram of at most [`MAX_DATAGRAM`] bytes. It may get lost without an error.
    ///
    /// # Errors
    /// If the transport is broken. The endpoint counts the error, and goes on: a datagram that was not sent is one that got lost.
    fn send(&mut self, to: SocketAddr, datagram: &[u8]) -> io::Result<()>;

    /// Writes the next datagram that has arrived to the beginning of `buffer`, and returns its sender and its length; `None` if
    /// there is none. It does not wait. A datagram that is longer than the buffer is cut off, or left out.
    ///
    /// # Errors
    /// If the transport is broken.
    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<(SocketAddr, usize)>>;

    /// Returns the address that others send to.
    fn address(&self) -> SocketAddr;
}

/// UDP, by a socket of the standard library.
///
/// ```
/// use ecs_core::net::{Transport, UdpTransport};
///
/// let (mut one, mut other) = (UdpTransport::bind("127.0.0.1:0")?, UdpTransport::bind("127.0.0.1:0")?);
/// one.send(other.address(), b"hello")?;
/// let mut buffer = [0; 64];
/// let (from, length) = loop {
///     if let Some(received) = other.receive(&mut buffer)? {
///         break received;
///     }
/// };
/// assert_eq!((from, &buffer[..length]), (one.address(), &b"hello"[..]));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct UdpTransport {
    socket: UdpSocket,
    address: SocketAddr,
}

impl UdpTransport {
    /// Opens a socket at an address of this machine: `"0.0.0.0:7747"` for a server, `"0.0.0.0:0"` for a client.
    ///
    /// # Errors
    /// If the address is not free, or the system refuses a socket.
    pub fn bind(address: impl ToSocketAddrs) -> io::Result<Self> {
        let socket = UdpSocket::bind(address)?;
        socket.set_nonblocking(true)?;
        let address = socket.local_addr()?;
        Ok(Self { socket, address })
    }
}

impl Transport for UdpTransport {
    fn send(&mut self, to: SocketAddr, datagram: &[u8]) -> io::Result<()> {
        match self.socket.send_to(datagram, to) {
            Ok(_) => Ok(()),
            // The buffer of the system is full, or no program was at the address of the last datagram.
            Err(error) if is_passing(&error) => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn receive(&mut self, buffer: &mut [u8]) -> io::Result<Option<(SocketAddr, usize)>> {
        loop {
            match self.socket.recv_from(buffer) {
                Ok((length, from)) => return Ok(Some((from, length))),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                // An answer to a datagram that was sent to a closed port: it is the other end's.
                Err(error) if is_passing(&error) => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Returns true if an error is about one datagram.
fn is_passing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::WouldBlock
            | ErrorKind::Interrupted
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionRefused
            | ErrorKind::HostUnreachable
            | ErrorKind::NetworkUnreachable
    )
}

impl fmt::Debug for UdpTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "UdpTransport({})", self.address)
    }
}

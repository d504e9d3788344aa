//! A link between two machines: UDP, with faults on top.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use crate::Result;
use crate::game::Dice;
use crate::options::Faults;

/// A link to another machine, which delays, loses and reorders messages.
pub(crate) struct Link {
    socket: UdpSocket,
    peer: SocketAddr,
    faults: Faults,
    dice: Dice,
    /// Messages on their way, ordered by their time of departure.
    delayed: BinaryHeap<Reverse<(Instant, Vec<u8>)>>,
}

impl Link {
    /// Opens a link from a port of this machine.
    pub(crate) fn new(port: u16, peer: SocketAddr, faults: &Faults, seed: u64) -> Result<Self> {
        // Not only on the loopback interface, so that players can be on other machines.
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, port))?;
        Self::of_socket(socket, peer, faults, seed)
    }

    /// Opens both ends of a link on this machine, on any free ports.
    pub(crate) fn pair(faults: &Faults, seed: u64) -> Result<[Self; 2]> {
        let one = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        let other = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        let addresses = (one.local_addr()?, other.local_addr()?);
        Ok([
            Self::of_socket(one, addresses.1, faults, seed)?,
            Self::of_socket(other, addresses.0, faults, seed + 1)?,
        ])
    }

    fn of_socket(socket: UdpSocket, peer: SocketAddr, faults: &Faults, seed: u64) -> Result<Self> {
        socket.set_nonblocking(true)?;
        Ok(Self {
            socket,
            peer,
            faults: *faults,
            dice: Dice::new(seed),
            delayed: BinaryHeap::new(),
        })
    }

    /// Sends a message, unless it gets lost.
    pub(crate) fn send(&mut self, message: Vec<u8>) -> Result<()> {
        let Faults {
            latency,
            jitter,
            loss,
            reorder,
        } = self.faults;
        if self.dice.roll(100) >= loss {
            let mut after = latency;
            if !jitter.is_zero() {
                after += Duration::from_micros(self.dice.roll(jitter.as_micros() as u64));
            }
            if self.dice.roll(100) < reorder {
                after += latency;
            }
            self.delayed
                .push(Reverse((Instant::now() + after, message)));
        }
        self.flush()
    }

    /// Sends the messages that have waited long enough.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let now = Instant::now();
        while let Some(Reverse((at, _))) = self.delayed.peek()
            && *at <= now
            && let Some(Reverse((_, message))) = self.delayed.pop()
        {
            match self.socket.send_to(&message, self.peer) {
                Ok(_) => {}
                Err(error) if is_passing(error.kind()) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Receives a message from the other machine; `None` if there is none.
    pub(crate) fn receive<'b>(&self, buffer: &'b mut [u8]) -> Result<Option<&'b [u8]>> {
        loop {
            match self.socket.recv_from(buffer) {
                Ok((len, from)) if from == self.peer => return Ok(Some(&buffer[..len])),
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) if is_passing(error.kind()) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Returns true for errors that only mean that the other machine is not there yet, or has gone.
fn is_passing(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::ConnectionRefused
            | ErrorKind::ConnectionReset
            | ErrorKind::WouldBlock
            | ErrorKind::Interrupted
    )
}

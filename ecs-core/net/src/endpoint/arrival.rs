//! Datagrams that have arrived: the answers of the handshake, and the datagrams of a connection.

use std::hash::BuildHasher;
use std::net::SocketAddr;
use std::time::Duration;

use super::{
    ACCEPTED, CHALLENGE, DATA, DISCONNECT, Endpoint, MAX_TEXT, PeerState, REFUSED, REQUEST,
    REQUEST_LENGTH, RESPONSE,
};
use crate::peer::{DisconnectReason, PeerEvent, PeerId};
use crate::transport::MAX_DATAGRAM;
use crate::wire::{DatagramError, WireReader};

/// The time for which a cookie is good, at least.
const COOKIE: Duration = Duration::from_secs(5);

/// The number of salts that are remembered, because each makes one connection only.
const SPENT: usize = 1_024;

impl Endpoint {
    pub(super) fn read(&mut self, from: SocketAddr, bytes: &[u8]) -> Result<(), DatagramError> {
        if bytes.len() > MAX_DATAGRAM {
            return Err(DatagramError::TooLong);
        }
        let mut input = WireReader::new(bytes);
        match input.u8()? {
            REQUEST => self.read_request(from, input, false),
            RESPONSE => self.read_request(from, input, true),
            CHALLENGE => {
                let (salt, cookie) = (input.u64()?, input.u64()?);
                input.finish()?;
                let peer = self.asked(from, salt)?;
                if let Some(known) = self.peers.get_mut(&peer) {
                    let state = PeerState::Connecting {
                        cookie: Some(cookie),
                        asked: None,
                    };
                    known.state = state;
                    self.flush_peer(peer);
                }
                Ok(())
            }
            ACCEPTED => {
                let (salt, token) = (input.u64()?, input.u64()?);
                input.finish()?;
                let peer = self.asked(from, salt)?;
                if let Some(known) = self.peers.get_mut(&peer) {
                    known.state = PeerState::Connected { token };
                    known.last_received = self.now;
                    self.events.push_back(PeerEvent::Connected { peer });
                }
                Ok(())
            }
            REFUSED => {
                let (salt, kind, theirs) = (input.u64()?, input.u8()?, input.u64()?);
                input.finish()?;
                let peer = self.asked(from, salt)?;
                let ours = self.protocol;
                let reason = match kind {
                    0 => DisconnectReason::Full,
                    1 => DisconnectReason::OtherProtocol { ours, theirs },
                    _ => return Err(DatagramError::UnknownKind { kind }),
                };
                self.lose(peer, reason);
                Ok(())
            }
            DATA => {
                let peer = self.connected(from, input.u64()?)?;
                let now = self.now;
                let Some(known) = self.peers.get_mut(&peer) else {
                    return Ok(());
                };
                known.last_received = now;
                known.link.stats.bytes_received += bytes.len() as u64;
                known.link.stats.datagrams_received += 1;
                if let Err(error) = known.link.read(now, input.rest()) {
                    self.disconnect(peer, "your program has sent a damaged datagram");
                    let reason = DisconnectReason::Malformed(error);
                    self.events
                        .push_back(PeerEvent::Disconnected { peer, reason });
                }
                Ok(())
            }
            DISCONNECT => {
                let peer = self.connected(from, input.u64()?)?;
                let text = input.rest();
                let text = &text[..text.len().min(MAX_TEXT)];
                let text = String::from_utf8_lossy(text).into_owned();
                self.lose(peer, DisconnectReason::ByPeer(text));
                Ok(())
            }
            kind => Err(DatagramError::UnknownKind { kind }),
        }
    }

    /// Returns the peer that this end has asked, and that answers.
    fn asked(&self, from: SocketAddr, salt: u64) -> Result<PeerId, DatagramError> {
        let peer = self.by_address.get(&from).copied();
        let peer = peer.filter(|peer| {
            let known = &self.peers[peer];
            matches!(known.state, PeerState::Connecting { .. }) && known.salt == salt
        });
        peer.ok_or(DatagramError::NoConnection)
    }

    fn connected(&self, from: SocketAddr, token: u64) -> Result<PeerId, DatagramError> {
        let peer = self.by_address.get(&from).copied();
        let peer = peer.filter(|peer| {
            matches!(self.peers[peer].state, PeerState::Connected { token: known } if known == token)
        });
        peer.ok_or(DatagramError::NoConnection)
    }

    /// Answers a request, or a response with the cookie.
    fn read_request(
        &mut self,
        from: SocketAddr,
        mut input: WireReader<'_>,
        is_response: bool,
    ) -> Result<(), DatagramError> {
        if input.rest().len() != REQUEST_LENGTH - 1 {
            return Err(DatagramError::BadNumber);
        }
        let (protocol, salt, cookie) = (input.u64()?, input.u64()?, input.u64()?);
        let is_reserved = self.reserved.contains(&from);
        if self.settings.max_incoming == 0 && !is_reserved {
            return Err(DatagramError::NoConnection);
        }
        if protocol != self.protocol {
            self.refuse(from, salt, 1);
            return Ok(());
        }
        let age = (self.now.as_nanos() / COOKIE.as_nanos()) as u64;
        let cookie_of = |age: u64| self.keys.hash_one((from, salt, age));
        if !is_response {
            let mut bytes = vec![CHALLENGE];
            bytes.extend(salt.to_le_bytes());
            bytes.extend(cookie_of(age).to_le_bytes());
            self.post(from, &bytes);
            return Ok(());
        }
        if cookie != cookie_of(age) && age.checked_sub(1).map(cookie_of) != Some(cookie) {
            return Err(DatagramError::NoConnection);
        }
        let known = self.by_address.get(&from).copied();
        if let Some(known) = known {
            let peer = &self.peers[&known];
            match peer.state {
                PeerState::Connected { token } if peer.is_incoming && peer.salt == salt => {
                    // The answer got lost.
                    self.accept(from, salt, token);
                    return Ok(());
                }
                _ => {}
            }
        }
        let now = self.now;
        self.spent.retain(|spent| now - spent.0 <= 2 * COOKIE);
        if self
            .spent
            .iter()
            .any(|&(_, by, of)| (by, of) == (from, salt))
        {
            // A copy of the response of an earlier connection.
            return Err(DatagramError::NoConnection);
        }
        if let Some(known) = known {
            self.lose(known, DisconnectReason::Replaced);
        }
        let incoming = self
            .peers
            .values()
            .filter(|peer| peer.is_incoming && !self.reserved.contains(&peer.address));
        if !is_reserved && incoming.count() >= self.settings.max_incoming {
            self.refuse(from, salt, 0);
            return Ok(());
        }
        if self.spent.len() == SPENT {
            self.spent.pop_front();
        }
        self.spent.push_back((now, from, salt));
        let token = self.keys.hash_one((from, salt, self.next_peer, "token"));
        let peer = self.add_peer(from, true, salt, PeerState::Connected { token });
        self.events.push_back(PeerEvent::Connected { peer });
        self.accept(from, salt, token);
        Ok(())
    }

    fn accept(&mut self, to: SocketAddr, salt: u64, token: u64) {
        let mut bytes = vec![ACCEPTED];
        bytes.extend(salt.to_le_bytes());
        bytes.extend(token.to_le_bytes());
        self.post(to, &bytes);
    }

    fn refuse(&mut self, to: SocketAddr, salt: u64, reason: u8) {
        let mut bytes = vec![REFUSED];
        bytes.extend(salt.to_le_bytes());
        bytes.push(reason);
        bytes.extend(self.protocol.to_le_bytes());
        self.post(to, &bytes);
    }
}

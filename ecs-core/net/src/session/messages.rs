//! The messages of a match; `mod.rs` has their form.

use ecs_data::{InputError, RollbackInput};

use super::gone::bits;
use super::{PeerSession, SessionEvent};
use crate::codec::{BadValue, read_value, write_value};
use crate::messages::NetworkValue;
use crate::peer::{Delivery, PeerId};
use crate::wire::{WireReader, put_bytes, put_varint};

/// The number of inputs of a player in one message.
const INPUTS: usize = 32;

/// The number of inputs of a player in one message to a spectator, who may have to catch up.
const SPECTATOR_INPUTS: usize = 128;

impl<I: NetworkValue + RollbackInput> PeerSession<I> {
    pub(super) fn read(&mut self, from: PeerId, bytes: &[u8]) -> Result<(), BadValue> {
        let mut input = WireReader::new(bytes);
        match input.u8().map_err(|_| BadValue)? {
            0 => self.read_frame(from, input),
            1 => self.read_gone(from, input),
            _ => Err(BadValue),
        }
    }

    /// Reads another player's list of the players who have left.
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
        peer.last_lead = lead;
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
            // Only a player's own machine has its inputs; others pass on the inputs of a player who has left.
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

    pub(super) fn send(&mut self) {
        let hash = self.rollback.last_confirmed_hash();
        for (&id, peer) in self.peers.iter().filter(|(_, peer)| peer.is_connected) {
            let mut bytes = vec![0];
            put_varint(&mut bytes, self.rollback.frame());
            bytes.push((peer.last_lead.round() + 128.0).clamp(0.0, 255.0) as u8);
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
                    // An input that was forgotten cannot be sent.
                    if frame != first + count {
                        break;
                    }
                    let Ok(value) = write_value(input, &Some) else {
                        break;
                    };
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

//! The parts of a round, put together from pieces in the order of their arrival. It knows neither sockets nor threads.

use crate::net::piece::{Cause, Farewell, FramePiece, NetPiece, PieceHead, Seen, read_piece};
use crate::net::{FrameProblem, NetError};

/// The parts of the current round, and of the next one: a shard may be one round ahead, never two.
pub(super) struct RoundInbox {
    round: u64,
    /// The longest frame from another process.
    limit: usize,
    senders: Vec<Sender>,
}

/// The state of one sender.
#[derive(Default)]
struct Sender {
    now: Arrival,
    next: Arrival,
    farewell: Option<Cause>,
}

/// A frame on its way.
#[derive(Default)]
struct Arrival {
    bytes: Vec<u8>,
    /// Known from the first piece on.
    length: Option<u64>,
}

/// The least number of bytes that a growing frame gets.
const LEAST_GROWTH: usize = 64 << 10;

impl Arrival {
    fn is_complete(&self) -> bool {
        self.length == Some(self.bytes.len() as u64)
    }

    /// Adds a piece. Memory grows with the bytes that have come, not with the length that they claim.
    fn add(&mut self, length: u64, at: u64, bytes: &[u8]) -> Result<(), FrameProblem> {
        let had = self.bytes.len() as u64;
        let first = self.length.is_none();
        // Only an empty frame has an empty piece.
        let fits = if first {
            at == 0
        } else {
            self.length == Some(length) && !self.is_complete()
        };
        let within = at == had
            && bytes.len() as u64 <= length - had.min(length)
            && (length == 0 || !bytes.is_empty());
        if !fits || !within {
            return Err(FrameProblem::Pieces);
        }
        self.length = Some(length);
        let spare = self.bytes.capacity() - self.bytes.len();
        if spare < bytes.len() {
            let left = (length - had) as usize;
            let growth = self.bytes.len().max(LEAST_GROWTH).max(bytes.len());
            self.bytes.reserve_exact(left.min(growth));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

impl RoundInbox {
    pub(super) fn new(shards: usize, limit: usize) -> RoundInbox {
        RoundInbox {
            round: 0,
            limit,
            senders: (0..shards).map(|_| Sender::default()).collect(),
        }
    }

    /// The number of the current round, from zero.
    pub(super) fn round(&self) -> u64 {
        self.round
    }

    /// Adds a piece, from whichever shard.
    pub(super) fn accept(&mut self, piece: NetPiece) -> Result<(), NetError> {
        match piece {
            NetPiece::Part(FramePiece {
                from, round, frame, ..
            }) => {
                let arrival = self.arrival(from, round)?;
                *arrival = Arrival {
                    length: Some(frame.len() as u64),
                    bytes: frame,
                };
                Ok(())
            }
            NetPiece::Farewell(farewell) => self.farewell(farewell),
            NetPiece::Raw(bytes) => {
                // `link.rs` has compared the sender with the connection, so it is known even if the rest is wrong.
                let from = bytes.first_chunk().map_or(self.senders.len(), |head| {
                    PieceHead::read(head).from as usize
                });
                match read_piece(&bytes).map_err(|problem| NetError::Frame { from, problem })? {
                    Seen::Farewell(farewell) => self.farewell(farewell),
                    Seen::Part {
                        from,
                        round,
                        length,
                        at,
                        bytes,
                    } => {
                        let limit = self.limit as u64;
                        if length > limit {
                            let problem = FrameProblem::Length { got: length, limit };
                            return Err(NetError::Frame { from, problem });
                        }
                        let added = self.arrival(from, round)?.add(length, at, bytes);
                        added.map_err(|problem| NetError::Frame { from, problem })
                    }
                }
            }
        }
    }

    fn arrival(&mut self, from: usize, round: u64) -> Result<&mut Arrival, NetError> {
        let expected = self.round;
        let problem = FrameProblem::Round {
            got: round,
            expected,
        };
        let Some(sender) = self.senders.get_mut(from) else {
            return Err(NetError::Frame {
                from,
                problem: FrameProblem::Address,
            });
        };
        if round == expected {
            Ok(&mut sender.now)
        } else if round == expected + 1 && sender.now.is_complete() {
            Ok(&mut sender.next)
        } else {
            Err(NetError::Frame { from, problem })
        }
    }

    fn farewell(&mut self, farewell: Farewell) -> Result<(), NetError> {
        let Farewell { from, cause } = farewell;
        let Some(sender) = self.senders.get_mut(from) else {
            return Err(NetError::Frame {
                from,
                problem: FrameProblem::Address,
            });
        };
        sender.farewell.get_or_insert(cause);
        Ok(())
    }

    /// The reason that a shard gave for its end.
    pub(super) fn farewell_of(&self, shard: usize) -> Option<&Cause> {
        self.senders[shard].farewell.as_ref()
    }

    /// Returns whether a shard's part of the current round is still to come.
    pub(super) fn misses(&self, shard: usize) -> bool {
        !self.senders[shard].now.is_complete()
    }

    /// The shards whose parts of the current round are still to come.
    pub(super) fn missing(&self) -> impl Iterator<Item = usize> {
        (0..self.senders.len()).filter(|shard| self.misses(*shard))
    }

    /// The memory for frames.
    #[cfg(test)]
    pub(super) fn held_bytes(&self) -> usize {
        self.senders
            .iter()
            .map(|sender| sender.now.bytes.capacity() + sender.next.bytes.capacity())
            .sum()
    }

    /// Returns the parts of a round that has all, in order of senders, and begins the next.
    pub(super) fn finish_round(&mut self) -> Vec<Vec<u8>> {
        debug_assert!(self.missing().next().is_none());
        self.round += 1;
        let frames = self.senders.iter_mut();
        frames
            .map(|sender| {
                core::mem::replace(&mut sender.now, core::mem::take(&mut sender.next)).bytes
            })
            .collect()
    }
}

//! Messages that are sent until they are confirmed.

use std::collections::VecDeque;
use std::time::Duration;

/// The number of messages beyond the first unconfirmed one that may be on their way.
pub(crate) const WINDOW: u64 = 1_024;

/// The number of bytes of them.
const WINDOW_BYTES: usize = 256 * 1024;

/// The number of bytes of a piece of a message that does not fit into a datagram.
pub(crate) const PIECE: usize = 1_024;

/// The number of bytes of a message up to which it is sent in one piece.
pub(crate) const WHOLE: usize = 1_100;

/// The memory that a message counts beside its bytes, so that messages without bytes count, too.
pub(crate) const MESSAGE_MEMORY: usize = 64;

/// A message that waits for its confirmation.
#[derive(Debug)]
struct WaitingMessage {
    bytes: Vec<u8>,
    pieces: Vec<PieceState>,
    /// The number of pieces that are not confirmed.
    left: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PieceState {
    Due,
    Sent { at: Duration, times: u32 },
    Confirmed,
}

/// The messages of a reliable channel that are not confirmed.
#[derive(Debug, Default)]
pub(crate) struct SendQueue {
    messages: VecDeque<WaitingMessage>,
    /// The number of the first one.
    first: u64,
    bytes: usize,
}

/// A piece of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PieceId {
    pub(crate) message: u64,
    pub(crate) piece: u32,
}

/// A piece that is due, with its bytes.
pub(crate) struct DuePiece<'a> {
    pub(crate) id: PieceId,
    /// The number of pieces of the message.
    pub(crate) count: u32,
    pub(crate) bytes: &'a [u8],
}

/// Returns the number of pieces of a message.
pub(crate) fn pieces_of(length: usize) -> usize {
    if length <= WHOLE {
        1
    } else {
        length.div_ceil(PIECE)
    }
}

impl SendQueue {
    pub(crate) fn push(&mut self, bytes: Vec<u8>) {
        let pieces = pieces_of(bytes.len());
        self.bytes += bytes.len() + MESSAGE_MEMORY;
        self.messages.push_back(WaitingMessage {
            bytes,
            pieces: vec![PieceState::Due; pieces],
            left: pieces,
        });
    }

    /// Returns the number of bytes that wait, with [`MESSAGE_MEMORY`] for each message.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Calls a function with the pieces that are due, the oldest ones first, until it returns false for one, which stays due.
    /// Unconfirmed ones are due again after `patience`, and later each time.
    pub(crate) fn send_due(
        &mut self,
        now: Duration,
        patience: Duration,
        mut send: impl FnMut(DuePiece<'_>) -> bool,
    ) {
        let mut before = 0;
        let window = self.messages.iter_mut().take(WINDOW as usize);
        for (number, message) in (self.first..).zip(window) {
            if before > 0 && before + message.bytes.len() > WINDOW_BYTES {
                return;
            }
            before += message.bytes.len();
            if message.left == 0 {
                continue;
            }
            let count = message.pieces.len();
            for (piece, state) in message.pieces.iter_mut().enumerate() {
                let times = match *state {
                    PieceState::Confirmed => continue,
                    PieceState::Due => 0,
                    PieceState::Sent { at, times } => {
                        if now - at < patience * (1 << times.min(4)) {
                            continue;
                        }
                        times + 1
                    }
                };
                let bytes = match count {
                    1 => &message.bytes[..],
                    _ => {
                        &message.bytes[piece * PIECE..message.bytes.len().min((piece + 1) * PIECE)]
                    }
                };
                let due = DuePiece {
                    id: PieceId {
                        message: number,
                        piece: piece as u32,
                    },
                    count: count as u32,
                    bytes,
                };
                if !send(due) {
                    return;
                }
                *state = PieceState::Sent { at: now, times };
            }
        }
    }

    fn piece(&mut self, id: PieceId) -> Option<(&mut WaitingMessage, usize)> {
        let at = id.message.checked_sub(self.first)?;
        let message = self.messages.get_mut(usize::try_from(at).ok()?)?;
        Some((message, id.piece as usize))
    }

    /// Notes that a piece has arrived.
    pub(crate) fn confirm(&mut self, id: PieceId) {
        let Some((message, piece)) = self.piece(id) else {
            return;
        };
        if std::mem::replace(&mut message.pieces[piece], PieceState::Confirmed)
            != PieceState::Confirmed
        {
            message.left -= 1;
        }
        while self
            .messages
            .front()
            .is_some_and(|message| message.left == 0)
        {
            let done = self.messages.pop_front();
            self.bytes -= done.map_or(0, |done| done.bytes.len() + MESSAGE_MEMORY);
            self.first += 1;
        }
    }

    /// Notes that the datagram with a piece got lost.
    pub(crate) fn lose(&mut self, id: PieceId) {
        if let Some((message, piece)) = self.piece(id)
            && let state @ PieceState::Sent { .. } = &mut message.pieces[piece]
        {
            *state = PieceState::Due;
        }
    }
}

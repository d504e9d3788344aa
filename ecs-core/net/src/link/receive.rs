//! Messages that arrive in pieces, twice, or in another order.

use std::collections::BTreeMap;

use super::send::{PIECE, WHOLE, WINDOW};
use crate::peer::MAX_MESSAGE;
use crate::wire::DatagramError;

/// The memory that a message takes beside its bytes, and each of its pieces: so that messages without bytes count, too.
pub(crate) const OVERHEAD: usize = 64;
const PIECE_OVERHEAD: usize = 16;

/// The number of unreliable messages that wait for more pieces.
const PARTIAL: usize = 16;

/// A message in pieces.
#[derive(Debug)]
pub(crate) struct MessagePieces {
    pieces: Vec<Option<Box<[u8]>>>,
    left: usize,
    memory: usize,
}

/// A piece as it has arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrivedPiece<'a> {
    pub(crate) message: u64,
    /// The piece and the number of pieces; `None` for a whole message.
    pub(crate) piece: Option<(u32, u32)>,
    pub(crate) bytes: &'a [u8],
}

impl ArrivedPiece<'_> {
    /// Makes the checks that do not depend on other pieces.
    pub(crate) fn check(&self) -> Result<(), DatagramError> {
        let Some((piece, count)) = self.piece else {
            return if self.bytes.len() <= WHOLE {
                Ok(())
            } else {
                Err(DatagramError::TooLarge)
            };
        };
        if count as usize > MAX_MESSAGE.div_ceil(PIECE) {
            return Err(DatagramError::TooLarge);
        }
        let is_last = u64::from(piece) + 1 == u64::from(count);
        let fits = if is_last {
            (1..=PIECE).contains(&self.bytes.len())
        } else {
            self.bytes.len() == PIECE
        };
        if count < 2 || piece >= count || !fits {
            return Err(DatagramError::BadPiece);
        }
        Ok(())
    }
}

impl MessagePieces {
    fn new(count: u32) -> Self {
        let count = count as usize;
        Self {
            pieces: vec![None; count],
            left: count,
            memory: OVERHEAD + count * PIECE_OVERHEAD,
        }
    }

    /// Adds a piece; returns the number of bytes of memory that it takes.
    fn add(&mut self, piece: u32, count: u32, bytes: &[u8]) -> Result<usize, DatagramError> {
        if self.pieces.len() != count as usize {
            return Err(DatagramError::BadPiece);
        }
        let place = &mut self.pieces[piece as usize];
        if place.is_some() {
            return Ok(0);
        }
        *place = Some(bytes.into());
        self.left -= 1;
        self.memory += bytes.len();
        Ok(bytes.len())
    }

    /// Returns the message if no piece is missing.
    fn whole(&mut self) -> Option<Vec<u8>> {
        if self.left > 0 {
            return None;
        }
        let pieces = std::mem::take(&mut self.pieces);
        Some(pieces.into_iter().flatten().flatten().collect())
    }
}

/// A message that cannot be delivered yet, or was delivered before earlier ones.
#[derive(Debug)]
enum HeldMessage {
    Partial(MessagePieces),
    Whole(Vec<u8>),
    Delivered,
}

/// The messages of a reliable channel beyond the first one that is missing.
#[derive(Debug)]
pub(crate) struct ReceiveQueue {
    is_ordered: bool,
    /// The number of the first message that is missing.
    next: u64,
    held: BTreeMap<u64, HeldMessage>,
    /// The bytes of memory of `held`.
    pub(crate) memory: usize,
}

impl ReceiveQueue {
    pub(crate) const fn new(is_ordered: bool) -> Self {
        Self {
            is_ordered,
            next: 0,
            held: BTreeMap::new(),
            memory: 0,
        }
    }

    /// Checks a piece against those that have arrived.
    pub(crate) fn check(&self, arrived: &ArrivedPiece<'_>) -> Result<(), DatagramError> {
        arrived.check()?;
        if arrived.message >= self.next.saturating_add(WINDOW) {
            return Err(DatagramError::BeyondWindow);
        }
        match (self.held.get(&arrived.message), arrived.piece) {
            (Some(HeldMessage::Partial(_)), None) => Err(DatagramError::BadPiece),
            (Some(HeldMessage::Partial(pieces)), Some((_, count)))
                if pieces.pieces.len() != count as usize =>
            {
                Err(DatagramError::BadPiece)
            }
            _ => Ok(()),
        }
    }

    /// Adds a piece, and passes messages on that are complete and in order.
    pub(crate) fn add(
        &mut self,
        arrived: ArrivedPiece<'_>,
        mut deliver: impl FnMut(Vec<u8>),
    ) -> Result<(), DatagramError> {
        self.check(&arrived)?;
        let number = arrived.message;
        if number < self.next {
            return Ok(());
        }
        let whole = match (self.held.get_mut(&number), arrived.piece) {
            (Some(HeldMessage::Whole(_) | HeldMessage::Delivered), _) => return Ok(()),
            (Some(HeldMessage::Partial(_)), None) => return Err(DatagramError::BadPiece),
            (None, None) => arrived.bytes.to_vec(),
            (Some(HeldMessage::Partial(pieces)), Some((piece, count))) => {
                self.memory += pieces.add(piece, count, arrived.bytes)?;
                let Some(whole) = pieces.whole() else {
                    return Ok(());
                };
                self.memory -= pieces.memory;
                self.held.remove(&number);
                whole
            }
            (None, Some((piece, count))) => {
                let mut pieces = MessagePieces::new(count);
                pieces.add(piece, count, arrived.bytes)?;
                self.memory += pieces.memory;
                self.held.insert(number, HeldMessage::Partial(pieces));
                return Ok(());
            }
        };
        if self.is_ordered && number > self.next {
            self.memory += OVERHEAD + whole.len();
            self.held.insert(number, HeldMessage::Whole(whole));
            return Ok(());
        }
        deliver(whole);
        if number > self.next {
            self.memory += OVERHEAD;
            self.held.insert(number, HeldMessage::Delivered);
            return Ok(());
        }
        self.next += 1;
        while let Some(entry) = self.held.first_entry()
            && *entry.key() == self.next
            && !matches!(entry.get(), HeldMessage::Partial(_))
        {
            self.memory -= OVERHEAD;
            if let HeldMessage::Whole(whole) = entry.remove() {
                self.memory -= whole.len();
                deliver(whole);
            }
            self.next += 1;
        }
        Ok(())
    }
}

/// Unreliable messages in pieces. The oldest one is dropped if there are too many.
#[derive(Debug, Default)]
pub(crate) struct UnreliablePieces {
    partial: BTreeMap<u64, MessagePieces>,
    /// All messages below were dropped.
    floor: u64,
    pub(crate) memory: usize,
}

impl UnreliablePieces {
    /// Adds a piece; returns the message if it is complete.
    pub(crate) fn add(
        &mut self,
        number: u64,
        (piece, count): (u32, u32),
        bytes: &[u8],
    ) -> Result<Option<Vec<u8>>, DatagramError> {
        if number < self.floor {
            return Ok(None);
        }
        let is_new = !self.partial.contains_key(&number);
        let pieces = self
            .partial
            .entry(number)
            .or_insert_with(|| MessagePieces::new(count));
        let before = if is_new { 0 } else { pieces.memory };
        pieces.add(piece, count, bytes)?;
        self.memory += pieces.memory - before;
        let whole = pieces.whole();
        if whole.is_some() {
            self.remove(number);
        } else if self.partial.len() > PARTIAL
            && let Some((&oldest, _)) = self.partial.first_key_value()
        {
            self.remove(oldest);
            self.floor = oldest.saturating_add(1);
        }
        Ok(whole)
    }

    fn remove(&mut self, number: u64) {
        let removed = self.partial.remove(&number);
        self.memory -= removed.map_or(0, |removed| removed.memory);
    }
}

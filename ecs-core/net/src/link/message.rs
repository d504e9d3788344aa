//! Messages in datagrams.
//!
//! ```text
//! message: kind: u8, the fields of the kind, length: varint, bytes
//! ```
//! The lowest two bits of the kind are the channel; bit 4 marks a piece of a message, and bit 8 a question, which has no content.
//! A message of a reliable channel has its number. A piece has the number of its message, its own number and the count of pieces.

use super::receive::ArrivedPiece;
use crate::peer::Delivery;
use crate::wire::{DatagramError, WireReader, put_bytes, put_varint, varint_len};

const IS_PIECE: u8 = 4;

/// The kind of a question, which the other end confirms.
pub(super) const QUESTION: u8 = 8;

/// A message for a datagram.
#[derive(Clone, Copy)]
pub(super) struct WrittenMessage<'a> {
    pub(super) delivery: Delivery,
    pub(super) number: Option<u64>,
    /// The number of the piece, and the count of pieces.
    pub(super) piece: Option<(u32, u32)>,
    pub(super) bytes: &'a [u8],
}

impl WrittenMessage<'_> {
    /// Returns the number of bytes that it takes.
    pub(super) fn len(&self) -> usize {
        let piece =
            |(piece, count): (u32, u32)| varint_len(piece.into()) + varint_len(count.into());
        1 + self.number.map_or(0, varint_len)
            + self.piece.map_or(0, piece)
            + varint_len(self.bytes.len() as u64)
            + self.bytes.len()
    }

    pub(super) fn put(&self, out: &mut Vec<u8>) {
        let kind = match self.delivery {
            Delivery::Unreliable => 0,
            Delivery::Reliable => 1,
            Delivery::Ordered => 2,
        };
        out.push(kind | if self.piece.is_some() { IS_PIECE } else { 0 });
        if let Some(number) = self.number {
            put_varint(out, number);
        }
        if let Some((piece, count)) = self.piece {
            put_varint(out, piece.into());
            put_varint(out, count.into());
        }
        put_bytes(out, self.bytes);
    }
}

/// A message that was read.
pub(super) struct ReadMessage<'a> {
    pub(super) delivery: Delivery,
    pub(super) arrived: ArrivedPiece<'a>,
}

/// Reads a message; `None` for a question.
pub(super) fn read_message<'a>(
    input: &mut WireReader<'a>,
) -> Result<Option<ReadMessage<'a>>, DatagramError> {
    let kind = input.u8()?;
    if kind == QUESTION {
        return Ok(None);
    }
    let delivery = match kind & !IS_PIECE {
        0 => Delivery::Unreliable,
        1 => Delivery::Reliable,
        2 => Delivery::Ordered,
        _ => return Err(DatagramError::UnknownKind { kind }),
    };
    let is_piece = kind & IS_PIECE != 0;
    let message = match (delivery, is_piece) {
        (Delivery::Unreliable, false) => 0,
        _ => input.varint()?,
    };
    let piece = match is_piece {
        false => None,
        true => Some((
            input.at_most(u32::MAX.into())?,
            input.at_most(u32::MAX.into())?,
        )),
    };
    let piece = piece.map(|(piece, count)| (piece as u32, count as u32));
    let bytes = input.bytes()?;
    Ok(Some(ReadMessage {
        delivery,
        arrived: ArrivedPiece {
            message,
            piece,
            bytes,
        },
    }))
}

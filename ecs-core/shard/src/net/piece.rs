//! The messages between shards: pieces of frames, and farewells.
//!
//! A frame is one shard's part of a round for another. Threads pass it as it is. Between processes it is cut into pieces of
//! limited length, so that sending and receiving overlap, and buffers stay small. All numbers are little-endian:
//!
//! | bytes | piece of a frame | farewell |
//! |---|---|---|
//! | 8 | number of the round | milliseconds that the sender has waited, or had no sign of life |
//! | 8 | length of the frame | 0 |
//! | 8 | place of this piece in it | 0 |
//! | 4 | 0 | cause, from 1 |
//! | 4 | number of the sender | number of the sender |
//! | .. | bytes of the frame | four for each shard that is the cause |
//! | 8 | `ecs-end!` | `ecs-end!` |
//!
//! Where a connection breaks inside a piece, `link.rs` fills the rest with zeros. The last eight bytes tell such a piece.

use core::ops::Range;
use core::time::Duration;
use std::io::Write;

use timely_bytes::arc::Bytes;
use timely_communication::Bytesable;

use crate::net::FrameProblem;

/// The number of timely's channel that carries them.
pub(super) const CHANNEL: usize = 0;

/// The number of bytes in front of the frame's.
pub(super) const HEAD: usize = 32;

/// The number of bytes behind the frame's.
pub(super) const TAIL: usize = END.len();

/// The most bytes of a frame in one piece.
pub(super) const LONGEST_BODY: usize = 128 << 10;

const END: [u8; 8] = *b"ecs-end!";

/// A message between two shards.
pub(super) enum NetPiece {
    /// Bytes of a frame: all of them between threads.
    Part(FramePiece),
    /// The last message.
    Farewell(Farewell),
    /// Bytes from another process that are not checked yet.
    Raw(Bytes),
}

/// Bytes of a frame.
pub(super) struct FramePiece {
    pub(super) from: usize,
    pub(super) round: u64,
    /// The whole frame.
    pub(super) frame: Vec<u8>,
    /// The bytes in this piece.
    pub(super) range: Range<usize>,
}

/// The last message of a shard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Farewell {
    pub(super) from: usize,
    pub(super) cause: Cause,
}

/// The reason why a shard does no further round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// It has finished.
    Done,
    /// Its code has panicked.
    Panicked,
    /// It has lost these shards.
    Lost(Vec<usize>),
    /// It has waited too long for these shards.
    Late(Vec<usize>, Duration),
    /// It has had no sign of life from these shards for a time.
    Silent(Vec<usize>, Duration),
}

/// A piece, read from bytes.
pub(super) enum Seen<'a> {
    Part {
        from: usize,
        round: u64,
        length: u64,
        at: u64,
        bytes: &'a [u8],
    },
    Farewell(Farewell),
}

/// The fixed fields in front of a piece.
pub(super) struct PieceHead {
    round: u64,
    length: u64,
    at: u64,
    kind: u32,
    pub(super) from: u32,
}

impl PieceHead {
    pub(super) fn read(bytes: &[u8; HEAD]) -> PieceHead {
        let long = |at: usize| u64::from_le_bytes(core::array::from_fn(|i| bytes[at + i]));
        let short = |at: usize| u32::from_le_bytes(core::array::from_fn(|i| bytes[at + i]));
        PieceHead {
            round: long(0),
            length: long(8),
            at: long(16),
            kind: short(24),
            from: short(28),
        }
    }

    fn write(&self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        bytes[..8].copy_from_slice(&self.round.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.length.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.at.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.kind.to_le_bytes());
        bytes[28..].copy_from_slice(&self.from.to_le_bytes());
        bytes
    }
}

/// Reads a piece from another process.
pub(super) fn read_piece(bytes: &[u8]) -> Result<Seen<'_>, FrameProblem> {
    let (head, rest) = bytes
        .split_first_chunk::<HEAD>()
        .ok_or(FrameProblem::Unknown)?;
    let (body, end) = rest
        .split_last_chunk::<TAIL>()
        .ok_or(FrameProblem::Unknown)?;
    if *end != END {
        return Err(FrameProblem::Unknown);
    }
    let head = PieceHead::read(head);
    let from = head.from as usize;
    if head.kind == 0 {
        return Ok(Seen::Part {
            from,
            round: head.round,
            length: head.length,
            at: head.at,
            bytes: body,
        });
    }
    let (shards, []) = body.as_chunks::<4>() else {
        return Err(FrameProblem::Unknown);
    };
    let shards = || {
        shards
            .iter()
            .map(|shard| u32::from_le_bytes(*shard) as usize)
            .collect()
    };
    let cause = match head.kind {
        1 => Cause::Done,
        2 => Cause::Panicked,
        3 => Cause::Lost(shards()),
        4 => Cause::Late(shards(), Duration::from_millis(head.round)),
        5 => Cause::Silent(shards(), Duration::from_millis(head.round)),
        _ => return Err(FrameProblem::Unknown),
    };
    Ok(Seen::Farewell(Farewell { from, cause }))
}

impl FramePiece {
    fn head(&self) -> PieceHead {
        let (length, at) = (self.frame.len() as u64, self.range.start as u64);
        PieceHead {
            round: self.round,
            length,
            at,
            kind: 0,
            from: self.from as u32,
        }
    }
}

impl Farewell {
    fn shards(&self) -> &[usize] {
        match &self.cause {
            Cause::Done | Cause::Panicked => &[],
            Cause::Lost(shards) | Cause::Late(shards, _) | Cause::Silent(shards, _) => shards,
        }
    }

    fn head(&self) -> PieceHead {
        let (kind, round) = match &self.cause {
            Cause::Done => (1, 0),
            Cause::Panicked => (2, 0),
            Cause::Lost(_) => (3, 0),
            Cause::Late(_, waited) => (4, waited.as_millis() as u64),
            Cause::Silent(_, waited) => (5, waited.as_millis() as u64),
        };
        PieceHead {
            round,
            length: 0,
            at: 0,
            kind,
            from: self.from as u32,
        }
    }
}

impl Bytesable for NetPiece {
    fn from_bytes(bytes: Bytes) -> NetPiece {
        NetPiece::Raw(bytes)
    }

    fn length_in_bytes(&self) -> usize {
        let body = match self {
            NetPiece::Part(part) => part.range.len(),
            NetPiece::Farewell(farewell) => farewell.shards().len() * 4,
            NetPiece::Raw(bytes) => return bytes.len(),
        };
        HEAD + body + TAIL
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        // The caller has reserved `length_in_bytes`.
        let mut write = |bytes: &[u8]| {
            writer
                .write_all(bytes)
                .expect("the buffer has room for the piece");
        };
        match self {
            NetPiece::Part(part) => {
                write(&part.head().write());
                write(&part.frame[part.range.clone()]);
            }
            NetPiece::Farewell(farewell) => {
                write(&farewell.head().write());
                for shard in farewell.shards() {
                    write(&(*shard as u32).to_le_bytes());
                }
            }
            NetPiece::Raw(bytes) => return write(bytes),
        }
        write(&END);
    }
}

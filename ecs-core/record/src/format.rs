//! The bytes of a part of a recording.
//!
//! ```text
//! "ecsrecrd", form: u32
//! records: [length: u32, checksum: u32, kind: u8, body]     the checksum is of the kind and the body
//! ```
//! A part begins with a head and a snapshot, so it can be played without the others. Everything is appended: a program that is
//! killed leaves all records that were written, and the last one may be cut off.
//!
//! Frames are numbered from the snapshot before them on. A record of a frame is written before its systems run, together with
//! the outcome of the frame before: `flags: u8`, and the values that they announce.

use std::time::Duration;

use ecs_data::__private::{HashPart, checksum, put_number, read_number};

/// The first bytes of a part.
pub(crate) const MAGIC: &[u8; 8] = b"ecsrecrd";

/// The version of the form, the only one that is read.
pub(crate) const FORM: u32 = 1;

/// Bytes before the body of a record.
pub(crate) const HEAD: usize = 4 + 4 + 1;

/// The subject of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum RecordKind {
    /// The hash of the schema (`u64`).
    Head = 0,
    /// The number of the next frame (`u64`); 1 if the frame before does not lead to it, otherwise 0 (`u8`); and an exact
    /// snapshot before it.
    Snapshot = 1,
    /// The end of the frame before, and the beginning of the next one: [`flags`].
    Frame = 2,
    /// The end of the frame before, which is the last one of the part: the hash of the world, and if it is of a part, its number and
    /// the number of parts.
    End = 3,
    /// The steps of the frame that has just ended, and a hash after each: `[number of the name, name at its first use, hash]`.
    Steps = 4,
    /// A panic in the frame that was begun last, which does not count: the system and the message.
    Panic = 5,
    /// The name of a resource that has changed between frames and cannot be recorded.
    Unrecorded = 6,
    /// The results of tasks that were passed on in the frame that has just ended: `[flush, position, kind: u8]`, and for the kind 2
    /// the value, a length and bytes.
    Tasks = 7,
    /// Like [`Snapshot`](Self::Snapshot), with the difference from the snapshot before it in the part: see `delta`.
    Delta = 8,
}

/// The most differences that follow each other before a whole snapshot.
pub(crate) const MAX_DELTAS: u32 = 32;

/// A snapshot that is written as a difference is at most so many times as long as its part.
pub(crate) const MAX_GROWTH: usize = 4;

/// The contents of [`RecordKind::Frame`], in this order.
pub(crate) mod flags {
    /// The hash of the world after the frame before (`u64`), or of a part of it; see [`PART`].
    pub(crate) const HASH: u8 = 1;
    /// The length of the frame in nanoseconds, if the frame before it in the part has another one.
    pub(crate) const DELTA: u8 = 2;
    /// The time that has passed outside of the game in nanoseconds, if it is another one.
    pub(crate) const REAL: u8 = 4;
    /// Resources that were removed: their number and names; and resources that were written: their number, and for each
    /// whether it was inserted, and the value.
    pub(crate) const INPUTS: u8 = 8;
    /// The number of the part whose hash it is, and the number of parts. It stands behind the hash.
    pub(crate) const PART: u8 = 16;
}

impl RecordKind {
    const ALL: [Self; 9] = [
        Self::Head,
        Self::Snapshot,
        Self::Frame,
        Self::End,
        Self::Steps,
        Self::Panic,
        Self::Unrecorded,
        Self::Tasks,
        Self::Delta,
    ];

    fn of_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }
}

/// Appends the first bytes of a part.
pub(crate) fn put_magic(out: &mut Vec<u8>) {
    out.extend(MAGIC);
    out.extend(FORM.to_le_bytes());
}

/// Appends a record whose body a function writes.
pub(crate) fn put_record(out: &mut Vec<u8>, kind: RecordKind, body: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend([0; HEAD - 1]);
    out.push(kind as u8);
    body(out);
    let length = (out.len() - start - HEAD) as u32;
    let sum = record_sum(&out[start + HEAD - 1..]);
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    out[start + 4..start + 8].copy_from_slice(&sum.to_le_bytes());
}

pub(crate) fn put_u64(out: &mut Vec<u8>, number: u64) {
    out.extend(number.to_le_bytes());
}

pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

/// Appends a time in nanoseconds. A frame of more than 584 years is that long.
pub(crate) fn put_duration(out: &mut Vec<u8>, duration: Duration) {
    put_number(out, u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX));
}

/// The hash of the world after a frame, or of a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordedHash {
    pub(crate) hash: u64,
    pub(crate) part: HashPart,
}

impl RecordedHash {
    /// Appends the hash, and its part if it is not the whole world.
    pub(crate) fn put(self, out: &mut Vec<u8>) {
        put_u64(out, self.hash);
        if !self.part.is_whole() {
            for number in self.part.numbers() {
                put_number(out, number.into());
            }
        }
    }

    /// Reads a hash, and its part if there is one.
    pub(crate) fn read(fields: &mut RecordFields<'_>, has_part: bool) -> Option<Self> {
        let hash = fields.u64()?;
        let mut number = || fields.number()?.try_into().ok();
        let part = match has_part {
            true => HashPart::new(number()?, number()?)?,
            false => HashPart::WHOLE,
        };
        Some(Self { hash, part })
    }

    /// Returns true if both are hashes of the same part, and differ.
    pub(crate) fn differs(self, other: Self) -> bool {
        self.part == other.part && self.hash != other.hash
    }
}

/// The checksum of a record: enough to notice a write that was cut off, and a bit that has changed.
fn record_sum(bytes: &[u8]) -> u32 {
    checksum(bytes) as u32
}

/// The reason why the records of a part end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordsEnd {
    /// All were read.
    Whole,
    /// The last one is cut off.
    Cut,
    /// The bytes of one are damaged.
    Damaged,
}

/// Reads records, up to the first that is not whole.
pub(crate) struct Records<'a> {
    rest: &'a [u8],
    at: usize,
    is_checked: bool,
    pub(crate) end: RecordsEnd,
}

impl<'a> Records<'a> {
    /// Reads the records of a part after its first bytes.
    pub(crate) fn new(part: &'a [u8]) -> Self {
        Self {
            rest: part.get(MAGIC.len() + 4..).unwrap_or_default(),
            at: MAGIC.len() + 4,
            is_checked: true,
            end: RecordsEnd::Whole,
        }
    }

    /// Reads the records of a part from one of them on, without their checksums, which were compared before.
    pub(crate) fn again(part: &'a [u8], at: usize) -> Self {
        Self {
            rest: part.get(at..).unwrap_or_default(),
            at,
            is_checked: false,
            end: RecordsEnd::Whole,
        }
    }

    /// Returns the number of bytes before the next record.
    pub(crate) fn at(&self) -> usize {
        self.at
    }
}

impl<'a> Iterator for Records<'a> {
    type Item = (RecordKind, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() || self.end != RecordsEnd::Whole {
            return None;
        }
        let mut fields = RecordFields(self.rest);
        let record = fields.u32().zip(fields.u32()).and_then(|(length, sum)| {
            let record = fields.0.get(..(length as usize).checked_add(1)?)?;
            Some((sum, record))
        });
        let Some((sum, record)) = record else {
            self.end = RecordsEnd::Cut;
            return None;
        };
        let kind = RecordKind::of_byte(record[0]);
        let Some(kind) = kind.filter(|_| !self.is_checked || record_sum(record) == sum) else {
            self.end = RecordsEnd::Damaged;
            return None;
        };
        let length = HEAD - 1 + record.len();
        self.rest = &self.rest[length..];
        self.at += length;
        Some((kind, &record[1..]))
    }
}

/// Returns the body of the record whose body begins at a position.
pub(crate) fn record_body(part: &[u8], at: usize) -> Option<&[u8]> {
    let length = RecordFields(part.get(at.checked_sub(HEAD)?..)?).u32()? as usize;
    part.get(at..)?.get(..length)
}

/// The fields of a record that have not been read; `None` where there are too few bytes.
pub(crate) struct RecordFields<'a>(pub(crate) &'a [u8]);

impl<'a> RecordFields<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*array)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        read_number(|| self.u8().ok_or(())).ok().flatten()
    }

    /// Takes a number of bytes.
    pub(crate) fn bytes(&mut self, length: u64) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn duration(&mut self) -> Option<Duration> {
        self.number().map(Duration::from_nanos)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = self.u32()? as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }
}

/// Makes the checksums of a part right, up to the first record that is not whole: for fuzzing.
pub fn seal_recording(part: &mut [u8]) {
    let mut at = MAGIC.len() + 4;
    while let Some(record) = part.get_mut(at..).filter(|rest| rest.len() >= HEAD) {
        let length = u32::from_le_bytes([record[0], record[1], record[2], record[3]]) as usize;
        let Some(record) = record.get_mut(..HEAD + length) else {
            return;
        };
        let sum = record_sum(&record[HEAD - 1..]);
        record[4..8].copy_from_slice(&sum.to_le_bytes());
        at += HEAD + length;
    }
}

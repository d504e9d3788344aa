//! The buffer of the binary form.

use serde_core::Serialize;

use super::error::EncodeError;
use super::sink::Sink;

/// The first room that is made, in bytes.
const FIRST: usize = 256;

/// A buffer of values in the binary form.
///
/// It is meant to be reused: bytes are set to zero only where the buffer grows.
///
/// ```
/// use ecs_core::data::codec::{Decoder, Encoder};
///
/// let mut encoder = Encoder::new();
/// encoder.values(&[(1u8, "one"), (2, "two")])?;
/// assert_eq!(encoder.bytes(), b"\x01\x03\0\0\0one\x02\x03\0\0\0two");
///
/// let mut decoder = Decoder::of_bytes(encoder.bytes());
/// assert_eq!(decoder.value::<(u8, String)>()?, (1, "one".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Encoder {
    /// Initialized as a whole. What is written is its first `used` bytes.
    buffer: Vec<u8>,
    used: usize,
    /// The levels around the values; not 0 inside of a map.
    depth: u32,
    canonical: bool,
}

impl Encoder {
    /// Returns an empty buffer. Entries of maps are written in the order of iteration.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            buffer: Vec::new(),
            used: 0,
            depth: 0,
            canonical: false,
        }
    }

    /// Returns an empty buffer in which equal maps are equal bytes: their entries are sorted by their keys' bytes.
    ///
    /// It is for hashes, and for saves that are compared. Other saves keep the order, which is part of the value for some maps
    /// (`IndexMap`).
    #[must_use]
    pub const fn canonical() -> Self {
        Self {
            buffer: Vec::new(),
            used: 0,
            depth: 0,
            canonical: true,
        }
    }

    pub(super) fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// Returns a buffer for entries of a map that is written to a sink.
    pub(super) fn of_entries(sink: &Sink<'_>) -> Self {
        let mut encoder = Self::canonical();
        encoder.depth = sink.depth();
        encoder
    }

    /// Returns what was written.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[..self.used]
    }

    /// Returns the number of bytes that were written.
    #[must_use]
    pub fn len(&self) -> usize {
        self.used
    }

    /// Returns `true` if nothing was written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Forgets what was written; the memory stays.
    pub fn clear(&mut self) {
        self.used = 0;
    }

    /// Forgets all but the first `len` bytes. Does nothing if there are fewer.
    pub fn truncate(&mut self, len: usize) {
        self.used = self.used.min(len);
    }

    /// Appends bytes as they are.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.buffer.len() - self.used < bytes.len() {
            self.grow(bytes.len());
        }
        let end = self.used + bytes.len();
        self.buffer[self.used..end].copy_from_slice(bytes);
        self.used = end;
    }

    /// Writes over bytes that were pushed: a length, say, when it is known.
    ///
    /// # Panics
    /// If there were never as many bytes.
    pub fn patch(&mut self, at: usize, bytes: &[u8]) {
        self.buffer[..self.used][at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Appends a value.
    ///
    /// # Errors
    /// If its `Serialize` fails, it is nested too deep or needs the names of its fields. Nothing was appended then.
    pub fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        loop {
            let mut sink = Sink::new(&mut self.buffer[self.used..], self.depth, self.canonical);
            let result = value.serialize(&mut sink);
            let (left, missing) = (sink.left(), sink.missing());
            if missing == 0 {
                if result.is_ok() {
                    self.used = self.buffer.len() - left;
                }
                return result;
            }
            self.grow(missing);
        }
    }

    /// Appends values without a length.
    ///
    /// # Errors
    /// As for [`value`](Self::value), with the number of the value ([`EncodeError::row`]). Nothing was appended then.
    pub fn values<T: Serialize>(&mut self, values: &[T]) -> Result<(), EncodeError> {
        let start = self.used;
        let mut row = 0;
        loop {
            // In a local of the loop: the cursor stays in registers.
            let mut sink = Sink::new(&mut self.buffer[self.used..], self.depth, self.canonical);
            let mut left = sink.left();
            let mut result = Ok(());
            for value in &values[row..] {
                result = value.serialize(&mut sink);
                if result.is_err() || sink.missing() != 0 {
                    break;
                }
                left = sink.left();
                sink.set_depth(self.depth);
                row += 1;
            }
            let missing = sink.missing();
            self.used = self.buffer.len() - left;
            if missing != 0 {
                self.grow_for(missing, start, row, values.len());
                continue;
            }
            if let Err(error) = result {
                self.used = start;
                return Err(error.at_row(row));
            }
            return Ok(());
        }
    }

    /// Makes room for all values, if the others are as long as those that were written.
    #[cold]
    fn grow_for(&mut self, missing: usize, start: usize, row: usize, rows: usize) {
        let written = (self.used - start) as u64;
        let others = match row {
            0 => 0,
            _ => (written as u128 * (rows - row) as u128).div_ceil(row as u128),
        };
        self.grow(missing.max(usize::try_from(others).unwrap_or(0)));
    }

    #[cold]
    fn grow(&mut self, missing: usize) {
        let needed = self
            .used
            .saturating_add(missing)
            .max(self.buffer.len().saturating_mul(2));
        self.buffer.resize(needed.max(FIRST), 0);
    }
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

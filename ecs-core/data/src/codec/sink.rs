//! The cursor over the free part of a buffer.
//!
//! It makes encoding fast, because it lives in the registers of the loop over rows. A row that does not fit is cut off and
//! written again when there is room. A `Vec` that grows at each field takes several times as long.

use std::mem;

use super::MAX_DEPTH;
use super::error::EncodeError;

pub struct Sink<'a> {
    rest: &'a mut [u8],
    /// The levels of the current value.
    depth: u32,
    /// The number of bytes that did not fit; 0 while all did.
    missing: usize,
    /// The maps that were written, if maps are sorted.
    maps: Option<&'a mut Maps>,
}

/// The maps that were written, and are to be sorted.
pub(super) struct Maps {
    pub(super) records: Vec<MapRecord>,
    /// Empty lists, whose memory the next maps reuse.
    pub(super) spare: Vec<Vec<usize>>,
}

impl Maps {
    pub(super) const fn new() -> Self {
        Self {
            records: Vec::new(),
            spare: Vec::new(),
        }
    }
}

/// The place of a map that was written, by the bytes that were left.
///
/// Entries are sorted after the whole value is written, because written bytes are behind the cursor.
pub(super) struct MapRecord {
    /// Before the first entry.
    pub(super) start: usize,
    /// Behind each entry.
    pub(super) ends: Vec<usize>,
}

/// The place of a length that is written when all elements are.
pub(super) type Slot<'a> = &'a mut [u8; 4];

impl<'a> Sink<'a> {
    #[inline]
    pub(super) fn new(rest: &'a mut [u8], maps: Option<&'a mut Maps>) -> Self {
        Self {
            rest,
            depth: 0,
            missing: 0,
            maps,
        }
    }

    #[inline]
    pub(super) fn put<const N: usize>(&mut self, bytes: [u8; N]) -> Result<(), EncodeError> {
        // First the length: if the cursor is in memory, taking it costs writes of its own.
        if self.rest.len() < N {
            return Err(self.full(N));
        }
        let (chunk, rest) = mem::take(&mut self.rest).split_at_mut(N);
        chunk.copy_from_slice(&bytes);
        self.rest = rest;
        Ok(())
    }

    #[inline]
    pub(super) fn put_slice(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        match mem::take(&mut self.rest).split_at_mut_checked(bytes.len()) {
            Some((chunk, rest)) => {
                chunk.copy_from_slice(bytes);
                self.rest = rest;
                Ok(())
            }
            None => Err(self.full(bytes.len())),
        }
    }

    /// Leaves room for a length.
    #[inline]
    pub(super) fn slot(&mut self) -> Result<Slot<'a>, EncodeError> {
        match mem::take(&mut self.rest).split_first_chunk_mut() {
            Some((chunk, rest)) => {
                self.rest = rest;
                Ok(chunk)
            }
            None => Err(self.full(4)),
        }
    }

    /// Writes a length.
    #[inline]
    pub(super) fn length(&mut self, length: usize) -> Result<(), EncodeError> {
        match u32::try_from(length) {
            Ok(length) => self.put(length.to_le_bytes()),
            Err(_) => Err(EncodeError::too_long()),
        }
    }

    /// Writes a byte if nothing was written since `left` bytes were left, so that no element takes none.
    #[inline]
    pub(super) fn pad(&mut self, left: usize) -> Result<(), EncodeError> {
        if self.rest.len() == left {
            self.put([0])
        } else {
            Ok(())
        }
    }

    /// Begins a level.
    #[inline]
    pub(super) fn enter(&mut self) -> Result<(), EncodeError> {
        if self.depth == MAX_DEPTH {
            return Err(EncodeError::too_deep(MAX_DEPTH));
        }
        self.depth += 1;
        Ok(())
    }

    /// Ends a level.
    #[inline]
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Begins a row. The levels of one that was not finished do not count.
    #[inline]
    pub(super) fn begin_row(&mut self) {
        self.depth = 0;
    }

    #[inline]
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    #[inline]
    pub(super) fn missing(&self) -> usize {
        self.missing
    }

    /// Returns an empty list of ends for a map, if maps are sorted.
    #[inline]
    pub(super) fn ends(&mut self) -> Option<Vec<usize>> {
        let maps = self.maps.as_mut()?;
        Some(maps.spare.pop().unwrap_or_default())
    }

    /// Notes that a map is to be sorted. Maps inside of it were noted before.
    pub(super) fn push_map(&mut self, map: MapRecord) {
        if let Some(maps) = &mut self.maps {
            maps.records.push(map);
        }
    }

    /// Returns the number of maps that were noted.
    #[inline]
    pub(super) fn maps(&self) -> usize {
        self.maps.as_ref().map_or(0, |maps| maps.records.len())
    }

    /// Nothing fits from now on. `missing` finds out about a `Serialize` that ignores the error.
    #[cold]
    fn full(&mut self, bytes: usize) -> EncodeError {
        self.rest = &mut [];
        self.missing = self.missing.saturating_add(bytes.max(1));
        EncodeError::FULL
    }
}

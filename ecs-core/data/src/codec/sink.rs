//! The cursor over the free part of a buffer.
//!
//! It makes encoding fast, because it lives in the registers of the loop over rows. A row that does not fit is cut off and
//! written again when there is room. A `Vec` that grows at each field takes several times as long.
//!
//! A row is written to a window, a slice whose length is a constant, so the compiler checks the length once per row. A row that is
//! longer than its window continues after it. The bytes are cells, because the window and all bytes are held at the same time.

use std::cell::Cell;

use super::MAX_DEPTH;
use super::error::EncodeError;

pub struct Sink<'a> {
    /// The next free bytes. `behind` more follow.
    rest: &'a [Cell<u8>],
    /// The number of free bytes behind the window; 0 without one.
    behind: usize,
    /// The bytes that were free when the row began.
    all: &'a [Cell<u8>],
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
pub(super) type Slot<'a> = &'a [Cell<u8>; 4];

/// Writes bytes to a place of the same length.
#[inline]
pub(super) fn write(place: &[Cell<u8>], bytes: &[u8]) {
    for (place, byte) in place.iter().zip(bytes) {
        place.set(*byte);
    }
}

impl<'a> Sink<'a> {
    #[inline]
    pub(super) fn new(rest: &'a mut [u8], maps: Option<&'a mut Maps>) -> Self {
        let all = Cell::from_mut(rest).as_slice_of_cells();
        Self {
            rest: all,
            behind: 0,
            all,
            depth: 0,
            missing: 0,
            maps,
        }
    }

    /// Makes all free bytes the next ones.
    #[inline]
    fn widen(&mut self) {
        self.rest = &self.all[self.all.len() - self.left()..];
        self.behind = 0;
    }

    /// Takes a fixed number of free bytes.
    #[inline]
    fn chunk<const N: usize>(&mut self) -> Result<&'a [Cell<u8>; N], EncodeError> {
        if self.rest.len() < N {
            self.widen();
        }
        match self.rest.split_first_chunk() {
            Some((chunk, rest)) => {
                self.rest = rest;
                Ok(chunk)
            }
            None => Err(self.full(N)),
        }
    }

    #[inline]
    pub(super) fn put<const N: usize>(&mut self, bytes: [u8; N]) -> Result<(), EncodeError> {
        let chunk = self.chunk::<N>()?;
        write(chunk, &bytes);
        Ok(())
    }

    #[inline]
    pub(super) fn put_slice(&mut self, bytes: &[u8]) -> Result<(), EncodeError> {
        self.widen();
        match self.rest.split_at_checked(bytes.len()) {
            Some((chunk, rest)) => {
                write(chunk, bytes);
                self.rest = rest;
                Ok(())
            }
            None => Err(self.full(bytes.len())),
        }
    }

    /// Leaves room for a length.
    #[inline]
    pub(super) fn slot(&mut self) -> Result<Slot<'a>, EncodeError> {
        let slot = self.chunk()?;
        // From here on lists have no window, because they compare how many bytes are left before and after an element.
        self.widen();
        Ok(slot)
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
        if self.left() == left {
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

    /// Begins a row of the type `T` with a window, and returns true; false if it does not fit. The levels of a row that was not
    /// finished do not count.
    #[inline]
    pub(super) fn begin_row<T>(&mut self) -> bool {
        self.widen();
        self.depth = 0;
        let length = const { window_of::<T>() };
        match self.rest.split_at_checked(length) {
            Some((window, behind)) => {
                (self.rest, self.behind, self.all) = (window, behind.len(), self.rest);
                true
            }
            None => {
                self.full(length);
                false
            }
        }
    }

    /// Returns the number of bytes that are left.
    #[inline]
    pub(super) fn left(&self) -> usize {
        self.rest.len() + self.behind
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
    ///
    /// It is inlined: the cursor would be in memory if a function got a reference to it.
    #[inline(always)]
    fn full(&mut self, bytes: usize) -> EncodeError {
        (self.rest, self.behind, self.all) = (&[], 0, &[]);
        self.missing = self.missing.saturating_add(bytes.max(1));
        EncodeError::FULL
    }
}

/// The bytes of a window. Most values without lists and texts have at most twice as many bytes as in memory: the tags of options
/// and enums can be longer.
pub(super) const fn window_of<T>() -> usize {
    size_of::<T>().saturating_mul(2).saturating_add(16)
}

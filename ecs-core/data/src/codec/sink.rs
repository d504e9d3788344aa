//! The cursor over the free part of a buffer.
//!
//! It makes encoding fast, because it lives in the registers of the loop over rows. A row that does not fit is cut off and
//! written again when there is room. A `Vec` that grows at each field takes several times as long.
//!
//! Most rows are written to a window, a slice whose length is a constant: the compiler merges the writes of neighbouring fields.
//! The number of windows that fit is known before the loop, so that rows which are short enough check no length. A row that is
//! longer than its window is cut off too, and written without one.

use std::marker::PhantomData;
use std::mem;

use super::MAX_DEPTH;
use super::error::EncodeError;

/// The free bytes of a buffer, for rows of the type `T`, or `()` for any values.
///
/// Because of this type, the code compiled for the fields of `T` is only part of one loop, and LLVM inlines it there. Many
/// components have a `[f32; 3]`, say, and a function shared by all of them would be called for each row, with the cursor in
/// memory.
pub struct Sink<'a, T> {
    /// The next free bytes.
    ///
    /// Invariants:
    /// 1. They are the last ones of those that the sink was made with, or none.
    rest: &'a mut [u8],
    /// The levels of the current value.
    depth: u32,
    /// The length of the last bytes that did not fit; 0 while all did.
    missing: usize,
    maps: SinkMaps<'a>,
    of: PhantomData<fn() -> T>,
}

/// What happens to the entries of maps.
pub(super) enum SinkMaps<'a> {
    AsTheyAre,
    /// They are sorted later.
    Sorted(&'a mut Maps),
    /// A row with a map is cut off, like one that does not fit.
    #[cfg(not(debug_assertions))]
    Refused,
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

impl<'a, T> Sink<'a, T> {
    #[inline]
    pub(super) fn new(rest: &'a mut [u8], maps: SinkMaps<'a>) -> Self {
        Self {
            rest,
            depth: 0,
            missing: 0,
            maps,
            of: PhantomData,
        }
    }

    /// Takes a fixed number of free bytes.
    #[inline]
    fn chunk<const N: usize>(&mut self) -> Result<&'a mut [u8; N], EncodeError> {
        // First the length: if the cursor is in memory, taking it costs writes of its own.
        if self.rest.len() < N {
            return Err(self.full(N));
        }
        match mem::take(&mut self.rest).split_first_chunk_mut() {
            Some((chunk, rest)) => {
                self.rest = rest;
                Ok(chunk)
            }
            None => Err(self.full(N)),
        }
    }

    #[inline]
    pub(super) fn put<const N: usize>(&mut self, bytes: [u8; N]) -> Result<(), EncodeError> {
        *self.chunk()? = bytes;
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
        self.chunk()
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

    /// Begins a level, and returns the depth outside of it.
    #[inline]
    pub(super) fn enter(&mut self) -> Result<u32, EncodeError> {
        let outside = self.depth;
        if outside == MAX_DEPTH {
            return Err(EncodeError::too_deep(MAX_DEPTH));
        }
        self.depth = outside + 1;
        Ok(outside)
    }

    /// Ends a level. The depth is not counted down: if the compiler has it in memory, each level would wait for the one before.
    #[inline]
    pub(super) fn leave(&mut self, outside: u32) {
        self.depth = outside;
    }

    /// Begins a row. The levels of one that was not finished do not count.
    #[inline]
    pub(super) fn begin_row(&mut self) {
        self.depth = 0;
    }

    /// Returns the number of bytes that are left.
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
    pub(super) fn ends(&mut self) -> Result<Option<Vec<usize>>, EncodeError> {
        match &mut self.maps {
            SinkMaps::AsTheyAre => Ok(None),
            SinkMaps::Sorted(maps) => Ok(Some(maps.spare.pop().unwrap_or_default())),
            #[cfg(not(debug_assertions))]
            SinkMaps::Refused => Err(self.full(1)),
        }
    }

    /// Notes that a map is to be sorted. Maps inside of it were noted before.
    pub(super) fn push_map(&mut self, map: MapRecord) {
        if let SinkMaps::Sorted(maps) = &mut self.maps {
            maps.records.push(map);
        }
    }

    /// Returns the number of maps that were noted.
    #[inline]
    pub(super) fn maps(&self) -> usize {
        match &self.maps {
            SinkMaps::Sorted(maps) => maps.records.len(),
            _ => 0,
        }
    }

    /// Nothing fits from now on. `missing` finds out about a `Serialize` that ignores the error.
    ///
    /// It is inlined: the cursor would be in memory if a function got a reference to it.
    #[inline(always)]
    fn full(&mut self, bytes: usize) -> EncodeError {
        self.rest = &mut [];
        self.missing = bytes.max(1);
        EncodeError::FULL
    }
}

/// The number of rows from which on they are written and read in windows: a row that is longer than its window is written twice.
#[cfg(not(debug_assertions))]
pub(super) const FEW_ROWS: usize = 4;

/// The bytes of a window. Most values without lists and texts have at most twice as many bytes as in memory: the tags of options
/// and enums can be longer.
#[cfg(not(debug_assertions))]
pub(super) const fn window_of<T>() -> usize {
    size_of::<T>().saturating_mul(2).saturating_add(16)
}

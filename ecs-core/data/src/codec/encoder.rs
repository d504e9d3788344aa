//! The buffer of the binary form.

use std::mem;
use std::ops::Range;
#[cfg(not(debug_assertions))]
use std::slice;

use serde_core::Serialize;

use super::error::EncodeError;
#[cfg(not(debug_assertions))]
use super::sink::{FEW_ROWS, window_of};
use super::sink::{Maps, Sink, SinkMaps};

/// The first allocation, in bytes.
const FIRST: usize = 256;

/// The bytes that are set to zero behind written ones whose memory is used again: those to write now are about as many.
const SPARE: usize = 4096;

/// A buffer of values in the binary form.
///
/// Reuse it: bytes are only set to zero where the buffer grows.
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
    /// Initialized as a whole. The written bytes are the first `used` ones.
    buffer: Vec<u8>,
    used: usize,
    canonical: bool,
    /// The maps being written that are still to be sorted, in the canonical form. None otherwise.
    maps: Maps,
    /// Memory for sorting.
    sorting: Sorting,
    /// The ends of the values that [`values`](Encoder::values) has written, in the canonical form.
    row_ends: Vec<usize>,
}

impl Encoder {
    /// Returns an empty buffer. Entries of maps are written in the order of iteration.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            buffer: Vec::new(),
            used: 0,
            canonical: false,
            maps: Maps::new(),
            sorting: Sorting::new(),
            row_ends: Vec::new(),
        }
    }

    /// Returns an empty buffer that writes equal maps as equal bytes: it sorts their entries by their keys' bytes.
    ///
    /// It is for hashes, and for saves that are compared. Other saves keep the order, which is part of the value for some maps
    /// (`IndexMap`).
    #[must_use]
    pub const fn canonical() -> Self {
        Self {
            buffer: Vec::new(),
            used: 0,
            canonical: true,
            maps: Maps::new(),
            sorting: Sorting::new(),
            row_ends: Vec::new(),
        }
    }

    pub(super) fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// Returns the written bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[..self.used]
    }

    /// Returns the number of written bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.used
    }

    /// Returns the end position of each value that [`values`](Self::values) has written since the buffer was last cleared; none
    /// if maps are not sorted.
    #[must_use]
    pub fn row_ends(&self) -> &[usize] {
        &self.row_ends
    }

    /// Returns the number of bytes that the buffer has memory for.
    pub(crate) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// Returns `true` if nothing was written.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.used == 0
    }

    /// Forgets the written bytes; the memory stays.
    pub fn clear(&mut self) {
        self.used = 0;
        self.row_ends.clear();
    }

    /// Forgets all but the first `len` bytes. Does nothing if there are fewer.
    pub fn truncate(&mut self, len: usize) {
        self.used = self.used.min(len);
    }

    /// Returns the written bytes.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.into_memory();
        if bytes.capacity() / 2 > bytes.len() {
            bytes.shrink_to_fit();
        }
        bytes
    }

    /// Returns the written bytes in all of the buffer's memory.
    #[doc(hidden)]
    #[must_use]
    pub fn into_memory(mut self) -> Vec<u8> {
        self.buffer.truncate(self.used);
        self.buffer
    }

    /// Returns an empty buffer with room for some bytes. Pages that are new from the system are not touched before they are used.
    pub(crate) fn with_room(bytes: usize) -> Self {
        Self {
            buffer: vec![0; bytes],
            ..Self::new()
        }
    }

    /// Returns an empty buffer in the memory of another one, if it has room for some bytes. Bytes that were written there are not
    /// set to zero, and few of the others are before they are used.
    #[doc(hidden)]
    #[must_use]
    pub fn in_memory(mut memory: Vec<u8>, bytes: usize) -> Self {
        match memory.capacity() < bytes {
            true => Self::with_room(bytes),
            false => {
                let len = memory.len();
                memory.resize(len.max(bytes.min(len + len / 8 + SPARE)), 0);
                Self {
                    buffer: memory,
                    ..Self::new()
                }
            }
        }
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

    /// Overwrites pushed bytes: a length, say, when it is known.
    ///
    /// # Panics
    /// If there have never been enough bytes.
    pub fn patch(&mut self, at: usize, bytes: &[u8]) {
        self.buffer[..self.used][at..at + bytes.len()].copy_from_slice(bytes);
    }

    /// Appends a value.
    ///
    /// # Errors
    /// If its `Serialize` fails, it is nested too deep or needs the names of its fields. In that case nothing was
    /// appended.
    pub fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        loop {
            let mut sink = self.sink();
            let result = value.serialize(&mut sink);
            let (left, missing) = (sink.left(), sink.missing());
            if missing == 0 {
                return match result {
                    Ok(()) => {
                        self.sort_maps(usize::MAX);
                        self.used = self.buffer.len() - left;
                        Ok(())
                    }
                    Err(error) => Err(error),
                };
            }
            self.grow(missing);
        }
    }

    /// Takes back the rows that were appended after `len`. All types share it, so each of them compiles faster.
    fn take_back(&mut self, len: usize) {
        self.used = len;
        self.row_ends.retain(|end| *end <= len);
    }

    /// Appends values without a length.
    ///
    /// # Errors
    /// As for [`value`](Self::value), with the number of the value ([`EncodeError::row`]). In that case nothing was
    /// appended.
    pub fn values<T: Serialize>(&mut self, values: &[T]) -> Result<(), EncodeError> {
        let start = self.used;
        #[cfg(not(debug_assertions))]
        let mut row = match values.len() < FEW_ROWS {
            true => 0,
            false => self.windows(values),
        };
        // In a debug build all rows, by functions that fields of all types share, which compile faster.
        #[cfg(debug_assertions)]
        let mut row = 0;
        while row < values.len() {
            let (len, is_canonical) = (self.buffer.len(), self.canonical);
            let mut ends = mem::take(&mut self.row_ends);
            // In locals of the loop: the cursor and the ends stay in registers.
            let mut sink = self.sink();
            let (mut left, mut maps) = (sink.left(), 0);
            let mut result = Ok(());
            for value in &values[row..] {
                sink.begin_row();
                result = value.serialize(&mut sink);
                if result.is_err() || sink.missing() != 0 {
                    break;
                }
                (left, maps) = (sink.left(), sink.maps());
                if is_canonical {
                    ends.push(len - left);
                }
                row += 1;
            }
            let missing = sink.missing();
            self.sort_maps(maps);
            self.row_ends = ends;
            self.used = len - left;
            if missing != 0 {
                self.grow_for(missing, start, row, values.len());
            } else if let Err(error) = result {
                self.take_back(start);
                return Err(error.at_row(row));
            }
        }
        Ok(())
    }

    /// Appends the first values, up to one that does not fit into a [window](window_of), has a map to sort or whose `Serialize`
    /// fails, and returns their number.
    #[cfg(not(debug_assertions))]
    #[inline]
    fn windows<T: Serialize>(&mut self, values: &[T]) -> usize {
        let length = const { window_of::<T>() };
        let (start, mut row) = (self.used, 0);
        while row < values.len() {
            let free = &mut self.buffer[self.used..];
            let fitting = free.len() / length;
            if fitting == 0 {
                // The last rows may fit where a window does not.
                let others = (self.used - start)
                    .div_ceil(row.max(1))
                    .saturating_mul(values.len() - row);
                if row > 0 && others <= free.len() {
                    break;
                }
                self.grow_for(length, start, row, values.len());
                continue;
            }
            let rows = &values[row..][..fitting.min(values.len() - row)];
            let mut ends = mem::take(&mut self.row_ends);
            let (before, is_canonical) = (ends.len(), self.canonical);
            if is_canonical {
                ends.resize(before + rows.len(), 0);
            }
            let places = &mut ends[before..];
            let maps = || match is_canonical {
                true => SinkMaps::Refused,
                false => SinkMaps::AsTheyAre,
            };
            let first = free.as_mut_ptr();
            let used = self.used;
            let (mut written, mut done) = (0, 0);
            for value in rows {
                // Nothing is checked here: for rows of one length this is a loop over an array, which LLVM unrolls.
                // SAFETY: the bytes that the rows before have taken are at most a window each, by invariant 1 of `Sink`, and
                // `free` has room for as many windows as rows.
                let place = unsafe { first.add(written) };
                // SAFETY: there is room for one more window, whose bytes are initialised, and the sink before is gone.
                let window = unsafe { slice::from_raw_parts_mut(place, length) };
                let mut sink = Sink::<T>::new(window, maps());
                if value.serialize(&mut sink).is_err() || sink.missing() != 0 {
                    break;
                }
                written += length - sink.left();
                if is_canonical && let Some(end) = places.get_mut(done) {
                    *end = used + written;
                }
                done += 1;
            }
            let is_cut = done < rows.len();
            ends.truncate(before + done);
            self.row_ends = ends;
            self.used += written;
            row += done;
            if is_cut {
                break;
            }
        }
        row
    }

    /// Returns a cursor over the free part of the buffer.
    #[inline]
    fn sink(&mut self) -> Sink<'_, ()> {
        let maps = if self.canonical {
            // A panic or an error left some.
            self.maps.records.clear();
            SinkMaps::Sorted(&mut self.maps)
        } else {
            SinkMaps::AsTheyAre
        };
        Sink::new(&mut self.buffer[self.used..], maps)
    }

    /// Sorts the entries of the first `count` maps that were noted.
    #[inline]
    fn sort_maps(&mut self, count: usize) {
        if !self.maps.records.is_empty() {
            self.sort_some(count);
        }
    }

    #[cold]
    fn sort_some(&mut self, count: usize) {
        let len = self.buffer.len();
        let Maps { records, spare } = &mut self.maps;
        // Maps inside of entries come first: entries are compared in their final form.
        for (number, mut map) in records.drain(..).enumerate() {
            if let Some(&end) = map.ends.last()
                && number < count
            {
                let written = &mut self.buffer[len - map.start..len - end];
                self.sorting.sort(written, map.start, &map.ends);
            }
            map.ends.clear();
            spare.push(map.ends);
        }
    }

    /// Makes room for all values, assuming that the others are as long as the written ones.
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
        let needed = needed.max(FIRST);
        if self.used < needed / 8 {
            // Memory that the system gives is zero already.
            let mut buffer = vec![0; needed];
            buffer[..self.used].copy_from_slice(&self.buffer[..self.used]);
            self.buffer = buffer;
        } else {
            self.buffer.resize(needed, 0);
        }
    }
}

/// Memory for sorting the entries of maps.
struct Sorting {
    entries: Vec<Range<usize>>,
    unsorted: Vec<u8>,
}

impl Sorting {
    const fn new() -> Self {
        Self {
            entries: Vec::new(),
            unsorted: Vec::new(),
        }
    }

    /// Sorts the entries that were written, given the bytes that were left before the first and after each.
    fn sort(&mut self, written: &mut [u8], start: usize, ends: &[usize]) {
        let Self { entries, unsorted } = self;
        entries.clear();
        let mut from = 0;
        for end in ends {
            entries.push(from..start - end);
            from = start - end;
        }
        // A `BTreeMap` usually iterates in this order.
        if entries.is_sorted_by(|one, other| written[one.clone()] <= written[other.clone()]) {
            return;
        }
        unsorted.clear();
        unsorted.extend_from_slice(written);
        entries.sort_unstable_by(|one, other| unsorted[one.clone()].cmp(&unsorted[other.clone()]));
        let mut at = 0;
        for entry in entries {
            let entry = &unsorted[entry.clone()];
            written[at..at + entry.len()].copy_from_slice(entry);
            at += entry.len();
        }
    }
}

impl Default for Encoder {
    fn default() -> Self {
        Self::new()
    }
}

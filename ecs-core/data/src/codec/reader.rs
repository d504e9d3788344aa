//! The cursor over bytes.
//!
//! It makes decoding fast, because it lives in the registers of the loop over rows. So functions that are not inlined get the
//! input other than bytes, and not the cursor, and trees are read by a copy.

use std::hint;
use std::marker::PhantomData;

use super::MAX_DEPTH;
use super::error::Raised;
use super::origin::{InputOrigin, OriginSource};
#[cfg(not(debug_assertions))]
use super::sink::window_of;

/// The kind of input.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum InputKind {
    Bytes,
    /// In a tree, which `origin` has. There are no bytes.
    Tree,
    /// Nowhere: it is made up. There are no bytes.
    Trace,
}

/// The rows that a reader reads.
pub trait RowSource {
    /// True if all of them begin with a window, so that there is no input but bytes.
    const IN_WINDOWS: bool;
    /// The bytes of a window.
    const WINDOW: usize;
}

/// Rows of the type `T` that begin with a window.
///
/// They are a type of their own, because a function that is compiled for them has no code for other input. So it's small
/// enough to be inlined, even if a row has several parts of one type.
#[cfg(not(debug_assertions))]
pub(super) struct Windowed<T>(PhantomData<T>);

#[cfg(not(debug_assertions))]
impl<T> RowSource for Windowed<T> {
    const IN_WINDOWS: bool = true;
    const WINDOW: usize = window_of::<T>();
}

/// Any values.
impl RowSource for () {
    const IN_WINDOWS: bool = false;
    const WINDOW: usize = 0;
}

/// The next values, of rows of the type `T`.
///
/// Because of this type, the code compiled for the fields of `T` is only part of one loop, and LLVM inlines it there. Many
/// components have a `[f32; 3]`, say, and a function shared by all of them would be called for each row, with the cursor in
/// memory.
pub struct RowReader<'d, 'a, T> {
    /// The remaining bytes; only the first of them in a window, so that their number is a constant when a row begins. The compiler
    /// sees that the window has all fields of a row that is not longer, and checks none of their lengths.
    ///
    /// Invariants:
    /// 1. In a row that has a window they are its last ones.
    bytes: &'a [u8],
    /// All bytes that were left when the row began, if it has a window.
    row: &'a [u8],
    /// The levels of the current value, unless it is a tree.
    depth: u32,
    kind: InputKind,
    pub(super) origin: &'d mut InputOrigin<'a>,
    of: PhantomData<fn() -> T>,
}

impl<'d, 'a, T: RowSource> RowReader<'d, 'a, T> {
    #[inline]
    pub(super) fn new(bytes: &'a [u8], origin: &'d mut InputOrigin<'a>) -> Self {
        let kind = match origin.source {
            OriginSource::Bytes => InputKind::Bytes,
            OriginSource::Tree(_) => InputKind::Tree,
            OriginSource::Trace(_) => InputKind::Trace,
        };
        origin.is_cut = false;
        Self {
            bytes,
            row: bytes,
            depth: 0,
            kind,
            origin,
            of: PhantomData,
        }
    }

    /// Returns the kind of input.
    #[inline(always)]
    pub(super) fn kind(&self) -> InputKind {
        if T::IN_WINDOWS {
            InputKind::Bytes
        } else {
            self.kind
        }
    }

    /// Returns a copy, to be passed on in place of this one.
    #[inline]
    pub(super) fn copy(&mut self) -> RowReader<'_, 'a, T> {
        RowReader {
            bytes: self.bytes,
            row: self.row,
            depth: self.depth,
            kind: self.kind,
            origin: &mut *self.origin,
            of: PhantomData,
        }
    }

    /// Sets the remaining bytes to a copy's remaining bytes.
    #[inline]
    pub(super) fn set_rest(&mut self, rest: &'a [u8]) {
        self.bytes = rest;
    }

    /// Returns the number of rows, at most `most`, that there are enough bytes for: a window for each if they are read in windows.
    #[inline]
    pub(super) fn fitting(&self, most: usize) -> usize {
        match T::IN_WINDOWS {
            true => most.min(self.bytes.len() / T::WINDOW),
            false => most,
        }
    }

    /// Begins a row. The levels of a row that was not finished do not count.
    ///
    /// # Safety
    /// It is one of the rows that [fit](Self::fitting), and all rows of them before it were read as a whole.
    #[inline]
    pub(super) unsafe fn begin_row(&mut self) {
        self.depth = 0;
        if T::IN_WINDOWS {
            // Without a check for each row, a loop over rows of one length is a loop over an array, which LLVM unrolls.
            // SAFETY: a row that is read as a whole has taken at most its window (1), so a window is left for each of the rows
            // that fit: the caller.
            unsafe { hint::assert_unchecked(self.bytes.len() >= T::WINDOW) };
            (self.row, self.bytes) = (self.bytes, &self.bytes[..T::WINDOW]);
        }
    }

    /// Ends a row that was read, or not, and returns true; false if the row was not read as a whole, because it is longer than its
    /// window. A row in a window that was not read is the next one again.
    #[inline]
    pub(super) fn end_row(&mut self, is_read: bool) -> bool {
        if !T::IN_WINDOWS {
            return true;
        }
        let is_whole = is_read && !self.origin.is_cut;
        self.bytes = match is_whole {
            true => &self.row[T::WINDOW - self.bytes.len()..],
            false => self.row,
        };
        is_whole
    }

    /// Returns the number of remaining bytes, in the window if there is one.
    #[inline]
    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    /// Ends, and returns the remaining bytes.
    #[inline]
    pub(super) fn into_rest(self) -> &'a [u8] {
        self.bytes
    }

    /// Reads a fixed number of bytes; `None` if they are not there, or values come from elsewhere.
    #[inline]
    pub(super) fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        match self.bytes.split_first_chunk() {
            Some((chunk, rest)) => {
                self.bytes = rest;
                Some(*chunk)
            }
            None => {
                // A `Deserialize` may swallow the error.
                if T::IN_WINDOWS {
                    self.origin.is_cut = true;
                }
                None
            }
        }
    }

    /// Returns the error if bytes are not there.
    #[inline]
    pub(super) fn ended(&mut self) -> Raised {
        if T::IN_WINDOWS {
            self.origin.is_cut = true;
            return Raised::CUT;
        }
        Raised::end()
    }

    /// Reads a length, which cannot be more than the bytes that are left.
    #[inline]
    pub(super) fn length(&mut self) -> Result<usize, Raised> {
        let Some(length) = self.chunk() else {
            return Err(self.ended());
        };
        let length = u32::from_le_bytes(length) as usize;
        if length > self.bytes.len() {
            return Err(match T::IN_WINDOWS {
                true => self.ended(),
                false => too_long(length, self.bytes.len()),
            });
        }
        Ok(length)
    }

    /// Reads a length, and that many bytes.
    #[inline]
    pub(super) fn slice(&mut self) -> Result<&'a [u8], Raised> {
        let length = self.length()?;
        let (slice, rest) = self.bytes.split_at(length);
        self.bytes = rest;
        Ok(slice)
    }

    /// Returns the number of elements to make room for, for a list of that length.
    #[inline]
    pub(super) fn reserve(&mut self, length: usize) -> usize {
        let room = length.min(self.origin.spare);
        self.origin.spare -= room;
        room
    }

    /// Reads the byte of an element that has no others; `left` bytes were left before it. Only bytes and real values have such
    /// elements.
    #[inline]
    pub(super) fn unpad(&mut self, left: usize) -> Result<(), Raised> {
        if self.bytes.len() != left {
            return Ok(());
        }
        match self.kind() {
            InputKind::Bytes => {}
            InputKind::Tree => return Ok(()),
            InputKind::Trace => return self.origin.end_element(),
        }
        match self.chunk() {
            Some([0]) => Ok(()),
            Some([byte]) => Err(Raised::new(format_args!(
                "an empty element is {byte} instead of 0"
            ))),
            None => Err(self.ended()),
        }
    }

    /// Begins a level.
    #[inline]
    pub(super) fn enter(&mut self) -> Result<(), Raised> {
        if self.depth == MAX_DEPTH {
            return Err(Raised::too_deep(MAX_DEPTH));
        }
        self.depth += 1;
        Ok(())
    }

    /// Ends a level.
    #[inline]
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Returns `true` if nothing is being read around the next value.
    #[inline]
    pub(super) fn is_outermost(&self) -> bool {
        self.depth == 0
    }

    /// Returns the number of elements that are made up: none in recursive types.
    pub(super) fn made(&self) -> usize {
        usize::from(self.depth <= 8)
    }
}

#[cold]
fn too_long(length: usize, left: usize) -> Raised {
    Raised::new(format_args!(
        "a length is {length}, but {left} bytes are left"
    ))
}

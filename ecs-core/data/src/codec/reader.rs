//! The cursor over bytes.
//!
//! It makes decoding fast, because it lives in the registers of the loop over rows. So functions that are not inlined get the
//! input other than bytes, and not the cursor, and trees are read by a copy.

use std::marker::PhantomData;

use super::MAX_DEPTH;
use super::error::Raised;
use super::origin::{InputOrigin, OriginSource};
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

/// The next values, of rows of the type `T`.
///
/// Because of this type, the code compiled for the fields of `T` is only part of one loop, and LLVM inlines it there. Many
/// components have a `[f32; 3]`, say, and a function shared by all of them would be called for each row, with the cursor in
/// memory.
pub struct RowReader<'d, 'a, T> {
    /// The remaining bytes; only the first of them if there is a `window`.
    bytes: &'a [u8],
    /// All bytes that were left when the row began, if `bytes` began as the first [`WINDOW`](Self::WINDOW) of these. That length
    /// is a constant, so the compiler sees that the window has all fields of a row that is not longer, and checks the length
    /// once per row.
    window: Option<&'a [u8]>,
    /// The levels of the current value, unless it is a tree.
    depth: u32,
    pub(super) kind: InputKind,
    pub(super) origin: &'d mut InputOrigin<'a>,
    of: PhantomData<fn() -> T>,
}

impl<'d, 'a, T> RowReader<'d, 'a, T> {
    /// The bytes of a window.
    const WINDOW: usize = window_of::<T>();

    #[inline]
    pub(super) fn new(bytes: &'a [u8], origin: &'d mut InputOrigin<'a>) -> Self {
        let kind = match origin.source {
            OriginSource::Bytes => InputKind::Bytes,
            OriginSource::Tree(_) => InputKind::Tree,
            OriginSource::Trace(_) => InputKind::Trace,
        };
        Self {
            bytes,
            window: None,
            depth: 0,
            kind,
            origin,
            of: PhantomData,
        }
    }

    /// Returns a reader of those rows that begin with a window. Only bytes have one, so the compiler leaves out all other
    /// kinds.
    #[inline]
    pub(super) fn of_windows(bytes: &'a [u8], origin: &'d mut InputOrigin<'a>) -> Self {
        Self {
            bytes,
            window: None,
            depth: 0,
            kind: InputKind::Bytes,
            origin,
            of: PhantomData,
        }
    }

    /// Returns a copy, to be passed on in place of this one.
    #[inline]
    pub(super) fn copy(&mut self) -> RowReader<'_, 'a, T> {
        RowReader {
            bytes: self.bytes,
            window: self.window,
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
        self.window = None;
    }

    /// Begins a row, and returns true if there are enough bytes for a window. The levels of a row that was not finished do not
    /// count.
    #[inline]
    pub(super) fn begin_row(&mut self) -> bool {
        self.widen();
        self.depth = 0;
        if let Some(window) = self.bytes.get(..Self::WINDOW) {
            self.window = Some(self.bytes);
            self.bytes = window;
        }
        self.window.is_some()
    }

    /// Makes all remaining bytes the next ones.
    #[inline]
    fn widen(&mut self) {
        if let Some(all) = self.window {
            self.bytes = &all[Self::WINDOW - self.bytes.len()..];
            self.window = None;
        }
    }

    /// Returns the number of remaining bytes, in the window if there is one.
    #[inline]
    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    /// Ends, and returns the remaining bytes.
    #[inline]
    pub(super) fn into_rest(mut self) -> &'a [u8] {
        self.widen();
        self.bytes
    }

    /// Reads a fixed number of bytes; `None` if they are not there, or values come from elsewhere.
    #[inline]
    pub(super) fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        if self.bytes.len() < N {
            self.widen();
        }
        match self.bytes.split_first_chunk() {
            Some((chunk, rest)) => {
                self.bytes = rest;
                Some(*chunk)
            }
            None => None,
        }
    }

    /// Reads a length, which cannot be more than the bytes that are left.
    #[inline]
    pub(super) fn length(&mut self) -> Result<usize, Raised> {
        let Some(length) = self.chunk() else {
            return Err(Raised::end());
        };
        // From here on lists have no window, because they compare how many bytes are left before and after an element.
        self.widen();
        let length = u32::from_le_bytes(length) as usize;
        if length > self.bytes.len() {
            return Err(too_long(length, self.bytes.len()));
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
        match self.kind {
            InputKind::Bytes => {}
            InputKind::Tree => return Ok(()),
            InputKind::Trace => return self.origin.end_element(),
        }
        match self.chunk() {
            Some([0]) => Ok(()),
            Some([byte]) => Err(Raised::new(format_args!(
                "an empty element is {byte} instead of 0"
            ))),
            None => Err(Raised::end()),
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

//! The input of a read: bytes of the binary form, or a tree.

use serde_core::Deserialize;

use super::MAX_DEPTH;
use super::error::{DecodeError, Position};
use super::trace::Trace;
use crate::Value;
use crate::value::{write_index, write_key};

/// Reads values from bytes in the binary form, or from a [`Value`].
///
/// It is one type for both, so that the user's `Deserialize` is compiled once.
///
/// Bytes may be of anyone: memory that is allocated is bounded by their number, lengths by what is left, and levels by 128.
pub struct Decoder<'a> {
    /// The bytes that are left. It is empty unless the source is bytes, so bytes are read without a look at the source.
    bytes: &'a [u8],
    len: usize,
    /// The elements for which lists may still make room ahead: one for each byte, as each element takes one.
    spare: usize,
    depth: u32,
    pub(super) source: Source<'a>,
    /// True if the value is a key, which formats may have made a text.
    pub(super) in_key: bool,
    /// The way to the current value of a tree.
    path: Vec<Step<'a>>,
}

pub(super) enum Source<'a> {
    Bytes,
    /// The next value of a tree; `None` when it was read.
    Tree(Option<&'a Value>),
    /// Values that are made up.
    Trace(&'a mut Trace),
}

#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    Index(usize),
    Key(&'a Value),
}

impl<'a> Decoder<'a> {
    /// Returns a decoder of the plain binary form.
    #[must_use]
    pub fn of_bytes(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            len: bytes.len(),
            spare: bytes.len(),
            ..Self::of(Source::Bytes)
        }
    }

    /// Returns a decoder of one tree. It reads one value.
    #[must_use]
    pub fn of_value(value: &'a Value) -> Self {
        Self::of(Source::Tree(Some(value)))
    }

    pub(super) fn of_trace(trace: &'a mut Trace) -> Self {
        Self::of(Source::Trace(trace))
    }

    fn of(source: Source<'a>) -> Self {
        Self {
            bytes: &[],
            len: 0,
            spare: 0,
            depth: 0,
            source,
            in_key: false,
            path: Vec::new(),
        }
    }

    /// Reads a value.
    ///
    /// # Errors
    /// If the data is not a value of that type, with its position.
    pub fn value<T: Deserialize<'a>>(&mut self) -> Result<T, DecodeError> {
        match T::deserialize(&mut *self) {
            Ok(value) => Ok(value),
            Err(error) => Err(self.locate(error)),
        }
    }

    /// Returns the number of bytes that were read.
    #[must_use]
    pub fn position(&self) -> usize {
        self.len - self.bytes.len()
    }

    /// Returns the bytes that are left.
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the next bytes as they are.
    ///
    /// # Errors
    /// If there are fewer.
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], DecodeError> {
        match self.bytes.split_at_checked(len) {
            Some((bytes, rest)) => {
                self.bytes = rest;
                Ok(bytes)
            }
            None => Err(self.locate(DecodeError::end())),
        }
    }

    /// Checks that all bytes were read.
    ///
    /// # Errors
    /// If some are left: what was read is not what was written.
    pub fn finish(&self) -> Result<(), DecodeError> {
        match self.bytes.len() {
            0 => Ok(()),
            left => Err(self.locate(DecodeError::new(format_args!(
                "{left} bytes are left after the last value"
            )))),
        }
    }

    /// Adds the current position to an error.
    #[cold]
    pub(super) fn locate(&self, error: DecodeError) -> DecodeError {
        error.at(|| match self.source {
            Source::Bytes => Some(Position::Byte(self.position())),
            Source::Trace(_) => None,
            Source::Tree(_) => {
                let mut path = String::new();
                for &step in &self.path {
                    match step {
                        Step::Index(index) => write_index(&mut path, index),
                        Step::Key(key) => write_key(&mut path, key),
                    }
                }
                // The first key is not behind anything.
                if path.starts_with('.') {
                    path.remove(0);
                }
                Some(Position::Path(path))
            }
        })
    }

    /// Reads bytes of a fixed number; `None` if they are not there, or values come from elsewhere.
    #[inline]
    pub(super) fn chunk<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (chunk, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*chunk)
    }

    /// Reads a length, which cannot be more than the bytes that are left.
    #[inline]
    pub(super) fn length(&mut self) -> Result<usize, DecodeError> {
        let Some(length) = self.chunk() else {
            return Err(DecodeError::end());
        };
        let length = u32::from_le_bytes(length) as usize;
        if length > self.bytes.len() {
            return Err(self.too_long(length));
        }
        Ok(length)
    }

    #[cold]
    fn too_long(&self, length: usize) -> DecodeError {
        DecodeError::new(format_args!(
            "a length is {length}, but {} bytes are left",
            self.bytes.len()
        ))
    }

    /// Returns the number of elements to make room for, of a list of that length.
    #[inline]
    pub(super) fn reserve(&mut self, length: usize) -> usize {
        let room = length.min(self.spare);
        self.spare -= room;
        room
    }

    /// Reads the byte of an element that has no others; `left` bytes were left before it. Only bytes have such.
    #[inline]
    pub(super) fn unpad(&mut self, left: usize) -> Result<(), DecodeError> {
        if self.bytes.len() == left && matches!(self.source, Source::Bytes) {
            self.unpad_empty()
        } else {
            Ok(())
        }
    }

    fn unpad_empty(&mut self) -> Result<(), DecodeError> {
        match self.chunk() {
            Some([0]) => Ok(()),
            Some([byte]) => Err(DecodeError::new(format_args!(
                "an empty element is {byte} instead of 0"
            ))),
            None => Err(DecodeError::end()),
        }
    }

    #[inline]
    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    /// Begins a level of bytes.
    #[inline]
    pub(super) fn enter(&mut self) -> Result<(), DecodeError> {
        if self.depth == MAX_DEPTH {
            return Err(DecodeError::too_deep(MAX_DEPTH));
        }
        self.depth += 1;
        Ok(())
    }

    /// Ends a level of bytes.
    #[inline]
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Returns `true` if nothing is being read around the next value.
    pub(super) fn is_outermost(&self) -> bool {
        self.depth == 0
    }

    /// Returns whether made-up values go no deeper.
    pub(super) fn is_deep(&self) -> bool {
        self.depth > 8
    }

    #[inline]
    pub(super) fn mark(&self) -> Mark {
        Mark {
            depth: self.depth,
            steps: self.path.len(),
        }
    }

    /// Returns to a level, also from one where an error was ignored.
    #[inline]
    pub(super) fn back_to(&mut self, mark: Mark) {
        self.depth = mark.depth;
        if self.path.len() != mark.steps {
            self.path.truncate(mark.steps);
        }
    }

    /// Makes a part of the value at the mark the next value. It is a level.
    pub(super) fn step_into(
        &mut self,
        mark: Mark,
        value: &'a Value,
        step: Step<'a>,
    ) -> Result<(), DecodeError> {
        self.back_to(mark);
        self.path.push(step);
        self.source = Source::Tree(Some(value));
        self.enter()
    }
}

/// A level, to return to.
#[derive(Clone, Copy)]
pub(super) struct Mark {
    depth: u32,
    steps: usize,
}

//! The input of `Deserialize`: bytes of the binary form, or a tree.

use serde_core::Deserialize;

use super::error::{DecodeError, ErrorPlace, Raised};
use super::origin::{InputOrigin, OriginSource};
use super::reader::{RowReader, RowSource};
use super::trace::TypeTrace;
use crate::Value;

/// Reads values from bytes in the binary form, or from a [`Value`].
///
/// It is one type for both, so that the user's `Deserialize` is compiled once.
///
/// The bytes may come from anywhere. So the decoder allocates no more memory than they justify, refuses a length that exceeds the
/// remaining bytes, and reads at most 128 levels.
pub struct Decoder<'a> {
    /// The remaining bytes. They are empty unless the source is bytes.
    bytes: &'a [u8],
    len: usize,
    origin: InputOrigin<'a>,
}

impl<'a> Decoder<'a> {
    /// Returns a decoder of the plain binary form.
    #[must_use]
    pub fn of_bytes(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            len: bytes.len(),
            origin: InputOrigin::new(OriginSource::Bytes, bytes.len()),
        }
    }

    /// Returns a decoder of one tree. It reads one value.
    #[must_use]
    pub fn of_value(value: &'a Value) -> Self {
        Self {
            bytes: &[],
            len: 0,
            origin: InputOrigin::new(OriginSource::Tree(Some(value)), 0),
        }
    }

    pub(super) fn of_trace(trace: &'a mut TypeTrace) -> Self {
        Self {
            bytes: &[],
            len: 0,
            origin: InputOrigin::new(OriginSource::Trace(trace), 0),
        }
    }

    /// Reads a value.
    ///
    /// # Errors
    /// If the data is not a value of that type, with its position.
    pub fn value<T: Deserialize<'a>>(&mut self) -> Result<T, DecodeError> {
        let mut reader = self.reader::<()>();
        let result = T::deserialize(&mut reader);
        let rest = reader.into_rest();
        self.bytes = rest;
        match result {
            Ok(value) => Ok(value),
            Err(error) => Err(self.locate(error.take())),
        }
    }

    /// Returns true if the input is bytes.
    pub(super) fn is_of_bytes(&self) -> bool {
        matches!(self.origin.source, OriginSource::Bytes)
    }

    /// Returns the number of bytes that were read.
    #[must_use]
    pub fn position(&self) -> usize {
        self.len - self.bytes.len()
    }

    /// Returns the remaining bytes.
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
            None => Err(self.locate(Raised::end().take())),
        }
    }

    /// Checks that all bytes were read.
    ///
    /// # Errors
    /// If some are left: the value that was read differs from the one that was written.
    pub fn finish(&self) -> Result<(), DecodeError> {
        match self.bytes.len() {
            0 => Ok(()),
            left => Err(self.locate(DecodeError::new(format_args!(
                "{left} bytes are left after the last value"
            )))),
        }
    }

    /// Returns a cursor for one or several values. Call `set_rest` afterwards, so that the decoder moves past them.
    #[inline]
    pub(super) fn reader<T: RowSource>(&mut self) -> RowReader<'_, 'a, T> {
        RowReader::new(self.bytes, &mut self.origin)
    }

    #[inline]
    pub(super) fn set_rest(&mut self, rest: &'a [u8]) {
        self.bytes = rest;
    }

    /// Adds the current position to an error.
    #[cold]
    pub(super) fn locate(&self, error: DecodeError) -> DecodeError {
        error.at(|| match self.origin.source {
            OriginSource::Bytes => Some(ErrorPlace::Byte(self.position())),
            OriginSource::Tree(_) => Some(ErrorPlace::Path(self.origin.path())),
            OriginSource::Trace(_) => None,
        })
    }
}

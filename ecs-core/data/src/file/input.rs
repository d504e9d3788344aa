//! Reads numbers and lists from bytes that are not trusted.

use super::FileError;
use super::number::read_number;

/// Bytes that are read from the front.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FileInput<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> FileInput<'a> {
    pub(crate) const fn new(all: &'a [u8]) -> Self {
        Self { all, at: 0 }
    }

    /// Reads some of the bytes; positions count from the first of all.
    pub(crate) fn between(all: &'a [u8], start: usize, end: usize) -> Self {
        let all = &all[..end];
        Self { all, at: start }
    }

    /// The position in bytes.
    pub(crate) const fn at(&self) -> usize {
        self.at
    }

    pub(crate) const fn left(&self) -> usize {
        self.all.len() - self.at
    }

    /// The error of a problem at the bytes before the position.
    pub(crate) const fn malformed(&self, before: usize, problem: &'static str) -> FileError {
        let byte = self.at.saturating_sub(before);
        FileError::Malformed { byte, problem }
    }

    /// The error of bytes that end too early.
    pub(crate) const fn ended(&self) -> FileError {
        let length = self.all.len();
        FileError::Truncated { length }
    }

    pub(crate) fn take(&mut self, len: usize) -> Result<&'a [u8], FileError> {
        if len > self.left() {
            return Err(self.ended());
        }
        let taken = &self.all[self.at..self.at + len];
        self.at += len;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], FileError> {
        let taken = self.take(N)?;
        Ok(taken.try_into().expect("as many bytes as were taken"))
    }

    pub(crate) fn u8(&mut self) -> Result<u8, FileError> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, FileError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, FileError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// Reads a number in groups of seven bits, the lowest first.
    pub(crate) fn number(&mut self) -> Result<u64, FileError> {
        let number = read_number(|| self.u8())?;
        number.ok_or_else(|| self.malformed(10, "a number is too long"))
    }

    /// Reads the length of a list whose elements have at least `size` bytes each, and checks that the remaining bytes suffice.
    pub(crate) fn length(&mut self, size: usize) -> Result<usize, FileError> {
        let length = self.u32()? as usize;
        if length > self.left() / size {
            return Err(FileError::Truncated {
                length: self.all.len(),
            });
        }
        Ok(length)
    }

    /// Reads a text.
    pub(crate) fn text(&mut self) -> Result<&'a str, FileError> {
        let length = self.length(1)?;
        let bytes = self.take(length)?;
        let text = core::str::from_utf8(bytes);
        text.map_err(|_| self.malformed(length, "a name is not UTF-8"))
    }

    pub(crate) fn u32s(&mut self, len: usize) -> Result<Vec<u32>, FileError> {
        let bytes = len.checked_mul(4);
        let bytes = self.take(bytes.unwrap_or(usize::MAX))?;
        let words = bytes.chunks_exact(4);
        Ok(words
            .map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
            .collect())
    }
}

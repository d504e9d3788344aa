//! Numbers and bytes in datagrams.
//!
//! Numbers that are mostly small take one byte for each seven bits, the lowest ones first; the highest bit of a byte says that
//! another one follows.

use std::fmt;

pub(crate) use ecs_data::__private::put_number as put_varint;

/// The reason why a datagram, or a message in it, is refused. It has changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DatagramError {
    /// It ends too early, or a length in it is beyond its end.
    Truncated,
    /// There is more after its end.
    TooLong,
    /// There is no such kind of datagram or message.
    UnknownKind {
        /// The byte that says the kind.
        kind: u8,
    },
    /// A number is out of its bounds.
    BadNumber,
    /// A message is longer than [`MAX_MESSAGE`](crate::MAX_MESSAGE).
    TooLarge,
    /// The number of a message is too far ahead: an honest sender waits for confirmations before.
    BeyondWindow,
    /// A piece of a message does not fit the others.
    BadPiece,
    /// It is of a connection that does not exist.
    NoConnection,
    /// It confirms a datagram that was never sent.
    NeverSent,
}

impl fmt::Display for DatagramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Truncated => f.write_str("the datagram ends too early"),
            Self::TooLong => f.write_str("there is more after the end of the datagram"),
            Self::UnknownKind { kind } => write!(f, "there is no kind {kind} of datagrams"),
            Self::BadNumber => f.write_str("a number in the datagram is out of its bounds"),
            Self::TooLarge => f.write_str("a message is longer than allowed"),
            Self::BeyondWindow => f.write_str("a message is too far ahead of those before"),
            Self::BadPiece => f.write_str("a piece of a message does not fit the others"),
            Self::NoConnection => f.write_str("the datagram belongs to no connection"),
            Self::NeverSent => f.write_str("the datagram confirms one that was never sent"),
        }
    }
}

impl std::error::Error for DatagramError {}

/// Returns the number of bytes that [`put_varint`] writes.
pub(crate) const fn varint_len(number: u64) -> usize {
    let bits = 64 - (number | 1).leading_zeros() as usize;
    bits.div_ceil(7)
}

/// Appends bytes after their number.
pub(crate) fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

/// Reads what the functions above have written. Every read checks the end; none allocates.
#[derive(Clone, Debug)]
pub(crate) struct WireReader<'a>(&'a [u8]);

impl<'a> WireReader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.0
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], DatagramError> {
        let (taken, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(DatagramError::Truncated)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DatagramError> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(DatagramError::Truncated)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, DatagramError> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, DatagramError> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn varint(&mut self) -> Result<u64, DatagramError> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = u64::from(self.u8()?);
            let bits = byte & 0x7F;
            if bits << shift >> shift != bits {
                return Err(DatagramError::BadNumber);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(DatagramError::BadNumber)
    }

    /// Reads a number that is not above `most`.
    pub(crate) fn at_most(&mut self, most: u64) -> Result<u64, DatagramError> {
        let number = self.varint()?;
        if number > most {
            return Err(DatagramError::BadNumber);
        }
        Ok(number)
    }

    pub(crate) fn bytes(&mut self) -> Result<&'a [u8], DatagramError> {
        let length = self.varint()?;
        self.take(usize::try_from(length).map_err(|_| DatagramError::Truncated)?)
    }

    pub(crate) const fn finish(self) -> Result<(), DatagramError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(DatagramError::TooLong)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_take_the_bytes_that_were_promised() {
        for shift in 0..64 {
            for number in [1_u64 << shift, (1_u64 << shift) - 1, u64::MAX >> shift] {
                let mut bytes = Vec::new();
                put_varint(&mut bytes, number);
                assert_eq!(bytes.len(), varint_len(number), "{number}");
                let mut reader = WireReader::new(&bytes);
                assert_eq!(reader.varint(), Ok(number));
                assert_eq!(reader.finish(), Ok(()));
            }
        }
    }

    #[test]
    fn a_number_above_64_bits_is_an_error() {
        let mut bytes = vec![0xFF; 9];
        bytes.push(2);
        assert_eq!(
            WireReader::new(&bytes).varint(),
            Err(DatagramError::BadNumber)
        );
        assert_eq!(
            WireReader::new(&[0x80; 20]).varint(),
            Err(DatagramError::BadNumber)
        );
    }
}

//! The checksum of a file: it finds bytes that were damaged, and is no protection from those who mean harm.

use std::io::{self, Write};

/// Odd, with bits that look random.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A running checksum: eight bytes at a time, by a folded multiplication.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checksum {
    state: u64,
    /// The bytes after the last eight.
    rest: [u8; 8],
    length: u64,
}

impl Checksum {
    pub(crate) const fn new() -> Self {
        Self {
            state: MULTIPLIER,
            rest: [0; 8],
            length: 0,
        }
    }

    /// Returns the number of bytes.
    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    /// Adds bytes. The result does not depend on how they are divided into calls.
    pub(crate) fn add(&mut self, mut bytes: &[u8]) {
        let held = (self.length % 8) as usize;
        self.length += bytes.len() as u64;
        if held > 0 {
            let taken = bytes.len().min(8 - held);
            self.rest[held..held + taken].copy_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            if held + taken < 8 {
                return;
            }
            self.word(u64::from_le_bytes(self.rest));
        }
        while let Some((word, more)) = bytes.split_first_chunk() {
            self.word(u64::from_le_bytes(*word));
            bytes = more;
        }
        self.rest[..bytes.len()].copy_from_slice(bytes);
    }

    #[inline]
    fn word(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(MULTIPLIER);
        self.state = (product as u64 ^ (product >> 64) as u64).wrapping_add(word);
    }

    pub(crate) fn finish(mut self) -> u64 {
        let held = (self.length % 8) as usize;
        self.rest[held..].fill(0);
        self.word(u64::from_le_bytes(self.rest));
        self.word(self.length);
        self.state
    }
}

/// A writer that adds what it writes to a checksum.
pub(crate) struct Summed<W> {
    writer: W,
    pub(crate) sum: Checksum,
}

impl<W: Write> Summed<W> {
    pub(crate) const fn new(writer: W) -> Self {
        let sum = Checksum::new();
        Self { writer, sum }
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.add(bytes);
        self.writer.write_all(bytes)
    }

    pub(crate) fn put_u32(&mut self, number: u32) -> io::Result<()> {
        self.put(&number.to_le_bytes())
    }

    /// Writes zeros, so that the file is long enough for that many rows.
    pub(crate) fn pad(&mut self, rows: u64) -> io::Result<()> {
        let least = rows.div_ceil(super::ROWS_PER_BYTE);
        let mut left = least.saturating_sub(self.sum.length());
        self.put_u32(left as u32)?;
        while left > 0 {
            let zeros = left.min(1024);
            self.put(&[0; 1024][..zeros as usize])?;
            left -= zeros;
        }
        Ok(())
    }

    /// Writes the checksum of all before, and ends.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        let sum = self.sum.finish();
        self.writer.write_all(&sum.to_le_bytes())?;
        self.writer.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(parts: &[&[u8]]) -> u64 {
        let mut sum = Checksum::new();
        parts.iter().for_each(|part| sum.add(part));
        sum.finish()
    }

    #[test]
    fn the_division_into_calls_does_not_matter() {
        let bytes: Vec<u8> = (0..40).collect();
        for i in 0..=40 {
            for j in i..=40 {
                assert_eq!(of(&[&bytes[..i], &bytes[i..j], &bytes[j..]]), of(&[&bytes]));
            }
        }
    }

    #[test]
    fn every_bit_and_the_length_count() {
        let bytes = [0; 20];
        let sum = of(&[&bytes]);
        for i in 0..20 * 8 {
            let mut other = bytes;
            other[i / 8] ^= 1 << (i % 8);
            assert_ne!(of(&[&other]), sum, "bit {i}");
        }
        assert_ne!(of(&[&bytes[..19]]), sum);
        assert_ne!(of(&[&[0; 21]]), sum);
    }

    #[test]
    fn the_checksum_of_files_that_exist_does_not_change() {
        assert_eq!(of(&[b"a world is data"]), of(&[b"a world", b" is data"]));
        assert_eq!(of(&[]), 0x7c03_6b2e_f04b_0082);
    }
}

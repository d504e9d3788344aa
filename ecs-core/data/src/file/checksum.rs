//! The checksum of a file: it finds bytes that were damaged, and is no protection from those who mean harm.

use std::io::{self, Write};

use super::FileError;

/// Odd, with bits that look random.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// The numbers that are computed side by side, as each multiplication waits for the one before.
const LANES: usize = 4;
const BLOCK: usize = LANES * 8;

/// A running checksum: blocks of four words, each of which is folded into a number of its own by a multiplication.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checksum {
    states: [u64; LANES],
    /// The bytes after the last block.
    rest: [u8; BLOCK],
    length: u64,
}

impl Checksum {
    pub(crate) const fn new() -> Self {
        Self {
            states: [MULTIPLIER, !MULTIPLIER, MULTIPLIER >> 1, MULTIPLIER << 1],
            rest: [0; BLOCK],
            length: 0,
        }
    }

    /// Returns the number of bytes.
    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    /// Adds bytes. The result does not depend on how they are divided into calls.
    pub(crate) fn add(&mut self, mut bytes: &[u8]) {
        let held = (self.length % BLOCK as u64) as usize;
        self.length += bytes.len() as u64;
        if held > 0 {
            let taken = bytes.len().min(BLOCK - held);
            self.rest[held..held + taken].copy_from_slice(&bytes[..taken]);
            bytes = &bytes[taken..];
            if held + taken < BLOCK {
                return;
            }
            self.states = folded(self.states, &self.rest);
        }
        // In a local: the numbers stay in registers.
        let mut states = self.states;
        while let Some((block, more)) = bytes.split_first_chunk() {
            states = folded(states, block);
            bytes = more;
        }
        self.states = states;
        self.rest[..bytes.len()].copy_from_slice(bytes);
    }

    pub(crate) fn finish(mut self) -> u64 {
        let held = (self.length % BLOCK as u64) as usize;
        self.rest[held..].fill(0);
        let states = folded(self.states, &self.rest);
        states.into_iter().fold(self.length, fold)
    }
}

#[inline]
fn folded(states: [u64; LANES], block: &[u8; BLOCK]) -> [u64; LANES] {
    let (words, _) = block.as_chunks();
    std::array::from_fn(|lane| fold(states[lane], u64::from_le_bytes(words[lane])))
}

/// The check of the bytes of a file: in pieces, as they are read, because another pass over a large file takes longer than to
/// compute the checksum of what is in the caches of the processor.
pub(crate) struct Check<'a> {
    format: u32,
    /// All bytes before the checksum.
    bytes: &'a [u8],
    /// That of the first bytes, unless the form is an old one.
    sum: Checksum,
    /// The checksum that the file has.
    expected: u64,
}

impl<'a> Check<'a> {
    pub(super) const fn new(format: u32, bytes: &'a [u8], expected: u64) -> Self {
        let sum = Checksum::new();
        Self {
            format,
            bytes,
            sum,
            expected,
        }
    }

    /// Adds the bytes up to a position, if they were not yet.
    pub(crate) fn pass(&mut self, position: usize) {
        let passed = self.sum.length() as usize;
        if self.format >= 3
            && let Some(bytes) = self.bytes.get(passed..position)
        {
            self.sum.add(bytes);
        }
    }

    /// Adds all other bytes, and compares.
    pub(crate) fn finish(mut self) -> Result<(), FileError> {
        let sum = if self.format < 3 {
            of_old_forms(self.bytes)
        } else {
            self.pass(self.bytes.len());
            self.sum.finish()
        };
        if sum == self.expected {
            Ok(())
        } else {
            Err(FileError::Checksum)
        }
    }
}

/// Returns the checksum of a file of a form.
pub(crate) fn of_form(format: u32, bytes: &[u8]) -> u64 {
    if format < 3 {
        return of_old_forms(bytes);
    }
    let mut sum = Checksum::new();
    sum.add(bytes);
    sum.finish()
}

/// Returns the checksum of the forms 1 and 2, which has one number.
fn of_old_forms(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain([&last]);
    let state = words.fold(MULTIPLIER, |state, &word| {
        fold(state, u64::from_le_bytes(word))
    });
    fold(state, bytes.len() as u64)
}

#[inline]
fn fold(state: u64, word: u64) -> u64 {
    let product = u128::from(state ^ word) * u128::from(MULTIPLIER);
    (product as u64 ^ (product >> 64) as u64).wrapping_add(word)
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
        let bytes: Vec<u8> = (0..100).collect();
        for i in 0..=100 {
            for j in i..=100 {
                assert_eq!(of(&[&bytes[..i], &bytes[i..j], &bytes[j..]]), of(&[&bytes]));
            }
        }
    }

    #[test]
    fn a_file_is_checked_in_any_pieces() {
        let mut bytes: Vec<u8> = (0..100).collect();
        for format in [1, 2, 3] {
            let expected = of_form(format, &bytes);
            for i in 0..=100 {
                for j in 0..=100 {
                    let mut check = Check::new(format, &bytes, expected);
                    check.pass(i);
                    check.pass(j);
                    assert_eq!(check.finish(), Ok(()));
                }
                if i < 100 {
                    bytes[i] ^= 1;
                    let mut check = Check::new(format, &bytes, expected);
                    check.pass(50);
                    assert_eq!(check.finish(), Err(FileError::Checksum), "byte {i}");
                    bytes[i] ^= 1;
                }
            }
        }
    }

    #[test]
    fn every_bit_and_the_length_count() {
        let bytes = [0; 70];
        let sum = of(&[&bytes]);
        for i in 0..70 * 8 {
            let mut other = bytes;
            other[i / 8] ^= 1 << (i % 8);
            assert_ne!(of(&[&other]), sum, "bit {i}");
        }
        assert_ne!(of(&[&bytes[..69]]), sum);
        assert_ne!(of(&[&[0; 71]]), sum);
    }

    #[test]
    fn the_checksum_of_files_that_exist_does_not_change() {
        assert_eq!(of_old_forms(&[]), 0x7c03_6b2e_f04b_0082);
        assert_eq!(of_old_forms(b"a world is data"), 0x204f_f769_0ed0_788f);
        assert_eq!(of(&[]), 0x680f_cdf7_d143_bc4e);
        assert_eq!(
            of(&[b"a world is data, of more than thirty-two bytes"]),
            0xc821_b055_ddb0_86aa
        );
    }
}

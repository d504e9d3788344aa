//! The checksum of a file: it finds damaged bytes, but does not protect against people who mean harm.

use std::hash::Hasher;
use std::io::{self, Write};

use twox_hash::XxHash3_64;

use super::{FileError, old_checksums};

/// A running checksum: XXH3 with 64 bits, and without a seed.
pub(crate) struct Checksum {
    hasher: XxHash3_64,
    length: u64,
}

impl Checksum {
    pub(crate) fn new() -> Self {
        Self {
            hasher: XxHash3_64::new(),
            length: 0,
        }
    }

    /// Returns the number of bytes.
    pub(crate) const fn length(&self) -> u64 {
        self.length
    }

    /// Adds bytes. The result does not depend on how they are divided into calls.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len() as u64;
        self.hasher.write(bytes);
    }

    pub(crate) fn finish(&self) -> u64 {
        self.hasher.finish()
    }
}

/// The check of the bytes of a file. It works in pieces, while they are read, because another pass over a large file
/// takes longer than computing the checksum of bytes that are still in the caches of the processor.
pub(crate) struct ChecksumCheck<'a> {
    format: u32,
    /// All bytes before the checksum.
    bytes: &'a [u8],
    /// The checksum of the first bytes, unless the form is an old one.
    sum: Checksum,
    /// The checksum that the file has.
    expected: u64,
}

impl<'a> ChecksumCheck<'a> {
    pub(super) fn new(format: u32, bytes: &'a [u8], expected: u64) -> Self {
        let sum = Checksum::new();
        Self {
            format,
            bytes,
            sum,
            expected,
        }
    }

    /// Adds the bytes up to a position, unless they were added already.
    pub(crate) fn pass(&mut self, position: usize) {
        let passed = self.sum.length() as usize;
        if self.format > old_checksums::LAST
            && let Some(bytes) = self.bytes.get(passed..position)
        {
            self.sum.add(bytes);
        }
    }

    /// Adds all other bytes, and compares.
    pub(crate) fn finish(mut self) -> Result<(), FileError> {
        self.pass(self.bytes.len());
        let sum = match old_checksums::of(self.format, self.bytes) {
            Some(sum) => sum,
            None => self.sum.finish(),
        };
        if sum == self.expected {
            Ok(())
        } else {
            Err(FileError::Checksum)
        }
    }
}

/// Returns the checksum of a file of a form.
pub(super) fn of_form(format: u32, bytes: &[u8]) -> u64 {
    let old = old_checksums::of(format, bytes);
    old.unwrap_or_else(|| XxHash3_64::oneshot(bytes))
}

/// A writer that adds its output to a checksum.
pub(crate) struct Summed<W> {
    writer: W,
    pub(crate) sum: Checksum,
}

impl<W: Write> Summed<W> {
    pub(crate) fn new(writer: W) -> Self {
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

    /// Writes the checksum of everything before, and returns the writer.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        let sum = self.sum.finish();
        self.writer.write_all(&sum.to_le_bytes())?;
        self.writer.flush()?;
        Ok(self.writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::FORMAT;

    #[test]
    fn a_file_of_any_form_is_checked_in_any_pieces() {
        let mut bytes: Vec<u8> = (0..100).collect();
        for format in 1..=FORMAT {
            let expected = of_form(format, &bytes);
            for i in 0..=100 {
                for j in 0..=100 {
                    let mut check = ChecksumCheck::new(format, &bytes, expected);
                    check.pass(i);
                    check.pass(j);
                    assert_eq!(check.finish(), Ok(()));
                }
                if i < 100 {
                    bytes[i] ^= 1;
                    let mut check = ChecksumCheck::new(format, &bytes, expected);
                    check.pass(50);
                    assert_eq!(check.finish(), Err(FileError::Checksum), "byte {i}");
                    bytes[i] ^= 1;
                }
            }
        }
    }

    #[test]
    fn every_bit_and_the_length_count_in_every_form() {
        for format in 1..=FORMAT {
            let sum = of_form(format, &[0; 70]);
            for i in 0..70 * 8 {
                let mut other = [0; 70];
                other[i / 8] ^= 1 << (i % 8);
                assert_ne!(of_form(format, &other), sum, "bit {i}");
            }
            assert_ne!(of_form(format, &[0; 69]), sum);
            assert_ne!(of_form(format, &[0; 71]), sum);
        }
    }

    #[test]
    fn what_is_written_is_followed_by_the_checksum_of_its_form() {
        let mut file = Vec::new();
        let mut out = Summed::new(&mut file);
        out.put_u32(7).unwrap();
        out.put(b"a world is data").unwrap();
        out.pad(5000).unwrap();
        out.finish().unwrap();
        let (bytes, sum) = file.split_last_chunk().unwrap();
        assert_eq!(u64::from_le_bytes(*sum), of_form(FORMAT, bytes));
    }

    #[test]
    fn the_checksum_of_files_that_exist_does_not_change() {
        let long = b"a world is data, of more than thirty-two bytes";
        assert_eq!(of_form(2, &[]), 0x7c03_6b2e_f04b_0082);
        assert_eq!(of_form(2, b"a world is data"), 0x204f_f769_0ed0_788f);
        assert_eq!(of_form(3, &[]), 0x680f_cdf7_d143_bc4e);
        assert_eq!(of_form(3, long), 0xc821_b055_ddb0_86aa);
        // The same as in every other implementation of XXH3.
        assert_eq!(of_form(4, &[]), 0x2d06_8005_38d3_94c2);
        assert_eq!(of_form(4, long), 0xb7d6_5c0a_6c3a_c69a);
    }
}

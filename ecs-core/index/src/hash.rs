//! A hasher that is the same in each run.

use core::hash::{BuildHasherDefault, Hasher};

/// Multiplies each word into the hash, and adds both halves of the product, so that all bits depend on all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct KeyHasher(u64);

/// Builds [`KeyHasher`]s.
pub(crate) type BuildKeyHasher = BuildHasherDefault<KeyHasher>;

impl KeyHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        // The golden ratio, as in Knuth, "Sorting and Searching", 6.4.
        let factor = 0x9E37_79B9_7F4A_7C15;
        let product = u128::from(self.0.rotate_left(23) ^ word ^ factor) * u128::from(factor);
        self.0 = product as u64 ^ (product >> 64) as u64;
    }
}

impl Hasher for KeyHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for &word in words {
            self.add(u64::from_le_bytes(word));
        }
        if !rest.is_empty() {
            let mut last = [0; 8];
            last[..rest.len()].copy_from_slice(rest);
            // The length differs for texts that end with zeros.
            self.add(u64::from_le_bytes(last) ^ (rest.len() as u64) << 56);
        }
    }

    #[inline]
    fn write_u8(&mut self, n: u8) {
        self.add(n.into());
    }

    #[inline]
    fn write_u32(&mut self, n: u32) {
        self.add(n.into());
    }

    #[inline]
    fn write_u64(&mut self, n: u64) {
        self.add(n);
    }

    #[inline]
    fn write_usize(&mut self, n: usize) {
        self.add(n as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

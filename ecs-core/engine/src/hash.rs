//! Hashers for keys that are hashes already, and for indices.

use core::any::TypeId;
use core::hash::{BuildHasherDefault, Hasher};
use hashbrown::HashMap;

/// Uses the bits of a `TypeId` as the hash: they are a good hash already.
#[derive(Default)]
pub(crate) struct TypeIdHasher(u64);

/// Builds [`TypeIdHasher`]s.
pub(crate) type BuildTypeIdHasher = BuildHasherDefault<TypeIdHasher>;

/// A map by the bits of ids.
pub(crate) type IdMap<T> = HashMap<u64, T, BuildIndexHasher>;

/// A map from types to numbers.
pub(crate) type TypeMap = HashMap<TypeId, usize, BuildTypeIdHasher>;

impl Hasher for TypeIdHasher {
    fn write(&mut self, bytes: &[u8]) {
        // `TypeId` does not call this today; correct should that change.
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    #[inline]
    fn write_u64(&mut self, bits: u64) {
        self.0 = bits;
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// Spreads the bits of an index by a multiplication with the golden ratio (Knuth, "Sorting and Searching", 6.4).
#[derive(Default)]
pub struct IndexHasher(u64);

/// Builds [`IndexHasher`]s.
pub type BuildIndexHasher = BuildHasherDefault<IndexHasher>;

impl Hasher for IndexHasher {
    fn write(&mut self, bytes: &[u8]) {
        // Indices do not call this; correct for other keys.
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    #[inline]
    fn write_u32(&mut self, index: u32) {
        self.write_u64(u64::from(index));
    }

    #[inline]
    fn write_u64(&mut self, bits: u64) {
        // Indices at equal distances differ in the upper half of the product only, and maps look at the lowest bits.
        let product = (self.0 ^ bits).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = product.rotate_left(32);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

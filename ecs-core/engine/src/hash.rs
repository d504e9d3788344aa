//! A hasher for keys that are hashes already.

use core::any::TypeId;
use core::hash::{BuildHasherDefault, Hasher};
use std::collections::HashMap;

/// Uses the bits of a `TypeId`, which are a good hash already, as the hash.
#[derive(Default)]
pub(crate) struct TypeIdHasher(u64);

/// Builds [`TypeIdHasher`]s.
pub(crate) type BuildTypeIdHasher = BuildHasherDefault<TypeIdHasher>;

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

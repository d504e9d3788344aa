//! A checksum of rows that does not depend on their order.

/// A sum of the hashes of all rows, which is equal for worlds with the same rows in different orders.
#[derive(Default)]
pub struct Digest {
    sum: u64,
}

impl Digest {
    /// Adds a row: all values of one entity, in the same order for all peers.
    pub fn row(&mut self, values: impl IntoIterator<Item = f32>) {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for value in values {
            hash = (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0000_0100_0000_01b3);
        }
        // Spreads the last values over all bits before rows are added up.
        hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.sum = self.sum.wrapping_add(hash ^ (hash >> 29));
    }

    /// Returns the digest of the rows so far.
    #[must_use]
    pub const fn finish(&self) -> u64 {
        self.sum
    }

    /// Returns the digest of all rows of an iterator.
    #[must_use]
    pub fn of<R: IntoIterator<Item = f32>>(rows: impl IntoIterator<Item = R>) -> u64 {
        let mut digest = Self::default();
        for row in rows {
            digest.row(row);
        }
        digest.finish()
    }
}

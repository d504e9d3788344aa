//! A selection of a few rows.

/// A selection from a few consecutive rows: their numbers, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SomeRows(u64);

impl SomeRows {
    /// The greatest number of rows.
    pub(crate) const MOST: usize = 64;
    pub(crate) const NONE: Self = Self(0);

    /// Returns the first rows, and no others.
    ///
    /// # Panics
    /// If there are none, or too many.
    #[inline]
    pub(crate) fn first(len: usize) -> Self {
        assert!((1..=Self::MOST).contains(&len), "{len} rows");
        Self(u64::MAX >> (Self::MOST - len))
    }

    #[inline]
    pub(crate) fn one(row: usize) -> Self {
        Self(1 << row)
    }

    #[inline]
    pub(crate) fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    #[inline]
    pub(crate) fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// Returns the number of rows.
    #[inline]
    pub(crate) fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Takes the first row.
    #[inline]
    pub(crate) fn take_first(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let row = self.0.trailing_zeros();
        self.0 &= self.0 - 1;
        Some(row as usize)
    }

    /// Iterates over the numbers, in order.
    #[inline]
    pub(crate) fn iter(self) -> impl Iterator<Item = usize> {
        let mut left = self;
        std::iter::from_fn(move || left.take_first())
    }

    /// Returns the rows that a function accepts.
    #[inline]
    pub(crate) fn filter(self, mut is: impl FnMut(usize) -> bool) -> Self {
        let mut held = Self::NONE;
        for row in self.iter() {
            held.0 |= u64::from(is(row)) << row;
        }
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_listed_once_and_in_order() {
        for len in [1, 2, 63, 64] {
            let all = SomeRows::first(len);
            assert!(all.iter().eq(0..len));
            let even = all.filter(|row| row % 2 == 0);
            assert!(even.iter().eq((0..len).step_by(2)));
            assert!(all.without(even).iter().eq((1..len).step_by(2)));
            assert_eq!(all.without(even).and(even), all);
        }
        assert_eq!(SomeRows::NONE.iter().count(), 0);
        assert!(SomeRows::one(63).iter().eq([63]));
    }

    #[test]
    #[should_panic(expected = "65 rows")]
    fn there_are_not_more_than_bits() {
        let _ = SomeRows::first(65);
    }
}

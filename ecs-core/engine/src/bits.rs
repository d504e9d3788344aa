//! Sets of small numbers.

use alloc::vec::Vec;
/// A bit set.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits(Vec<u64>);

impl Bits {
    /// The empty set.
    pub(crate) const NONE: Self = Self(Vec::new());

    /// Removes all numbers.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Inserts a number; returns `false` if the set had it already.
    pub(crate) fn insert(&mut self, n: usize) -> bool {
        if self.0.len() <= n / 64 {
            self.0.resize(n / 64 + 1, 0);
        }
        let word = &mut self.0[n / 64];
        let before = *word;
        *word |= 1 << (n % 64);
        *word != before
    }

    /// Inserts the numbers from `start` to before `end`.
    #[inline]
    pub(crate) fn insert_range(&mut self, start: usize, end: usize) {
        if start >= end {
            return;
        }
        let (first, last) = (start / 64, (end - 1) / 64);
        if self.0.len() <= last {
            self.0.resize(last + 1, 0);
        }
        for word in first..=last {
            let from = if word == first { start % 64 } else { 0 };
            let behind = if word == last { 63 - (end - 1) % 64 } else { 0 };
            self.0[word] |= u64::MAX << from & u64::MAX >> behind;
        }
    }

    pub(crate) fn contains(&self, n: usize) -> bool {
        let word = self.0.get(n / 64);
        word.is_some_and(|word| word >> (n % 64) & 1 == 1)
    }

    /// Returns the numbers from `64 * index` on, a bit each.
    #[inline]
    pub(crate) fn word(&self, index: u32) -> u64 {
        self.0.get(index as usize).copied().unwrap_or(0)
    }

    /// Removes a number, which must have been inserted once.
    pub(crate) fn remove(&mut self, n: usize) {
        self.0[n / 64] &= !(1 << (n % 64));
    }

    /// The lowest number in the set that is not below `n`.
    pub(crate) fn from(&self, n: usize) -> Option<usize> {
        let mut word = n / 64;
        let mut bits = self.0.get(word)? & (u64::MAX << (n % 64));
        while bits == 0 {
            word += 1;
            bits = *self.0.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }

    /// Returns the numbers, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> {
        core::iter::successors(self.from(0), |n| self.from(n + 1))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.from(0).is_none()
    }

    /// Removes and returns the lowest number.
    pub(crate) fn take_first(&mut self) -> Option<usize> {
        let first = self.from(0)?;
        self.remove(first);
        Some(first)
    }

    /// Removes and returns the highest number.
    pub(crate) fn take_last(&mut self) -> Option<usize> {
        while let Some(&word) = self.0.last() {
            if word != 0 {
                let last = self.0.len() * 64 - 1 - word.leading_zeros() as usize;
                self.remove(last);
                return Some(last);
            }
            self.0.pop();
        }
        None
    }

    /// Inserts all numbers of another set.
    pub(crate) fn union_with(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word |= other;
        }
    }

    /// Removes all numbers of another set.
    pub(crate) fn remove_all(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(&other.0) {
            *word &= !other;
        }
    }

    /// Returns true if the sets have a number in common.
    pub(crate) fn intersects(&self, other: &Self) -> bool {
        let words = self.0.len().min(other.0.len());
        (0..words).any(|word| self.0[word] & other.0[word] != 0)
    }
}

#[cfg(test)]
#[path = "bits_tests.rs"]
mod tests;

//! Sets of small numbers.

use alloc::vec::Vec;

/// A bit set. Numbers below 64 need no allocated memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bits {
    first: u64,
    /// The words after the first one.
    rest: Vec<u64>,
}

impl Bits {
    /// The empty set.
    pub(crate) const NONE: Self = Self {
        first: 0,
        rest: Vec::new(),
    };

    /// Removes all numbers.
    pub(crate) fn clear(&mut self) {
        self.first = 0;
        self.rest.clear();
    }

    /// Inserts a number; returns `false` if the set had it already.
    pub(crate) fn insert(&mut self, n: usize) -> bool {
        let word = self.word_mut(n / 64);
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
        self.word_mut(last);
        for word in first..=last {
            let from = if word == first { start % 64 } else { 0 };
            let behind = if word == last { 63 - (end - 1) % 64 } else { 0 };
            *self.word_mut(word) |= u64::MAX << from & u64::MAX >> behind;
        }
    }

    pub(crate) fn contains(&self, n: usize) -> bool {
        self.word(n / 64) >> (n % 64) & 1 == 1
    }

    /// Returns the numbers from `64 * index` on, a bit each.
    #[inline]
    pub(crate) fn word(&self, index: usize) -> u64 {
        match index.checked_sub(1) {
            None => self.first,
            Some(index) => self.rest.get(index).copied().unwrap_or(0),
        }
    }

    /// Returns the same word, for writing.
    fn word_mut(&mut self, index: usize) -> &mut u64 {
        let Some(index) = index.checked_sub(1) else {
            return &mut self.first;
        };
        if self.rest.len() <= index {
            self.rest.resize(index + 1, 0);
        }
        &mut self.rest[index]
    }

    /// Removes a number.
    pub(crate) fn remove(&mut self, n: usize) {
        *self.word_mut(n / 64) &= !(1 << (n % 64));
    }

    /// The lowest number in the set that is not below `n`.
    pub(crate) fn from(&self, n: usize) -> Option<usize> {
        let mut word = n / 64;
        let mut bits = self.word(word) & (u64::MAX << (n % 64));
        while bits == 0 {
            word += 1;
            bits = *self.rest.get(word - 1)?;
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
        while self.rest.last() == Some(&0) {
            self.rest.pop();
        }
        let last = self.rest.len();
        let last = last * 64 + self.word(last).checked_ilog2()? as usize;
        self.remove(last);
        Some(last)
    }

    /// Inserts all numbers of another set.
    pub(crate) fn union_with(&mut self, other: &Self) {
        self.first |= other.first;
        if self.rest.len() < other.rest.len() {
            self.rest.resize(other.rest.len(), 0);
        }
        for (word, other) in self.rest.iter_mut().zip(&other.rest) {
            *word |= other;
        }
    }

    /// Removes all numbers of another set.
    pub(crate) fn remove_all(&mut self, other: &Self) {
        self.first &= !other.first;
        for (word, other) in self.rest.iter_mut().zip(&other.rest) {
            *word &= !other;
        }
    }

    /// Returns true if the sets have a number in common.
    pub(crate) fn intersects(&self, other: &Self) -> bool {
        let mut rest = self.rest.iter().zip(&other.rest);
        self.first & other.first != 0 || rest.any(|(word, other)| word & other != 0)
    }
}

#[cfg(test)]
#[path = "bits_tests.rs"]
mod tests;

//! Words by entity index, in memory that grows with their number.

use alloc::vec::Vec;

use super::word_table::WordTable;
use crate::bytes::Bytes;

/// A word for each entity index, 0 unless it was set.
///
/// An array, so that a look-up is one load, and a hash table for indices far beyond it: the array is as long as its words
/// [justify](Self::grow_to). One word at index 1,000,000 takes a few slots of the table and not 8 MB. Pages would bound
/// memory too, but with pages of 4 KiB a join of two sets took 54 instructions per entity instead of 36, and an insertion
/// with its removal 133 instead of 110.
pub(super) struct SparseArray {
    near: Vec<u64>,
    /// Invariant 1: only has words of indices beyond `near`.
    far: WordTable,
    /// The length of the array for each word that is not 0, at most.
    len_per_word: usize,
}

/// The length of the first array.
const FIRST_LEN: usize = 8;

impl SparseArray {
    /// Creates an array whose words are all 0. It takes memory for at most `len_per_word` words for each word that is not 0.
    pub(super) const fn new(len_per_word: usize) -> Self {
        Self {
            near: Vec::new(),
            far: WordTable::new(),
            len_per_word,
        }
    }

    /// Returns the word of an index.
    #[inline]
    pub(super) fn get(&self, index: u32) -> u64 {
        match self.near.get(index as usize) {
            Some(&word) => word,
            None => self.get_far(index),
        }
    }

    /// Returns the word of an index beyond the array.
    #[inline]
    pub(super) fn get_far(&self, index: u32) -> u64 {
        self.far.get(index)
    }

    /// The words of the first indices: the array.
    #[inline]
    pub(super) fn near(&self) -> &[u64] {
        &self.near
    }

    /// Returns the word of an index in the array, for writing; `None` if the index is beyond it.
    #[inline]
    pub(super) fn near_mut(&mut self, index: u32) -> Option<&mut u64> {
        self.near.get_mut(index as usize)
    }

    /// Sets the word of an index to 0 and returns its former value.
    #[inline]
    pub(super) fn take(&mut self, index: u32) -> u64 {
        match self.near.get_mut(index as usize) {
            Some(word) => core::mem::take(word),
            None => self.far.take(index),
        }
    }

    /// Sets the word of an index, which is not 0. `entries` is at least the number of words that are not 0; it limits the
    /// memory of the array.
    #[inline]
    pub(super) fn set(&mut self, index: u32, word: u64, entries: usize) {
        match self.near.get_mut(index as usize) {
            Some(place) => *place = word,
            None => self.set_far(index, word, entries),
        }
    }

    #[cold]
    #[inline(never)]
    pub(super) fn set_far(&mut self, index: u32, word: u64, entries: usize) {
        debug_assert!(word != 0);
        self.grow_to(index as usize, entries);
        match self.near.get_mut(index as usize) {
            Some(place) => *place = word,
            None => self.far.set(index, word),
        }
    }

    /// Grows the array so that it has the index, if enough entries justify the new length. Grows by half at least, so that
    /// moving entries from the table is amortised. Does nothing if there is no memory.
    fn grow_to(&mut self, index: usize, entries: usize) {
        let len = self.near.len();
        let most = (entries + 1).saturating_mul(self.len_per_word);
        if index >= most || most < len + len / 2 {
            return;
        }
        let grown = most.min(FIRST_LEN.max(len * 2)).max(index + 1);
        if self.near.try_reserve_exact(grown - len).is_err() {
            return;
        }
        self.near.resize(grown, 0);
        for (index, word) in core::mem::replace(&mut self.far, WordTable::new()).into_words() {
            match self.near.get_mut(index as usize) {
                Some(place) => *place = word,
                None => self.far.set(index, word),
            }
        }
    }

    /// Counts the array and the table.
    pub(super) fn bytes(&self) -> Bytes {
        Bytes::of_list(&self.near) + self.far.bytes()
    }

    /// Counts the words that [`shrink`](Self::shrink) keeps in the array: up to the last one that the words before it
    /// justify.
    fn needed_len(&self) -> usize {
        let mut needed = 0;
        let mut most = 0;
        for (index, &word) in self.near.iter().enumerate() {
            if word != 0 {
                most += self.len_per_word;
                if index < most {
                    needed = index + 1;
                }
            }
        }
        needed
    }

    /// The bytes that [`shrink`](Self::shrink) gives back, at most.
    pub(super) fn spare_bytes(&self) -> usize {
        let spare = self.near.capacity() - self.needed_len();
        spare * size_of::<u64>() + self.far.spare_bytes()
    }

    /// Gives back unused memory: the part of the array that its words do not justify, whose words move to the table, and the
    /// part of the table that it does not need. It never takes more memory than before: a word that moves leaves a gap of
    /// `len_per_word` words.
    pub(super) fn shrink(&mut self) {
        let needed = self.needed_len();
        for (index, word) in (needed as u32..).zip(self.near.drain(needed..)) {
            if word != 0 {
                self.far.set(index, word);
            }
        }
        self.near.shrink_to_fit();
        self.far.shrink();
    }

    /// Sets all words to 0.
    pub(super) fn clear(&mut self) {
        self.near.fill(0);
        self.far.clear();
    }

    /// Checks invariant 1, and returns the indices whose words are not 0, in any order.
    #[cfg(feature = "validate")]
    pub(super) fn check(&self) -> Vec<u32> {
        let mut found = Vec::new();
        for (index, &word) in self.near.iter().enumerate() {
            if word != 0 {
                found.push(index as u32);
            }
        }
        for index in self.far.indices() {
            assert!(
                index as usize >= self.near.len(),
                "index {index} is behind the array"
            );
            found.push(index);
        }
        found
    }
}

#[cfg(test)]
#[path = "sparse_array_tests.rs"]
mod tests;

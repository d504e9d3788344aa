//! Words by entity index, in a hash table: for a few indices among many.

use alloc::vec::Vec;

use crate::bytes::Bytes;

/// A word for each entity index, 0 unless it was set. Only words other than 0 take memory.
///
/// A table with open addressing and linear probing (Knuth, "Sorting and Searching", 6.4, algorithms L and R). The groups of
/// control bytes in `hashbrown` are only worth their cost in larger tables or with slower comparisons: a join on a rare
/// component took 17 instructions more per entity with it, and an insertion with its removal 250.
pub(super) struct WordTable {
    /// Invariant 1: the number of slots is 0 or a power of two, and at least half of them are empty. Invariant 2: no slot
    /// between the [home](Self::home) of an index and its slot is empty.
    slots: Vec<WordSlot>,
    /// Invariant 3: the number of slots that are not empty.
    len: usize,
}

#[derive(Clone, Copy, Default)]
struct WordSlot {
    /// 0 if the slot is empty.
    word: u64,
    index: u32,
}

/// The number of slots of the first table.
const FIRST_LEN: usize = 4;

impl WordTable {
    pub(super) const fn new() -> Self {
        Self {
            slots: Vec::new(),
            len: 0,
        }
    }

    /// Returns the number of words that are not 0.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the word of an index.
    #[inline]
    pub(super) fn get(&self, index: u32) -> u64 {
        // An empty table costs no more than this test.
        match self.len {
            0 => 0,
            _ => self.slots[self.find(index)].word,
        }
    }

    /// Sets the word of an index, which is not 0.
    pub(super) fn set(&mut self, index: u32, word: u64) {
        debug_assert!(word != 0);
        if self.slots.len() <= 2 * self.len {
            self.resize(FIRST_LEN.max(2 * self.slots.len()));
        }
        let at = self.find(index);
        self.len += usize::from(self.slots[at].word == 0);
        self.slots[at] = WordSlot { word, index };
    }

    /// Sets the word of an index to 0 and returns its former value.
    pub(super) fn take(&mut self, index: u32) -> u64 {
        if self.len == 0 {
            return 0;
        }
        let mut gap = self.find(index);
        let word = core::mem::take(&mut self.slots[gap]).word;
        if word == 0 {
            return 0;
        }
        self.len -= 1;
        // Words in the following slots move into the gap, unless that would put them before their homes.
        let mask = self.slots.len() - 1;
        let mut at = (gap + 1) & mask;
        while self.slots[at].word != 0 {
            let from_home = at.wrapping_sub(self.home(self.slots[at].index)) & mask;
            if from_home >= at.wrapping_sub(gap) & mask {
                self.slots[gap] = core::mem::take(&mut self.slots[at]);
                gap = at;
            }
            at = (at + 1) & mask;
        }
        word
    }

    /// Returns the indices and words that are not 0, in any order.
    pub(super) fn into_words(self) -> impl Iterator<Item = (u32, u64)> {
        let used = self.slots.into_iter().filter(|slot| slot.word != 0);
        used.map(|slot| (slot.index, slot.word))
    }

    /// Returns the indices whose words are not 0, in any order.
    #[cfg(feature = "validate")]
    pub(super) fn indices(&self) -> impl Iterator<Item = u32> {
        let used = self.slots.iter().filter(|slot| slot.word != 0);
        used.map(|slot| slot.index)
    }

    /// Sets all words to 0.
    pub(super) fn clear(&mut self) {
        self.slots.fill(WordSlot::default());
        self.len = 0;
    }

    /// Counts the slots that [`shrink`](Self::shrink) keeps.
    fn needed_len(&self) -> usize {
        match self.len {
            0 => 0,
            len => FIRST_LEN.max((2 * len).next_power_of_two()),
        }
    }

    /// The bytes that [`shrink`](Self::shrink) gives back.
    pub(super) fn spare_bytes(&self) -> usize {
        (self.slots.capacity() - self.needed_len()) * size_of::<WordSlot>()
    }

    /// Gives back the memory that the words do not need.
    pub(super) fn shrink(&mut self) {
        if self.spare_bytes() > 0 {
            self.resize(self.needed_len());
        }
    }

    /// Counts the slots.
    pub(super) fn bytes(&self) -> Bytes {
        Bytes::of_values(self.len, self.slots.capacity(), size_of::<WordSlot>())
    }

    /// Moves the words to a table of another length, which has room for them.
    #[cold]
    fn resize(&mut self, len: usize) {
        let slots = alloc::vec![WordSlot::default(); len];
        for slot in core::mem::replace(&mut self.slots, slots) {
            if slot.word != 0 {
                let at = self.find(slot.index);
                self.slots[at] = slot;
            }
        }
    }

    /// Returns the slot of an index, or the empty slot that it would take. The table must have slots.
    #[inline]
    fn find(&self, index: u32) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.home(index);
        // Ends by invariant 1.
        while self.slots[at].index != index && self.slots[at].word != 0 {
            at = (at + 1) & mask;
        }
        at
    }

    /// Returns the first slot that may hold an index. A multiplication with the golden ratio puts neighbours far apart
    /// ("Fibonacci hashing").
    #[inline]
    fn home(&self, index: u32) -> usize {
        let spread = u64::from(index.wrapping_mul(0x9E37_79B9));
        // The upper bits of the product are the well mixed ones.
        ((spread * self.slots.len() as u64) >> 32) as usize
    }
}

#[cfg(test)]
#[path = "word_table_tests.rs"]
mod tests;

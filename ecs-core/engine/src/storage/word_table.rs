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
mod tests {
    use alloc::collections::BTreeMap;

    use super::*;

    /// Compares a table with a map over sets and takes of `indices`, in an order that changes with each round.
    fn compare(indices: &[u32]) {
        let mut table = WordTable::new();
        let mut map = BTreeMap::new();
        let mut random = 1_u64;
        for round in 0..20 * indices.len() {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let index = indices[(random >> 33) as usize % indices.len()];
            // Some rounds mostly set, others mostly take.
            let sets = (random >> 20) % 8
                < if (round / indices.len()).is_multiple_of(2) {
                    6
                } else {
                    1
                };
            if sets {
                table.set(index, random | 1);
                map.insert(index, random | 1);
            } else {
                assert_eq!(table.take(index), map.remove(&index).unwrap_or(0));
            }
            if round % 64 == 0 {
                for &index in indices {
                    assert_eq!(table.get(index), map.get(&index).copied().unwrap_or(0));
                }
            }
            if round % 501 == 500 {
                table.shrink();
                assert_eq!(table.spare_bytes(), 0);
            }
            let empty = table.slots.iter().filter(|slot| slot.word == 0).count();
            assert_eq!(table.slots.len() - empty, map.len());
            assert!(2 * empty >= table.slots.len());
        }
        assert_eq!(table.into_words().collect::<BTreeMap<_, _>>(), map);
    }

    #[test]
    fn words_are_those_of_a_map() {
        compare(&[0]);
        compare(&[0, u32::MAX]);
        compare(&(0..100).collect::<Vec<_>>());
        compare(&(0..300).map(|n| n << 12).collect::<Vec<_>>());
        compare(
            &(0..300_u32)
                .map(|n| n.wrapping_mul(0x0DEA_DBEE))
                .collect::<Vec<_>>(),
        );
        // Multiples of the multiplier's inverse: all homes are among the first slots.
        compare(
            &(0..64_u32)
                .map(|n| n.wrapping_mul(0x144C_BC89))
                .collect::<Vec<_>>(),
        );
    }

    #[test]
    fn indices_at_equal_distances_are_near_their_homes() {
        for distance in [1, 3, 7, 64, 100, 512, 4096, 65_536] {
            let mut table = WordTable::new();
            for n in 0..1000 {
                table.set(n * distance, 1);
            }
            let mask = table.slots.len() - 1;
            let steps = (0..1000).map(|n| {
                let index = n * distance;
                table.find(index).wrapping_sub(table.home(index)) & mask
            });
            let steps = steps.sum::<usize>();
            assert!(steps <= 1000, "{steps} for a distance of {distance}");
        }
    }
}

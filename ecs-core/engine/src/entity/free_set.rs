//! The set of free indices, from which the lowest one is allocated first.

use crate::bytes::Bytes;

/// A set of `u32`s: the lowest member, and the others as a hierarchy of bit words.
///
/// Level 0 has one bit per index; each higher level has one bit per word of the level below, set if that word is not
/// zero. Finding the lowest member reads one word per level, so `insert` and `take_first` cost O(log64(highest index)):
/// at most six words. If entities are despawned and spawned alternately, no word is touched.
#[derive(Debug, Default)]
pub(super) struct FreeSet {
    /// Invariant 1: lower than all members in `levels`; `None` if the set is empty.
    first: Option<u32>,
    /// Invariant 2: bit `i` of `levels[k + 1]` is set if and only if word `i` of `levels[k]` exists and is not zero.
    /// Invariant 3: the last level has exactly one word, unless there is no level.
    levels: Vec<Vec<u64>>,
    /// The number of members in `levels`.
    others: usize,
}

const BITS: usize = u64::BITS as usize;

impl FreeSet {
    pub(super) fn len(&self) -> usize {
        self.others + usize::from(self.first.is_some())
    }

    /// Inserts `index`, which must not be a member.
    #[inline]
    pub(super) fn insert(&mut self, index: u32) {
        debug_assert!(!self.contains(index));
        match self.first {
            None => self.first = Some(index),
            Some(first) => {
                self.first = Some(first.min(index));
                self.insert_other(first.max(index));
            }
        }
    }

    /// Removes and returns the lowest member.
    #[inline]
    pub(super) fn take_first(&mut self) -> Option<u32> {
        let first = self.first?;
        self.first = if self.others == 0 {
            None
        } else {
            self.take_first_other()
        };
        Some(first)
    }

    #[inline]
    fn insert_other(&mut self, index: u32) {
        let mut position = index as usize;
        if self
            .levels
            .first()
            .is_none_or(|words| words.len() <= position / BITS)
        {
            self.grow(position / BITS + 1);
        }
        for words in &mut self.levels {
            let word = &mut words[position / BITS];
            let was_empty = *word == 0;
            *word |= 1 << (position % BITS);
            if !was_empty {
                break;
            }
            position /= BITS;
        }
        self.others += 1;
    }

    /// Removes and returns the lowest member in the levels, which must not be empty.
    #[inline]
    fn take_first_other(&mut self) -> Option<u32> {
        let mut position = 0;
        for words in self.levels.iter().rev() {
            position = position * BITS + words[position].trailing_zeros() as usize;
        }
        let first = position;
        for words in &mut self.levels {
            let word = &mut words[position / BITS];
            *word &= !(1 << (position % BITS));
            if *word != 0 {
                break;
            }
            position /= BITS;
        }
        self.others -= 1;
        Some(first as u32)
    }

    /// Counts the words of all levels.
    pub(super) fn bytes(&self) -> Bytes {
        self.levels.iter().map(Bytes::of_list).sum()
    }

    /// Gives back memory that no word needs.
    pub(super) fn shrink(&mut self) {
        self.levels.iter_mut().for_each(Vec::shrink_to_fit);
    }

    pub(super) fn contains(&self, index: u32) -> bool {
        let (position, levels) = (index as usize, self.levels.first());
        self.first == Some(index)
            || levels
                .and_then(|words| words.get(position / BITS))
                .is_some_and(|word| word & (1 << (position % BITS)) != 0)
    }

    /// Extends level 0 to at least `words` words, and the levels above accordingly.
    #[cold]
    fn grow(&mut self, words: usize) {
        let mut needed = words;
        let mut level = 0;
        loop {
            if level == self.levels.len() {
                // A new top (invariant 2): the level below had one word so far (invariant 3); its new words are zero.
                let mut top = vec![0; needed];
                if let Some(below) = self.levels.last() {
                    top[0] = u64::from(below[0] != 0);
                }
                self.levels.push(top);
            } else if self.levels[level].len() < needed {
                // Doubling makes growth one by one linear; surplus words are zero and need no bit above.
                needed = needed.max(self.levels[level].len() * 2);
                self.levels[level].resize(needed, 0);
            }
            if self.levels[level].len() == 1 {
                return;
            }
            needed = self.levels[level].len().div_ceil(BITS);
            level += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_lowest_member_is_taken_first() {
        let mut set = FreeSet::default();
        for index in [70_000, 5, 64, 4096, 63, 0, 262_144] {
            set.insert(index);
        }
        let order: Vec<u32> = core::iter::from_fn(|| set.take_first()).collect();
        assert_eq!(order, [0, 5, 63, 64, 4096, 70_000, 262_144]);
        assert_eq!(set.take_first(), None);
    }

    #[test]
    fn behaves_like_a_sorted_set_under_random_use() {
        let steps = if cfg!(miri) { 500 } else { 50_000 };
        let (mut set, mut model) = (FreeSet::default(), BTreeSet::new());
        let mut random = 1_u64;
        for _ in 0..steps {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let index = (random >> 33) as u32 % 300_000;
            if random & (1 << 32) == 0 {
                if model.insert(index) {
                    set.insert(index);
                }
            } else {
                assert_eq!(set.take_first(), model.pop_first());
            }
            assert_eq!(set.len(), model.len());
            assert_eq!(set.contains(index), model.contains(&index));
        }
    }
}

//! The set of free indices. The lowest one is allocated first.

#[cfg(feature = "snapshot")]
mod members;

use alloc::vec::Vec;

use crate::bytes::Bytes;

/// A set of `u32`s: a bit per index, and higher levels of bits that lead to the lowest member.
///
/// A bit of a higher level says that the word below *may* have members. `take_first` leaves the bit when a word gets empty,
/// and the next search that meets it clears it. So taking and inserting members touches one word, except for the first
/// member of a word and the last one. Inserting and taking cost O(log64(highest index)), amortised: at most five levels.
#[derive(Debug, Default)]
pub(super) struct FreeSet {
    /// A bit per index.
    words: Vec<u64>,
    /// A bit per word of the level below; the lowest level is above `words`.
    /// Invariant 1: the bit of each word that is not zero is set in the level above, if there is one.
    /// Invariant 2: each level has a word for each 64 words of the level below, and the last one has one word. There is none
    /// while `words` has at most one word.
    upper: Vec<Vec<u64>>,
    /// Invariant 3: no word before this one has members. Unless the set is empty, there is such a word.
    first: usize,
    /// The number of members.
    len: usize,
}

const BITS: usize = u64::BITS as usize;

impl FreeSet {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Inserts `index`, which must not be a member.
    #[inline(always)]
    pub(super) fn insert(&mut self, index: u32) {
        debug_assert!(!self.contains(index));
        let place = index as usize / BITS;
        let Some(word) = self.words.get_mut(place) else {
            return self.insert_behind(index);
        };
        let was_empty = *word == 0;
        *word |= 1 << (index as usize % BITS);
        self.first = if self.len == 0 {
            place
        } else {
            self.first.min(place)
        };
        self.len += 1;
        if was_empty && !self.is_announced(place) {
            self.announce(place);
        }
    }

    /// [Inserts](Self::insert) an index beyond the last word.
    #[cold]
    #[inline(never)]
    fn insert_behind(&mut self, index: u32) {
        self.grow(index as usize / BITS + 1);
        self.insert(index);
    }

    /// Returns true if the bit of a word is set in the level above, or there is none.
    #[inline(always)]
    fn is_announced(&self, place: usize) -> bool {
        let above = self.upper.first();
        above.is_none_or(|above| above[place / BITS] >> (place % BITS) & 1 == 1)
    }

    /// Removes and returns the lowest member, if it is found without a search; [`take_first`](Self::take_first) finds it
    /// otherwise.
    #[inline(always)]
    pub(super) fn take_near(&mut self) -> Option<u32> {
        let place = self.first;
        let word = self.words.get_mut(place).filter(|word| **word != 0)?;
        let bit = word.trailing_zeros();
        *word &= *word - 1;
        self.len -= 1;
        Some((place * BITS) as u32 + bit)
    }

    /// Removes and returns the lowest member.
    pub(super) fn take_first(&mut self) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        self.seek();
        self.take_near()
    }

    /// Removes the lowest members, but at most `most` of them, that share a word. Returns them as bits, and the index of the
    /// lowest bit. No bit is set if the set is empty.
    #[inline]
    pub(super) fn take_word(&mut self, most: u32) -> (u32, u64) {
        if self.len == 0 {
            return (0, 0);
        }
        self.seek();
        let (place, word) = (self.first, self.words[self.first]);
        let mut taken = word;
        while taken.count_ones() > most {
            taken ^= 1 << (u64::BITS - 1 - taken.leading_zeros());
        }
        self.words[place] = word & !taken;
        self.len -= taken.count_ones() as usize;
        ((place * BITS) as u32, taken)
    }

    /// Iterates over the members in ascending order.
    #[inline]
    pub(super) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        let words = self.words.iter().enumerate().skip(self.first);
        words.flat_map(|(place, &word)| {
            let mut left = word;
            core::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros())?;
                left &= left - 1;
                Some((place * BITS) as u32 + bit)
            })
        })
    }

    /// Moves `first` to the lowest word with members. There is one.
    ///
    /// Each bit that is cleared on the way was set by an [`announce`](Self::announce) of its own.
    #[inline]
    fn seek(&mut self) {
        if self.words[self.first] != 0 {
            return;
        }
        // The next word is the likeliest, and found without clearing anything.
        let next = self.first + 1;
        self.first = match self.words.get(next) {
            Some(&word) if word != 0 => next,
            _ => self.find(),
        };
    }

    /// Returns the place of the lowest word with members. There is one.
    #[inline(never)]
    fn find(&mut self) -> usize {
        'search: loop {
            let mut place = 0;
            for level in (0..self.upper.len()).rev() {
                let word = self.upper[level][place];
                if word == 0 {
                    self.upper[level + 1][place / BITS] &= !(1 << (place % BITS));
                    continue 'search;
                }
                place = place * BITS + word.trailing_zeros() as usize;
            }
            if self.words[place] != 0 {
                return place;
            }
            self.upper[0][place / BITS] &= !(1 << (place % BITS));
        }
    }

    /// Sets the bits above a word.
    #[inline(never)]
    fn announce(&mut self, mut place: usize) {
        for words in &mut self.upper {
            words[place / BITS] |= 1 << (place % BITS);
            place /= BITS;
        }
    }

    /// Counts the words of all levels.
    pub(super) fn bytes(&self) -> Bytes {
        self.upper.iter().map(Bytes::of_list).sum::<Bytes>() + Bytes::of_list(&self.words)
    }

    /// Gives back memory that no word needs.
    pub(super) fn shrink(&mut self) {
        self.words.shrink_to_fit();
        self.upper.iter_mut().for_each(Vec::shrink_to_fit);
    }

    pub(super) fn contains(&self, index: u32) -> bool {
        let word = self.words.get(index as usize / BITS);
        word.is_some_and(|word| word >> (index as usize % BITS) & 1 == 1)
    }

    /// Extends `words` to `needed` words, and the levels above accordingly.
    fn grow(&mut self, mut needed: usize) {
        self.words.resize(needed, 0);
        let mut level = 0;
        while needed > 1 {
            needed = needed.div_ceil(BITS);
            if level == self.upper.len() {
                // The level below had one word so far, which may have members.
                self.upper.push(vec![1]);
            }
            self.upper[level].resize(needed, 0);
            level += 1;
        }
    }

    /// Returns the lowest member.
    #[cfg(feature = "checks")]
    #[inline]
    pub(in crate::entity) fn first(&self) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        match self.words.get(self.first) {
            Some(&word) if word != 0 => Some((self.first * BITS) as u32 + word.trailing_zeros()),
            _ => self.iter().next(),
        }
    }

    /// Checks all invariants.
    #[cfg(feature = "validate")]
    pub(super) fn check(&self) {
        let members: u32 = self.words.iter().map(|word| word.count_ones()).sum();
        assert_eq!(self.len, members as usize, "free indices are counted");
        assert!(
            self.len == 0 || self.first < self.words.len(),
            "the search of a free index starts at a word"
        );
        let mut before = self.words.iter().take(self.first);
        assert!(
            before.all(|&word| word == 0),
            "no free index is before the start of the search"
        );
        let mut below = &self.words;
        for words in &self.upper {
            assert_eq!(words.len(), below.len().div_ceil(BITS));
            for (place, &word) in below.iter().enumerate() {
                let above = words[place / BITS] >> (place % BITS) & 1;
                assert!(word == 0 || above == 1, "words of free indices are found");
            }
            below = words;
        }
        assert!(below.len() <= 1, "the search of a free index has a start");
    }
}

#[cfg(test)]
#[path = "free_set_tests.rs"]
mod tests;

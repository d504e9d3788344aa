//! Free indices one by one, for copies and for ids that a caller gives.

use super::{BITS, FreeSet};

impl FreeSet {
    /// Makes the set equal to another one, in its memory.
    pub(in crate::entity) fn copy_from(&mut self, other: &Self) {
        self.words.clone_from(&other.words);
        self.upper.clone_from(&other.upper);
        (self.first, self.len) = (other.first, other.len);
    }

    /// Removes all members.
    pub(in crate::entity) fn clear(&mut self) {
        self.words.clear();
        self.upper.clear();
        (self.first, self.len) = (0, 0);
    }

    /// Returns the lowest member.
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

    /// Removes a member.
    #[inline]
    pub(in crate::entity) fn remove(&mut self, index: u32) {
        debug_assert!(self.contains(index));
        self.words[index as usize / BITS] &= !(1 << (index as usize % BITS));
        self.len -= 1;
    }
}

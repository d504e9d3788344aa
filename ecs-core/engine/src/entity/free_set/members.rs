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

    /// Removes a member.
    #[inline]
    pub(in crate::entity) fn remove(&mut self, index: u32) {
        debug_assert!(self.contains(index));
        self.words[index as usize / BITS] &= !(1 << (index as usize % BITS));
        self.len -= 1;
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::FreeSet;

    #[test]
    fn members_are_listed_and_removed_in_any_order() {
        let mut set = FreeSet::default();
        let members = [0, 5, 63, 64, 4096, 70_000];
        members.iter().rev().for_each(|&index| set.insert(index));
        assert!(set.iter().eq(members));
        for index in [0, 4096, 63] {
            set.remove(index);
            assert!(!set.contains(index));
        }
        assert_eq!(set.len(), 3);
        assert!(set.iter().eq([5, 64, 70_000]));
        assert_eq!(set.take_first(), Some(5));
        assert!(set.iter().eq([64, 70_000]));
        set.insert(1);
        let order: Vec<u32> = core::iter::from_fn(|| set.take_first()).collect();
        assert_eq!(order, [1, 64, 70_000]);
        assert_eq!(set.iter().next(), None);
    }
}

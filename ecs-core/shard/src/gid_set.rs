//! A set of `Gid`s.

use std::collections::HashMap;

use ecs_engine::__private::BuildIndexHasher;

use crate::gid::Gid;

/// A set of ids, with a bit for each: ids are given in order, so a set of many is so small that it stays in the processor's caches.
#[derive(Default)]
pub(crate) struct GidSet {
    /// Invariant: no block is empty. No stranger chooses the numbers.
    blocks: HashMap<u64, Block, BuildIndexHasher>,
    len: usize,
}

/// The bits of as many ids in a row as fill a line of the cache.
type Block = [u64; 8];

/// Returns the number of the block of an id, the word in it, and the bit in the word.
#[inline]
fn place_of(gid: Gid) -> (u64, usize, u64) {
    (gid.0 >> 9, (gid.0 >> 6) as usize % 8, 1 << (gid.0 % 64))
}

impl GidSet {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn contains(&self, gid: Gid) -> bool {
        let (number, word, bit) = place_of(gid);
        let block = self.blocks.get(&number);
        block.is_some_and(|block| block[word] & bit != 0)
    }

    /// Adds an id; returns false if it was there.
    pub(crate) fn insert(&mut self, gid: Gid) -> bool {
        let (number, word, bit) = place_of(gid);
        let word = &mut self.blocks.entry(number).or_default()[word];
        let is_new = *word & bit == 0;
        *word |= bit;
        self.len += usize::from(is_new);
        is_new
    }

    /// Removes an id; returns false if it was not there.
    pub(crate) fn remove(&mut self, gid: Gid) -> bool {
        let (number, word, bit) = place_of(gid);
        let Some(block) = self.blocks.get_mut(&number) else {
            return false;
        };
        let was_there = block[word] & bit != 0;
        block[word] &= !bit;
        self.len -= usize::from(was_there);
        if block[word] == 0 && *block == [0; 8] {
            self.blocks.remove(&number);
        }
        was_there
    }

    /// Iterates over the ids, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Gid> + '_ {
        self.blocks.iter().flat_map(|(&number, block)| {
            (0..512_u64)
                .filter(|n| block[(n / 64) as usize] & (1 << (n % 64)) != 0)
                .map(move |n| Gid(number << 9 | n))
        })
    }
}

impl FromIterator<Gid> for GidSet {
    fn from_iter<I: IntoIterator<Item = Gid>>(gids: I) -> Self {
        let mut set = Self::default();
        for gid in gids {
            set.insert(gid);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_set_of_ids_is_a_set_of_numbers() {
        let (mut set, mut model) = (GidSet::default(), HashSet::new());
        for step in 0..20_000 {
            // Some ids are next to each other, and some at the ends of all numbers.
            let number = match Gid::random_of(step, 1) % 3 {
                0 => Gid::random_of(step, 2) % 600,
                1 => u64::MAX - Gid::random_of(step, 2) % 600,
                _ => 1 << (Gid::random_of(step, 2) % 64),
            };
            let gid = Gid(number);
            match Gid::random_of(step, 3) % 2 {
                0 => assert_eq!(set.insert(gid), model.insert(gid)),
                _ => assert_eq!(set.remove(gid), model.remove(&gid)),
            }
            assert_eq!(set.contains(gid), model.contains(&gid));
            assert_eq!(set.len(), model.len());
        }
        assert_eq!(set.iter().collect::<HashSet<_>>(), model);
        let again: GidSet = model.iter().copied().collect();
        assert_eq!(again.blocks, set.blocks);
    }

    #[test]
    fn a_set_whose_ids_have_gone_keeps_no_block() {
        let mut set: GidSet = (0..10_000).map(Gid).collect();
        for number in 0..10_000 {
            assert!(set.remove(Gid(number)));
        }
        assert!(set.blocks.is_empty());
    }
}

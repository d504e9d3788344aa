//! A set of `Gid`s.

use crate::gid::Gid;

/// A set of ids of entities, with a bit for each: ids are given in order, so a set of many is so small that it stays in the
/// processor's caches, and an id is found without a search.
#[derive(Default)]
pub(crate) struct GidSet {
    /// The ids in blocks, up to the last one that had an id: 8 bytes for each 4,096 ids that were ever given. Invariant: a block is
    /// missing if it has no id.
    blocks: Vec<Option<Box<GidBlock>>>,
    len: usize,
}

/// 4,096 ids in a row.
#[derive(Clone, Debug, PartialEq)]
struct GidBlock {
    len: u32,
    words: [u64; 64],
}

/// Returns the number of the block of an id, the word in it, and the bit in the word.
#[inline]
fn place_of(gid: Gid) -> (usize, usize, u64) {
    let block = usize::try_from(gid.0 >> 12).unwrap_or(usize::MAX);
    (block, (gid.0 >> 6) as usize % 64, 1 << (gid.0 % 64))
}

impl GidSet {
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn contains(&self, gid: Gid) -> bool {
        let (number, word, bit) = place_of(gid);
        match self.blocks.get(number) {
            Some(Some(block)) => block.words[word] & bit != 0,
            _ => false,
        }
    }

    /// Adds the id of an entity that was born; returns false if it was there. Memory grows with the number of the id.
    #[inline]
    pub(crate) fn insert(&mut self, gid: Gid) -> bool {
        let (number, word, bit) = place_of(gid);
        let block = match self.blocks.get_mut(number) {
            Some(Some(block)) => block,
            _ => self.make(number),
        };
        let is_new = block.words[word] & bit == 0;
        block.words[word] |= bit;
        block.len += u32::from(is_new);
        self.len += usize::from(is_new);
        is_new
    }

    #[cold]
    fn make(&mut self, number: usize) -> &mut GidBlock {
        if self.blocks.len() <= number {
            self.blocks.resize(number + 1, None);
        }
        let (len, words) = (0, [0; 64]);
        self.blocks[number].insert(Box::new(GidBlock { len, words }))
    }

    /// Removes an id; returns false if it was not there.
    #[inline]
    pub(crate) fn remove(&mut self, gid: Gid) -> bool {
        let (number, word, bit) = place_of(gid);
        let Some(Some(block)) = self.blocks.get_mut(number) else {
            return false;
        };
        let was_there = block.words[word] & bit != 0;
        block.words[word] &= !bit;
        block.len -= u32::from(was_there);
        self.len -= usize::from(was_there);
        if block.len == 0 {
            self.blocks[number] = None;
        }
        was_there
    }

    /// Iterates over the ids in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Gid> + '_ {
        let blocks = (0..).zip(&self.blocks);
        let blocks = blocks.filter_map(|(number, block)| Some((number, block.as_deref()?)));
        blocks.flat_map(|(number, block): (u64, &GidBlock)| {
            (0..4096_u64)
                .filter(|n| block.words[(n / 64) as usize] & (1 << (n % 64)) != 0)
                .map(move |n| Gid(number << 12 | n))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn set_of(gids: impl IntoIterator<Item = Gid>) -> GidSet {
        let mut set = GidSet::default();
        for gid in gids {
            assert!(set.insert(gid));
        }
        set
    }

    #[test]
    fn a_set_of_ids_is_a_set_of_numbers() {
        let (mut set, mut model) = (GidSet::default(), HashSet::new());
        for step in 0..20_000 {
            // Some ids are next to each other, and some far away.
            let number = match Gid::random_of(step, 1) % 3 {
                0 => Gid::random_of(step, 2) % 6000,
                1 => (1 << 28) - Gid::random_of(step, 2) % 6000,
                _ => 1 << (Gid::random_of(step, 2) % 28),
            };
            let gid = Gid(number);
            let never_born = Gid(!number);
            assert!(!set.contains(never_born) && !set.remove(never_born));
            match Gid::random_of(step, 3) % 2 {
                0 => assert_eq!(set.insert(gid), model.insert(gid)),
                _ => assert_eq!(set.remove(gid), model.remove(&gid)),
            }
            assert_eq!(set.contains(gid), model.contains(&gid));
            assert_eq!(set.len(), model.len());
        }
        assert_eq!(set.iter().collect::<HashSet<_>>(), model);
        assert!(set.iter().is_sorted());
        let again = set_of(model.iter().copied());
        assert!(again.iter().eq(set.iter()));
    }

    #[test]
    fn a_set_whose_ids_have_gone_keeps_no_block() {
        let mut set = set_of((0..10_000).map(Gid));
        for number in 0..10_000 {
            assert!(set.remove(Gid(number)));
        }
        assert!(set.blocks.iter().all(Option::is_none));
    }
}

//! A set of `Gid`s.

use std::collections::HashMap;

use ecs_engine::__private::BuildIndexHasher;

use crate::gid::Gid;

/// A set of ids of entities, with a bit for each: ids are given in order, so a set of many is so small that it stays in the
/// processor's caches, and an id is found without a search.
#[derive(Default)]
pub(crate) struct GidSet {
    /// The ids in blocks, by number, up to [`most_near`](Self::most_near); the others are in `far`. Invariant: a block that has no id
    /// is missing, and none is in both.
    near: Vec<Option<Box<GidBlock>>>,
    /// Few ids of many that were given, or those of a damaged file. No stranger chooses the numbers otherwise.
    far: HashMap<usize, Box<GidBlock>, BuildIndexHasher>,
    /// The number of blocks.
    blocks: usize,
    len: usize,
}

/// The length of the list of near blocks, if there are few.
const LEAST_NEAR: usize = 1024;

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
        let block = match self.near.get(number) {
            Some(Some(block)) => Some(block),
            _ if self.far.is_empty() => None,
            _ => self.far.get(&number),
        };
        block.is_some_and(|block| block.words[word] & bit != 0)
    }

    #[inline]
    fn block(&mut self, number: usize) -> Option<&mut GidBlock> {
        match self.near.get_mut(number) {
            Some(Some(block)) => Some(block),
            _ if self.far.is_empty() => None,
            _ => self.far.get_mut(&number).map(|block| &mut **block),
        }
    }

    /// Adds an id; returns false if it was there. Memory follows the number of ids, whatever they are.
    #[inline]
    pub(crate) fn insert(&mut self, gid: Gid) -> bool {
        let (number, word, bit) = place_of(gid);
        if self.block(number).is_none() {
            self.make(number);
        }
        let block = self.block(number).expect("it was made");
        let is_new = block.words[word] & bit == 0;
        block.words[word] |= bit;
        block.len += u32::from(is_new);
        self.len += usize::from(is_new);
        is_new
    }

    #[cold]
    fn make(&mut self, number: usize) {
        self.blocks += 1;
        let (len, words) = (0, [0; 64]);
        let block = Box::new(GidBlock { len, words });
        if number < self.most_near() {
            self.near.resize(self.near.len().max(number + 1), None);
            self.near[number] = Some(block);
        } else {
            self.far.insert(number, block);
        }
    }

    /// Returns the length of the list of near blocks, at most: an eighth of the memory of the blocks.
    fn most_near(&self) -> usize {
        LEAST_NEAR.max(self.blocks * 8)
    }

    /// Removes an id; returns false if it was not there.
    #[inline]
    pub(crate) fn remove(&mut self, gid: Gid) -> bool {
        let (number, word, bit) = place_of(gid);
        let Some(block) = self.block(number) else {
            return false;
        };
        let was_there = block.words[word] & bit != 0;
        block.words[word] &= !bit;
        block.len -= u32::from(was_there);
        if block.len == 0 {
            self.drop_block(number);
        }
        self.len -= usize::from(was_there);
        was_there
    }

    #[cold]
    fn drop_block(&mut self, number: usize) {
        self.blocks -= 1;
        match self.near.get_mut(number) {
            Some(block @ Some(_)) => *block = None,
            _ => _ = self.far.remove(&number),
        }
    }

    /// Iterates over the ids, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Gid> + '_ {
        let near = self.near.iter().enumerate();
        let near = near.filter_map(|(number, block)| Some((number, block.as_deref()?)));
        let far = self.far.iter().map(|(&number, block)| (number, &**block));
        near.chain(far).flat_map(|(number, block)| {
            (0..4096_u64)
                .filter(|n| block.words[(n / 64) as usize] & (1 << (n % 64)) != 0)
                .map(move |n| Gid((number as u64) << 12 | n))
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
            // Some ids are next to each other, some around the end of the near ones, and some at the end of all.
            let number = match Gid::random_of(step, 1) % 4 {
                0 => Gid::random_of(step, 2) % 6000,
                1 => u64::MAX - Gid::random_of(step, 2) % 6000,
                2 => Gid::random_of(step, 2) % (LEAST_NEAR as u64 * 4096 * 2),
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
        let again = set_of(model.iter().copied());
        assert_eq!(again.iter().collect::<HashSet<_>>(), model);
    }

    #[test]
    fn a_set_whose_ids_have_gone_keeps_no_block() {
        let mut set = set_of((0..10_000).map(Gid));
        for number in 0..10_000 {
            assert!(set.remove(Gid(number)));
        }
        assert!(set.near.iter().all(Option::is_none) && set.far.is_empty() && set.blocks == 0);
    }

    #[test]
    fn memory_follows_the_number_of_ids_and_not_their_size() {
        let set = set_of([Gid(1), Gid(u64::MAX >> 1), Gid(u64::MAX)]);
        assert!(set.near.len() <= LEAST_NEAR && set.len() == 3);
    }
}

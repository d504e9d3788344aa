//! Sets of tables: those that have a component, and those that have rows.

use alloc::vec::Vec;
use core::slice;

use crate::bits::Bits;
use crate::bytes::Bytes;
use crate::entity::TableId;

/// Members of a list among 64 adjacent tables.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    /// The number of the word: bit `i` stands for table `word * 64 + i`.
    word: u32,
    bits: u64,
}

impl Block {
    /// Returns true if all tables were taken.
    #[inline]
    pub(crate) fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// Takes the first table; there must be one.
    #[inline]
    pub(crate) fn take(&mut self) -> TableId {
        debug_assert!(self.bits != 0);
        let table = self.word * u64::BITS + self.bits.trailing_zeros();
        self.bits &= self.bits - 1;
        table
    }
}

/// A list of tables in order of creation, 64 of them in a word.
#[derive(Default)]
pub(crate) struct TableList {
    /// In ascending order, none without a bit.
    blocks: Vec<Block>,
    len: usize,
}

impl TableList {
    /// Appends a table, which must be newer than all others.
    pub(super) fn push(&mut self, table: TableId) {
        let (word, bit) = (word_of(table), 1 << (table % u64::BITS));
        self.len += 1;
        match self.blocks.last_mut() {
            Some(last) if last.word == word => {
                debug_assert!(last.bits < bit);
                last.bits |= bit;
            }
            _ => self.blocks.push(Block { word, bits: bit }),
        }
    }

    /// Removes the tables from `first` on.
    pub(super) fn truncate(&mut self, first: TableId) {
        while let Some(last) = self.blocks.last_mut()
            && last.word >= word_of(first)
        {
            let kept = if last.word == word_of(first) {
                last.bits & !(u64::MAX << (first % u64::BITS))
            } else {
                0
            };
            self.len -= (last.bits ^ kept).count_ones() as usize;
            last.bits = kept;
            if kept != 0 {
                return;
            }
            self.blocks.pop();
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    pub(super) fn bytes(&self) -> Bytes {
        Bytes::of_list(&self.blocks)
    }

    #[cfg(feature = "validate")]
    pub(super) fn contains(&self, table: TableId) -> bool {
        let mut blocks = self.blocks.iter();
        blocks
            .any(|block| block.word == word_of(table) && block.bits >> (table % u64::BITS) & 1 == 1)
    }
}

fn word_of(table: TableId) -> u32 {
    table / u64::BITS
}

/// The tables that may have rows.
#[derive(Default)]
pub(crate) struct Occupied {
    tables: Bits,
    /// The words of `tables` that are not zero.
    words: Bits,
}

impl Occupied {
    // Rare, and inlined it would cost registers in each structural change, as would `remove`.
    #[cold]
    #[inline(never)]
    pub(super) fn insert(&mut self, table: TableId) {
        self.tables.insert(table as usize);
        self.words.insert(word_of(table) as usize);
    }

    /// Removes a table, which must have been inserted once.
    #[cold]
    #[inline(never)]
    pub(super) fn remove(&mut self, table: TableId) {
        self.tables.remove(table as usize);
        if self.tables.word(word_of(table)) == 0 {
            self.words.remove(word_of(table) as usize);
        }
    }

    pub(super) fn clear(&mut self) {
        self.tables.clear();
        self.words.clear();
    }

    #[cfg(feature = "validate")]
    pub(super) fn contains(&self, table: TableId) -> bool {
        let word = word_of(table) as usize;
        let is_found = self.tables.contains(table as usize);
        assert!(
            !is_found || self.words.contains(word),
            "the word of table {table} is found"
        );
        is_found
    }
}

/// Iterator over those tables of a list that may have rows, in order of creation.
///
/// O(tables that may have rows), however many there are: 64 tables are one word, and words without occupied tables are
/// skipped by another level of bits.
#[derive(Clone)]
pub(crate) struct OccupiedTables<'a> {
    blocks: slice::Iter<'a, Block>,
    occupied: &'a Occupied,
    /// The rest of the current block.
    block: Block,
}

impl<'a> OccupiedTables<'a> {
    #[inline]
    pub(super) fn new(list: &'a [Block], occupied: &'a Occupied) -> Self {
        Self {
            blocks: list.iter(),
            occupied,
            block: Block { word: 0, bits: 0 },
        }
    }

    #[inline]
    pub(crate) fn none() -> Self {
        const NONE: &Occupied = &Occupied {
            tables: Bits::NONE,
            words: Bits::NONE,
        };
        Self::new(&[], NONE)
    }

    /// Returns the next tables, as a block of which at least one is left.
    ///
    /// A loop over blocks with one over the tables of a block in it is faster than this iterator.
    #[inline]
    pub(crate) fn next_block(&mut self) -> Option<Block> {
        loop {
            let &Block { word, bits } = self.blocks.next()?;
            let bits = bits & self.occupied.tables.word(word);
            if bits != 0 {
                return Some(Block { word, bits });
            }
            self.blocks = skip(self.blocks.as_slice(), word, self.occupied).iter();
        }
    }
}

impl Iterator for OccupiedTables<'_> {
    type Item = TableId;

    #[inline]
    fn next(&mut self) -> Option<TableId> {
        if self.block.bits == 0 {
            self.block = self.next_block()?;
        }
        Some(self.block.take())
    }
}

/// Returns the rest of the blocks, after one without occupied tables, from the first one on that can have some.
// A value and not a method of the iterator, which would then be in memory and not in registers.
#[cold]
#[inline(never)]
fn skip<'a>(rest: &'a [Block], after: u32, occupied: &Occupied) -> &'a [Block] {
    let Some(word) = occupied.words.from(after as usize + 1) else {
        return &[];
    };
    let skipped = rest.partition_point(|block| (block.word as usize) < word);
    &rest[skipped..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(tables: impl IntoIterator<Item = TableId>) -> TableList {
        let mut list = TableList::default();
        tables.into_iter().for_each(|table| list.push(table));
        list
    }

    fn walk(list: &TableList, occupied: &Occupied) -> Vec<TableId> {
        OccupiedTables::new(list.blocks(), occupied).collect()
    }

    #[test]
    fn only_occupied_tables_are_visited_and_in_order() {
        let all = list(0..10_000);
        let some = list([3, 63, 64, 4_095, 4_096, 9_000, 9_999]);
        let mut occupied = Occupied::default();
        assert_eq!((walk(&all, &occupied), all.len()), (vec![], 10_000));
        for table in [9_999, 64, 65, 3, 4_096, 8_999, 200] {
            occupied.insert(table);
        }
        assert_eq!(walk(&all, &occupied), [3, 64, 65, 200, 4_096, 8_999, 9_999]);
        assert_eq!(walk(&some, &occupied), [3, 64, 4_096, 9_999]);
        occupied.remove(64);
        // Another table of the word stays.
        occupied.insert(9_000);
        occupied.remove(9_000);
        occupied.remove(9_999);
        assert_eq!(walk(&all, &occupied), [3, 65, 200, 4_096, 8_999]);
        assert_eq!(walk(&some, &occupied), [3, 4_096]);
        occupied.clear();
        assert_eq!(walk(&some, &occupied), []);
    }

    #[test]
    fn blocks_without_occupied_tables_are_skipped_together() {
        let all = list(0..60_000);
        let mut occupied = Occupied::default();
        occupied.insert(59_999);
        let rest = skip(&all.blocks[1..], 0, &occupied);
        assert_eq!((rest.len(), rest[0].word), (1, 937));
        assert_eq!(walk(&all, &occupied), [59_999]);
        occupied.remove(59_999);
        assert_eq!(skip(&all.blocks[1..], 0, &occupied).len(), 0);
    }
}

//! Sets of tables: those that have a component, and those that have rows.

use alloc::vec::Vec;
use core::slice;

use crate::bits::Bits;
use crate::bytes::Bytes;
use crate::entity::TableId;

/// Members of a list among 64 adjacent tables.
#[derive(Clone, Copy, Default)]
pub(crate) struct TableBlock {
    /// The number of the word: bit `i` stands for table `word * 64 + i`.
    word: u32,
    bits: u64,
}

impl TableBlock {
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

/// A list of tables in order of creation, 64 of them in a word. The first 64 tables of a world need no allocated memory.
#[derive(Default)]
pub(crate) struct TableList {
    /// The block of a list that has only one, or no table.
    only: TableBlock,
    /// All blocks of a longer list: in ascending order, none without a bit.
    blocks: Vec<TableBlock>,
    len: usize,
}

impl TableList {
    /// Appends a table, which must be newer than all others.
    pub(super) fn push(&mut self, table: TableId) {
        let (word, bit) = (word_of(table), 1 << (table % u64::BITS));
        self.len += 1;
        let last = self.blocks.last_mut().unwrap_or(&mut self.only);
        if last.bits == 0 || last.word == word {
            debug_assert!(last.bits < bit);
            last.word = word;
            last.bits |= bit;
            return;
        }
        if self.blocks.is_empty() {
            self.blocks.push(core::mem::take(&mut self.only));
        }
        self.blocks.push(TableBlock { word, bits: bit });
    }

    /// Removes the tables from `first` on.
    pub(super) fn truncate(&mut self, first: TableId) {
        loop {
            let last = self.blocks.last_mut().unwrap_or(&mut self.only);
            if last.word < word_of(first) {
                return;
            }
            let kept = if last.word == word_of(first) {
                last.bits & !(u64::MAX << (first % u64::BITS))
            } else {
                0
            };
            self.len -= (last.bits ^ kept).count_ones() as usize;
            last.bits = kept;
            if kept != 0 || self.blocks.pop().is_none() {
                return;
            }
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn blocks(&self) -> &[TableBlock] {
        if self.blocks.is_empty() {
            // A walk over the blocks skips one without a bit.
            return slice::from_ref(&self.only);
        }
        &self.blocks
    }

    pub(super) fn bytes(&self) -> Bytes {
        Bytes::of_list(&self.blocks)
    }

    #[cfg(feature = "validate")]
    pub(super) fn contains(&self, table: TableId) -> bool {
        let mut blocks = self.blocks().iter();
        blocks
            .any(|block| block.word == word_of(table) && block.bits >> (table % u64::BITS) & 1 == 1)
    }
}

fn word_of(table: TableId) -> u32 {
    table / u64::BITS
}

/// Tables, and the words that have any.
#[derive(Default)]
pub(crate) struct TableBits {
    tables: Bits,
    /// The words of `tables` that are not zero.
    words: Bits,
}

impl TableBits {
    fn insert(&mut self, table: TableId) {
        self.tables.insert(table as usize);
        self.words.insert(word_of(table) as usize);
    }

    /// Removes a table, which must have been inserted once.
    fn remove(&mut self, table: TableId) {
        self.tables.remove(table as usize);
        if self.tables.word(word_of(table) as usize) == 0 {
            self.words.remove(word_of(table) as usize);
        }
    }

    fn clear(&mut self) {
        self.tables.clear();
        self.words.clear();
    }
}

/// The tables that may have rows.
#[derive(Default)]
pub(crate) struct Occupied {
    all: TableBits,
    /// The tables of entities that are not disabled.
    enabled: TableBits,
    /// The tables of disabled entities, with rows or without.
    disabled: Bits,
    /// True if one of the tables that may have rows is of disabled entities.
    any_disabled: bool,
}

impl Occupied {
    // Rarely called. Inlined it would cost registers in each structural change, and so would `remove`.
    #[cold]
    #[inline(never)]
    pub(super) fn insert(&mut self, table: TableId) {
        self.all.insert(table);
        if self.is_disabled(table) {
            self.any_disabled = true;
        } else {
            self.enabled.insert(table);
        }
    }

    /// Removes a table, which must have been inserted once.
    #[cold]
    #[inline(never)]
    pub(super) fn remove(&mut self, table: TableId) {
        self.all.remove(table);
        if self.is_disabled(table) {
            self.any_disabled = self.all.tables.intersects(&self.disabled);
        } else {
            self.enabled.remove(table);
        }
    }

    /// Removes all tables, but still knows the tables of disabled entities.
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.enabled.clear();
        self.any_disabled = false;
    }

    /// Notes whether the entities of a new table are disabled.
    pub(super) fn add_table(&mut self, table: TableId, is_disabled: bool) {
        if is_disabled {
            self.disabled.insert(table as usize);
        } else if self.disabled.contains(table as usize) {
            // An older table of this number was removed.
            self.disabled.remove(table as usize);
        }
    }

    /// Returns true if the entities of the table are disabled.
    pub(super) fn is_disabled(&self, table: TableId) -> bool {
        self.disabled.contains(table as usize)
    }

    /// Returns true if disabled entities may exist.
    #[inline]
    pub(super) fn any_disabled(&self) -> bool {
        self.any_disabled
    }

    #[inline]
    pub(super) fn all(&self) -> &TableBits {
        &self.all
    }

    #[inline]
    pub(super) fn enabled(&self) -> &TableBits {
        &self.enabled
    }

    #[cfg(feature = "validate")]
    pub(super) fn contains(&self, table: TableId) -> bool {
        let is_in = |bits: &TableBits| {
            let is_found = bits.tables.contains(table as usize);
            assert!(
                !is_found || bits.words.contains(word_of(table) as usize),
                "the word of table {table} is found"
            );
            is_found
        };
        let is_found = is_in(&self.all);
        let is_disabled = self.is_disabled(table);
        assert_eq!(
            is_in(&self.enabled),
            is_found && !is_disabled,
            "table {table} is listed by the kind of its entities"
        );
        assert!(
            !(is_found && is_disabled) || self.any_disabled,
            "the disabled entities of table {table} are known"
        );
        is_found
    }
}

/// Iterator over the tables of a list that may have rows, in order of creation.
///
/// O(tables that may have rows), however many there are: 64 tables are one word, and words without occupied tables are
/// skipped by another level of bits.
#[derive(Clone)]
pub(crate) struct OccupiedTables<'a> {
    blocks: slice::Iter<'a, TableBlock>,
    occupied: &'a TableBits,
    /// The rest of the current block.
    block: TableBlock,
}

impl<'a> OccupiedTables<'a> {
    #[inline]
    pub(super) fn new(list: &'a [TableBlock], occupied: &'a TableBits) -> Self {
        Self {
            blocks: list.iter(),
            occupied,
            block: TableBlock { word: 0, bits: 0 },
        }
    }

    #[inline]
    pub(crate) fn none() -> Self {
        const NONE: &TableBits = &TableBits {
            tables: Bits::NONE,
            words: Bits::NONE,
        };
        Self::new(&[], NONE)
    }

    /// Returns a block of the next tables, with at least one left.
    ///
    /// Two nested loops, over blocks and over the tables of a block, are faster than this iterator.
    #[inline]
    pub(crate) fn next_block(&mut self) -> Option<TableBlock> {
        loop {
            let &TableBlock { word, bits } = self.blocks.next()?;
            let bits = bits & self.occupied.tables.word(word as usize);
            if bits != 0 {
                return Some(TableBlock { word, bits });
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

/// Returns the blocks that are left after one without occupied tables, from the first one that can have some.
// A function that takes a value: as a method of the iterator, it would keep the iterator in memory instead of registers.
#[cold]
#[inline(never)]
fn skip<'a>(rest: &'a [TableBlock], after: u32, occupied: &TableBits) -> &'a [TableBlock] {
    let Some(word) = occupied.words.from(after as usize + 1) else {
        return &[];
    };
    let skipped = rest.partition_point(|block| (block.word as usize) < word);
    &rest[skipped..]
}

#[cfg(test)]
#[path = "table_set_tests.rs"]
mod tests;

//! Changes the order of rows.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use super::Table;

/// An order of adjacent rows of a table, shortened to the part that changes.
pub(crate) struct RowOrder<'a> {
    /// The first row.
    first: usize,
    /// For each of the rows from `first` on, the row that its values come from.
    /// Invariant 1: each row from `first` on occurs once.
    rows: &'a [u32],
}

impl<'a> RowOrder<'a> {
    /// Describes an order: the values of `rows` move to the rows from `first` on. Returns `None` if none moves.
    ///
    /// # Safety
    /// The rows from `first` on, `rows.len()` of them, occur once each in `rows`.
    pub(crate) unsafe fn new(first: usize, rows: &'a [u32]) -> Option<Self> {
        let mut numbered = rows.iter().enumerate();
        let start = numbered.position(|(at, &row)| row as usize != first + at)?;
        let mut numbered = rows.iter().enumerate();
        let end = numbered.rposition(|(at, &row)| row as usize != first + at)? + 1;
        // Invariant 1: the rows before `start` and from `end` on occur once, at their own places.
        Some(Self {
            first: first + start,
            rows: &rows[start..end],
        })
    }

    /// The rows that may move.
    pub(in crate::storage) fn range(&self) -> Range<usize> {
        self.first..self.first + self.rows.len()
    }
}

impl Table {
    /// Moves rows with all their values and ticks; the caller updates the locations of their entities.
    ///
    /// Works column by column, through a buffer. Swapping values along the cycles of the order would make each read wait
    /// for the one before it; reads of different rows do not.
    ///
    /// # Safety
    /// The table has the rows of the order.
    pub(in crate::storage) unsafe fn reorder(&mut self, order: &RowOrder<'_>) {
        let sizes = self.columns.iter().map(|column| column.column.size());
        let largest = sizes.max().unwrap_or(0);
        // Allocated before the first write. As large as a part of a column at most, so the product fits.
        let mut buffer = Box::new_uninit_slice(largest * order.rows.len());
        let mut entities = Vec::with_capacity(order.rows.len());
        for column in &mut *self.columns {
            // SAFETY: the rows of the order are rows of the table by the caller's contract, so they are initialised
            // (table invariant 1), and each occurs once (order invariant 1). The buffer has the size of as many of the
            // largest values.
            unsafe { column.column.reorder(order.first, order.rows, &mut buffer) };
        }
        entities.extend(order.rows.iter().map(|&row| self.entities[row as usize]));
        self.entities[order.range()].copy_from_slice(&entities);
        self.restamp();
    }
}

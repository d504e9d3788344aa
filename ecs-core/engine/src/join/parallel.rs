//! Parallel visits of joins.
//!
//! All rows that may match are numbered, table after table; `distribute.rs` decides which thread visits which numbers.
//!
//! # Iterate in parallel
//! `join/parallel.rs` numbers the rows that may match, table after table. `join/distribute.rs` passes pieces of these
//! numbers to the loop. The first pieces run on this thread, which looks at the clock (`clock.rs`) after each. As soon as
//! the time so far shows that it pays, threads take the remaining pieces from a counter (`join/pieces.rs`). This module
//! knows numbers only, so it is compiled once. The unsafe code of the loops relies on one thing only: each number is in one
//! piece, whatever the clock shows.

use alloc::vec::Vec;
use core::ops::Range;
use core::slice;

use super::distribute::{Earliest, distribute, distribute_timed};
use super::engine::Joined;
use super::fetch::{Fetch, Filter};
use super::old::{Old, OldItem};
use super::reborrow::{Reborrow, ReborrowFilter};
use super::sets::NotGrouped;
use crate::entity::{Entity, TableId};
use crate::sync::{Mutex, PoisonError};
use crate::unwind::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// The numbered rows of a join.
struct NumberedRows<'a> {
    len: usize,
    location: RowLocation<'a>,
}

/// The location of the rows.
enum RowLocation<'a> {
    /// In one table, whose first row has the number 0.
    Table((usize, TableId)),
    /// In tables, each with the number of its first row; sorted by it.
    Tables(Vec<(usize, TableId)>),
    /// In the list of candidates.
    List(&'a [Entity]),
    /// In a single sparse set or a group, from this row on.
    Dense(usize),
}

impl<'a, T: Fetch<'a>, F: Filter<'a>> Joined<'a, T, F> {
    /// Calls `f` with the items of each entity, from several threads if there are at least `min_rows` rows. If `min_rows` is
    /// `None`, they are used if they pay.
    #[inline]
    pub(crate) fn par_for_each<G>(self, min_rows: Option<usize>, f: G)
    where
        G: Fn(T::Item) + Sync,
        T::Item: Send,
    {
        const { assert!(!F::SKIPS, "all rows of a table are visited") }
        let rows = self.rows();
        let visit = |piece: Range<usize>| {
            // SAFETY: the join came by value, so no item is alive, and no row is in two pieces.
            unsafe { self.visit(&rows, piece, &mut |item| f(item)) };
        };
        match min_rows {
            Some(min_rows) => distribute(rows.len, min_rows, &visit),
            None => distribute_timed(rows.len, &visit),
        }
    }

    /// Calls `f` with the items of each entity, from several threads if that pays, until it returns `Some` or panics.
    /// Returns the result for the first such entity in the order of rows, whichever thread was first.
    ///
    /// Some later entities are visited too, and others are not.
    pub(crate) fn par_find<G, O>(self, f: G) -> Option<O>
    where
        G: Fn(T::Item) -> Option<O> + Sync,
        T::Item: Send,
        O: Send,
    {
        const { assert!(!F::SKIPS, "all rows of a table are visited") }
        let rows = self.rows();
        let found = Earliest::default();
        distribute_timed(rows.len, &|piece| {
            if found.is_before(piece.start) {
                return;
            }
            let start = piece.start;
            let mut own = None;
            let mut each = |item| {
                if own.is_none() {
                    own = f(item);
                }
            };
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                // SAFETY: the join came by value, so no item is alive, and no row is in two pieces.
                unsafe { self.visit(&rows, piece, &mut each) };
            }));
            match (outcome, own) {
                (Err(panic), _) => found.put(start, Err(panic)),
                (Ok(()), Some(out)) => found.put(start, Ok(out)),
                (Ok(()), None) => {}
            }
        });
        match found.into_inner()? {
            Ok(out) => Some(out),
            Err(panic) => resume_unwind(panic),
        }
    }

    /// Calls `f` with each item and the value of its part of the rows, from several threads; returns these values in the
    /// order of the rows.
    pub(crate) fn par_fold_parts<G, V>(self, f: G) -> Vec<V>
    where
        G: Fn(&mut V, T::Item) + Sync,
        T::Item: Send,
        V: Default + Send,
    {
        const { assert!(!F::SKIPS, "all rows of a table are visited") }
        let rows = self.rows();
        // Parts that are done, each with its value.
        let done = Mutex::<Vec<(Range<usize>, V)>>::default();
        distribute_timed(rows.len, &|piece| {
            // A piece goes on with the part that ends where it begins, so one thread alone has a single part, however often it
            // looks at the clock.
            let ends_here = |(part, _): &(Range<usize>, V)| part.end == piece.start;
            let mut parts = done.lock().unwrap_or_else(PoisonError::into_inner);
            let before = parts.iter().rposition(ends_here);
            let (mut part, mut value) = match before {
                Some(before) => parts.swap_remove(before),
                None => (piece.start..piece.start, V::default()),
            };
            drop(parts);
            part.end = piece.end;
            // SAFETY: the join came by value, so no item is alive, and no row is in two pieces.
            unsafe { self.visit(&rows, piece, &mut |item| f(&mut value, item)) };
            let mut parts = done.lock().unwrap_or_else(PoisonError::into_inner);
            parts.push((part, value));
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Threads finish in any order.
        done.sort_unstable_by_key(|(part, _)| part.start);
        done.into_iter().map(|(_, value)| value).collect()
    }

    /// Calls `f` with pieces of columns, from several threads if there are at least `min_rows` rows.
    pub(crate) fn par_chunks<G>(self, min_rows: usize, f: G)
    where
        G: Fn(T::Chunk) + Sync,
        T::Chunk: Send,
    {
        const {
            assert!(!F::SKIPS && !F::ROWS, "a chunk is all rows of a table");
            assert!(
                !Self::BY_ENTITY || Self::DENSE,
                "`par_chunks` needs components that are all stored in tables, or all in the sparse sets of a group; help: use `par_for_each`"
            );
        }
        if Self::BY_ENTITY {
            let columns = self.columns();
            let (_, rows) = columns.unwrap_or_else(|| panic!("{}", NotGrouped::of::<T::Item>()));
            distribute(rows.len(), min_rows, &|piece| {
                if let Some((column, _)) = self.columns() {
                    // SAFETY: the column has the rows of the piece; the join came by value, so no item is alive, and no
                    // row is in two pieces.
                    f(unsafe { T::chunk(column, rows.start + piece.start, piece.len()) });
                }
            });
            return;
        }
        let rows = self.rows();
        distribute(rows.len, min_rows, &|piece| {
            for (table, range) in rows.in_tables(piece) {
                if let Some((column, _)) = self.column(table) {
                    // SAFETY: `in_tables` returns rows of the table, which its column has; the join came by value, so
                    // no item is alive, and no row is in two pieces.
                    f(unsafe { T::chunk(column, range.start, range.len()) });
                }
            }
        });
    }

    /// Numbers the rows that may match.
    fn rows(&self) -> NumberedRows<'a> {
        let Some(storage) = self.storage else {
            return NumberedRows {
                len: 0,
                location: RowLocation::List(&[]),
            };
        };
        if Self::BY_ENTITY {
            if let Some((_, rows)) = self.dense() {
                let location = RowLocation::Dense(rows.start);
                let len = rows.len();
                return NumberedRows { len, location };
            }
            if let Some(list) = self.candidates() {
                return NumberedRows {
                    len: list.len(),
                    location: RowLocation::List(list),
                };
            }
        }
        let mut len = 0;
        // A list is only made if there are several tables.
        let (mut first, mut tables) = (None, Vec::new());
        for table in self.tables() {
            let rows = storage.table(table).len();
            if rows > 0 && (Self::BY_ENTITY || self.column(table).is_some()) {
                match first {
                    None => first = Some((len, table)),
                    Some(first) => add_table(&mut tables, first, (len, table)),
                }
                len += rows;
            }
        }
        let location = match first {
            Some(first) if tables.is_empty() => RowLocation::Table(first),
            _ => RowLocation::Tables(tables),
        };
        NumberedRows { len, location }
    }

    /// Calls `f` with the items of a piece of the rows.
    ///
    /// # Safety
    /// No item of these rows is alive.
    unsafe fn visit<G: FnMut(T::Item)>(
        &self,
        rows: &NumberedRows<'a>,
        piece: Range<usize>,
        f: &mut G,
    ) {
        let Some(storage) = self.storage else { return };
        match &rows.location {
            RowLocation::Dense(first) => {
                if let Some((column, _)) = self.dense() {
                    let rows = first + piece.start..first + piece.end;
                    // SAFETY: `dense` returns a column that has all `rows` of the join, which include the piece; no item of
                    // them is alive by the caller's contract.
                    unsafe { self.for_each_dense(column, rows, f) };
                }
            }
            RowLocation::List(list) if Self::DENSE && !self.leaves_out() => {
                let lookup = self.fetch.lookup(list);
                // SAFETY: `lookup` is for the list, which names each entity once; no item of those in the piece is alive by the
                // caller's contract.
                unsafe { self.fold_listed(lookup, list, piece, (), &mut |(), item| f(item)) };
            }
            RowLocation::List(list) => {
                // SAFETY: a list names each entity once, so no other item of it is alive by the caller's contract.
                unsafe { self.fold_list(storage, &list[piece], (), &mut |(), item| f(item)) };
            }
            RowLocation::Table(_) | RowLocation::Tables(_) if Self::BY_ENTITY => {
                for (table, range) in rows.in_tables(piece) {
                    // SAFETY: the table has the rows, and no item of them is alive by the caller's contract.
                    unsafe { self.fold_table(storage, table, range, (), &mut |(), item| f(item)) };
                }
            }
            RowLocation::Table(_) | RowLocation::Tables(_) => {
                for (table, range) in rows.in_tables(piece) {
                    if let Some((column, _)) = self.column(table) {
                        // SAFETY: the column belongs to the table, which has the rows; no item of them is alive by the
                        // caller's contract.
                        unsafe { self.for_each_in(table, column, range, f) };
                    }
                }
            }
        }
    }
}

/// Adds a table to the list of tables with rows, which begins with `first`.
#[inline(never)]
fn add_table(tables: &mut Vec<(usize, TableId)>, first: (usize, TableId), next: (usize, TableId)) {
    if tables.is_empty() {
        tables.push(first);
    }
    tables.push(next);
}

impl NumberedRows<'_> {
    /// Returns the tables of a piece of the rows, each with the range of its rows.
    #[inline]
    fn in_tables(&self, piece: Range<usize>) -> InTables<'_> {
        let tables: &[(usize, TableId)] = match &self.location {
            RowLocation::Table(table) => slice::from_ref(table),
            RowLocation::Tables(tables) => tables,
            RowLocation::List(_) | RowLocation::Dense(_) => &[],
        };
        let first = match tables {
            [_] => 0,
            _ => tables
                .partition_point(|&(first, _)| first <= piece.start)
                .saturating_sub(1),
        };
        InTables {
            tables: &tables[first..],
            piece,
            len: self.len,
        }
    }
}

/// Iterator over the tables that a piece lies in.
struct InTables<'r> {
    /// The tables from the next one on.
    tables: &'r [(usize, TableId)],
    piece: Range<usize>,
    /// The number of rows in all tables.
    len: usize,
}

impl Iterator for InTables<'_> {
    type Item = (TableId, Range<usize>);

    // Compiled for each join, so it is plain code.
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let [(first, table), next @ ..] = self.tables else {
            return None;
        };
        if *first >= self.piece.end {
            return None;
        }
        let end = match next {
            [] => self.len,
            [(end, _), ..] => *end,
        };
        self.tables = next;
        let from = self.piece.start.max(*first);
        Some((*table, from - first..self.piece.end.min(end) - first))
    }
}

/// Like [`old::for_each_from_old`](super::old::for_each_from_old), from several threads if there are at least
/// `min_rows` rows.
pub(super) fn for_each_from_old<'a, T, F, N, R, W>(
    join: Joined<'a, T, F>,
    min_rows: usize,
    read: R,
    write: W,
) where
    T: Reborrow<'a>,
    F: ReborrowFilter<'a>,
    N: Send,
    R: for<'b> Fn(OldItem<'b, 'a, T>, &'b Old<'a, T, F>) -> N + Sync,
    W: Fn(T::Item, N) + Sync,
    T::Item: Send,
{
    let old = Old { join };
    let done = Mutex::new(Vec::new());
    {
        let join = old.read();
        let rows = join.rows();
        distribute(rows.len, min_rows, &|piece| {
            let mut new = Vec::with_capacity(piece.len());
            let mut each = |item| new.push(read(item, &old));
            // SAFETY: the items only read, and no items that write are made before all reads have ended.
            unsafe { join.visit(&rows, piece.clone(), &mut each) };
            let new = Mutex::new(new);
            done.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((piece, new));
        });
    }
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    // Threads finish in any order.
    done.sort_unstable_by_key(|(piece, _)| piece.start);
    let (join, rows) = (&old.join, old.join.rows());
    // The rows have the same numbers again because nothing was changed. Whole pieces are distributed now.
    distribute(done.len(), 2, &|pieces| {
        for (piece, new) in &done[pieces] {
            let mut new = new.lock().unwrap_or_else(PoisonError::into_inner);
            let mut new = core::mem::take(&mut *new).into_iter();
            let mut each = |item| {
                if let Some(value) = new.next() {
                    write(item, value);
                }
            };
            // SAFETY: the items that read are gone, no row is in two pieces, and each piece is visited once.
            unsafe { join.visit(&rows, piece.clone(), &mut each) };
        }
    });
}

#[cfg(test)]
#[path = "parallel_tests.rs"]
mod tests;

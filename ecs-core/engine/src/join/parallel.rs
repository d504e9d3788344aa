//! Parallel visits of joins.
//!
//! All rows that may match are numbered, table after table. Threads take pieces of these numbers from one counter until
//! it is used up, so no thread waits for another one.

use core::any::Any;
use core::cell::{Cell, RefCell};
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Mutex, PoisonError};

use super::engine::Joined;
use super::fetch::{BLOCK, Fetch, Filter};
use super::old::{Old, OldItem};
use super::pieces::Pieces;
use super::reborrow::{Reborrow, ReborrowFilter};
use super::sets::NotGrouped;
use crate::entity::{Entity, Location, TableId};

/// Below this number of rows, light work is done sooner than another thread is awake.
pub(super) const MIN_ROWS: usize = 8 * MIN_PIECE;

/// Smaller pieces cost more to take than they help to distribute.
const MIN_PIECE: usize = 1024;

/// The numbered rows of a join.
struct Rows<'a> {
    len: usize,
    location: RowLocation<'a>,
}

/// The location of the rows.
enum RowLocation<'a> {
    /// In tables, each with the number of its first row; sorted by it.
    Tables(Vec<(usize, TableId)>),
    /// In the list of candidates.
    List(&'a [Entity]),
    /// In a single sparse set or a group, from this row on.
    Dense(usize),
}

impl<'a, T: Fetch<'a>, F: Filter<'a>> Joined<'a, T, F> {
    /// Calls `f` with the items of each entity, from several threads if there are at least `min_rows` rows.
    pub(crate) fn par_for_each<G>(self, min_rows: usize, f: G)
    where
        G: Fn(T::Item) + Sync,
        T::Item: Send,
    {
        const { assert!(!F::SKIPS, "all rows of a table are visited") }
        let rows = self.rows();
        // SAFETY: the join came by value, so no item is alive, and no row is in two pieces.
        distribute(rows.len, min_rows, |piece| unsafe {
            self.visit(&rows, piece, &f);
        });
    }

    /// Calls `f` with the items of each entity, from several threads if there are many, until it returns `Some` or
    /// panics. Returns the result for the first such entity in the order of rows, whichever thread was first.
    ///
    /// Of later entities, some are visited and others are not.
    pub(crate) fn par_find<G, O>(self, f: G) -> Option<O>
    where
        G: Fn(T::Item) -> Option<O> + Sync,
        T::Item: Send,
        O: Send,
    {
        const { assert!(!F::SKIPS, "all rows of a table are visited") }
        let rows = self.rows();
        let found = Earliest::default();
        distribute(rows.len, MIN_ROWS, |piece| {
            if found.is_before(piece.start) {
                return;
            }
            let start = piece.start;
            let own = Cell::new(None);
            let is_over = Cell::new(false);
            let each = |item| {
                if !is_over.get()
                    && let Some(out) = f(item)
                {
                    is_over.set(true);
                    own.set(Some(out));
                }
            };
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                // SAFETY: the join came by value, so no item is alive, and no row is in two pieces.
                unsafe { self.visit(&rows, piece, &each) };
            }));
            match (outcome, own.into_inner()) {
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
        let rows = self.rows();
        assert!(
            !Self::BY_ENTITY || matches!(rows.location, RowLocation::Dense(_)),
            "{}",
            NotGrouped::of::<T::Item>()
        );
        distribute(rows.len, min_rows, |piece| {
            if let (RowLocation::Dense(first), Some((column, _))) = (&rows.location, self.dense()) {
                // SAFETY: the column has the rows of the piece; the join came by value, so no item is alive, and no row
                // is in two pieces.
                f(unsafe { T::chunk(column, first + piece.start, piece.len()) });
                return;
            }
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
    fn rows(&self) -> Rows<'a> {
        let Some(storage) = self.storage else {
            return Rows {
                len: 0,
                location: RowLocation::List(&[]),
            };
        };
        if Self::BY_ENTITY {
            if let Some((_, rows)) = self.dense() {
                let location = RowLocation::Dense(rows.start);
                let len = rows.len();
                return Rows { len, location };
            }
            if let Some(list) = self.candidates() {
                return Rows {
                    len: list.len(),
                    location: RowLocation::List(list),
                };
            }
        }
        let mut len = 0;
        let mut tables = Vec::new();
        for table in self.tables() {
            let rows = storage.table(table).len();
            if rows > 0 && (Self::BY_ENTITY || self.column(table).is_some()) {
                tables.push((len, table));
                len += rows;
            }
        }
        let location = RowLocation::Tables(tables);
        Rows { len, location }
    }

    /// Calls `f` with the items of a piece of the rows.
    ///
    /// # Safety
    /// No item of these rows is alive.
    unsafe fn visit<G: Fn(T::Item)>(&self, rows: &Rows<'a>, piece: Range<usize>, f: &G) {
        let Some(storage) = self.storage else { return };
        match &rows.location {
            RowLocation::Dense(first) => {
                if let Some((column, _)) = self.dense() {
                    let rows = first + piece.start..first + piece.end;
                    // SAFETY: `dense` returns a column that has all `rows` of the join, and so those of the piece; no
                    // item of them is alive by the caller's contract.
                    unsafe { self.for_each_dense(column, rows, &mut |item| f(item)) };
                }
            }
            RowLocation::List(list) => {
                for &entity in &list[piece] {
                    // SAFETY: a list names each entity once, so no other item of it is alive by the caller's contract.
                    if let Some(item) = unsafe { self.find(entity) } {
                        f(item);
                    }
                }
            }
            RowLocation::Tables(_) if Self::BY_ENTITY => {
                for (table, range) in rows.in_tables(piece) {
                    let entities = &storage.table(table).entities()[range.clone()];
                    for (row, &entity) in range.zip(entities) {
                        let row = row as u32;
                        let at = Location { table, row };
                        // SAFETY: the table lists the entity in that row; no item of it is alive by the caller's
                        // contract.
                        if let Some(item) = unsafe { self.item(storage, entity, at) } {
                            f(item);
                        }
                    }
                }
            }
            RowLocation::Tables(_) => {
                for (table, range) in rows.in_tables(piece) {
                    if let Some((column, _)) = self.column(table) {
                        // SAFETY: the column is that of the table, which has the rows; no item of them is alive by the
                        // caller's contract.
                        unsafe { self.for_each_in(table, column, range, &mut |item| f(item)) };
                    }
                }
            }
        }
    }
}

impl Rows<'_> {
    /// Returns the tables that a piece of the rows lies in, and its range of rows in each.
    fn in_tables(&self, piece: Range<usize>) -> impl Iterator<Item = (TableId, Range<usize>)> {
        let tables: &[(usize, TableId)] = match &self.location {
            RowLocation::Tables(tables) => tables,
            RowLocation::List(_) | RowLocation::Dense(_) => &[],
        };
        let first = tables.partition_point(|&(first, _)| first <= piece.start);
        let tables = &tables[first.saturating_sub(1)..];
        let ends = tables.iter().skip(1).map(|&(first, _)| first);
        let ends = ends.chain(core::iter::once(self.len));
        tables
            .iter()
            .zip(ends)
            .take_while({
                let end = piece.end;
                move |((first, _), _)| *first < end
            })
            .map(move |(&(first, table), end)| {
                let from = piece.start.max(first);
                (table, from - first..piece.end.min(end) - first)
            })
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
        distribute(rows.len, min_rows, |piece| {
            let new = RefCell::new(Vec::with_capacity(piece.len()));
            let each = |item| new.borrow_mut().push(read(item, &old));
            // SAFETY: the items only read, and no items that write are made before all reads have ended.
            unsafe { join.visit(&rows, piece.clone(), &each) };
            let new = Mutex::new(new.into_inner());
            done.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((piece, new));
        });
    }
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    // The results came in the order in which threads finished.
    done.sort_unstable_by_key(|(piece, _)| piece.start);
    let (join, rows) = (&old.join, old.join.rows());
    // The rows have the same numbers again, as nothing was changed. Whole pieces are distributed now.
    distribute(done.len(), 2, |pieces| {
        for (piece, new) in &done[pieces] {
            let mut new = new.lock().unwrap_or_else(PoisonError::into_inner);
            let new = RefCell::new(core::mem::take(&mut *new).into_iter());
            let each = |item| {
                let value = new.borrow_mut().next();
                if let Some(value) = value {
                    write(item, value);
                }
            };
            // SAFETY: the items that read are gone, no row is in two pieces, and each piece is visited once.
            unsafe { join.visit(&rows, piece.clone(), &each) };
        }
    });
}

/// Divides `0..len` into pieces and calls `work` with each, on the threads of the current pool and on this one.
fn distribute<W: Fn(Range<usize>) + Sync>(len: usize, min_rows: usize, work: W) {
    if len == 0 {
        return;
    }
    // The pool is only asked for its threads if they may be needed, since asking starts the global one.
    let threads = if len < min_rows.max(2) {
        1
    } else {
        rayon_core::current_num_threads()
    };
    if threads == 1 {
        return work(0..len);
    }
    let size = piece_size(len, threads, min_rows);
    let pieces = Pieces::new(len, size);
    let helpers = threads.min(len.div_ceil(size)) - 1;
    let panics = Earliest::<Box<dyn Any + Send>>::default();
    let help = || {
        for piece in pieces.by_ref() {
            let start = piece.start;
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(piece))) {
                panics.put(start, panic);
                return;
            }
        }
    };
    // This waits for all helpers. Those that start too late find no piece left: the result does not depend on another
    // thread running them.
    rayon_core::in_place_scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(|_| help());
        }
        help();
    });
    if let Some(panic) = panics.into_inner() {
        resume_unwind(panic);
    }
}

/// The result of the earliest piece that had one. It is the same for any number of threads: pieces are taken in order,
/// so all pieces before one that was taken are visited too.
struct Earliest<O> {
    /// The first row of the piece; `usize::MAX` as long as there is none.
    start: AtomicUsize,
    found: Mutex<Option<O>>,
}

impl<O> Default for Earliest<O> {
    fn default() -> Self {
        Self {
            start: AtomicUsize::new(usize::MAX),
            found: Mutex::new(None),
        }
    }
}

impl<O> Earliest<O> {
    /// Returns true if something was found in a piece that is earlier than the one from `start` on.
    fn is_before(&self, start: usize) -> bool {
        // Relaxed is enough: a superfluous visit does no harm.
        self.start.load(Ordering::Relaxed) < start
    }

    /// Keeps the result of the earlier piece, and drops the other.
    fn put(&self, start: usize, out: O) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let other = if self.is_before(start) {
            Some(out)
        } else {
            self.start.store(start, Ordering::Relaxed);
            found.replace(out)
        };
        drop(found);
        // Dropping runs the user's code, which may panic.
        drop(catch_unwind(AssertUnwindSafe(|| drop(other))));
    }

    fn into_inner(self) -> Option<O> {
        let found = self.found.into_inner();
        found.unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the number of rows of a piece: a quarter of a thread's share, but not too few.
fn piece_size(len: usize, threads: usize, min_rows: usize) -> usize {
    let least = (min_rows / 8).clamp(1, MIN_PIECE);
    let size = least.max(len / (4 * threads));
    if size < BLOCK {
        size
    } else {
        size.next_multiple_of(BLOCK)
    }
}

#[cfg(test)]
#[path = "parallel_tests.rs"]
mod tests;

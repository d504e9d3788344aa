//! The iterators over joins.

use core::mem::MaybeUninit;
use core::ops::Range;

use super::engine::Joined;
use super::fetch::{Fetch, Filter, GROUP};
use super::sets::NotGrouped;
use crate::entity::{Entity, Location, TableId};
use crate::storage::{OccupiedTables, Storage};

/// Tells the optimiser that the calling branch is seldom taken. Since Rust 1.95 the standard library has such a function.
#[cold]
const fn cold_path() {}

impl<'a, T: Fetch<'a>, F: Filter<'a>> Joined<'a, T, F> {
    #[inline]
    pub(crate) fn iter(self) -> JoinIter<'a, T, F> {
        let mut iter = JoinIter {
            tables: OccupiedTables::none(),
            by_entity: false,
            by_list: false,
            skips_disabled: false,
            lookup: MaybeUninit::uninit(),
            ids: &[],
            table: 0,
            row: 0,
            len: 0,
            end: 0,
            column: MaybeUninit::uninit(),
            rows: MaybeUninit::uninit(),
            mask: 0,
            group: 0,
            join: self,
        };
        if !Self::BY_ENTITY {
            iter.tables = iter.join.tables();
        } else if let Some((column, rows)) = iter.join.dense() {
            iter.column = MaybeUninit::new(column);
            (iter.row, iter.len) = (rows.start, rows.end);
            if let Some(filter_rows) = iter.join.filter.dense() {
                iter.rows = MaybeUninit::new(filter_rows);
            }
        } else if let Some(list) = iter.join.candidates() {
            iter.by_entity = true;
            (iter.ids, iter.len) = (list, list.len());
            iter.skips_disabled = iter.join.leaves_out();
            iter.by_list = Self::LISTED || !iter.skips_disabled;
            if Self::DENSE {
                iter.lookup = MaybeUninit::new(iter.join.fetch.lookup(list));
            }
        } else if !Self::LISTED {
            iter.by_entity = true;
            iter.tables = iter.join.tables();
        }
        iter
    }

    #[inline]
    pub(crate) fn chunks(self) -> JoinChunks<'a, T, F> {
        let () = JoinChunks::<'a, T, F>::CHECK;
        let dense = if Self::BY_ENTITY {
            let columns = self.columns();
            Some(columns.unwrap_or_else(|| panic!("{}", NotGrouped::of::<T::Item>())))
        } else {
            None
        };
        JoinChunks {
            tables: self.tables(),
            dense,
            join: self,
        }
    }
}

/// Iterator over the items of a join; see [`Join::iter`](super::Join::iter).
///
/// [`for_each`](Iterator::for_each) and other methods that build on `fold` are faster than a `for` loop.
pub struct JoinIter<'a, T: Fetch<'a>, F: Filter<'a>> {
    join: Joined<'a, T, F>,
    tables: OccupiedTables<'a>,
    /// The table that is being walked.
    table: TableId,
    /// Its columns, or the columns of the sparse sets that are walked. Invariant 1: unless `by_entity`, initialised if
    /// `row < len`. They then belong to a table or set with at least `len` rows, and the rows from `row` on were not
    /// visited.
    column: MaybeUninit<T::Ptr>,
    row: usize,
    /// The end of the rows to visit before the next call of the filter.
    len: usize,
    /// The number of rows of the table, where the filter excludes rows.
    end: usize,
    /// The entities of the table or the list of candidates, where entities are tested one by one.
    ids: &'a [Entity],
    by_entity: bool,
    by_list: bool,
    /// True if the list of candidates has to be searched for disabled entities; then `by_list` is false, unless the join is
    /// [listed](Joined::LISTED).
    skips_disabled: bool,
    /// Invariant 3: initialised for the list of candidates if `by_list`, where all members are in sparse sets.
    lookup: MaybeUninit<T::Lookup>,
    /// The filter's view of the rows, if it chooses rows. Invariant 2: initialised where `column` is.
    rows: MaybeUninit<F::Rows>,
    /// The rows from `group` to `row` that passed the filter and were not visited yet, a bit each.
    mask: u32,
    group: usize,
}

impl<'a, T: Fetch<'a>, F: Filter<'a>> JoinIter<'a, T, F> {
    /// Goes to the next table that matches; returns false if there is none.
    #[expect(
        clippy::while_let_on_iterator,
        reason = "less to compile for each join"
    )]
    // Inlined for the same reason as `next`; the optimiser alone does not inline a call on a cold path.
    #[inline(always)]
    fn advance(&mut self) -> bool {
        if F::SKIPS && self.len < self.end {
            // The table continues after the excluded row.
            self.row = self.len + 1;
            self.len = self.join.next_excluded(self.table, self.row, self.end);
            return true;
        }
        while let Some(table) = self.tables.next() {
            let Some((column, len)) = self.join.column(table) else {
                continue;
            };
            self.column = MaybeUninit::new(column);
            (self.row, self.len) = (0, len);
            if F::SKIPS {
                self.len = self.join.filter.next_excluded(table, 0, len);
                (self.table, self.end) = (table, len);
            }
            if F::ROWS {
                self.rows = MaybeUninit::new(self.join.filter.rows(table));
            }
            return true;
        }
        false
    }

    /// Returns the item of the next row that passes a filter that chooses rows.
    #[inline]
    fn next_match(&mut self) -> Option<T::Item> {
        while self.mask == 0 {
            if self.row >= self.len {
                if !self.advance() {
                    return None;
                }
                continue;
            }
            // SAFETY: `row < len`, so `column` is initialised by invariant 1, and `rows` by invariant 2.
            let rows = unsafe { self.rows.assume_init() };
            // SAFETY: by invariant 1 the table or set has the rows `row..len`, which were not visited: no item of them
            // is alive.
            self.mask = unsafe { self.join.matches(rows, self.row, self.len) };
            (self.group, self.row) = (self.row, self.len.min(self.row + GROUP));
        }
        let row = self.group + self.mask.trailing_zeros() as usize;
        self.mask &= self.mask - 1;
        // SAFETY: initialised by invariant 1: a bit is set, so there was a row before `len` in this table or set.
        let column = unsafe { self.column.assume_init() };
        // SAFETY: by invariant 1 the column has the row because its bit is set; each bit is visited once, so no item of the
        // row is alive.
        Some(unsafe { T::at(column, row) })
    }

    /// Returns the item of the next candidate that matches, where all members are in sparse sets.
    // Inlined for the same reason as `next`.
    #[inline(always)]
    fn next_listed(&mut self) -> Option<T::Item> {
        // SAFETY: initialised by invariant 3: the callers test `by_list`, or the join is listed and `by_list` is true.
        let lookup = unsafe { self.lookup.assume_init() };
        while let Some(&entity) = self.ids.get(self.row) {
            let position = self.row;
            self.row += 1;
            if Joined::<'a, T, F>::LISTED
                && self.skips_disabled
                && is_disabled(self.join.storage, entity)
            {
                continue;
            }
            // SAFETY: the entity is at `position` in the list of `lookup` (invariant 3). Each entity is visited once, so
            // no item of it is alive.
            let item = unsafe { self.join.listed_item(lookup, entity, position) };
            if item.is_some() {
                return item;
            }
        }
        None
    }

    fn next_by_entity(&mut self) -> Option<T::Item> {
        let storage = self.join.storage?;
        loop {
            while self.row < self.len {
                let entity = self.ids[self.row];
                let at = if self.by_list {
                    storage.entities.get(entity)
                } else if self.skips_disabled {
                    let at = storage.entities.get(entity);
                    at.filter(|at| !storage.is_disabled(at.table))
                } else {
                    Some(Location {
                        table: self.table,
                        row: self.row as u32,
                    })
                };
                self.row += 1;
                let Some(at) = at else { continue };
                // SAFETY: `at` is the entity's location: the directory's, or the row of the table that lists it. Each
                // entity is visited once, so no item of it is alive.
                let item = unsafe { self.join.item(storage, entity, at) };
                if item.is_some() {
                    return item;
                }
            }
            self.table = self.tables.next()?;
            if !self.join.may_match(self.table) {
                continue;
            }
            self.ids = storage.table(self.table).entities();
            (self.row, self.len) = (0, self.ids.len());
        }
    }

    /// Folds all items that [`next_by_entity`](Self::next_by_entity) would return. That function keeps its state in memory:
    /// it took 99 instructions for a child and its parent, and this one takes 57.
    #[inline]
    fn fold_by_entity<B, G: FnMut(B, T::Item) -> B>(self, init: B, f: &mut G) -> B {
        let Some(storage) = self.join.storage else {
            return init;
        };
        let (join, rows) = (self.join, self.row..self.len);
        if self.by_list || self.skips_disabled {
            // SAFETY: the list names each entity once, and those before `row` were visited: no item of the others is alive.
            return unsafe { join.fold_list(storage, &self.ids[rows], init, f) };
        }
        // SAFETY: the table has the rows, which were not visited, so no item of them is alive.
        let mut accumulator = unsafe { join.fold_table(storage, self.table, rows, init, f) };
        for table in self.tables {
            let rows = 0..storage.table(table).len();
            // SAFETY: the table has the rows; each table is visited once, so no item of them is alive.
            accumulator = unsafe { join.fold_table(storage, table, rows, accumulator, f) };
        }
        accumulator
    }
}

impl<'a, T: Fetch<'a>, F: Filter<'a>> Iterator for JoinIter<'a, T, F> {
    type Item = T::Item;

    // The optimiser does not inline a function of this size into a second loop over the same types, and out of line the
    // iterator lives in memory: 35 instructions per row instead of 14.
    #[inline(always)]
    fn next(&mut self) -> Option<T::Item> {
        if Joined::<'a, T, F>::BY_ENTITY && self.by_entity {
            // A call with the iterator would keep it in memory, so a loop over sparse components alone makes none.
            if Joined::<'a, T, F>::LISTED || Joined::<'a, T, F>::DENSE && self.by_list {
                return self.next_listed();
            }
            return self.next_by_entity();
        }
        if F::ROWS {
            return self.next_match();
        }
        loop {
            if self.row < self.len {
                // SAFETY: initialised by invariant 1 because `row < len`.
                let column = unsafe { self.column.assume_init() };
                // SAFETY: by invariant 1 the column has the row and it was not visited, so no item of it is alive;
                // `row` moves past it.
                let item = unsafe { T::at(column, self.row) };
                self.row += 1;
                return Some(item);
            }
            // Otherwise the walk over tables would hold registers that the walk over rows needs.
            cold_path();
            if Joined::<'a, T, F>::LISTED || !self.advance() {
                return None;
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = if F::ROWS || (Joined::<'a, T, F>::BY_ENTITY && self.by_entity) {
            0
        } else {
            self.len - self.row
        };
        (rest, None)
    }

    #[inline]
    fn fold<B, G: FnMut(B, T::Item) -> B>(mut self, init: B, mut f: G) -> B {
        if Joined::<'a, T, F>::DENSE && self.by_entity && self.by_list && !self.skips_disabled {
            // SAFETY: initialised by invariant 3.
            let lookup = unsafe { self.lookup.assume_init() };
            let positions = self.row..self.ids.len();
            // SAFETY: `lookup` is for the list (invariant 3), which names each entity once, and those before `row` were
            // visited: no item of the others is alive.
            return unsafe {
                self.join
                    .fold_listed(lookup, self.ids, positions, init, &mut f)
            };
        }
        let mut accumulator = init;
        if Joined::<'a, T, F>::BY_ENTITY && self.by_entity {
            return self.fold_by_entity(accumulator, &mut f);
        }
        if F::ROWS {
            while let Some(item) = self.next_match() {
                accumulator = f(accumulator, item);
            }
            return accumulator;
        }
        loop {
            // Copies, so that the compiler sees that stores in the loop cannot change them.
            let (column, row, len) = (self.column, self.row, self.len);
            for row in row..len {
                // SAFETY: initialised by invariant 1: the body runs only if `row < len`.
                let column = unsafe { column.assume_init() };
                // SAFETY: by invariant 1 the column has the row and it was not visited, so no item of it is alive;
                // `self.row` moves past all of them.
                accumulator = f(accumulator, unsafe { T::at(column, row) });
            }
            self.row = self.len;
            if !self.advance() {
                return accumulator;
            }
        }
    }
}

/// Returns true if an entity is disabled. A method of the iterator would force the iterator into memory.
#[cold]
#[inline(never)]
fn is_disabled(storage: Option<&Storage>, entity: Entity) -> bool {
    storage.is_some_and(|storage| storage.is_entity_disabled(entity))
}

/// Iterator over slices of columns; see [`Join::chunks`](super::Join::chunks).
pub struct JoinChunks<'a, T: Fetch<'a>, F: Filter<'a>> {
    join: Joined<'a, T, F>,
    tables: OccupiedTables<'a>,
    /// The columns and rows of a single sparse set or a group, until they are returned, if the members are sparse.
    /// Invariant 1: the columns have the rows.
    dense: Option<(T::Ptr, Range<usize>)>,
}

impl<'a, T: Fetch<'a>, F: Filter<'a>> JoinChunks<'a, T, F> {
    /// Stops the compilation if a join has no chunks. A method that users call evaluates it, so that the compiler names
    /// their line.
    pub(crate) const CHECK: () = {
        assert!(!F::SKIPS, "a chunk is all rows of a table");
        assert!(
            !Joined::<'a, T, F>::BY_ENTITY || Joined::<'a, T, F>::DENSE,
            "`chunks` needs components that are all stored in tables, or all in the sparse sets of a group; help: use `iter` or `for_each`"
        );
        assert!(
            !F::ROWS,
            "`chunks` returns whole tables, but `Changed` and `Added` match single rows; help: use `iter` or `for_each`"
        );
    };
}

impl<'a, T: Fetch<'a>, F: Filter<'a>> Iterator for JoinChunks<'a, T, F> {
    type Item = T::Chunk;

    #[inline]
    fn next(&mut self) -> Option<T::Chunk> {
        if Joined::<'a, T, F>::BY_ENTITY {
            let (column, rows) = self.dense.take().filter(|(_, rows)| !rows.is_empty())?;
            // SAFETY: by invariant 1 the columns have the rows; `take` leaves none behind, so they are returned once
            // and no item of them is alive.
            return Some(unsafe { T::chunk(column, rows.start, rows.len()) });
        }
        loop {
            let table = self.tables.next()?;
            if let Some((column, len)) = self.join.column(table)
                && len > 0
            {
                // SAFETY: `Joined::column` returned the length of the table along with its column; each table is
                // visited once, so no item of it is alive.
                return Some(unsafe { T::chunk(column, 0, len) });
            }
        }
    }
}

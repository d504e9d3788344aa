//! The walk over tables and sparse sets that joins and queries share.

use core::ops::Range;

use super::fetch::{BLOCK, BLOCKS, Fetch, Filter, GROUP, SMALL_BLOCK, shorter};
use super::sets::{JoinSets, NotGrouped};
use super::tables::Tables;
use crate::entity::{Entity, Location, TableId};
use crate::storage::{OccupiedTables, Storage};

/// The number of groups of rows that are filtered before the first match in them is visited.
const GROUPS: usize = 32;

/// The fetch and the filter of a join, and the world that they read.
///
/// Tables are walked in the order of their creation, rows in order; the entities of a sparse set in the order of the set.
/// The walk takes the tables of the member that is in the fewest tables, and skips tables without rows; there is no cache to
/// keep up to date.
pub struct Joined<'a, T, F> {
    /// `None` if no member is a view of a world; in that case nothing is visited.
    pub(crate) storage: Option<&'a Storage>,
    pub(crate) fetch: T,
    pub(crate) filter: F,
}

impl<'a, T: Fetch<'a>, F: Filter<'a>> Joined<'a, T, F> {
    /// True if entities are tested one by one because some member is not stored in tables.
    pub(super) const BY_ENTITY: bool = T::BY_ENTITY || F::BY_ENTITY;

    /// True if only the filter looks entities up one by one: the columns of a table are found once for all its rows.
    const FILTERED_BY_ENTITY: bool = F::BY_ENTITY && !T::BY_ENTITY && !F::ROWS;

    /// Returns true if loops leave out the entity because it is disabled.
    #[inline]
    pub(crate) fn leaves_out_entity(&self, entity: Entity) -> bool {
        let is_disabled = |storage: &Storage| storage.is_entity_disabled(entity);
        self.leaves_out() && self.storage.is_some_and(is_disabled)
    }

    /// True if loops visit disabled entities too because a member names a component that disables.
    const SEES_DISABLED: bool = T::SEES_DISABLED || F::SEES_DISABLED;

    /// True if all members are in sparse sets. Their values lie side by side if there is one set or the sets are a
    /// group; [`Filter::ROWS`] may still leave out single rows.
    pub(super) const DENSE: bool = Self::BY_ENTITY && T::DENSE && F::DENSE;

    /// True if all members are in sparse sets, and one of them has values: without a single set or a group, the loop walks a
    /// list of candidates and never tables.
    pub(super) const LISTED: bool = Self::DENSE && T::BY_ENTITY;

    /// Stops the compilation if the values do not lie in one slice per member. A method that users call evaluates it, so
    /// that the compiler names their line.
    pub(super) const CHECK_SLICES: () = assert!(
        Self::DENSE && !F::ROWS,
        "only components in sparse sets, with ids, and `include` and `exclude` of other sparse components, lie in one slice; help: use `chunks`, `iter` or `for_each`"
    );

    /// Returns the tables to look at: all that match, and possibly others.
    #[inline]
    pub(super) fn tables(&self) -> OccupiedTables<'a> {
        let Some(storage) = self.storage else {
            return OccupiedTables::none();
        };
        let mut tables = Tables::all(storage);
        self.fetch.restrict_tables(&mut tables);
        if !F::TRIVIAL {
            self.filter.restrict_tables(&mut tables);
        }
        if Self::SEES_DISABLED {
            storage.occupied(tables.list())
        } else {
            storage.enabled(tables.list())
        }
    }

    /// Returns false if the filter rejects all rows of a table.
    #[inline]
    pub(super) fn may_match(&self, table: TableId) -> bool {
        F::TRIVIAL || self.filter.table(table)
    }

    /// Returns true if loops leave out some entities because they are disabled. Only loops that do not go through tables
    /// need to ask.
    #[inline]
    pub(super) fn leaves_out(&self) -> bool {
        !Self::SEES_DISABLED && self.storage.is_some_and(Storage::any_disabled)
    }

    /// Returns the shorter list of candidate entities, unless a walk over the tables would test hardly more entities.
    pub(super) fn candidates(&self) -> Option<&'a [Entity]> {
        let list = shorter(self.fetch.entities(), self.filter.entities());
        let storage = self.storage?;
        let list = shorter(list, self.sets().candidates(storage))?;
        if Self::DENSE {
            // No table rules out any entity, so a walk over tables would not be shorter.
            return Some(list);
        }
        let mut rows = 0;
        for table in self.tables() {
            if !self.may_match(table) {
                continue;
            }
            rows += storage.table(table).len();
            // A row of a table is found without a look-up, an entity in a list by one.
            if rows > list.len() + list.len() / 4 {
                return Some(list);
            }
        }
        None
    }

    #[inline]
    pub(crate) fn each<G: FnMut(T::Item)>(self, f: &mut G) {
        // Everything except the loop over whole tables is in other functions: even a branch that is never taken costs
        // compile time.
        if Self::BY_ENTITY {
            return self.for_each_sparse(f);
        }
        let Some(storage) = self.storage else { return };
        let mut tables = self.tables();
        while let Some(mut block) = tables.next_block() {
            while !block.is_empty() {
                let table = block.take();
                if !self.may_match(table) {
                    continue;
                }
                let Some(column) = self.fetch.column(storage, table) else {
                    continue;
                };
                let rows = 0..storage.table(table).len();
                if F::SKIPS {
                    // SAFETY: `column` belongs to `table`, which has these rows; the join came by value and visits each row
                    // once, so no item of them is alive.
                    unsafe { self.for_each_not_excluded(table, column, rows, f) };
                } else if F::ROWS {
                    // SAFETY: `column` belongs to `table`, which has these rows; the join came by value and visits each row
                    // once, so no item of them is alive.
                    unsafe { self.for_each_in(table, column, rows, f) };
                } else {
                    // SAFETY: `column` has the rows of the table; the join came by value and visits each row once, so
                    // no item of them is alive.
                    unsafe { self.for_each_row(column, rows, f) };
                }
            }
        }
    }

    /// Like [`each`](Self::each), where a member is sparse.
    #[inline]
    fn for_each_sparse<G: FnMut(T::Item)>(self, f: &mut G) {
        match self.dense() {
            // SAFETY: `dense` returns columns that have these rows; the join came by value and visits each row once, so
            // no item of them is alive.
            Some((column, rows)) => unsafe { self.for_each_dense(column, rows, f) },
            None => self.iter().for_each(f),
        }
    }

    /// Folds the items of the matching entities of a list.
    ///
    /// # Safety
    /// The list names each entity once, and no item of them is alive.
    #[inline]
    pub(super) unsafe fn fold_list<B, G: FnMut(B, T::Item) -> B>(
        &self,
        storage: &'a Storage,
        list: &[Entity],
        init: B,
        f: &mut G,
    ) -> B {
        let (mut accumulator, leaves_out) = (init, self.leaves_out());
        for &entity in list {
            let Some(at) = storage.entities.get(entity) else {
                continue;
            };
            if leaves_out && storage.is_disabled(at.table) {
                continue;
            }
            // SAFETY: `at` is the location of the entity. The list names it once, so by the caller's contract no item of it
            // is alive.
            if let Some(item) = unsafe { self.item(storage, entity, at) } {
                accumulator = f(accumulator, item);
            }
        }
        accumulator
    }

    /// Folds the items of the matching entities at some positions in the list of candidates, where all members are in sparse
    /// sets and loops leave out no disabled entities.
    ///
    /// # Safety
    /// [`DENSE`](Self::DENSE) is true. `lookup` is for the list, which names each entity once, and no item of the entities
    /// at the positions is alive.
    // Out of line: inlined beside the loops over tables it got fewer registers, and took 1.5 times as many
    // instructions.
    #[inline(never)]
    pub(super) unsafe fn fold_listed<B, G: FnMut(B, T::Item) -> B>(
        &self,
        lookup: T::Lookup,
        list: &[Entity],
        positions: Range<usize>,
        init: B,
        f: &mut G,
    ) -> B {
        let mut accumulator = init;
        for (&entity, position) in list[positions.clone()].iter().zip(positions) {
            // SAFETY: by the caller's contract the entity is at `position` in the list of `lookup`, and no item of it is
            // alive because each position is visited once.
            if let Some(item) = unsafe { self.listed_item(lookup, entity, position) } {
                accumulator = f(accumulator, item);
            }
        }
        accumulator
    }

    /// Folds the items of the matching entities in some rows of a table.
    ///
    /// # Safety
    /// The table has the rows, and no item of them is alive.
    #[inline]
    pub(super) unsafe fn fold_table<B, G: FnMut(B, T::Item) -> B>(
        &self,
        storage: &'a Storage,
        table: TableId,
        rows: Range<usize>,
        init: B,
        f: &mut G,
    ) -> B {
        let mut accumulator = init;
        if !self.may_match(table) {
            return accumulator;
        }
        let entities = &storage.table(table).entities()[rows.clone()];
        if Self::FILTERED_BY_ENTITY {
            let Some(column) = self.fetch.column(storage, table) else {
                return accumulator;
            };
            for (&entity, row) in entities.iter().zip(rows) {
                let at = Location {
                    table,
                    row: row as u32,
                };
                if self.filter.entity(entity, at) {
                    // SAFETY: the column belongs to the table, which has the row, and no item of it is alive, by the
                    // caller's contract.
                    accumulator = f(accumulator, unsafe { T::at(column, row) });
                }
            }
            return accumulator;
        }
        for (&entity, row) in entities.iter().zip(rows) {
            let at = Location {
                table,
                row: row as u32,
            };
            // SAFETY: the table lists the entity in that row, and no item of it is alive, by the caller's contract.
            if let Some(item) = unsafe { self.item(storage, entity, at) } {
                accumulator = f(accumulator, item);
            }
        }
        accumulator
    }

    /// Calls `f` with each of some rows of a table that the filter neither [excludes](Filter::SKIPS) nor rejects.
    ///
    /// # Safety
    /// `column` belongs to `table` and has `rows`, and no item of them is alive.
    // Out of line: the walk over tables would take registers from the walk over rows.
    #[inline(never)]
    unsafe fn for_each_not_excluded<G: FnMut(T::Item)>(
        &self,
        table: TableId,
        column: T::Ptr,
        rows: Range<usize>,
        f: &mut G,
    ) {
        let mut row = rows.start;
        while row < rows.end {
            let next_excluded = self.next_excluded(table, row, rows.end);
            // SAFETY: by the caller's contract `column` belongs to `table`, has `rows`, and no item of them is alive;
            // the range is part of `rows`, and no two ranges overlap.
            unsafe { self.for_each_in(table, column, row..next_excluded, f) };
            row = next_excluded + 1;
        }
    }

    /// Calls `f` with each of some rows of a table that passes the filter.
    ///
    /// # Safety
    /// `column` belongs to `table` and has `rows`, and no item of them is alive.
    #[inline]
    pub(super) unsafe fn for_each_in<G: FnMut(T::Item)>(
        &self,
        table: TableId,
        column: T::Ptr,
        rows: Range<usize>,
        f: &mut G,
    ) {
        if F::ROWS {
            // SAFETY: by the caller's contract `column` has `rows` and no item of them is alive; `table`, whose ticks
            // the filter reads, has the same rows.
            unsafe { self.for_each_match(column, self.filter.rows(table), rows, f) };
        } else {
            // SAFETY: by the caller's contract `column` has `rows` and no item of them is alive.
            unsafe { self.for_each_row(column, rows, f) };
        }
    }

    /// Calls `f` with each of some rows of [`dense`](Self::dense) columns that passes the filter.
    ///
    /// # Safety
    /// The columns are the [`dense`](Self::dense) ones, have `rows`, and no item of them is alive.
    #[inline]
    pub(super) unsafe fn for_each_dense<G: FnMut(T::Item)>(
        &self,
        column: T::Ptr,
        rows: Range<usize>,
        f: &mut G,
    ) {
        if !F::ROWS {
            // SAFETY: by the caller's contract the columns have `rows` and no item of them is alive.
            unsafe { self.for_each_row(column, rows, f) };
        } else if let Some(filter_rows) = self.filter.dense() {
            // SAFETY: by the caller's contract the columns have `rows` and no item of them is alive; the filter's sets
            // have the same rows, by the contract of `Filter` for `DENSE`.
            unsafe { self.for_each_match(column, filter_rows, rows, f) };
        }
    }

    /// Calls `f` with each of some rows of a column that passes a filter on rows.
    ///
    /// # Safety
    /// `column`, and the table or sets that `filter_rows` belongs to, have `rows`, and no item of them is alive.
    #[inline]
    unsafe fn for_each_match<G: FnMut(T::Item)>(
        &self,
        column: T::Ptr,
        filter_rows: F::Rows,
        rows: Range<usize>,
        f: &mut G,
    ) {
        let mut visit = |first, mut mask: u32| {
            while mask != 0 {
                let row = first + mask.trailing_zeros() as usize;
                // SAFETY: `mask` has bits of `rows` only, which the column has by the caller's contract; each bit is
                // visited once, so no item of the row is alive.
                f(unsafe { T::at(column, row) });
                mask &= mask - 1;
            }
        };
        let mut first = rows.start;
        // Where matches are rare, a processor cannot predict which groups have some: a branch for each group takes longer than the
        // comparison of its ticks. So many groups are filtered without one.
        while first + GROUPS * GROUP <= rows.end {
            let (mut masks, mut groups) = ([0; GROUPS], 0);
            for (group, mask) in masks.iter_mut().enumerate() {
                // SAFETY: by the caller's contract the table or sets have the rows because the groups end before `rows.end`,
                // and no item of them is alive that could write their ticks: items that `f` kept belong to earlier rows.
                *mask = unsafe { self.filter.mask(filter_rows, first + group * GROUP) };
                groups |= u32::from(*mask != 0) << group;
            }
            while groups != 0 {
                let group = groups.trailing_zeros() as usize;
                visit(first + group * GROUP, masks[group]);
                groups &= groups - 1;
            }
            first += GROUPS * GROUP;
        }
        while first + GROUP <= rows.end {
            // SAFETY: by the caller's contract the table or sets have the rows because the group ends before `rows.end`, and
            // no item of them is alive that could write their ticks: items that `f` kept belong to earlier rows.
            visit(first, unsafe { self.filter.mask(filter_rows, first) });
            first += GROUP;
        }
        // SAFETY: by the caller's contract the table or sets have the rows up to `rows.end`, and no item of them is
        // alive that could write their ticks: items that `f` kept are of earlier rows.
        visit(first, unsafe { self.matches(filter_rows, first, rows.end) });
    }

    /// Returns a mask with a bit for each row of `first..end`, or of its first [`GROUP`] rows, that passes the filter.
    ///
    /// # Safety
    /// The table or sets that `filter_rows` belongs to have the rows `first..end`, and no item of them is alive.
    #[inline]
    pub(super) unsafe fn matches(&self, filter_rows: F::Rows, first: usize, end: usize) -> u32 {
        if end - first >= GROUP {
            // SAFETY: by the caller's contract the table or sets have the rows, at least `GROUP` of them before `end`, and
            // no item is alive that could write their ticks.
            return unsafe { self.filter.mask(filter_rows, first) };
        }
        (first..end).rev().fold(0, |mask, row| {
            // SAFETY: by the caller's contract the table or sets have the row because `row < end`, and no item is alive that
            // could write its ticks.
            mask << 1 | u32::from(unsafe { self.filter.row(filter_rows, row) })
        })
    }

    /// Returns the first of the rows `from..end` of a table that the filter excludes, or `end`.
    #[inline]
    pub(super) fn next_excluded(&self, table: TableId, from: usize, end: usize) -> usize {
        if F::SKIPS {
            self.filter.next_excluded(table, from, end)
        } else {
            end
        }
    }

    #[inline]
    fn sets(&self) -> JoinSets<'a> {
        let mut sets = JoinSets::default();
        self.fetch.sets(&mut sets);
        self.filter.sets(&mut sets);
        sets
    }

    /// Returns the columns of a single sparse set or of a group, and the rows of all entities that match apart from
    /// [`Filter::ROWS`]; `None` if these do not lie side by side.
    #[inline]
    pub(super) fn dense(&self) -> Option<(T::Ptr, Range<usize>)> {
        if self.leaves_out() {
            return None;
        }
        self.columns()
    }

    /// Like [`dense`](Self::dense), with disabled entities.
    #[inline]
    pub(super) fn columns(&self) -> Option<(T::Ptr, Range<usize>)> {
        if !Self::DENSE {
            return None;
        }
        let sets = self.sets();
        let rows = sets.range(self.storage?)?;
        // Each entity in these rows is in all sets and passes the filter apart from its ticks, so it has the items.
        Some((self.fetch.dense(sets.entities())?, rows))
    }

    /// Returns the values of a group.
    #[inline]
    pub(crate) fn slices(self) -> Result<T::Chunk, NotGrouped> {
        let () = Self::CHECK_SLICES;
        let (column, rows) = self.columns().ok_or(NotGrouped::of::<T::Item>())?;
        // SAFETY: `columns` returns columns that have these rows; the join came by value, so no item of them is alive.
        Ok(unsafe { T::chunk(column, rows.start, rows.len()) })
    }

    /// Returns the values of a join of one sparse component.
    #[inline]
    pub(crate) fn sparse_slice(self) -> T::Chunk
    where
        T::Chunk: Default,
    {
        // A component that the world has never seen has no set, and so no values.
        self.slices().unwrap_or_default()
    }

    /// Returns the entities of a join of one sparse component.
    #[inline]
    pub(crate) fn sparse_entities(self) -> &'a [Entity] {
        self.fetch.entities().unwrap_or_default()
    }

    /// Calls `f` with each of some rows of a column.
    ///
    /// # Safety
    /// `column` has `rows`, and no item of them is alive.
    #[inline]
    pub(super) unsafe fn for_each_row<G: FnMut(T::Item)>(
        &self,
        column: T::Ptr,
        rows: Range<usize>,
        f: &mut G,
    ) {
        if BLOCKS {
            // SAFETY: by the caller's contract `column` has `rows` and no item of them is alive.
            return unsafe { self.for_each_block(column, rows, f) };
        }
        let mut row = rows.start;
        while row < rows.end {
            // SAFETY: by the caller's contract `column` has `row` because `row < rows.end`; each row is visited once, so no
            // item of it is alive.
            f(unsafe { T::at(column, row) });
            row += 1;
        }
    }

    /// Calls `f` with the rows of one block.
    ///
    /// # Safety
    /// `column` has `LEN` rows from `row` on, and no item of them is alive.
    #[inline]
    unsafe fn for_each_of<const LEN: usize, G: FnMut(T::Item)>(
        &self,
        column: T::Ptr,
        row: usize,
        f: &mut G,
    ) {
        // SAFETY: by the caller's contract `column` has `LEN` rows from `row` on and no item of them is alive.
        let block = unsafe { T::block::<LEN>(column, row) };
        self.fetch.with_block::<LEN, _>(block, |column| {
            for row in 0..LEN {
                // SAFETY: a block has `LEN` rows; each is visited once, so no item of it is alive.
                f(unsafe { T::at(column, row) });
            }
        });
    }

    /// Like [`for_each_row`](Self::for_each_row), block by block.
    ///
    /// # Safety
    /// `column` has `rows`, and no item of them is alive.
    #[inline]
    unsafe fn for_each_block<G: FnMut(T::Item)>(
        &self,
        column: T::Ptr,
        rows: Range<usize>,
        f: &mut G,
    ) {
        let rest = rows.len() % BLOCK;
        let mut row = rows.start;
        while row < rows.end - rest {
            // SAFETY: by the caller's contract `column` has `rows`, and a full block from `row` on stays within them because
            // `row < rows.end - rest`; each row is visited once, so no item of it is alive.
            unsafe { self.for_each_of::<BLOCK, G>(column, row, f) };
            row += BLOCK;
        }
        if SMALL_BLOCK < BLOCK && rest >= SMALL_BLOCK {
            // SAFETY: by the caller's contract `column` has `rows`, and `rest >= SMALL_BLOCK` of them are left; each row is
            // visited once, so no item of it is alive.
            unsafe { self.for_each_of::<SMALL_BLOCK, G>(column, row, f) };
            row += SMALL_BLOCK;
        }
        // The same as `row..rows.end`, written so that the compiler sees that few rows are left, and does not vectorise the
        // loop.
        for row in row..row + rest % SMALL_BLOCK {
            // SAFETY: by the caller's contract `column` has `row` because `row < rows.end`; each row is visited once, so no
            // item of it is alive.
            f(unsafe { T::at(column, row) });
        }
    }

    /// Returns the columns of a table and its length, if its entities match.
    #[inline]
    pub(super) fn column(&self, table: TableId) -> Option<(T::Ptr, usize)> {
        let Some(storage) = self.storage else {
            return None;
        };
        if !self.may_match(table) {
            return None;
        }
        match self.fetch.column(storage, table) {
            Some(column) => Some((column, storage.table(table).len())),
            None => None,
        }
    }

    /// Returns the items of one entity.
    #[inline]
    pub(crate) fn get(self, entity: Entity) -> Option<T::Item> {
        // SAFETY: the join came by value, so no item of it is alive.
        unsafe { self.find(entity) }
    }

    /// Returns the items of one entity if it matches apart from its ticks.
    #[inline]
    pub(crate) fn get_at_any_tick(self, entity: Entity) -> Option<T::Item> {
        let storage = self.storage?;
        let at = storage.entities.get(entity)?;
        if F::TRIVIAL || self.filter.entity(entity, at) {
            // SAFETY: the entity is placed at `at`; the join came by value, so no item of it is alive.
            unsafe { self.fetch.get(storage, entity, at) }
        } else {
            None
        }
    }

    /// Returns the items of one entity without consuming the join.
    ///
    /// # Safety
    /// No other item of the entity is alive.
    #[inline]
    pub(super) unsafe fn find(&self, entity: Entity) -> Option<T::Item> {
        let Some(storage) = self.storage else {
            return None;
        };
        match storage.entities.get(entity) {
            // SAFETY: `get` returned the location of the entity; no other item of it is alive by the caller's contract.
            Some(at) => unsafe { self.item(storage, entity, at) },
            None => None,
        }
    }

    /// Returns the items of an entity at `position` in the list of candidates, if it matches, where all members are in
    /// sparse sets.
    ///
    /// # Safety
    /// [`DENSE`](Self::DENSE) is true. `lookup` is for the list, which has the entity at `position`, and no other item of
    /// it is alive.
    #[inline]
    pub(super) unsafe fn listed_item(
        &self,
        lookup: T::Lookup,
        entity: Entity,
        position: usize,
    ) -> Option<T::Item> {
        // Where all members are in sparse sets, the row of an entity is not used.
        let anywhere = Location {
            table: Storage::EMPTY_TABLE,
            row: 0,
        };
        if F::ROWS {
            let storage = self.storage?;
            // SAFETY: by the caller's contract `DENSE` is true and no other item of the entity is alive.
            return unsafe { self.item(storage, entity, anywhere) };
        }
        if !F::TRIVIAL && !self.filter.entity(entity, anywhere) {
            return None;
        }
        // SAFETY: by the caller's contract the entity is at `position` in the list, and no other item of it is alive.
        unsafe { T::get_listed(lookup, entity, position) }
    }

    /// Returns the items of an entity that is placed at `at`, if it matches.
    ///
    /// # Safety
    /// The entity is placed at `at`, or [`DENSE`](Self::DENSE) is true and `at` is any location; no other item of the
    /// entity is alive.
    #[inline]
    pub(super) unsafe fn item(
        &self,
        storage: &'a Storage,
        entity: Entity,
        at: Location,
    ) -> Option<T::Item> {
        if !F::TRIVIAL && !self.filter.entity(entity, at) {
            return None;
        }
        // Ticks are read last, once the entity is known to have the items: the ticks of other entities may be written
        // at the same time.
        // SAFETY: by the caller's contract the entity is placed at `at` and no item of it is alive; its ticks are written
        // through items of this join alone, by the contract of `TickFilter::new`.
        if F::ROWS && !(self.fetch.has(entity, at) && unsafe { self.filter.ticks(entity, at) }) {
            return None;
        }
        // SAFETY: by the caller's contract the entity is placed at `at` and no other item of it is alive.
        unsafe { self.fetch.get(storage, entity, at) }
    }
}

//! The contract between the iteration engine and its fetches and filters.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use super::sets::JoinSets;
use super::tables::Tables;
use crate::entity::{Entity, Location, TableId};
use crate::storage::{FrozenStore, SparseSet, Storage};

/// The number of rows of a block.
///
/// With SSE2 alone LLVM packs eight rows of small structs into full vectors when each column arrives as a reference to
/// an array of known length (about a third of the plain loop's time for three `f32`s). With AVX the plain loop is
/// vectorised by itself, and short blocks would only get in its way: blocks of 64 rows took 0.9 to 1.0 times as long as
/// the plain loop, blocks of 8 up to 4 times as long with AVX-512.
pub(crate) const BLOCK: usize = if cfg!(target_feature = "avx") { 64 } else { 8 };

/// The number of rows of a block in the remainder after blocks of [`BLOCK`] rows: tables are often small.
pub(crate) const SMALL_BLOCK: usize = if cfg!(target_feature = "avx") {
    BLOCK
} else {
    4
};

/// True if loops go block by block.
///
/// Builds with debug assertions visit row by row: they are hardly ever vectorised, and the functions that blocks need would
/// be a third of the compile time of a loop. Tests use blocks, like release builds.
pub(crate) const BLOCKS: bool = cfg!(any(not(debug_assertions), test, miri, feature = "validate"));

/// The number of rows that are filtered at once.
pub(crate) const GROUP: usize = 32;

/// One member of a join, or several as a tuple: fetches something for each entity.
///
/// Rows are accessed in three sizes: a [block](Self::block) of [`BLOCK`] or [`SMALL_BLOCK`] rows, which is fastest, a
/// [chunk](Self::chunk) of any number of rows, and [one row](Self::at). Values are accessed by entity with
/// [`get`](Self::get).
///
/// A fetch is *used for* an entity if one of these functions returns the entity's item. Several fetches of the same values
/// may exist at the same time if no two of them are used for the same entity, unless both only read.
///
/// This trait is an implementation detail of joins and queries, and not meant to be implemented elsewhere. Fetches are
/// `Copy` so that builds without optimisation need no code to drop them; only the engine gets one to copy.
///
/// # Safety
/// Implementations return only values of components that they borrow for `'a`, exclusively where the item is exclusive;
/// [`column`](Self::column) is `Some` only for tables whose rows all have the item; and where [`DENSE`](Self::DENSE) is
/// true, every entity that is in all [`sets`](Self::sets) has the item.
#[doc(hidden)]
pub unsafe trait Fetch<'a>: Copy + Sync {
    /// The item that the user gets per entity.
    type Item;
    /// The start of a table's column.
    type Ptr: Copy;
    /// References to `LEN` rows.
    type Block<const LEN: usize>;
    /// References to adjacent rows of a table: a slice.
    type Chunk;
    /// The data that [`get_listed`](Self::get_listed) uses to find items: copies, so that they stay in registers during a
    /// loop.
    type Lookup: Copy;

    /// True if a value is found by its entity and not by its row. Then blocks, chunks and rows are not used.
    const BY_ENTITY: bool;

    /// True if loops visit disabled entities too.
    const SEES_DISABLED: bool;

    /// Restricts the tables to those that may have the item.
    #[inline]
    fn restrict_tables(&self, tables: &mut Tables<'a>) {
        let _ = tables;
    }

    /// Returns the entities that may have the item; `None` if the fetch has no such list.
    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        None
    }

    /// True if the items lie in columns when all members are in sparse sets.
    const DENSE: bool = false;

    /// Adds the sparse components that an entity must have.
    #[inline]
    fn sets(&self, sets: &mut JoinSets<'a>) {
        let _ = sets;
    }

    /// Returns the columns of the sparse sets; each set has these `entities`. `None` unless [`DENSE`](Self::DENSE).
    #[inline]
    fn dense(&self, entities: &'a [Entity]) -> Option<Self::Ptr> {
        let _ = entities;
        None
    }

    /// Returns the data for finding the items of a list of entities. Used only where [`DENSE`](Self::DENSE).
    fn lookup(&self, list: &'a [Entity]) -> Self::Lookup;

    /// Returns the item of an entity that is at `position` in the list that `lookup` was made for. Used only where
    /// [`DENSE`](Self::DENSE).
    ///
    /// # Safety
    /// The entity is at `position` in the list, and no other item of it is alive.
    #[inline]
    unsafe fn get_listed(
        lookup: Self::Lookup,
        entity: Entity,
        position: usize,
    ) -> Option<Self::Item> {
        let _ = (lookup, entity, position);
        None
    }

    /// Returns the start of the column in a table; `None` if its entities do not have the item.
    fn column(&self, storage: &'a Storage, table: TableId) -> Option<Self::Ptr>;

    /// Returns `LEN` rows from `row` on.
    ///
    /// # Safety
    /// The column has these rows, and no other item of one of them is alive.
    unsafe fn block<const LEN: usize>(column: Self::Ptr, row: usize) -> Self::Block<LEN>;

    /// Calls `f` with a block as a column of `LEN` rows.
    ///
    /// A tuple nests the calls of its members: LLVM knows that a parameter that is a reference does not overlap with
    /// other memory, and needs this to vectorise `f`. Implementations are `#[inline]` and not `#[inline(always)]`:
    /// forced inlining happens so early that this knowledge is lost (measured: half the speed).
    fn with_block<const LEN: usize, F: FnOnce(Self::Ptr)>(&self, block: Self::Block<LEN>, f: F);

    /// Returns `len` rows from `row` on.
    ///
    /// # Safety
    /// The column has these rows, and no other item of one of them is alive.
    unsafe fn chunk(column: Self::Ptr, row: usize, len: usize) -> Self::Chunk;

    /// Returns the item of a row.
    ///
    /// # Safety
    /// The column has the row, and no other item of it is alive.
    unsafe fn at(column: Self::Ptr, row: usize) -> Self::Item;

    /// Returns true if an entity that is placed at `at` has the item.
    fn has(&self, entity: Entity, at: Location) -> bool;

    /// Returns the item of an entity.
    ///
    /// # Safety
    /// `at` is the location of the entity, or any location if [`DENSE`](Self::DENSE) is true, and no other item of the
    /// entity is alive.
    unsafe fn get(&self, storage: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item>;
}

/// A test that entities must pass beyond having the fetched items.
///
/// A filter is *used for* an entity if [`mask`](Self::mask), [`row`](Self::row) or [`ticks`](Self::ticks) reads the
/// entity's ticks, or a value that it tests; below, both are called ticks.
///
/// # Safety
/// [`next_excluded`](Self::next_excluded) returns one of `from..=end`. Where [`DENSE`](Self::DENSE) is true,
/// [`dense`](Self::dense) is `Some`; its rows, which [`mask`](Self::mask) and [`row`](Self::row) read, belong to the
/// entities that are in all [`sets`](Self::sets), in the same order.
#[doc(hidden)]
pub unsafe trait Filter<'a>: Copy + Sync {
    /// True if [`entity`](Self::entity) must be asked too.
    const BY_ENTITY: bool;

    /// True if loops visit disabled entities too.
    const SEES_DISABLED: bool;

    /// True if all entities pass.
    const TRIVIAL: bool = false;

    /// True if single rows of matching tables are excluded; [`next_excluded`](Self::next_excluded) finds them.
    const SKIPS: bool = false;

    /// True if only some rows of a table or sparse set may pass, so that [`mask`](Self::mask) must be asked too.
    const ROWS: bool = false;

    /// True if [`sets`](Self::sets) is the whole test, apart from [`mask`](Self::mask).
    const DENSE: bool = false;

    /// The rows of one table or of the sparse sets as [`mask`](Self::mask) reads them.
    type Rows: Copy;

    /// Adds the sparse components that an entity must have.
    #[inline]
    fn sets(&self, sets: &mut JoinSets<'a>) {
        let _ = sets;
    }

    /// Restricts the tables to those that may match.
    #[inline]
    fn restrict_tables(&self, tables: &mut Tables<'a>) {
        let _ = tables;
    }

    /// Returns the entities that may match; `None` if the filter has no such list.
    fn entities(&self) -> Option<&'a [Entity]>;

    /// Returns true if entities of the table can match.
    fn table(&self, table: TableId) -> bool;

    /// Returns the first of the rows `from..end` of a table that is excluded, or `end`.
    #[inline]
    fn next_excluded(&self, table: TableId, from: usize, end: usize) -> usize {
        let _ = (table, from);
        end
    }

    /// Returns the rows of a table that [can match](Self::table).
    fn rows(&self, table: TableId) -> Self::Rows;

    /// Returns the rows of the sparse sets, where the entities that are in all [`sets`](Self::sets) lie side by side.
    /// `None` unless [`DENSE`](Self::DENSE).
    #[inline]
    fn dense(&self) -> Option<Self::Rows> {
        None
    }

    /// Returns a mask of the [`GROUP`] rows from `first` on that match, the first row in the lowest bit.
    ///
    /// # Safety
    /// The table or set has these rows, and no other code writes their ticks meanwhile.
    unsafe fn mask(&self, rows: Self::Rows, first: usize) -> u32;

    /// Returns true if a row matches.
    ///
    /// # Safety
    /// The table or set has the row, and no other code writes its ticks meanwhile.
    unsafe fn row(&self, rows: Self::Rows, row: usize) -> bool;

    /// Returns true if an entity that is placed at `at` can match.
    fn entity(&self, entity: Entity, at: Location) -> bool;

    /// Returns true if the ticks of an entity that [can match](Self::entity) do match.
    ///
    /// # Safety
    /// The entity is placed at `at`, or [`DENSE`](Self::DENSE) is true and `at` is any location, and no other code writes the
    /// entity's ticks meanwhile.
    #[inline]
    unsafe fn ticks(&self, entity: Entity, at: Location) -> bool {
        let _ = (entity, at);
        true
    }
}

/// Maps the entities of a list to the positions of their values in a sparse set.
#[derive(Clone, Copy)]
pub struct Positions<'a> {
    /// `None` if there are no values.
    /// Invariant 1: the set is neither changed nor written to in `'a`.
    set: Option<&'a SparseSet>,
    /// The part of the index that is an array.
    near: &'a [u64],
    /// True if the list belongs to the set.
    is_own: bool,
}

impl<'a> Positions<'a> {
    /// Creates the index from a list of entities to the sparse set of the store.
    #[inline]
    pub(super) fn new(store: Option<FrozenStore<'a>>, list: &'a [Entity]) -> Self {
        let set = store.map(FrozenStore::set);
        Self {
            set,
            near: set.map_or(&[], SparseSet::near_positions),
            is_own: set.is_some_and(|set| core::ptr::eq(set.entities().as_ptr(), list.as_ptr())),
        }
    }

    /// Returns the position of the value of an entity that is at `position` in the list.
    #[inline]
    pub(super) fn get(self, entity: Entity, position: usize) -> Option<usize> {
        if self.is_own {
            return Some(position);
        }
        match self.near.get(entity.index() as usize) {
            Some(&entry) => SparseSet::position_in(entry, entity),
            None => position_of(self.set, entity),
        }
    }
}

/// Returns the position of an entity whose index is beyond the array, if the entity has a value. Takes the set instead of a
/// [`Positions`], which would otherwise have to live in memory.
#[cold]
#[inline(never)]
fn position_of(set: Option<&SparseSet>, entity: Entity) -> Option<usize> {
    set?.far_position(entity)
}

/// Returns the shorter of two lists of candidates.
pub(crate) fn shorter<'a, T>(a: Option<&'a [T]>, b: Option<&'a [T]>) -> Option<&'a [T]> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.len() < a.len() { b } else { a }),
        (a, b) => a.or(b),
    }
}

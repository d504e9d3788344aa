//! The contract between the iteration engine and what it iterates.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use super::sets::Sets;
use super::tables::Tables;
use crate::entity::{Entity, Location, TableId};
use crate::storage::Storage;

/// How many rows a block has.
///
/// With SSE2 alone LLVM packs eight rows of small structs into full vectors when each column arrives as a reference to
/// an array of known length (about a third of the plain loop's time for three `f32`s). With AVX the plain loop is
/// vectorised by itself, and short blocks would only get in its way: measured 0.9-1.0 of it at 64, up to 4 times slower
/// at 8 with AVX-512.
pub(crate) const BLOCK: usize = if cfg!(target_feature = "avx") { 64 } else { 8 };

/// How many rows a block of what a [`BLOCK`] is too large for has: tables are often small.
pub(crate) const SMALL_BLOCK: usize = if cfg!(target_feature = "avx") {
    BLOCK
} else {
    4
};

/// Whether loops go block by block.
///
/// Builds with debug assertions visit row by row: they are hardly ever vectorised, and the functions that blocks need
/// would be a third of what the compiler has to do for a loop. But tests are to test what is released.
pub(crate) const BLOCKS: bool = cfg!(any(not(debug_assertions), test, miri, feature = "validate"));

/// How many rows are filtered at once.
pub(crate) const GROUP: usize = 32;

/// One member of a join, or several as a tuple: what is fetched for each entity.
///
/// Columns are reached in three sizes: a [block](Self::block) of [`BLOCK`] rows, or a few (fastest), a [chunk](Self::chunk) of
/// any number of rows, and [one row](Self::at); and values by entity with [`get`](Self::get).
///
/// This trait is an implementation detail of joins and queries, and not meant to be implemented elsewhere. Terms are `Copy` so
/// that builds without optimisation need no code to drop them; nobody but the engine gets one to copy.
///
/// # Safety
/// Implementations give out only values of components that they borrow for `'a`, exclusively where the item is
/// exclusive; [`column`](Self::column) is `Some` only for tables in which every row has the item; and where
/// [`DENSE`](Self::DENSE) is true every entity that is in all [`sets`](Self::sets) has the item.
#[doc(hidden)]
pub unsafe trait Fetch<'a>: Copy + Sync {
    /// What the user sees per entity.
    type Item;
    /// The start of a table's column.
    type Ptr: Copy;
    /// References to `LEN` rows.
    type Block<const LEN: usize>;
    /// References to neighbouring rows of a table: a slice.
    type Chunk;

    /// Whether a value is found by its entity and not by its row; blocks, chunks and rows are not used then.
    const SPARSE: bool;

    /// Narrows down which tables may have the item.
    #[inline]
    fn restrict_tables(&self, tables: &mut Tables<'a>) {
        let _ = tables;
    }

    /// The entities that may have the item; `None` if the term has no such list.
    fn entities(&self) -> Option<&'a [Entity]>;

    /// Whether the items lie in columns also where there is no table but only sparse sets.
    const DENSE: bool = false;

    /// Names the sparse components that an entity must have.
    #[inline]
    fn sets(&self, sets: &mut Sets<'a>) {
        let _ = sets;
    }

    /// The columns of the sparse sets; `entities` are those of each set. `None` unless the term [`DENSE`](Self::DENSE).
    #[inline]
    fn dense(&self, entities: &'a [Entity]) -> Option<Self::Ptr> {
        let _ = entities;
        None
    }

    /// The start of the column in a table; `None` if its entities do not have the item.
    fn column(&self, storage: &'a Storage, table: TableId) -> Option<Self::Ptr>;

    /// `LEN` rows from `row` on.
    ///
    /// # Safety
    /// The column has these rows, and no other item that is alive comes from one of them.
    unsafe fn block<const LEN: usize>(column: Self::Ptr, row: usize) -> Self::Block<LEN>;

    /// Calls `f` with a block as a column of `LEN` rows.
    ///
    /// A tuple opens its members one inside the other: a parameter that is a reference is known not to overlap with what
    /// else there is, and that is what lets LLVM vectorise `f`. Implementations are `#[inline]` and not
    /// `#[inline(always)]`: forced inlining happens so early that this knowledge is lost (measured: half the speed).
    fn with_block<const LEN: usize, F: FnOnce(Self::Ptr)>(&self, block: Self::Block<LEN>, f: F);

    /// `len` rows from `row` on.
    ///
    /// # Safety
    /// The column has these rows, and no other item that is alive comes from one of them.
    unsafe fn chunk(column: Self::Ptr, row: usize, len: usize) -> Self::Chunk;

    /// The row.
    ///
    /// # Safety
    /// The column has the row, and no other item that is alive comes from it.
    unsafe fn at(column: Self::Ptr, row: usize) -> Self::Item;

    /// Whether an entity that is placed at `at` has the item.
    fn has(&self, entity: Entity, at: Location) -> bool;

    /// The item of an entity.
    ///
    /// # Safety
    /// `at` is where the entity is placed, and no other item that is alive comes from it.
    unsafe fn get(&self, storage: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item>;
}

/// What entities a join visits beyond what it fetches.
///
/// # Safety
/// [`next_excluded`](Self::next_excluded) returns one of `from..=end`. Where [`DENSE`](Self::DENSE) is true [`dense`](Self::dense) is `Some`, and
/// what [`mask`](Self::mask) and [`row`](Self::row) look at then has a row for each entity that is in all
/// [`sets`](Self::sets), at the same place as in these.
#[doc(hidden)]
pub unsafe trait Filter<'a>: Copy + Sync {
    /// Whether [`entity`](Self::entity) must be asked too.
    const SPARSE: bool;

    /// Whether all entities pass.
    const TRIVIAL: bool = false;

    /// Whether single rows of tables that match are left out; [`next_excluded`](Self::next_excluded) says which.
    const SKIPS: bool = false;

    /// Whether some rows of a table or sparse set may pass and others not, so that [`mask`](Self::mask) must be asked too.
    const ROWS: bool = false;

    /// Whether [`sets`](Self::sets) says all that is to be said, but for what [`mask`](Self::mask) does.
    const DENSE: bool = false;

    /// What [`mask`](Self::mask) looks at in one table.
    type Rows: Copy;

    /// Names the sparse components that an entity must have.
    #[inline]
    fn sets(&self, sets: &mut Sets<'a>) {
        let _ = sets;
    }

    /// Narrows down which tables may match.
    #[inline]
    fn restrict_tables(&self, tables: &mut Tables<'a>) {
        let _ = tables;
    }

    /// The entities that may match; `None` if the filter has no such list.
    fn entities(&self) -> Option<&'a [Entity]>;

    /// Whether entities of the table can match.
    fn table(&self, table: TableId) -> bool;

    /// The first of the rows `from..end` of a table that is left out, or `end`.
    #[inline]
    fn next_excluded(&self, table: TableId, from: usize, end: usize) -> usize {
        let _ = (table, from);
        end
    }

    /// What to look at in a table that [can match](Self::table).
    fn rows(&self, table: TableId) -> Self::Rows;

    /// What to look at in the sparse sets, where the entities that are in all [`sets`](Self::sets) lie side by side.
    /// `None` unless the filter [`DENSE`](Self::DENSE).
    #[inline]
    fn dense(&self) -> Option<Self::Rows> {
        None
    }

    /// Which of the [`GROUP`] rows from `first` on match, first row in the lowest bit.
    ///
    /// # Safety
    /// The table or set has these rows, and nothing writes their ticks meanwhile.
    unsafe fn mask(&self, rows: Self::Rows, first: usize) -> u32;

    /// Whether a row matches.
    ///
    /// # Safety
    /// The table or set has the row, and nothing writes its ticks meanwhile.
    unsafe fn row(&self, rows: Self::Rows, row: usize) -> bool;

    /// Whether an entity that is placed at `at` can match.
    fn entity(&self, entity: Entity, at: Location) -> bool;

    /// Whether an entity that [can match](Self::entity) does, by its ticks.
    ///
    /// # Safety
    /// The entity is placed at `at`, and nothing writes its ticks meanwhile.
    #[inline]
    unsafe fn ticks(&self, entity: Entity, at: Location) -> bool {
        let _ = (entity, at);
        true
    }
}

/// The shorter of two lists of candidates.
pub(crate) fn shorter<'a, T>(a: Option<&'a [T]>, b: Option<&'a [T]>) -> Option<&'a [T]> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.len() < a.len() { b } else { a }),
        (a, b) => a.or(b),
    }
}

//! Structs as query data and as filters, for `#[derive(QueryData)]` and `#[derive(QueryFilter)]`.
//!
//! # Query a struct
//! `#[derive(QueryData)]` names the tuple of the fields' data and a function that builds the struct. `query/structs.rs`
//! wraps the tuple's fetch: blocks and columns stay the tuple's, and only the item changes. So `for_each` keeps its speed,
//! and the derive does not depend on the iteration.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables and rows"
)]

use super::data::{QueryData, ReadOnlyQueryData};
use super::filter::QueryFilter;
use crate::entity::{Entity, Location, TableId};
use crate::join::{Fetch, Filter, JoinSets, Reborrow, ReborrowFilter, Tables};
use crate::storage::Storage;
use crate::tick::Window;

/// The items of a query over `D` per entity.
pub type ItemOf<'a, D> = <D as QueryData>::Item<'a>;

/// A struct whose fields are fetched together; implemented by `#[derive(QueryData)]`.
pub trait DataStruct {
    /// The fields as a tuple.
    type Fields: QueryData;
    /// The struct with the fields of one entity.
    type Item<'a>;

    /// Moves the fields into the struct.
    fn build<'a>(fields: ItemOf<'a, Self::Fields>) -> Self::Item<'a>;
}

/// The fields of a struct, as a tuple.
pub type FieldsOf<S> = <S as DataStruct>::Fields;

/// Query data that is the same as `Data`, for code that knows a type by a condition alone.
///
/// It does not imply that the type is query data: a condition that does would hide the impl from the compiler.
pub trait SameData {
    /// The data.
    type Data: QueryData;

    /// Returns the item.
    fn same<'a>(item: ItemOf<'a, Self::Data>) -> ItemOf<'a, Self>
    where
        Self: QueryData;
}

impl<D: QueryData> SameData for D {
    type Data = D;

    #[inline]
    fn same<'a>(item: ItemOf<'a, D>) -> ItemOf<'a, D> {
        item
    }
}

/// A struct whose fields only read; implemented by `#[derive(QueryData)]`, so that the compiler checks it.
pub trait ReadOnlyStruct: DataStruct<Fields: ReadOnlyQueryData> {}

/// The fetch of the tuple of fields, with the struct as its item.
///
/// The tuple provides blocks, rows and chunks: each column is a parameter of its own, which keeps `for_each` fast, and the
/// struct is built from the references at the end.
pub struct StructFetch<'a, S: DataStruct> {
    /// Invariant 1: for `'a`, the clauses of [`QueryData::fetch`] hold for the fields, except for fetches that were
    /// reborrowed from this one.
    storage: &'a Storage,
    window: Window,
    fields: Inner<'a, S>,
}

impl<S: DataStruct> Clone for StructFetch<'_, S> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: DataStruct> Copy for StructFetch<'_, S> {}

impl<'a, S: DataStruct> StructFetch<'a, S> {
    /// Creates the fetch from the fields' fetch.
    ///
    /// # Safety
    /// As for [`QueryData::fetch`] of the fields. If `S` is query data, it fetches the same as its fields.
    #[inline]
    pub unsafe fn new(storage: &'a Storage, window: Window) -> Self {
        Self {
            storage,
            window,
            // SAFETY: clauses 1 to 3 by the caller's contract.
            fields: unsafe { <S::Fields as QueryData>::fetch(storage, window) },
        }
    }
}

// SAFETY: `Short` is the same type with another lifetime; `Shared` fetches the same components of the same storage, and
// `ReadOnly` only reads.
unsafe impl<'a, S: DataStruct + QueryData> Reborrow<'a> for StructFetch<'a, S> {
    type ShortItem<'b> = <S as DataStruct>::Item<'b>;
    type Short<'b> = StructFetch<'b, S>;
    type Shared<'b> = <S::ReadOnly as QueryData>::Fetch<'b>;

    #[inline]
    unsafe fn shared<'b>(&self) -> Self::Shared<'b> {
        // SAFETY: by the caller's contract `'b` ends before `'a`; for `'a` the storage and its borrows (invariant 1) are
        // held.
        let storage: &'b Storage = unsafe { &*core::ptr::from_ref(self.storage) };
        // SAFETY: clause 1 by invariant 1 because `'a` is longer than `'b` and `ReadOnly` fetches from the same components.
        // Clause 2 by invariant 1, and because items that write, of fetches that were made from this one, are not used in
        // `'b` for entities that the new fetch is used for, by the caller's contract.
        unsafe { <S::ReadOnly as QueryData>::fetch(storage, self.window) }
    }
}

/// The fetch of the tuple of fields.
type Inner<'a, S> = <<S as DataStruct>::Fields as QueryData>::Fetch<'a>;

// SAFETY: delegates to the fetch of the tuple, which keeps the contract.
unsafe impl<'a, S: DataStruct> Fetch<'a> for StructFetch<'a, S> {
    type Item = S::Item<'a>;
    type Ptr = <Inner<'a, S> as Fetch<'a>>::Ptr;
    type Block<const LEN: usize> = <Inner<'a, S> as Fetch<'a>>::Block<LEN>;
    type Chunk = <Inner<'a, S> as Fetch<'a>>::Chunk;
    type Lookup = <Inner<'a, S> as Fetch<'a>>::Lookup;

    const BY_ENTITY: bool = <Inner<'a, S> as Fetch<'a>>::BY_ENTITY;
    const SEES_DISABLED: bool = <Inner<'a, S> as Fetch<'a>>::SEES_DISABLED;
    const DENSE: bool = <Inner<'a, S> as Fetch<'a>>::DENSE;

    #[inline]
    fn restrict_tables(&self, tables: &mut Tables<'a>) {
        self.fields.restrict_tables(tables);
    }

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        self.fields.entities()
    }

    #[inline]
    fn sets(&self, sets: &mut JoinSets<'a>) {
        self.fields.sets(sets);
    }

    #[inline]
    fn dense(&self, entities: &'a [Entity]) -> Option<Self::Ptr> {
        self.fields.dense(entities)
    }

    #[inline]
    fn lookup(&self, list: &'a [Entity]) -> Self::Lookup {
        self.fields.lookup(list)
    }

    #[inline]
    unsafe fn get_listed(
        lookup: Self::Lookup,
        entity: Entity,
        position: usize,
    ) -> Option<Self::Item> {
        // SAFETY: by the caller's contract the entity is at `position` and no other item of it is alive.
        unsafe { <Inner<'a, S>>::get_listed(lookup, entity, position) }.map(S::build)
    }

    #[inline]
    fn column(&self, storage: &'a Storage, table: TableId) -> Option<Self::Ptr> {
        self.fields.column(storage, table)
    }

    #[inline]
    unsafe fn block<const LEN: usize>(column: Self::Ptr, row: usize) -> Self::Block<LEN> {
        // SAFETY: by the caller's contract the columns have `LEN` rows from `row` on, and no other item of them is alive.
        unsafe { <Inner<'a, S>>::block(column, row) }
    }

    #[inline]
    fn with_block<const LEN: usize, F: FnOnce(Self::Ptr)>(&self, block: Self::Block<LEN>, f: F) {
        self.fields.with_block::<LEN, F>(block, f);
    }

    #[inline]
    unsafe fn chunk(column: Self::Ptr, row: usize, len: usize) -> Self::Chunk {
        // SAFETY: by the caller's contract the columns have `len` rows from `row` on, and no other item of them is alive.
        unsafe { <Inner<'a, S>>::chunk(column, row, len) }
    }

    #[inline]
    unsafe fn at(column: Self::Ptr, row: usize) -> Self::Item {
        // SAFETY: by the caller's contract the columns have `row`, and no other item of it is alive.
        S::build(unsafe { <Inner<'a, S>>::at(column, row) })
    }

    #[inline]
    fn has(&self, entity: Entity, at: Location) -> bool {
        self.fields.has(entity, at)
    }

    #[inline]
    unsafe fn get(&self, storage: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item> {
        // SAFETY: by the caller's contract the entity is placed at `at` and no other item of it is alive.
        unsafe { self.fields.get(storage, entity, at) }.map(S::build)
    }
}

/// A struct whose fields are filters; implemented by `#[derive(QueryFilter)]`.
pub trait FilterStruct {
    /// The fields as nested pairs.
    type Fields: QueryFilter;
}

/// The filter of the fields of a struct.
///
/// The type names the struct alone: code that can name the struct may be unable to name its fields' types.
pub struct StructFilter<'a, S: FilterStruct>(InnerFilter<'a, S>);

impl<'a, S: FilterStruct> StructFilter<'a, S> {
    /// Creates the filter from the fields' filter.
    ///
    /// # Safety
    /// As for [`QueryFilter::filter`] of the fields.
    #[inline]
    pub unsafe fn new(storage: &'a Storage, window: Window) -> Self {
        // SAFETY: by the caller's contract.
        Self(unsafe { <S::Fields as QueryFilter>::filter(storage, window) })
    }
}

impl<S: FilterStruct> Clone for StructFilter<'_, S> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: FilterStruct> Copy for StructFilter<'_, S> {}

// SAFETY: `Short` is the same type with another lifetime.
unsafe impl<'a, S: FilterStruct> ReborrowFilter<'a> for StructFilter<'a, S> {
    type Short<'b> = StructFilter<'b, S>;
}

/// The filter of the fields.
type InnerFilter<'a, S> = <<S as FilterStruct>::Fields as QueryFilter>::Filter<'a>;

// SAFETY: delegates to the filter of the fields, which keeps the contract.
unsafe impl<'a, S: FilterStruct> Filter<'a> for StructFilter<'a, S> {
    type Rows = <InnerFilter<'a, S> as Filter<'a>>::Rows;

    const BY_ENTITY: bool = <InnerFilter<'a, S> as Filter<'a>>::BY_ENTITY;
    const SEES_DISABLED: bool = <InnerFilter<'a, S> as Filter<'a>>::SEES_DISABLED;
    const TRIVIAL: bool = <InnerFilter<'a, S> as Filter<'a>>::TRIVIAL;
    const SKIPS: bool = <InnerFilter<'a, S> as Filter<'a>>::SKIPS;
    const ROWS: bool = <InnerFilter<'a, S> as Filter<'a>>::ROWS;
    const DENSE: bool = <InnerFilter<'a, S> as Filter<'a>>::DENSE;

    #[inline]
    fn sets(&self, sets: &mut JoinSets<'a>) {
        self.0.sets(sets);
    }

    #[inline]
    fn restrict_tables(&self, tables: &mut Tables<'a>) {
        self.0.restrict_tables(tables);
    }

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        self.0.entities()
    }

    #[inline]
    fn table(&self, table: TableId) -> bool {
        self.0.table(table)
    }

    #[inline]
    fn next_excluded(&self, table: TableId, from: usize, end: usize) -> usize {
        self.0.next_excluded(table, from, end)
    }

    #[inline]
    fn rows(&self, table: TableId) -> Self::Rows {
        self.0.rows(table)
    }

    #[inline]
    fn dense(&self) -> Option<Self::Rows> {
        self.0.dense()
    }

    #[inline]
    unsafe fn mask(&self, rows: Self::Rows, first: usize) -> u32 {
        // SAFETY: by the caller's contract the rows exist, and no other code writes their ticks meanwhile.
        unsafe { self.0.mask(rows, first) }
    }

    #[inline]
    unsafe fn row(&self, rows: Self::Rows, row: usize) -> bool {
        // SAFETY: by the caller's contract the row exists, and no other code writes its ticks meanwhile.
        unsafe { self.0.row(rows, row) }
    }

    #[inline]
    fn entity(&self, entity: Entity, at: Location) -> bool {
        self.0.entity(entity, at)
    }

    #[inline]
    unsafe fn ticks(&self, entity: Entity, at: Location) -> bool {
        // SAFETY: by the caller's contract the entity is placed at `at`, and no other code writes its ticks meanwhile.
        unsafe { self.0.ticks(entity, at) }
    }
}

//! Structs as query data: what `#[derive(QueryData)]` builds on.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables and rows"
)]

use super::data::{QueryData, ReadOnlyQueryData};
use crate::entity::{Entity, Location, TableId};
use crate::join::{Fetch, Reborrow, Sets, Tables};
use crate::storage::Storage;
use crate::tick::Window;

/// What a query over `D` gives per entity.
pub type ItemOf<'a, D> = <<D as QueryData>::Fetch<'a> as Fetch<'a>>::Item;

/// A struct whose fields are fetched together; implemented by `#[derive(QueryData)]`.
pub trait DataStruct {
    /// The fields as a tuple.
    type Fields: QueryData;
    /// The struct with the fields of one entity.
    type Item<'a>;

    /// Moves the fields into the struct.
    fn build<'a>(fields: ItemOf<'a, Self::Fields>) -> Self::Item<'a>;
}

/// A struct all fields of which only read; implemented by `#[derive(QueryData)]`, to have it checked.
pub trait ReadOnlyStruct: DataStruct<Fields: ReadOnlyQueryData> {}

/// The term of the tuple of fields, with the struct as its item.
///
/// Blocks, rows and chunks are those of the tuple: each column arrives as a parameter of its own, which is what makes
/// `for_each` fast, and the struct is only put together around the references.
pub struct StructFetch<'a, S: DataStruct> {
    /// Invariant 1: the components of the fields are locked as long as `'a`.
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
    /// The fields' term, whose items get the shape of the struct.
    ///
    /// # Safety
    /// As for [`QueryData::fetch`] of the fields. Where `S` is query data, it fetches what its fields fetch.
    #[inline]
    pub unsafe fn new(storage: &'a Storage, window: Window) -> Self {
        Self {
            storage,
            window,
            // SAFETY: the caller's promise.
            fields: unsafe { <S::Fields as QueryData>::fetch(storage, window) },
        }
    }
}

// SAFETY: the same type; the same components of the same storage, of which `ReadOnly` only reads.
unsafe impl<'a, S: DataStruct + QueryData> Reborrow<'a> for StructFetch<'a, S> {
    type ShortItem<'b> = S::Item<'b>;
    type Short<'b> = StructFetch<'b, S>;
    type Shared<'b> = <S::ReadOnly as QueryData>::Fetch<'b>;

    #[inline]
    unsafe fn shared<'b>(&self) -> Self::Shared<'b> {
        // SAFETY: the caller says that `'b` is shorter, for which the storage and its locks (invariant 1) are there.
        let storage: &'b Storage = unsafe { &*core::ptr::from_ref(self.storage) };
        // SAFETY: as above; the caller keeps the items apart.
        unsafe { <S::ReadOnly as QueryData>::fetch(storage, self.window) }
    }
}

/// The term of the tuple.
type Inner<'a, S> = <<S as DataStruct>::Fields as QueryData>::Fetch<'a>;

// SAFETY: as for the tuple's term, all calls of which keep the promises of the caller.
unsafe impl<'a, S: DataStruct> Fetch<'a> for StructFetch<'a, S> {
    type Item = S::Item<'a>;
    type Ptr = <Inner<'a, S> as Fetch<'a>>::Ptr;
    type Block<const LEN: usize> = <Inner<'a, S> as Fetch<'a>>::Block<LEN>;
    type Chunk = <Inner<'a, S> as Fetch<'a>>::Chunk;

    const SPARSE: bool = <Inner<'a, S> as Fetch<'a>>::SPARSE;
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
    fn sets(&self, sets: &mut Sets<'a>) {
        self.fields.sets(sets);
    }

    #[inline]
    fn dense(&self, entities: &'a [Entity]) -> Option<Self::Ptr> {
        self.fields.dense(entities)
    }

    #[inline]
    fn column(&self, storage: &'a Storage, table: TableId) -> Option<Self::Ptr> {
        self.fields.column(storage, table)
    }

    #[inline]
    unsafe fn block<const LEN: usize>(column: Self::Ptr, row: usize) -> Self::Block<LEN> {
        // SAFETY: the caller's promises.
        unsafe { <Inner<'a, S>>::block(column, row) }
    }

    #[inline]
    fn with_block<const LEN: usize, F: FnOnce(Self::Ptr)>(&self, block: Self::Block<LEN>, f: F) {
        self.fields.with_block::<LEN, F>(block, f);
    }

    #[inline]
    unsafe fn chunk(column: Self::Ptr, row: usize, len: usize) -> Self::Chunk {
        // SAFETY: the caller's promises.
        unsafe { <Inner<'a, S>>::chunk(column, row, len) }
    }

    #[inline]
    unsafe fn at(column: Self::Ptr, row: usize) -> Self::Item {
        // SAFETY: the caller's promises.
        S::build(unsafe { <Inner<'a, S>>::at(column, row) })
    }

    #[inline]
    fn has(&self, entity: Entity, at: Location) -> bool {
        self.fields.has(entity, at)
    }

    #[inline]
    unsafe fn get(&self, storage: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item> {
        // SAFETY: the caller's promises.
        unsafe { self.fields.get(storage, entity, at) }.map(S::build)
    }
}

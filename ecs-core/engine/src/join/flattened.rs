//! Tuples of more than eight fetches: a pair of tuples inside, one flat tuple for users.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use super::fetch::Fetch;
use super::reborrow::Reborrow;
use super::sets::JoinSets;
use super::tables::Tables;
use crate::entity::{Entity, Location, TableId};
use crate::storage::Storage;
use crate::tuples::{Flat, for_each_wide_arity};

/// Fetches from a pair of tuples of fetches, with items and slices as one tuple.
#[derive(Clone, Copy)]
pub struct Flattened<T>(pub(crate) T);

// SAFETY: delegates to the inner fetch, which keeps the contract.
unsafe impl<'a, T> Fetch<'a> for Flattened<T>
where
    T: Fetch<'a, Item: Flat, Chunk: Flat>,
{
    type Item = <T::Item as Flat>::Flat;
    type Ptr = T::Ptr;
    type Block<const LEN: usize> = T::Block<LEN>;
    type Chunk = <T::Chunk as Flat>::Flat;
    type Lookup = T::Lookup;

    const BY_ENTITY: bool = T::BY_ENTITY;
    const SEES_DISABLED: bool = T::SEES_DISABLED;
    const DENSE: bool = T::DENSE;

    #[inline]
    fn restrict_tables(&self, tables: &mut Tables<'a>) {
        self.0.restrict_tables(tables);
    }

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        self.0.entities()
    }

    #[inline]
    fn sets(&self, sets: &mut JoinSets<'a>) {
        self.0.sets(sets);
    }

    #[inline]
    fn dense(&self, entities: &'a [Entity]) -> Option<Self::Ptr> {
        self.0.dense(entities)
    }

    #[inline]
    fn lookup(&self, list: &'a [Entity]) -> Self::Lookup {
        self.0.lookup(list)
    }

    #[inline]
    unsafe fn get_listed(
        lookup: Self::Lookup,
        entity: Entity,
        position: usize,
    ) -> Option<Self::Item> {
        // SAFETY: by the caller's contract the entity is at `position` and no other item of it is alive.
        match unsafe { T::get_listed(lookup, entity, position) } {
            Some(item) => Some(item.flat()),
            None => None,
        }
    }

    #[inline]
    fn column(&self, storage: &'a Storage, table: TableId) -> Option<Self::Ptr> {
        self.0.column(storage, table)
    }

    #[inline]
    unsafe fn block<const LEN: usize>(column: Self::Ptr, row: usize) -> Self::Block<LEN> {
        // SAFETY: by the caller's contract the column has `LEN` rows from `row` on, and no other item of them is alive.
        unsafe { T::block(column, row) }
    }

    #[inline]
    fn with_block<const LEN: usize, F: FnOnce(Self::Ptr)>(&self, block: Self::Block<LEN>, f: F) {
        self.0.with_block::<LEN, F>(block, f);
    }

    #[inline]
    unsafe fn chunk(column: Self::Ptr, row: usize, len: usize) -> Self::Chunk {
        // SAFETY: by the caller's contract the column has `len` rows from `row` on, and no other item of them is alive.
        unsafe { T::chunk(column, row, len) }.flat()
    }

    #[inline]
    unsafe fn at(column: Self::Ptr, row: usize) -> Self::Item {
        // SAFETY: by the caller's contract the column has `row`, and no other item of it is alive.
        unsafe { T::at(column, row) }.flat()
    }

    #[inline]
    fn has(&self, entity: Entity, at: Location) -> bool {
        self.0.has(entity, at)
    }

    #[inline]
    unsafe fn get(&self, storage: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item> {
        // SAFETY: by the caller's contract the entity is placed at `at` and no other item of it is alive.
        match unsafe { self.0.get(storage, entity, at) } {
            Some(item) => Some(item.flat()),
            None => None,
        }
    }
}

macro_rules! reborrow {
    ($($left:ident $l:ident),+; $($right:ident $r:ident),+) => {
        // SAFETY: `Short` and `Shared` belong to the inner fetch, which keeps the contract.
        unsafe impl<'a, $($left: Reborrow<'a>,)+ $($right: Reborrow<'a>),+> Reborrow<'a>
            for Flattened<(($($left,)+), ($($right,)+))>
        {
            type ShortItem<'b> = ($($left::ShortItem<'b>,)+ $($right::ShortItem<'b>,)+);
            type Short<'b> = Flattened<(($($left::Short<'b>,)+), ($($right::Short<'b>,)+))>;
            type Shared<'b> = Flattened<(($($left::Shared<'b>,)+), ($($right::Shared<'b>,)+))>;

            #[inline]
            unsafe fn shared<'b>(&self) -> Self::Shared<'b> {
                // SAFETY: by the caller's contract `'b` ends before `'a` does, and no item that writes is used in `'b`
                // for an entity that the new fetch is used for.
                Flattened(unsafe { self.0.shared() })
            }
        }
    };
}

for_each_wide_arity!(reborrow);

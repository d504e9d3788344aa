//! The fetch of entities that have at least one of several members.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use super::fetch::Fetch;
use super::fetches::OptionFetch;
use super::reborrow::Reborrow;
use crate::entity::{Entity, Location, TableId};
use crate::storage::Storage;
use crate::tuples::for_each_narrow_arity;

/// Fetches the items of the members `M` from entities that have at least one of them. `M` is a tuple of [`OptionFetch`]es.
#[derive(Clone, Copy)]
pub struct AnyFetch<M>(pub(crate) M);

/// Optional members, of which an entity may have none.
#[doc(hidden)]
pub trait OptionalMembers<'a>: Fetch<'a> {
    /// Returns true if the entities of a table have one of them.
    fn has_column(column: &Self::Ptr) -> bool;

    /// Returns true if an entity that is placed at `at` has one of them.
    fn has_one(&self, entity: Entity, at: Location) -> bool;
}

// SAFETY: the members keep the contract; `column` is `Some` only for tables whose entities all have a member, and the
// fetch is not dense.
unsafe impl<'a, M: OptionalMembers<'a>> Fetch<'a> for AnyFetch<M> {
    type Item = M::Item;
    type Ptr = M::Ptr;
    type Block<const LEN: usize> = M::Block<LEN>;
    type Chunk = M::Chunk;
    type Lookup = ();

    const BY_ENTITY: bool = M::BY_ENTITY;
    const SEES_DISABLED: bool = M::SEES_DISABLED;

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        None
    }

    fn lookup(&self, _: &'a [Entity]) {}

    unsafe fn get_listed((): (), _: Entity, _: usize) -> Option<Self::Item> {
        None
    }

    #[inline]
    fn column(&self, storage: &'a Storage, table: TableId) -> Option<Self::Ptr> {
        self.0.column(storage, table).filter(M::has_column)
    }

    #[inline]
    unsafe fn block<const LEN: usize>(column: Self::Ptr, row: usize) -> Self::Block<LEN> {
        // SAFETY: by the caller's contract the column has `LEN` rows from `row` on, and no other item is alive.
        unsafe { M::block(column, row) }
    }

    #[inline]
    fn with_block<const LEN: usize, F: FnOnce(Self::Ptr)>(&self, block: Self::Block<LEN>, f: F) {
        self.0.with_block::<LEN, F>(block, f);
    }

    #[inline]
    unsafe fn chunk(column: Self::Ptr, row: usize, len: usize) -> Self::Chunk {
        // SAFETY: by the caller's contract the column has `len` rows from `row` on, and no other item is alive.
        unsafe { M::chunk(column, row, len) }
    }

    #[inline]
    unsafe fn at(column: Self::Ptr, row: usize) -> Self::Item {
        // SAFETY: by the caller's contract the column has the row, and no other item of it is alive.
        unsafe { M::at(column, row) }
    }

    #[inline]
    fn has(&self, entity: Entity, at: Location) -> bool {
        self.0.has_one(entity, at)
    }

    #[inline]
    unsafe fn get(&self, storage: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item> {
        if !self.0.has_one(entity, at) {
            return None;
        }
        // SAFETY: by the caller's contract the entity is placed at `at`, and no other item of it is alive.
        unsafe { self.0.get(storage, entity, at) }
    }
}

macro_rules! members {
    ($($name:ident $value:ident),+) => {
        impl<'a, $($name: Fetch<'a>),+> OptionalMembers<'a> for ($(OptionFetch<$name>,)+) {
            #[inline]
            fn has_column(($($value,)+): &Self::Ptr) -> bool {
                $($value.is_some())||+
            }

            #[inline]
            fn has_one(&self, entity: Entity, at: Location) -> bool {
                let ($($value,)+) = self;
                $($value.0.as_ref().is_some_and(|inner| inner.has(entity, at)))||+
            }
        }

        // SAFETY: `Short` and `Shared` belong to the members, which keep the contract.
        unsafe impl<'a, $($name: Reborrow<'a>),+> Reborrow<'a> for AnyFetch<($(OptionFetch<$name>,)+)> {
            type ShortItem<'b> = ($(Option<$name::ShortItem<'b>>,)+);
            type Short<'b> = AnyFetch<($(OptionFetch<$name::Short<'b>>,)+)>;
            type Shared<'b> = AnyFetch<($(OptionFetch<$name::Shared<'b>>,)+)>;

            #[inline]
            unsafe fn shared<'b>(&self) -> Self::Shared<'b> {
                let ($($value,)+) = &self.0;
                // SAFETY: by the caller's contract `'b` ends before `'a` does, and no item that writes is used in `'b` for
                // an entity that the new fetch is used for.
                AnyFetch(($(unsafe { $value.shared() },)+))
            }
        }
    };
}

for_each_narrow_arity!(members);

//! The filter by the values of a component that is a `bool` in memory.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::fetch::{Filter, GROUP};
use super::fetches::of_those_with;
use super::reborrow::ReborrowFilter;
use super::tables::column_of;
use crate::component::Component;
use crate::entity::{Entity, Location, TableId};
use crate::invariant::Invariant;
use crate::storage::{ComponentStore, Frozen, FrozenStore};

/// A component whose values are a `bool` each.
///
/// # Safety
/// It has the layout of `bool`, and its bytes are a valid `bool`.
#[doc(hidden)]
pub unsafe trait Flag: Component {}

/// Matches entities whose `T` is `IS_SET`. Like a filter by ticks, it is *used for* an entity if it reads the entity's value.
pub struct FlagFilter<'a, T, const IS_SET: bool> {
    /// `None` while the world has never seen a `T`.
    /// Invariant 1: the store of `T`, borrowed for `'a` by this filter or by the fetch that it filters; in `'a` the value
    /// of an entity that the filter is [used for](Filter) is written through items of its join alone.
    store: Option<FrozenStore<'a>>,
    of: Invariant<T>,
}

impl<T, const IS_SET: bool> Clone for FlagFilter<'_, T, IS_SET> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const IS_SET: bool> Copy for FlagFilter<'_, T, IS_SET> {}

impl<'a, T: Flag, const IS_SET: bool> FlagFilter<'a, T, IS_SET> {
    /// # Safety
    /// `store` is the store of `T`, and borrowed for reading or writing during `'a`. In `'a` the value of an entity that
    /// the filter is [used for](Filter) is written through items of the filtered join alone, and no view inserts or
    /// removes values.
    #[inline]
    pub(crate) unsafe fn new(store: Option<&'a ComponentStore>) -> Self {
        Self {
            // SAFETY: the store is borrowed for `'a`, and in `'a` no view inserts or removes values, by the caller's
            // contract.
            store: store.map(|store| unsafe { Frozen::new(store) }),
            of: PhantomData,
        }
    }
}

// SAFETY: values are in the order of the one set that `sets` adds; `dense` is `Some` where `DENSE` is true;
// `next_excluded` is the trait's.
unsafe impl<'a, T: Flag, const IS_SET: bool> Filter<'a> for FlagFilter<'a, T, IS_SET> {
    of_those_with!(filter);

    const ROWS: bool = true;
    const DENSE: bool = Self::BY_ENTITY;

    /// `None` while the world has never seen a `T`, and in tables that match only by another member of an `Or`.
    type Rows = Option<NonNull<bool>>;

    #[inline]
    fn rows(&self, table: TableId) -> Self::Rows {
        column_of(self.store, table).map(NonNull::cast)
    }

    #[inline]
    fn dense(&self) -> Option<Self::Rows> {
        Self::DENSE.then(|| self.store.map(|store| store.set().data().cast()))
    }

    #[inline]
    unsafe fn mask(&self, rows: Self::Rows, first: usize) -> u32 {
        let Some(column) = rows else { return 0 };
        // SAFETY: the table or set has `GROUP` rows from `first` on by the caller's contract.
        let group = unsafe { column.add(first) }.cast::<[bool; GROUP]>();
        // SAFETY: each of these rows has a value, which is a `bool` by the contract of `Flag`, and which no other code writes
        // by the caller's contract.
        let set = bits(unsafe { group.read() });
        if IS_SET { set } else { !set }
    }

    #[inline]
    unsafe fn row(&self, rows: Self::Rows, row: usize) -> bool {
        let Some(column) = rows else { return false };
        // SAFETY: the table or set has the row by the caller's contract.
        let value = unsafe { column.add(row) };
        // SAFETY: the row has a value, which is a `bool` by the contract of `Flag`, and which no other code writes by the
        // caller's contract.
        unsafe { value.read() == IS_SET }
    }

    #[inline]
    unsafe fn ticks(&self, entity: Entity, at: Location) -> bool {
        let value = self
            .store
            .and_then(|store| store.find(T::STORAGE, entity, at));
        // SAFETY: `find` returned a column and a row that has the entity's value, which no other code writes, by the caller's
        // contract.
        value.is_some_and(|(column, row)| unsafe { self.row(Some(column.cast()), row) })
    }
}

// SAFETY: `Short` is the same type with another lifetime.
unsafe impl<'a, T: Flag, const IS_SET: bool> ReborrowFilter<'a> for FlagFilter<'a, T, IS_SET> {
    type Short<'b> = FlagFilter<'b, T, IS_SET>;
}

/// Returns a bit per value, the first one in the lowest bit.
#[inline]
fn bits(values: [bool; GROUP]) -> u32 {
    // Each of the eight bytes is 0 or 1. The multiplication collects them in the highest byte of the product, a bit for
    // each.
    let byte = |eight: &[bool]| {
        let mut bytes = [0; 8];
        for (byte, &value) in bytes.iter_mut().zip(eight) {
            *byte = u8::from(value);
        }
        (u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    };
    let bytes = values.chunks_exact(8).map(byte);
    bytes.rev().fold(0, |bits, byte| bits << 8 | byte)
}

#[cfg(test)]
#[path = "flags_tests.rs"]
mod tests;

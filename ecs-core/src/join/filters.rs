//! The filters: has a component, lacks it, one of several, and tuples of filters.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use core::marker::PhantomData;

use super::sets::Sets;
use super::tables::{Tables, may_have};
use super::term::{Filter, shorter};
use crate::component::Component;
use crate::entity::{Entity, Location, TableId};
use crate::flat::for_each_narrow_arity;
use crate::storage::ComponentStore;

/// Matches entities that have a `T`.
pub struct Has<'a, T> {
    /// `None` while the world has never seen a `T`.
    pub(super) store: Option<&'a ComponentStore>,
    of: PhantomData<fn() -> T>,
}

impl<T> Clone for Has<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Has<'_, T> {}

impl<'a, T: Component> Has<'a, T> {
    /// `store` is the one of `T`.
    #[inline]
    pub(crate) fn new(store: Option<&'a ComponentStore>) -> Self {
        Self {
            store,
            of: PhantomData,
        }
    }
}

impl<'a, T: Component> Filter<'a> for Has<'a, T> {
    const SPARSE: bool = T::STORAGE.is_sparse();
    const PACKS: bool = Self::SPARSE;

    type Rows = bool;

    #[inline]
    fn sets(&self, sets: &mut Sets<'a>) {
        sets.ask::<T>(self.store);
    }

    #[inline]
    fn narrow(&self, tables: &mut Tables<'a>) {
        tables.narrow(self.store, T::STORAGE);
    }

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        match self.store {
            None => Some(&[]),
            Some(store) if Self::SPARSE => Some(store.sparse.entities()),
            Some(_) => None,
        }
    }

    #[inline]
    fn table(&self, table: TableId) -> bool {
        may_have(self.store, T::STORAGE, table)
    }

    #[inline]
    fn rows(&self, table: TableId) -> bool {
        self.table(table)
    }

    #[inline]
    fn packed(&self) -> Option<bool> {
        Self::PACKS.then_some(true)
    }

    #[inline]
    unsafe fn mask(&self, all: bool, _: usize) -> u32 {
        if all { u32::MAX } else { 0 }
    }

    #[inline]
    unsafe fn row(&self, all: bool, _: usize) -> bool {
        all
    }

    #[inline]
    fn entity(&self, entity: Entity, at: Location) -> bool {
        self.store.is_some_and(|store| store.has(entity, at))
    }
}

/// Matches entities that lack a `T`.
pub struct Lacks<'a, T>(pub(crate) Has<'a, T>);

impl<T> Clone for Lacks<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Lacks<'_, T> {}

impl<'a, T: Component> Filter<'a> for Lacks<'a, T> {
    const SPARSE: bool = T::STORAGE.is_sparse();
    const PACKS: bool = Self::SPARSE;

    type Rows = bool;

    #[inline]
    fn sets(&self, sets: &mut Sets<'a>) {
        if Self::SPARSE {
            sets.refuse(self.0.store);
        }
    }

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        None
    }

    #[inline]
    fn table(&self, table: TableId) -> bool {
        Self::SPARSE || !self.0.table(table)
    }

    #[inline]
    fn rows(&self, table: TableId) -> bool {
        self.table(table)
    }

    #[inline]
    fn packed(&self) -> Option<bool> {
        Self::PACKS.then_some(true)
    }

    #[inline]
    unsafe fn mask(&self, all: bool, _: usize) -> u32 {
        if all { u32::MAX } else { 0 }
    }

    #[inline]
    unsafe fn row(&self, all: bool, _: usize) -> bool {
        all
    }

    #[inline]
    fn entity(&self, entity: Entity, at: Location) -> bool {
        !self.0.entity(entity, at)
    }
}

/// Matches entities that at least one of the filters matches.
#[derive(Clone, Copy)]
pub struct AnyOf<T>(pub(crate) T);

impl<'a> Filter<'a> for () {
    const SPARSE: bool = false;
    const TRIVIAL: bool = true;
    const PACKS: bool = true;

    type Rows = ();

    fn entities(&self) -> Option<&'a [Entity]> {
        None
    }

    #[inline]
    fn table(&self, _: TableId) -> bool {
        true
    }

    #[inline]
    fn rows(&self, _: TableId) {}

    #[inline]
    fn packed(&self) -> Option<()> {
        Some(())
    }

    #[inline]
    unsafe fn mask(&self, (): (), _: usize) -> u32 {
        u32::MAX
    }

    #[inline]
    unsafe fn row(&self, (): (), _: usize) -> bool {
        true
    }

    #[inline]
    fn entity(&self, _: Entity, _: Location) -> bool {
        true
    }
}

macro_rules! tuple_filter {
    ($($name:ident $value:ident),+) => {
        impl<'a, $($name: Filter<'a>),+> Filter<'a> for ($($name,)+) {
            const SPARSE: bool = $($name::SPARSE)||+;
            const TRIVIAL: bool = $($name::TRIVIAL)&&+;
            const PACKS: bool = $($name::PACKS)&&+;
            const SKIPS: bool = $($name::SKIPS)||+;
            const ROWS: bool = $($name::ROWS)||+;

            type Rows = ($($name::Rows,)+);

            #[inline]
            fn sets(&self, sets: &mut Sets<'a>) {
                let ($($value,)+) = self;
                $($value.sets(sets);)+
            }

            #[inline]
            fn narrow(&self, tables: &mut Tables<'a>) {
                let ($($value,)+) = self;
                $($value.narrow(tables);)+
            }

            #[inline]
            fn entities(&self) -> Option<&'a [Entity]> {
                let ($($value,)+) = self;
                let list = None;
                $(let list = shorter(list, $value.entities());)+
                list
            }

            #[inline]
            fn table(&self, table: TableId) -> bool {
                let ($($value,)+) = self;
                $($value.table(table))&&+
            }

            #[inline]
            fn stop(&self, table: TableId, from: usize, end: usize) -> usize {
                let ($($value,)+) = self;
                $(let end = $value.stop(table, from, end);)+
                end
            }

            #[inline]
            fn rows(&self, table: TableId) -> Self::Rows {
                let ($($value,)+) = self;
                ($($value.rows(table),)+)
            }

            #[inline]
            fn packed(&self) -> Option<Self::Rows> {
                let ($($value,)+) = self;
                $(
                    let Some($value) = $value.packed() else {
                        return None;
                    };
                )+
                Some(($($value,)+))
            }

            #[inline]
            #[allow(non_snake_case, reason = "filters are called as their types")]
            unsafe fn mask(&self, ($($value,)+): Self::Rows, first: usize) -> u32 {
                let ($($name,)+) = self;
                // SAFETY: the caller's promise.
                $((unsafe { $name.mask($value, first) }))&+
            }

            #[inline]
            #[allow(non_snake_case, reason = "filters are called as their types")]
            unsafe fn row(&self, ($($value,)+): Self::Rows, row: usize) -> bool {
                let ($($name,)+) = self;
                // SAFETY: the caller's promise.
                $((unsafe { $name.row($value, row) }))&&+
            }

            #[inline]
            fn entity(&self, entity: Entity, at: Location) -> bool {
                let ($($value,)+) = self;
                $($value.entity(entity, at))&&+
            }

            #[inline]
            unsafe fn ticks(&self, entity: Entity, at: Location) -> bool {
                let ($($value,)+) = self;
                // SAFETY: the caller's promise.
                $((unsafe { $value.ticks(entity, at) }))&&+
            }
        }

        impl<'a, $($name: Filter<'a>),+> Filter<'a> for AnyOf<($($name,)+)> {
            const SPARSE: bool = $($name::SPARSE)||+;
            const ROWS: bool = $($name::ROWS)||+;

            type Rows = ($($name::Rows,)+);

            #[inline]
            fn entities(&self) -> Option<&'a [Entity]> {
                None
            }

            #[inline]
            fn table(&self, table: TableId) -> bool {
                let ($($value,)+) = &self.0;
                $($value.table(table))||+
            }

            #[inline]
            fn rows(&self, table: TableId) -> Self::Rows {
                let ($($value,)+) = &self.0;
                ($($value.rows(table),)+)
            }

            #[inline]
            #[allow(non_snake_case, reason = "filters are called as their types")]
            unsafe fn mask(&self, ($($value,)+): Self::Rows, first: usize) -> u32 {
                let ($($name,)+) = &self.0;
                // SAFETY: the caller's promise.
                $((unsafe { $name.mask($value, first) }))|+
            }

            #[inline]
            #[allow(non_snake_case, reason = "filters are called as their types")]
            unsafe fn row(&self, ($($value,)+): Self::Rows, row: usize) -> bool {
                let ($($name,)+) = &self.0;
                // SAFETY: the caller's promise.
                $((unsafe { $name.row($value, row) }))||+
            }

            #[inline]
            fn entity(&self, entity: Entity, at: Location) -> bool {
                let ($($value,)+) = &self.0;
                $($value.entity(entity, at))||+
            }

            #[inline]
            unsafe fn ticks(&self, entity: Entity, at: Location) -> bool {
                let ($($value,)+) = &self.0;
                // SAFETY: the caller's promise.
                $(($value.entity(entity, at) && unsafe { $value.ticks(entity, at) }))||+
            }
        }
    };
}

for_each_narrow_arity!(tuple_filter);

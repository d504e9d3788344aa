//! The filters: has a component, lacks it, one of several, and tuples of filters.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use core::marker::PhantomData;

use super::term::{Filter, shorter};
use super::terms::for_each_arity;
use crate::component::Component;
use crate::entity::{Entity, Location, TableId};
use crate::storage::ComponentStore;

/// Matches entities that have a `T`.
pub struct Has<'a, T> {
    /// `None` while the world has never seen a `T`.
    pub(super) store: Option<&'a ComponentStore>,
    of: PhantomData<fn() -> T>,
}

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

    #[inline]
    fn tables(&self) -> Option<&'a [TableId]> {
        match self.store {
            None => Some(&[]),
            Some(_) if Self::SPARSE => None,
            Some(store) => Some(store.tables()),
        }
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
        self.store
            .is_some_and(|store| Self::SPARSE || !store.column(table).is_null())
    }

    #[inline]
    fn entity(&self, entity: Entity, at: Location) -> bool {
        self.store.is_some_and(|store| store.has(entity, at))
    }
}

/// Matches entities that lack a `T`.
pub struct Lacks<'a, T>(pub(crate) Has<'a, T>);

impl<'a, T: Component> Filter<'a> for Lacks<'a, T> {
    const SPARSE: bool = T::STORAGE.is_sparse();

    #[inline]
    fn tables(&self) -> Option<&'a [TableId]> {
        None
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
    fn entity(&self, entity: Entity, at: Location) -> bool {
        !self.0.entity(entity, at)
    }
}

/// Matches entities that at least one of the filters matches.
pub struct AnyOf<T>(pub(crate) T);

impl<'a> Filter<'a> for () {
    const SPARSE: bool = false;
    const TRIVIAL: bool = true;

    fn tables(&self) -> Option<&'a [TableId]> {
        None
    }

    fn entities(&self) -> Option<&'a [Entity]> {
        None
    }

    #[inline]
    fn table(&self, _: TableId) -> bool {
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
            const SKIPS: bool = $($name::SKIPS)||+;

            #[inline]
            fn tables(&self) -> Option<&'a [TableId]> {
                let ($($value,)+) = self;
                let list = None;
                $(let list = shorter(list, $value.tables());)+
                list
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
            fn entity(&self, entity: Entity, at: Location) -> bool {
                let ($($value,)+) = self;
                $($value.entity(entity, at))&&+
            }
        }

        impl<'a, $($name: Filter<'a>),+> Filter<'a> for AnyOf<($($name,)+)> {
            const SPARSE: bool = $($name::SPARSE)||+;

            #[inline]
            fn tables(&self) -> Option<&'a [TableId]> {
                None
            }

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
            fn entity(&self, entity: Entity, at: Location) -> bool {
                let ($($value,)+) = &self.0;
                $($value.entity(entity, at))||+
            }
        }
    };
}

for_each_arity!(tuple_filter);

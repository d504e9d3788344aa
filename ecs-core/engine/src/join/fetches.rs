//! The fetches: a component read, an optional one, the entity's id, and tuples of fetches.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use core::marker::PhantomData;
use core::ptr::{self, NonNull};

use super::fetch::{Fetch, Positions, shorter};
use super::sets::JoinSets;
use super::tables::{Tables, column_of};
use crate::component::Component;
use crate::entity::{Entity, Location, TableId};
use crate::invariant::Invariant;
use crate::storage::{ComponentStore, Frozen, FrozenStore, Storage};
use crate::tuples::for_each_narrow_arity;

/// Fetches `&T`.
pub struct ReadFetch<'a, T> {
    /// `None` while the world has never seen a `T`.
    /// Invariant 1: stores `T`s, and is borrowed for `'a`; in `'a` no value is written of an entity that the fetch
    /// is [used for](Fetch).
    pub(super) store: Option<FrozenStore<'a>>,
    values: PhantomData<&'a T>,
    of: Invariant<T>,
}

impl<T> Clone for ReadFetch<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ReadFetch<'_, T> {}

impl<'a, T: Component> ReadFetch<'a, T> {
    /// # Safety
    /// `store` is the store of `T`, and borrowed for reading or writing during `'a`. In `'a` no value is written of an
    /// entity that the fetch is [used for](Fetch), and no view inserts or removes values.
    #[inline]
    pub(crate) unsafe fn new(store: Option<&'a ComponentStore>) -> Self {
        Self {
            // SAFETY: the store is borrowed for `'a`, and in `'a` no view inserts or removes values, by the caller's
            // contract.
            store: store.map(|store| unsafe { Frozen::new(store) }),
            values: PhantomData,
            of: PhantomData,
        }
    }
}

/// Returns the entities that have a sparse component.
#[inline]
pub(super) fn entities_of<T: Component>(store: Option<FrozenStore<'_>>) -> Option<&[Entity]> {
    match store {
        None => Some(&[]),
        Some(store) if T::STORAGE.is_by_entity() => Some(store.set().entities()),
        Some(_) => None,
    }
}

/// Implements the items that decide which entities have a `T`, for a fetch or a `filter`.
macro_rules! of_those_with {
    () => {
        const BY_ENTITY: bool = T::STORAGE.is_by_entity();
        const SEES_DISABLED: bool = T::DISABLES;

        #[inline]
        fn sets(&self, sets: &mut crate::join::sets::JoinSets<'a>) {
            sets.require::<T>(self.store);
        }

        #[inline]
        fn restrict_tables(&self, tables: &mut crate::join::tables::Tables<'a>) {
            tables.restrict_tables(self.store, T::STORAGE);
        }

        #[inline]
        fn entities(&self) -> Option<&'a [Entity]> {
            crate::join::fetches::entities_of::<T>(self.store)
        }
    };
    (filter) => {
        of_those_with!();

        #[inline]
        fn table(&self, table: TableId) -> bool {
            crate::join::tables::may_have(self.store, T::STORAGE, table)
        }

        #[inline]
        fn entity(&self, entity: Entity, at: Location) -> bool {
            self.store.is_some_and(|store| store.has(entity, at))
        }
    };
}

pub(super) use of_those_with;

// SAFETY: by invariant 1 the component is borrowed, and the values that are returned are not written; `column` is `Some`
// only for tables that have the component, and each entity of the one set that `sets` adds has it.
unsafe impl<'a, T: Component> Fetch<'a> for ReadFetch<'a, T> {
    type Item = &'a T;
    type Ptr = NonNull<T>;
    type Block<const LEN: usize> = &'a [T; LEN];
    type Chunk = &'a [T];
    type Lookup = (NonNull<T>, Positions<'a>);

    of_those_with!();

    const DENSE: bool = Self::BY_ENTITY;

    #[inline]
    fn dense(&self, _: &'a [Entity]) -> Option<NonNull<T>> {
        let set = self.store.map(|store| store.set().data().cast());
        Some(set.unwrap_or(NonNull::dangling()))
    }

    #[inline]
    fn lookup(&self, list: &'a [Entity]) -> Self::Lookup {
        let column = self.dense(list).expect("a sparse set is a column");
        (column, Positions::new(self.store, list))
    }

    #[inline]
    unsafe fn get_listed(
        (column, positions): Self::Lookup,
        entity: Entity,
        position: usize,
    ) -> Option<Self::Item> {
        let Some(position) = positions.get(entity, position) else {
            return None;
        };
        // SAFETY: the column belongs to the set, which has the position; no other item of the entity is alive by the
        // caller's contract.
        Some(unsafe { Self::at(column, position) })
    }

    #[inline]
    fn column(&self, _: &'a Storage, table: TableId) -> Option<NonNull<T>> {
        match column_of(self.store, table) {
            Some(column) => Some(column.cast()),
            None => None,
        }
    }

    #[inline]
    unsafe fn block<const LEN: usize>(column: NonNull<T>, row: usize) -> Self::Block<LEN> {
        // SAFETY: `column` has `row` by the caller's contract.
        let block = unsafe { column.add(row) }.cast::<[T; LEN]>();
        // SAFETY: by the caller's contract the column has `LEN` rows from `row` on, and no exclusive item of them is
        // alive.
        unsafe { block.as_ref() }
    }

    #[inline]
    fn with_block<const LEN: usize, F: FnOnce(Self::Ptr)>(&self, block: Self::Block<LEN>, f: F) {
        f(NonNull::from(block).cast());
    }

    #[inline]
    unsafe fn chunk(column: NonNull<T>, row: usize, len: usize) -> Self::Chunk {
        // SAFETY: `column` has `row` by the caller's contract.
        let first = unsafe { column.add(row) };
        let values = ptr::slice_from_raw_parts_mut(first.as_ptr(), len);
        // SAFETY: by the caller's contract the column has `len` rows from `row` on, and no exclusive item of them is
        // alive.
        unsafe { &*values }
    }

    #[inline]
    unsafe fn at(column: NonNull<T>, row: usize) -> Self::Item {
        // SAFETY: `column` has `row` by the caller's contract.
        let value = unsafe { column.add(row) };
        // SAFETY: the row has a value, and no other item of it is alive by the caller's contract.
        unsafe { value.as_ref() }
    }

    #[inline]
    fn has(&self, entity: Entity, at: Location) -> bool {
        self.store.is_some_and(|store| store.has(entity, at))
    }

    #[inline]
    unsafe fn get(&self, _: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item> {
        match self.store?.find(T::STORAGE, entity, at) {
            // SAFETY: by the caller's contract the entity is placed at `at`, so `find` returned a column and a row with its
            // value, and no other item of it is alive, by the same contract.
            Some((column, row)) => Some(unsafe { Self::at(column.cast(), row) }),
            None => None,
        }
    }
}

/// Fetches `Some` item, or `None` for entities without it.
#[derive(Clone, Copy)]
pub struct OptionFetch<M>(pub(crate) Option<M>);

// SAFETY: the inner fetch keeps the contract; where it has no column the items are `None`, which every entity has.
unsafe impl<'a, M: Fetch<'a>> Fetch<'a> for OptionFetch<M> {
    type Item = Option<M::Item>;
    type Ptr = Option<M::Ptr>;
    type Block<const LEN: usize> = Option<M::Block<LEN>>;
    type Chunk = Option<M::Chunk>;
    type Lookup = ();

    const BY_ENTITY: bool = M::BY_ENTITY;
    const SEES_DISABLED: bool = M::SEES_DISABLED;

    fn lookup(&self, _: &'a [Entity]) {}

    #[inline]
    fn column(&self, storage: &'a Storage, table: TableId) -> Option<Self::Ptr> {
        Some(
            self.0
                .as_ref()
                .and_then(|inner| inner.column(storage, table)),
        )
    }

    #[inline]
    unsafe fn block<const LEN: usize>(column: Self::Ptr, row: usize) -> Self::Block<LEN> {
        // SAFETY: by the caller's contract the inner column, if any, has `LEN` rows from `row` on, and no other
        // item is alive.
        column.map(|column| unsafe { M::block(column, row) })
    }

    #[inline]
    fn with_block<const LEN: usize, F: FnOnce(Self::Ptr)>(&self, block: Self::Block<LEN>, f: F) {
        match (&self.0, block) {
            (Some(inner), Some(block)) => {
                inner.with_block::<LEN, _>(block, |column| f(Some(column)));
            }
            _ => f(None),
        }
    }

    #[inline]
    unsafe fn chunk(column: Self::Ptr, row: usize, len: usize) -> Self::Chunk {
        // SAFETY: by the caller's contract the inner column, if any, has `len` rows from `row` on, and no other
        // item is alive.
        column.map(|column| unsafe { M::chunk(column, row, len) })
    }

    #[inline]
    unsafe fn at(column: Self::Ptr, row: usize) -> Self::Item {
        // SAFETY: by the caller's contract the inner column, if any, has `row`, and no other item of it is alive.
        column.map(|column| unsafe { M::at(column, row) })
    }

    #[inline]
    fn has(&self, _: Entity, _: Location) -> bool {
        true
    }

    #[inline]
    unsafe fn get(&self, storage: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item> {
        let inner = self.0.as_ref();
        // SAFETY: by the caller's contract the entity is placed at `at` and no other item of it is alive.
        Some(inner.and_then(|inner| unsafe { inner.get(storage, entity, at) }))
    }
}

/// Fetches the entity's id.
#[derive(Clone, Copy)]
pub struct EntityFetch;

// SAFETY: ids are read from the entity lists of tables and sets, which are borrowed for `'a`, so that no code changes
// them.
unsafe impl<'a> Fetch<'a> for EntityFetch {
    type Item = Entity;
    type Ptr = NonNull<Entity>;
    type Block<const LEN: usize> = &'a [Entity; LEN];
    type Chunk = &'a [Entity];
    type Lookup = ();

    const BY_ENTITY: bool = false;
    const SEES_DISABLED: bool = false;
    const DENSE: bool = true;

    #[inline]
    fn dense(&self, entities: &'a [Entity]) -> Option<NonNull<Entity>> {
        Some(NonNull::from(entities).cast())
    }

    #[inline]
    fn lookup(&self, _: &'a [Entity]) {}

    #[inline]
    unsafe fn get_listed((): (), entity: Entity, _: usize) -> Option<Entity> {
        Some(entity)
    }

    #[inline]
    fn column(&self, storage: &'a Storage, table: TableId) -> Option<Self::Ptr> {
        Some(NonNull::from(storage.table(table).entities()).cast())
    }

    #[inline]
    unsafe fn block<const LEN: usize>(column: Self::Ptr, row: usize) -> Self::Block<LEN> {
        // SAFETY: `column` has `row` by the caller's contract.
        let block = unsafe { column.add(row) }.cast::<[Entity; LEN]>();
        // SAFETY: the column has `LEN` rows from `row` on by the caller's contract, and ids are only read.
        unsafe { block.as_ref() }
    }

    #[inline]
    fn with_block<const LEN: usize, F: FnOnce(Self::Ptr)>(&self, block: Self::Block<LEN>, f: F) {
        f(NonNull::from(block).cast());
    }

    #[inline]
    unsafe fn chunk(column: Self::Ptr, row: usize, len: usize) -> Self::Chunk {
        // SAFETY: `column` has `row` by the caller's contract.
        let first = unsafe { column.add(row) };
        let ids = ptr::slice_from_raw_parts(first.as_ptr(), len);
        // SAFETY: the column has `len` rows from `row` on by the caller's contract, and ids are only read.
        unsafe { &*ids }
    }

    #[inline]
    unsafe fn at(column: Self::Ptr, row: usize) -> Entity {
        // SAFETY: `column` has `row` by the caller's contract.
        let id = unsafe { column.add(row) };
        // SAFETY: the row has an initialised id: it is one of the list's entities.
        unsafe { id.read() }
    }

    #[inline]
    fn has(&self, _: Entity, _: Location) -> bool {
        true
    }

    #[inline]
    unsafe fn get(&self, _: &'a Storage, entity: Entity, _: Location) -> Option<Entity> {
        Some(entity)
    }
}

// SAFETY: accesses nothing; every entity has the item.
unsafe impl<'a> Fetch<'a> for () {
    type Item = ();
    type Ptr = ();
    type Block<const LEN: usize> = ();
    type Chunk = ();
    type Lookup = ();

    const BY_ENTITY: bool = false;
    const SEES_DISABLED: bool = false;
    const DENSE: bool = true;

    #[inline]
    fn dense(&self, _: &'a [Entity]) -> Option<()> {
        Some(())
    }

    #[inline]
    fn lookup(&self, _: &'a [Entity]) {}

    #[inline]
    unsafe fn get_listed((): (), _: Entity, _: usize) -> Option<()> {
        Some(())
    }

    #[inline]
    fn column(&self, _: &'a Storage, _: TableId) -> Option<()> {
        Some(())
    }

    #[inline]
    unsafe fn block<const LEN: usize>((): (), _: usize) {}

    #[inline]
    fn with_block<const LEN: usize, F: FnOnce(())>(&self, (): (), f: F) {
        f(());
    }

    #[inline]
    unsafe fn chunk((): (), _: usize, _: usize) {}

    #[inline]
    unsafe fn at((): (), _: usize) {}

    #[inline]
    fn has(&self, _: Entity, _: Location) -> bool {
        true
    }

    #[inline]
    unsafe fn get(&self, _: &'a Storage, _: Entity, _: Location) -> Option<()> {
        Some(())
    }
}

/// Nests the `with_block` calls of the members: the first member's call contains the call of the others as a tuple.
macro_rules! nest_blocks {
    ($f:ident [$fetch:ident $block:ident]) => {
        $fetch.with_block::<LEN, _>($block, |$block| $f(($block,)))
    };
    ($f:ident [$first:ident $block:ident] $([$other:ident $others:ident])+) => {
        $first.with_block::<LEN, _>($block, |$block| {
            ($(*$other,)+).with_block::<LEN, _>(($($others,)+), |($($others,)+)| $f(($block, $($others),+)));
        })
    };
}

macro_rules! tuple_fetch {
    ($($name:ident $value:ident),+) => {
        // SAFETY: every member keeps the contract, and the tuple has a column only where all members have theirs.
        unsafe impl<'a, $($name: Fetch<'a>),+> Fetch<'a> for ($($name,)+) {
            type Item = ($($name::Item,)+);
            type Ptr = ($($name::Ptr,)+);
            type Block<const LEN: usize> = ($($name::Block<LEN>,)+);
            type Chunk = ($($name::Chunk,)+);
            type Lookup = ($($name::Lookup,)+);

            const BY_ENTITY: bool = $($name::BY_ENTITY)||+;
            const SEES_DISABLED: bool = $($name::SEES_DISABLED)||+;
            const DENSE: bool = $($name::DENSE)&&+;

            #[inline]
            fn restrict_tables(&self, tables: &mut Tables<'a>) {
                let ($($value,)+) = self;
                $($value.restrict_tables(tables);)+
            }

            #[inline]
            fn entities(&self) -> Option<&'a [Entity]> {
                let ($($value,)+) = self;
                let list = None;
                $(let list = shorter(list, $value.entities());)+
                list
            }

            #[inline]
            fn sets(&self, sets: &mut JoinSets<'a>) {
                let ($($value,)+) = self;
                $($value.sets(sets);)+
            }

            #[inline]
            fn dense(&self, entities: &'a [Entity]) -> Option<Self::Ptr> {
                let ($($value,)+) = self;
                $(
                    let Some($value) = $value.dense(entities) else {
                        return None;
                    };
                )+
                Some(($($value,)+))
            }

            #[inline]
            fn lookup(&self, list: &'a [Entity]) -> Self::Lookup {
                let ($($value,)+) = self;
                ($($value.lookup(list),)+)
            }

            #[inline]
            unsafe fn get_listed(($($value,)+): Self::Lookup, entity: Entity, position: usize) -> Option<Self::Item> {
                $(
                    // SAFETY: by the caller's contract the entity is at `position` and no other item of it is alive.
                    let Some($value) = (unsafe { $name::get_listed($value, entity, position) }) else {
                        return None;
                    };
                )+
                Some(($($value,)+))
            }

            #[inline]
            fn column(&self, storage: &'a Storage, table: TableId) -> Option<Self::Ptr> {
                let ($($value,)+) = self;
                $(
                    let Some($value) = $value.column(storage, table) else {
                        return None;
                    };
                )+
                Some(($($value,)+))
            }

            #[inline]
            unsafe fn block<const LEN: usize>(($($value,)+): Self::Ptr, row: usize) -> Self::Block<LEN> {
                // SAFETY: by the caller's contract each column has `LEN` rows from `row` on, and no other item of them is
                // alive.
                ($(unsafe { $name::block($value, row) },)+)
            }

            #[inline]
            #[allow(non_snake_case, reason = "fetches are named like their types")]
            fn with_block<const LEN: usize, Open: FnOnce(Self::Ptr)>(&self, ($($value,)+): Self::Block<LEN>, f: Open) {
                let ($($name,)+) = self;
                nest_blocks!(f $([$name $value])+);
            }

            #[inline]
            unsafe fn chunk(($($value,)+): Self::Ptr, row: usize, len: usize) -> Self::Chunk {
                // SAFETY: by the caller's contract each column has `len` rows from `row` on, and no other item of them is
                // alive.
                ($(unsafe { $name::chunk($value, row, len) },)+)
            }

            #[inline]
            unsafe fn at(($($value,)+): Self::Ptr, row: usize) -> Self::Item {
                // SAFETY: by the caller's contract each column has `row`, and no other item of it is alive.
                ($(unsafe { $name::at($value, row) },)+)
            }

            #[inline]
            fn has(&self, entity: Entity, at: Location) -> bool {
                let ($($value,)+) = self;
                $($value.has(entity, at))&&+
            }

            #[inline]
            unsafe fn get(&self, storage: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item> {
                let ($($value,)+) = self;
                $(
                    // SAFETY: by the caller's contract the entity is placed at `at` and no other item of it is alive.
                    let Some($value) = (unsafe { $value.get(storage, entity, at) }) else {
                        return None;
                    };
                )+
                Some(($($value,)+))
            }
        }
    };
}

for_each_narrow_arity!(tuple_fetch);

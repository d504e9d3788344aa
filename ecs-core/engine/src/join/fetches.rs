//! The terms: a component read or written, an optional one, the entity's id, and tuples of terms.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use core::marker::PhantomData;
use core::ptr::{self, NonNull};

use super::fetch::{Fetch, shorter};
use super::sets::Sets;
use super::tables::{Tables, column_of};
use crate::component::Component;
use crate::entity::{Entity, Location, TableId};
use crate::invariant::Invariant;
use crate::storage::{ComponentStore, Frozen, FrozenStore, Storage};
use crate::tuples::for_each_narrow_arity;

/// Reads `T`.
pub struct ReadFetch<'a, T> {
    /// `None` while the world has never seen a `T`.
    /// Invariant 1: holds `T`s, and is borrowed for reading as long as `'a`.
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
    /// `store` is the one of `T`, and borrowed for reading as long as `'a`.
    #[inline]
    pub(crate) unsafe fn new(store: Option<&'a ComponentStore>) -> Self {
        Self {
            // SAFETY: the caller says that it is borrowed.
            store: store.map(|store| unsafe { Frozen::new(store) }),
            values: PhantomData,
            of: PhantomData,
        }
    }
}

/// The entities that have a sparse component.
#[inline]
pub(super) fn entities_of<T: Component>(store: Option<FrozenStore<'_>>) -> Option<&[Entity]> {
    match store {
        None => Some(&[]),
        Some(store) if T::STORAGE.is_sparse() => Some(store.set().entities()),
        Some(_) => None,
    }
}

/// The place of the entity's value in the sparse set.
#[inline]
fn sparse_value(store: Option<FrozenStore<'_>>, entity: Entity) -> Option<NonNull<u8>> {
    store?.set().get(entity).and_then(NonNull::new)
}

// SAFETY: by invariant 1 the component is borrowed for reading, and a column belongs to tables that have the
// component.
unsafe impl<'a, T: Component> Fetch<'a> for ReadFetch<'a, T> {
    type Item = &'a T;
    type Ptr = NonNull<T>;
    type Block<const LEN: usize> = &'a [T; LEN];
    type Chunk = &'a [T];

    const SPARSE: bool = T::STORAGE.is_sparse();
    const DENSE: bool = Self::SPARSE;

    #[inline]
    fn restrict_tables(&self, tables: &mut Tables<'a>) {
        tables.restrict_tables(self.store, T::STORAGE);
    }

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        entities_of::<T>(self.store)
    }

    #[inline]
    fn sets(&self, sets: &mut Sets<'a>) {
        sets.ask::<T>(self.store);
    }

    #[inline]
    fn dense(&self, _: &'a [Entity]) -> Option<NonNull<T>> {
        let set = self.store.map(|store| store.set().data().cast());
        Some(set.unwrap_or(NonNull::dangling()))
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
        // SAFETY: the caller promises that the column has the row.
        let block = unsafe { column.add(row) }.cast::<[T; LEN]>();
        // SAFETY: and `LEN` rows from there on, of which no item is alive.
        unsafe { block.as_ref() }
    }

    #[inline]
    fn with_block<const LEN: usize, F: FnOnce(Self::Ptr)>(&self, block: Self::Block<LEN>, f: F) {
        f(NonNull::from(block).cast());
    }

    #[inline]
    unsafe fn chunk(column: NonNull<T>, row: usize, len: usize) -> Self::Chunk {
        // SAFETY: the caller promises that the column has the row.
        let first = unsafe { column.add(row) };
        let values = ptr::slice_from_raw_parts_mut(first.as_ptr(), len);
        // SAFETY: and `len` rows from there on, of which no item is alive.
        unsafe { &*values }
    }

    #[inline]
    unsafe fn at(column: NonNull<T>, row: usize) -> Self::Item {
        // SAFETY: the caller promises that the column has the row.
        let value = unsafe { column.add(row) };
        // SAFETY: and that no other item from it is alive.
        unsafe { value.as_ref() }
    }

    #[inline]
    fn has(&self, entity: Entity, at: Location) -> bool {
        self.store.is_some_and(|store| store.has(entity, at))
    }

    #[inline]
    unsafe fn get(&self, storage: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item> {
        if Self::SPARSE {
            return match sparse_value(self.store, entity) {
                // SAFETY: the value is initialised, and the caller promises that no other item from it is alive.
                Some(value) => Some(unsafe { value.cast().as_ref() }),
                None => None,
            };
        }
        match self.column(storage, at.table) {
            // SAFETY: the column of a table has a value in every row in which an entity is placed; the caller promises the
            // rest.
            Some(column) => Some(unsafe { Self::at(column, at.row as usize) }),
            None => None,
        }
    }
}

/// An item where there is one, `None` for entities without it.
#[derive(Clone, Copy)]
pub struct OptionFetch<M>(pub(crate) Option<M>);

// SAFETY: as for the inner term; where it has no column the items are `None`, which every entity has.
unsafe impl<'a, M: Fetch<'a>> Fetch<'a> for OptionFetch<M> {
    type Item = Option<M::Item>;
    type Ptr = Option<M::Ptr>;
    type Block<const LEN: usize> = Option<M::Block<LEN>>;
    type Chunk = Option<M::Chunk>;

    const SPARSE: bool = M::SPARSE;

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        None
    }

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
        // SAFETY: the caller's promises are those of the inner term.
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
        // SAFETY: the caller's promises are those of the inner term.
        column.map(|column| unsafe { M::chunk(column, row, len) })
    }

    #[inline]
    unsafe fn at(column: Self::Ptr, row: usize) -> Self::Item {
        // SAFETY: the caller's promises are those of the inner term.
        column.map(|column| unsafe { M::at(column, row) })
    }

    #[inline]
    fn has(&self, _: Entity, _: Location) -> bool {
        true
    }

    #[inline]
    unsafe fn get(&self, storage: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item> {
        let inner = self.0.as_ref();
        // SAFETY: the caller's promises are those of the inner term.
        Some(inner.and_then(|inner| unsafe { inner.get(storage, entity, at) }))
    }
}

/// The entity's id.
#[derive(Clone, Copy)]
pub struct EntityFetch;

// SAFETY: ids are copied out of the tables' lists of entities, which are shared with nobody who changes them.
unsafe impl<'a> Fetch<'a> for EntityFetch {
    type Item = Entity;
    type Ptr = NonNull<Entity>;
    type Block<const LEN: usize> = &'a [Entity; LEN];
    type Chunk = &'a [Entity];

    const SPARSE: bool = false;
    const DENSE: bool = true;

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        None
    }

    #[inline]
    fn dense(&self, entities: &'a [Entity]) -> Option<NonNull<Entity>> {
        Some(NonNull::from(entities).cast())
    }

    #[inline]
    fn column(&self, storage: &'a Storage, table: TableId) -> Option<Self::Ptr> {
        Some(NonNull::from(storage.table(table).entities()).cast())
    }

    #[inline]
    unsafe fn block<const LEN: usize>(column: Self::Ptr, row: usize) -> Self::Block<LEN> {
        // SAFETY: the caller promises that the column has the row.
        let block = unsafe { column.add(row) }.cast::<[Entity; LEN]>();
        // SAFETY: and `LEN` rows from there on.
        unsafe { block.as_ref() }
    }

    #[inline]
    fn with_block<const LEN: usize, F: FnOnce(Self::Ptr)>(&self, block: Self::Block<LEN>, f: F) {
        f(NonNull::from(block).cast());
    }

    #[inline]
    unsafe fn chunk(column: Self::Ptr, row: usize, len: usize) -> Self::Chunk {
        // SAFETY: the caller promises that the column has the row.
        let first = unsafe { column.add(row) };
        let ids = ptr::slice_from_raw_parts(first.as_ptr(), len);
        // SAFETY: and `len` rows from there on.
        unsafe { &*ids }
    }

    #[inline]
    unsafe fn at(column: Self::Ptr, row: usize) -> Entity {
        // SAFETY: the caller promises that the column has the row.
        let id = unsafe { column.add(row) };
        // SAFETY: as above.
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

/// Opens the blocks of members one inside the other: the first one's, and in it those of the others as a tuple.
macro_rules! open {
    ($f:ident [$fetch:ident $block:ident]) => {
        $fetch.with_block::<LEN, _>($block, |$block| $f(($block,)))
    };
    ($f:ident [$first:ident $block:ident] $([$other:ident $others:ident])+) => {
        $first.with_block::<LEN, _>($block, |$block| {
            ($(*$other,)+).with_block::<LEN, _>(($($others,)+), |($($others,)+)| $f(($block, $($others),+)));
        })
    };
}

macro_rules! tuple_term {
    ($($name:ident $value:ident),+) => {
        // SAFETY: every member keeps the contract, and a column is given out only where all members have theirs.
        unsafe impl<'a, $($name: Fetch<'a>),+> Fetch<'a> for ($($name,)+) {
            type Item = ($($name::Item,)+);
            type Ptr = ($($name::Ptr,)+);
            type Block<const LEN: usize> = ($($name::Block<LEN>,)+);
            type Chunk = ($($name::Chunk,)+);

            const SPARSE: bool = $($name::SPARSE)||+;
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
            fn sets(&self, sets: &mut Sets<'a>) {
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
                // SAFETY: the caller's promises hold for each column.
                ($(unsafe { $name::block($value, row) },)+)
            }

            #[inline]
            #[allow(non_snake_case, reason = "terms are called as their types")]
            fn with_block<const LEN: usize, Open: FnOnce(Self::Ptr)>(&self, ($($value,)+): Self::Block<LEN>, f: Open) {
                let ($($name,)+) = self;
                open!(f $([$name $value])+);
            }

            #[inline]
            unsafe fn chunk(($($value,)+): Self::Ptr, row: usize, len: usize) -> Self::Chunk {
                // SAFETY: the caller's promises hold for each column.
                ($(unsafe { $name::chunk($value, row, len) },)+)
            }

            #[inline]
            unsafe fn at(($($value,)+): Self::Ptr, row: usize) -> Self::Item {
                // SAFETY: the caller's promises hold for each column.
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
                    // SAFETY: the caller's promises hold for each member.
                    let Some($value) = (unsafe { $value.get(storage, entity, at) }) else {
                        return None;
                    };
                )+
                Some(($($value,)+))
            }
        }
    };
}

for_each_narrow_arity!(tuple_term);

//! `Comp` and `CompMut`: the view of one component.

use core::fmt;
use core::marker::PhantomData;

use super::raw::{RawExclusive, RawShared};
use crate::component::{Component, MutOf};
use crate::entity::Entity;
use crate::invariant::Invariant;
use crate::join::{
    Join, JoinIter, Joined, ReadFetch, Views, WithFilter, WithoutFilter, WriteFetch,
};
use crate::storage::{Frozen, FrozenStore, Storage};

/// All `T`s of a world, borrowed for reading.
///
/// As a system parameter, or from [`World::view`](crate::World::view). Join it with others through
/// [`Join`]: `(&mut position, &velocity).for_each(..)`.
pub struct Comp<'w, T> {
    /// Invariant 1: of the store of `T`, borrowed for reading as long as `'w`.
    pub(super) raw: RawShared<'w>,
    values: PhantomData<&'w T>,
    of: Invariant<T>,
}

/// All `T`s of a world, borrowed for writing.
///
/// As a system parameter, or from [`World::view_mut`](crate::World::view_mut). Each join chooses whether it
/// reads (`&view`) or writes (`&mut view`).
pub struct CompMut<'w, T> {
    /// Invariant 1: of the store of `T`, borrowed for writing by this view alone as long as `'w`.
    pub(super) raw: RawExclusive<'w>,
    values: PhantomData<&'w mut T>,
}

impl<'w, T: Component> Comp<'w, T> {
    /// # Safety
    /// `raw` is of the store of `T`, and has a borrow of it, or somebody else holds such a borrow as long as `'w`.
    #[inline]
    pub(crate) unsafe fn of(raw: RawShared<'w>) -> Self {
        Self {
            raw,
            values: PhantomData,
            of: PhantomData,
        }
    }

    /// A second view that relies on this one's run-time borrow.
    #[inline]
    #[must_use]
    pub fn reborrow(&self) -> Comp<'_, T> {
        // SAFETY: by invariant 1; this view, which may hold the borrow, is itself borrowed as long as the new one.
        unsafe { Comp::of(self.raw.unlocked()) }
    }
}

impl<'w, T: Component> CompMut<'w, T> {
    /// # Safety
    /// `raw` is of the store of `T`, and has a borrow of it, or somebody else holds such a borrow as long as `'w` and
    /// does not use it.
    #[inline]
    pub(crate) unsafe fn of(raw: RawExclusive<'w>) -> Self {
        Self {
            raw,
            values: PhantomData,
        }
    }

    /// A second view that relies on this one's run-time borrow and locks this one out meanwhile.
    #[inline]
    #[must_use]
    pub fn reborrow(&mut self) -> CompMut<'_, T> {
        // SAFETY: by invariant 1; this view, which may hold the borrow, is itself borrowed exclusively as long as the
        // new one.
        unsafe { CompMut::of(self.raw.unlocked()) }
    }

    /// The entity's value, to be changed: a `&mut T`, or a [`Mut<T>`](crate::Mut) if `T` is tracked. O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, entity: Entity) -> Option<MutOf<'_, T>> {
        self.joined().get(entity)
    }

    /// Iterates over all values, to be changed.
    #[inline]
    #[must_use]
    pub fn iter_mut(&mut self) -> JoinIter<'_, WriteFetch<'_, T>, ()> {
        self.joined().iter()
    }
}

fn contains(storage: &Storage, store: Option<FrozenStore<'_>>, entity: Entity) -> bool {
    let at = storage.entities.get(entity);
    at.zip(store)
        .is_some_and(|(at, store)| store.has(entity, at))
}

fn len(storage: &Storage, store: Option<FrozenStore<'_>>) -> usize {
    store.map_or(0, |store| store.count(storage.tables()))
}

impl<'a, T: Component> Join<'a> for &'a Comp<'_, T> {
    type Fetch = ReadFetch<'a, T>;
    type Filter = ();

    #[inline]
    fn joined(self) -> Joined<'a, ReadFetch<'a, T>, ()> {
        Joined {
            storage: Some(self.raw.storage),
            // SAFETY: by invariant 1; the view is borrowed as long as the term.
            fetch: unsafe { ReadFetch::new(self.raw.store) },
            filter: (),
        }
    }
}

impl<'a, T: Component> Join<'a> for &'a CompMut<'_, T> {
    type Fetch = ReadFetch<'a, T>;
    type Filter = ();

    #[inline]
    fn joined(self) -> Joined<'a, ReadFetch<'a, T>, ()> {
        Joined {
            storage: Some(self.raw.storage),
            // SAFETY: by invariant 1; the view is borrowed as long as the term, so nobody writes through it.
            fetch: unsafe { ReadFetch::new(self.raw.store) },
            filter: (),
        }
    }
}

impl<'a, T: Component> Join<'a> for &'a mut CompMut<'_, T> {
    type Fetch = WriteFetch<'a, T>;
    type Filter = ();

    #[inline]
    fn joined(self) -> Joined<'a, WriteFetch<'a, T>, ()> {
        Joined {
            storage: Some(self.raw.storage),
            // SAFETY: by invariant 1; the view is borrowed exclusively as long as the term.
            fetch: unsafe { WriteFetch::new(self.raw.store, self.raw.window) },
            filter: (),
        }
    }
}

/// What can be done with any view to read.
macro_rules! views {
    ($($view:ident)*) => {$(
        impl<T: Component> $view<'_, T> {
            /// What the world holds of `T`.
            #[inline]
            fn store(&self) -> Option<FrozenStore<'_>> {
                // SAFETY: by invariant 1 the component is borrowed; who changes the set by this view borrows it exclusively.
                self.raw.store.map(|store| unsafe { Frozen::new(store) })
            }

            /// The entity's value. O(1).
            #[inline]
            #[must_use]
            pub fn get(&self, entity: Entity) -> Option<&T> {
                self.joined().get(entity)
            }

            /// Whether the entity has a value. O(1).
            #[inline]
            #[must_use]
            pub fn contains(&self, entity: Entity) -> bool {
                contains(self.raw.storage, self.store(), entity)
            }

            /// The number of values. O(tables that have the component).
            #[must_use]
            pub fn len(&self) -> usize {
                len(self.raw.storage, self.store())
            }

            /// Whether there is no value.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Iterates over all values.
            #[inline]
            #[must_use]
            pub fn iter(&self) -> JoinIter<'_, ReadFetch<'_, T>, ()> {
                self.joined().iter()
            }
        }

        impl<'a, T: Component> IntoIterator for &'a $view<'_, T> {
            type Item = &'a T;
            type IntoIter = JoinIter<'a, ReadFetch<'a, T>, ()>;

            #[inline]
            fn into_iter(self) -> Self::IntoIter {
                self.iter()
            }
        }

        // SAFETY: the store of a view is one of its storage.
        unsafe impl<'a, T: Component> Views<'a> for &'a $view<'_, T> {
            type All = WithFilter<'a, T>;
            type None = WithoutFilter<'a, T>;

            #[inline]
            fn tests(self) -> (Option<&'a Storage>, WithFilter<'a, T>, WithoutFilter<'a, T>) {
                let has = WithFilter::new(self.store());
                (Some(self.raw.storage), has, WithoutFilter(has))
            }
        }

        impl<T: Component> fmt::Debug for $view<'_, T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($view), "<{}>({} values)"), core::any::type_name::<T>(), self.len())
            }
        }
    )*};
}

views!(Comp CompMut);

impl<'a, T: Component> IntoIterator for &'a mut CompMut<'_, T> {
    type Item = MutOf<'a, T>;
    type IntoIter = JoinIter<'a, WriteFetch<'a, T>, ()>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

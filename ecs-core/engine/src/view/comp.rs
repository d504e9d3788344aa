//! The views of one component.

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
use crate::type_name::type_name;

/// All `T`s of a world, borrowed for reading.
///
/// A system parameter; [`World::view`](crate::World::view) makes one too. Join it with others through [`Join`]:
/// `(&mut position, &velocity).for_each(..)`.
#[doc(alias = "ReadStorage")]
#[doc(alias = "View")]
pub struct Comp<'w, T> {
    /// Invariant 1: of the store of `T`, borrowed for reading as long as `'w`.
    pub(super) raw: RawShared<'w>,
    values: PhantomData<&'w T>,
    of: Invariant<T>,
}

/// All `T`s of a world, borrowed for writing.
///
/// A system parameter; [`World::view_mut`](crate::World::view_mut) makes one too. Each join chooses whether it reads
/// (`&view`) or writes (`&mut view`).
#[doc(alias = "WriteStorage")]
#[doc(alias = "ViewMut")]
pub struct CompMut<'w, T> {
    /// Invariant 1: of the store of `T`, borrowed for writing by this view alone as long as `'w`.
    pub(super) raw: RawExclusive<'w>,
    values: PhantomData<&'w mut T>,
}

impl<'w, T: Component> CompMut<'w, T> {
    /// Creates the view.
    ///
    /// # Safety
    /// `raw` is of the store of `T`, and holds a borrow of it, or another owner holds such a borrow as long as `'w` and
    /// does not use it.
    #[inline]
    pub(crate) unsafe fn of(raw: RawExclusive<'w>) -> Self {
        Self {
            raw,
            values: PhantomData,
        }
    }

    /// Returns the entity's value for writing: a `&mut T`, or a [`Mut<T>`](crate::Mut) if `T` is tracked. O(1).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let rat = world.spawn(Health(3));
    /// let mut health = world.view_mut::<Health>();
    /// health.get_mut(rat).unwrap().0 -= 1;
    /// assert_eq!(health.get(rat), Some(&Health(2)));
    /// ```
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, entity: Entity) -> Option<MutOf<'_, T>> {
        self.joined().get(entity)
    }

    /// Iterates over all values for writing.
    #[inline]
    #[must_use]
    pub fn iter_mut(&mut self) -> JoinIter<'_, WriteFetch<'_, T>, ()> {
        self.joined().iter()
    }

    /// Returns a second view that relies on this one's run-time borrow. It borrows this view exclusively as long as it
    /// lives.
    #[inline]
    #[must_use]
    pub fn reborrow(&mut self) -> CompMut<'_, T> {
        // SAFETY: `raw` is of the store of `T`, which is borrowed for writing by invariant 1; this view, which may hold
        // the borrow, is itself borrowed exclusively as long as the new one.
        unsafe { CompMut::of(self.raw.unlocked()) }
    }
}

fn contains(storage: &Storage, store: Option<FrozenStore<'_>>, entity: Entity) -> bool {
    let at = storage.entities.get(entity);
    at.zip(store)
        .is_some_and(|(at, store)| store.has(entity, at))
}

fn len(storage: &Storage, store: Option<FrozenStore<'_>>) -> usize {
    store.map_or(0, |store| store.count(storage))
}

impl<'a, T: Component> Join<'a> for &'a Comp<'_, T> {
    type Item = &'a T;
    type Fetch = ReadFetch<'a, T>;
    type Filter = ();

    #[inline]
    fn joined(self) -> Joined<'a, ReadFetch<'a, T>, ()> {
        Joined {
            storage: Some(self.raw.storage),
            // SAFETY: the store is the one of `T` and borrowed for reading by invariant 1, so no values are written,
            // inserted or removed; the view is borrowed as long as the fetch.
            fetch: unsafe { ReadFetch::new(self.raw.store) },
            filter: (),
        }
    }
}

impl<'a, T: Component> Join<'a> for &'a CompMut<'_, T> {
    type Item = &'a T;
    type Fetch = ReadFetch<'a, T>;
    type Filter = ();

    #[inline]
    fn joined(self) -> Joined<'a, ReadFetch<'a, T>, ()> {
        Joined {
            storage: Some(self.raw.storage),
            // SAFETY: the store is the one of `T` and borrowed by this view alone by invariant 1; the view is borrowed as
            // long as the fetch, so no values are written, inserted or removed through it.
            fetch: unsafe { ReadFetch::new(self.raw.store) },
            filter: (),
        }
    }
}

impl<'a, T: Component> Join<'a> for &'a mut CompMut<'_, T> {
    type Item = MutOf<'a, T>;
    type Fetch = WriteFetch<'a, T>;
    type Filter = ();

    #[inline]
    fn joined(self) -> Joined<'a, WriteFetch<'a, T>, ()> {
        Joined {
            storage: Some(self.raw.storage),
            // SAFETY: the store is the one of `T` and borrowed for writing by this view alone by invariant 1; the view
            // is borrowed exclusively as long as the fetch, so values are accessed, inserted and removed in no other way.
            fetch: unsafe { WriteFetch::new(self.raw.store, self.raw.window) },
            filter: (),
        }
    }
}

/// Implements the methods that both views share: reading.
macro_rules! views {
    ($($view:ident)*) => {$(
        impl<T: Component> $view<'_, T> {
            /// Returns the store of `T`; `None` while the world has never seen one.
            #[inline]
            fn store(&self) -> Option<FrozenStore<'_>> {
                // SAFETY: the component is borrowed by invariant 1; changes of the set through this view (`insert`,
                // `remove`) borrow it exclusively.
                self.raw.store.map(|store| unsafe { Frozen::new(store) })
            }

            /// Returns the entity's value. O(1).
            #[inline]
            #[must_use]
            pub fn get(&self, entity: Entity) -> Option<&T> {
                self.joined().get(entity)
            }

            /// Returns true if the entity has a value. O(1).
            #[inline]
            #[must_use]
            pub fn contains(&self, entity: Entity) -> bool {
                contains(self.raw.storage, self.store(), entity)
            }

            /// Returns the number of values. O(tables that have the component).
            #[must_use]
            pub fn len(&self) -> usize {
                len(self.raw.storage, self.store())
            }

            /// Returns true if there is no value.
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

        // SAFETY: `tests` returns the storage that the view's store belongs to.
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
                write!(f, concat!(stringify!($view), "<{}>({} values)"), type_name::<T>(), self.len())
            }
        }
    )*};
}

views!(Comp CompMut);

impl<'w, T: Component> Comp<'w, T> {
    /// Creates the view.
    ///
    /// # Safety
    /// `raw` is of the store of `T`, and holds a borrow of it, or another owner holds such a borrow as long as `'w`.
    #[inline]
    pub(crate) unsafe fn of(raw: RawShared<'w>) -> Self {
        Self {
            raw,
            values: PhantomData,
            of: PhantomData,
        }
    }

    /// Returns a second view that relies on this one's run-time borrow.
    #[inline]
    #[must_use]
    pub fn reborrow(&self) -> Comp<'_, T> {
        // SAFETY: `raw` is of the store of `T`, which is borrowed for reading by invariant 1; this view, which may hold
        // the borrow, is itself borrowed as long as the new one.
        unsafe { Comp::of(self.raw.unlocked()) }
    }
}

impl<'a, T: Component> IntoIterator for &'a mut CompMut<'_, T> {
    type Item = MutOf<'a, T>;
    type IntoIter = JoinIter<'a, WriteFetch<'a, T>, ()>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

//! `Query`: the handle.

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;

use super::data::{QueryData, ReadOnlyQueryData};
use super::filter::QueryFilter;
use crate::entity::Entity;
use crate::invariant::Invariant;
use crate::join::{Fetch, JoinChunks, JoinIter, Joined};
use crate::storage::Storage;
use crate::tick::{Tick, Window};
use crate::world::BorrowError;

/// Entities with certain components, borrowed for as long as the handle lives.
///
/// `D` says what is fetched (see [`QueryData`]), `F` what is only tested (see [`QueryFilter`]). As a system parameter, or
/// from [`World::query`](crate::World::query). Making one costs nothing but the run-time borrows: there is no cache.
///
/// Queries are invariant in `D` and `F`: the borrow of one type is none of a subtype or supertype. Leave lifetimes in `D` out,
/// `Query<&T>`, or write `'static`; in a `#[derive(SystemParam)]` struct that of the struct will do as well.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::{With, Without};
///
/// #[derive(Component)] struct Health(i32);
/// #[derive(Component)] struct Poisoned;
/// #[derive(Component)] struct Immune;
///
/// let mut world = World::new();
/// let victim = world.spawn((Health(10), Poisoned));
/// world.spawn((Health(10), Poisoned, Immune));
///
/// let mut sick = world.query_filtered::<(Entity, &mut Health), (With<Poisoned>, Without<Immune>)>();
/// for (entity, health) in &mut sick {
///     assert_eq!(entity, victim);
///     health.0 -= 1;
/// }
/// assert_eq!(sick.get(victim).unwrap().1.0, 9);
/// assert_eq!(sick.count(), 1);
/// ```
pub struct Query<'w, D, F = ()> {
    /// Invariant 1: the components of `D` and `F` are locked as they need it, as long as `'w`.
    storage: &'w Storage,
    window: Window,
    /// Gives the run-time borrows back on drop; `None` when somebody else holds them for at least `'w`.
    unlock: Option<unsafe fn(&Storage)>,
    of: Invariant<(D, F)>,
}

/// What one call of a query gives per entity.
pub(super) type Item<'a, D> = <<D as QueryData>::Fetch<'a> as Fetch<'a>>::Item;
pub(super) type ReadItem<'a, D> = Item<'a, <D as QueryData>::ReadOnly>;

/// The iterators of a query.
type Iter<'a, D, F> = JoinIter<'a, <D as QueryData>::Fetch<'a>, <F as QueryFilter>::Filter<'a>>;
type Chunks<'a, D, F> = JoinChunks<'a, <D as QueryData>::Fetch<'a>, <F as QueryFilter>::Filter<'a>>;

impl<'w, D: QueryData, F: QueryFilter> Query<'w, D, F> {
    /// `last` is the tick of the borrower's last lock, if it remembers, and becomes that of this one.
    #[inline]
    pub(crate) fn lock(storage: &'w Storage, last: Option<&mut Tick>) -> Result<Self, BorrowError> {
        D::lock(storage)?;
        if let Err(error) = F::lock::<D>(storage) {
            // SAFETY: it was locked just now, and no term was made.
            unsafe { D::unlock(storage) };
            return Err(error);
        }
        Ok(Self {
            storage,
            window: Self::window(storage, last),
            unlock: Some(unlock::<D, F>),
            of: PhantomData,
        })
    }

    /// # Safety
    /// By invariant 1; and whatever else relies on these borrows touches other entities, or only reads.
    #[inline]
    pub(crate) unsafe fn locked(storage: &'w Storage, last: Option<&mut Tick>) -> Self {
        Self {
            storage,
            window: Self::window(storage, last),
            unlock: None,
            of: PhantomData,
        }
    }

    /// The window of a query that was just locked.
    #[inline]
    fn window(storage: &Storage, last: Option<&mut Tick>) -> Window {
        if Self::TRACKS {
            storage.clock.window(last)
        } else {
            Window::NONE
        }
    }

    /// Whether ticks mean anything to the query.
    pub(crate) const TRACKS: bool = D::TRACKS || F::TRACKS;

    /// Lets [`Changed`](super::Changed) and [`Added`](super::Added) mean after `tick`, instead of since the last run.
    #[must_use]
    pub fn since(mut self, tick: Tick) -> Self {
        self.window.seen = self.storage.clock.seen(tick);
        self
    }

    /// A second handle that relies on this one's run-time borrows and locks this one out meanwhile.
    #[must_use]
    pub fn reborrow(&mut self) -> Query<'_, D, F> {
        self.renamed()
    }

    /// As [`reborrow`](Self::reborrow), with other lifetimes in the data.
    #[inline]
    pub(crate) fn renamed<E: QueryData<Static = D::Static>>(&mut self) -> Query<'_, E, F> {
        // Invariant 1 holds: `E` and `D` are both `Static` with other lifetimes, by the contract of `QueryData`.
        Query {
            storage: self.storage,
            window: self.window,
            unlock: None,
            of: PhantomData,
        }
    }

    #[inline]
    pub(super) fn read(&self) -> Joined<'_, <D::ReadOnly as QueryData>::Fetch<'_>, F::Filter<'_>> {
        Joined {
            storage: Some(self.storage),
            // SAFETY: by invariant 1; the query is borrowed as long as the term, so nobody writes through it.
            fetch: unsafe { D::ReadOnly::fetch(self.storage, self.window) },
            // SAFETY: as above.
            filter: unsafe { F::filter(self.storage, self.window) },
        }
    }

    #[inline]
    pub(super) fn write(&mut self) -> Joined<'_, D::Fetch<'_>, F::Filter<'_>> {
        Joined {
            storage: Some(self.storage),
            // SAFETY: by invariant 1; the query is borrowed exclusively as long as the term, or only reads.
            fetch: unsafe { D::fetch(self.storage, self.window) },
            // SAFETY: by invariant 1; and values are written through the term alone.
            filter: unsafe { F::filter(self.storage, self.window) },
        }
    }

    /// Iterates over all matching entities, with `&mut` members as `&`.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> Iter<'_, D::ReadOnly, F> {
        self.read().iter()
    }

    /// Iterates over all matching entities.
    #[inline]
    #[must_use]
    pub fn iter_mut(&mut self) -> Iter<'_, D, F> {
        self.write().iter()
    }

    /// Calls `f` with each matching entity: the fastest way to visit them all (see
    /// [`Join::for_each`](crate::Join::for_each)).
    #[inline]
    pub fn for_each<G: FnMut(Item<'_, D>)>(&mut self, mut f: G) {
        self.write().each(&mut f);
    }

    /// Iterates over the columns of each matching table as slices, with `&mut` members as `&`; see
    /// [`Join::chunks`](crate::Join::chunks).
    #[inline]
    #[must_use]
    pub fn chunks(&self) -> Chunks<'_, D::ReadOnly, F> {
        self.read().chunks()
    }

    /// Iterates over the columns of each matching table as slices; see [`Join::chunks`](crate::Join::chunks).
    #[inline]
    #[must_use]
    pub fn chunks_mut(&mut self) -> Chunks<'_, D, F> {
        self.write().chunks()
    }

    /// The items of one entity, with `&mut` members as `&`; `None` if it does not match or is gone. O(members).
    #[inline]
    #[must_use]
    pub fn get(&self, entity: Entity) -> Option<ReadItem<'_, D>> {
        self.read().get(entity)
    }

    /// The items of one entity; `None` if it does not match or is gone. O(members).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, entity: Entity) -> Option<Item<'_, D>> {
        self.write().get(entity)
    }

    /// Whether the entity matches. O(members).
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.get(entity).is_some()
    }

    /// The items of the one entity that matches, with `&mut` members as `&`.
    ///
    /// # Errors
    /// If none matches, or more than one.
    pub fn single(&self) -> Result<ReadItem<'_, D>, SingleError> {
        single::<D, F, _>(self.iter())
    }

    /// The items of the one entity that matches.
    ///
    /// # Errors
    /// If none matches, or more than one.
    pub fn single_mut(&mut self) -> Result<Item<'_, D>, SingleError> {
        single::<D, F, _>(self.iter_mut())
    }

    /// The number of matching entities. O(matching entities).
    #[must_use]
    pub fn count(&self) -> usize {
        self.iter().count()
    }

    /// Whether no entity matches.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }
}

impl<D: QueryData, F: QueryFilter> Query<'_, D, F> {
    /// A second handle that relies on this one's run-time borrows, with other lifetimes in the data.
    #[inline]
    pub(crate) fn share<E>(&self) -> Query<'_, E, F>
    where
        E: ReadOnlyQueryData<Static = D::Static>,
    {
        // As for `renamed`; and both only read.
        Query {
            storage: self.storage,
            window: self.window,
            unlock: None,
            of: PhantomData,
        }
    }
}

/// # Safety
/// `D` and `F` were locked, and nothing relies on it any more.
unsafe fn unlock<D: QueryData, F: QueryFilter>(storage: &Storage) {
    // SAFETY: the caller's promise.
    unsafe { F::unlock::<D>(storage) };
    // SAFETY: as above.
    unsafe { D::unlock(storage) };
}

fn single<D, F, T>(mut items: impl Iterator<Item = T>) -> Result<T, SingleError> {
    let query = type_name::<(D, F)>();
    let item = items.next().ok_or(SingleError::None { query })?;
    match items.next() {
        None => Ok(item),
        Some(_) => Err(SingleError::Several { query }),
    }
}

impl<D, F> Drop for Query<'_, D, F> {
    fn drop(&mut self) {
        if let Some(unlock) = self.unlock {
            // SAFETY: by invariant 1 they were locked; items and terms borrow the query, which is gone.
            unsafe { unlock(self.storage) };
        }
    }
}

impl<D, F> fmt::Debug for Query<'_, D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Query<{}, {}>", type_name::<D>(), type_name::<F>())
    }
}

impl<'a, D: QueryData, F: QueryFilter> IntoIterator for &'a Query<'_, D, F> {
    type Item = ReadItem<'a, D>;
    type IntoIter = Iter<'a, D::ReadOnly, F>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, D: QueryData, F: QueryFilter> IntoIterator for &'a mut Query<'_, D, F> {
    type Item = Item<'a, D>;
    type IntoIter = Iter<'a, D, F>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

/// Not exactly one entity matches; see [`Query::single`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SingleError {
    /// No entity matches.
    None {
        /// The data and filter types of the query.
        query: &'static str,
    },
    /// More than one entity matches.
    Several {
        /// The data and filter types of the query.
        query: &'static str,
    },
}

impl fmt::Display for SingleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None { query } => write!(
                f,
                "no entity matches the query `{query}`, which should match one"
            ),
            Self::Several { query } => write!(
                f,
                "several entities match the query `{query}`, which should match one"
            ),
        }
    }
}

impl core::error::Error for SingleError {}

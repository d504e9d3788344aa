//! The handle of a query.

use core::fmt;
use core::marker::PhantomData;

use super::data::{QueryData, ReadOnlyQueryData};
use super::filter::QueryFilter;
use super::single::{SingleError, single};
use crate::entity::Entity;
use crate::invariant::Invariant;
use crate::join::{Fetch, Filter, JoinChunks, JoinIter, Joined};
use crate::meta::QueryAccess;
use crate::storage::Storage;
use crate::tick::{Tick, Window};
use crate::type_name::type_name;
use crate::world::BorrowError;

/// Entities with certain components, borrowed for as long as the handle lives.
///
/// `D` is the data to fetch (see [`QueryData`]), `F` the test without fetching (see [`QueryFilter`]). A query is a
/// system parameter, or made by [`World::query`](crate::World::query). Making one costs nothing but the run-time
/// borrows: there is no cache.
///
/// Queries are invariant in `D` and `F`: a borrow of one type is not a borrow of a subtype or supertype. Omit lifetimes in `D`,
/// as in `Query<&T>`, or write `'static`; in a `#[derive(SystemParam)]` struct its own lifetime works too.
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
    /// Invariant 1: for `'w`, the components of `D` and `F` are locked the way `QueryData::lock` and `QueryFilter::lock`
    /// lock them.
    /// Invariant 2: for `'w`, code that does not borrow this query accesses a value or ticks that `D` or `F` accesses, of an
    /// entity that matches apart from its ticks, only if neither writes; and no view inserts or removes values of their
    /// components.
    /// Invariant 3: for `'w`, no code writes components that `D` or `F` accesses of any entities (`QueryAccess::OfAny`).
    storage: &'w Storage,
    window: Window,
    /// Releases the run-time borrows on drop; `None` if another owner holds them for at least `'w`.
    unlock: Option<unsafe fn(&Storage)>,
    of: Invariant<(D, F)>,
}

/// The items that a query of `D` yields per entity, for the signatures of functions that take them.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::query::{Item, ReadItem};
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Velocity(f32);
///
/// type Body = (&'static mut Position, &'static Velocity);
///
/// fn drift((position, velocity): Item<'_, Body>, dt: f32) {
///     position.0 += velocity.0 * dt;
/// }
///
/// fn is_fast((_, velocity): &ReadItem<'_, Body>) -> bool {
///     velocity.0 > 10.0
/// }
///
/// #[system]
/// fn movement(mut bodies: Query<Body>) -> usize {
///     bodies.for_each(|body| drift(body, 0.5));
///     bodies.iter().filter(is_fast).count()
/// }
///
/// let mut world = World::new();
/// world.spawn_batch([2.0, 20.0].map(|velocity| (Position(0.0), Velocity(velocity))));
/// assert_eq!(movement(&world), 1);
/// ```
///
/// The lifetimes inside of `D` do not matter: `Item<'_, (&mut Position, &Velocity)>` is the same type. Generic code uses it
/// to name the item of any `D: QueryData`.
pub type Item<'a, D> = <D as QueryData>::Item<'a>;

/// The items of the methods of a query that only read: like [`Item`], with `&T` for `&mut T`.
pub type ReadItem<'a, D> = Item<'a, <D as QueryData>::ReadOnly>;

/// The iterators of a query.
type Iter<'a, D, F> = JoinIter<'a, <D as QueryData>::Fetch<'a>, <F as QueryFilter>::Filter<'a>>;
type Chunks<'a, D, F> = JoinChunks<'a, <D as QueryData>::Fetch<'a>, <F as QueryFilter>::Filter<'a>>;

impl<'w, D: QueryData, F: QueryFilter> Query<'w, D, F> {
    /// Takes the run-time borrows, and then the window: [`window`](Self::window) or [`window_since`](Self::window_since).
    #[inline]
    pub(crate) fn lock(
        storage: &'w Storage,
        window: impl FnOnce(&Storage) -> Window,
    ) -> Result<Self, BorrowError> {
        D::lock(storage)?;
        if let Err(error) = F::lock::<D>(storage) {
            // SAFETY: `D::lock` has succeeded just now, and no fetch was made.
            unsafe { D::unlock(storage) };
            return Err(error);
        }
        // The borrows exclude all code that invariants 2 and 3 exclude. Components accessed of any entities are borrowed for
        // reading, so `lock` fails if other members of `D` write them.
        Ok(Self {
            storage,
            window: window(storage),
            unlock: Some(unlock::<D, F>),
            of: PhantomData,
        })
    }

    /// Creates a query on run-time borrows that another owner holds.
    ///
    /// # Safety
    /// The components of `D` and `F` are locked for `'w` the way `lock` locks them (invariant 1), and all other code that
    /// relies on these borrows does only the things that invariants 2 and 3 allow.
    #[inline]
    pub(crate) unsafe fn locked(
        storage: &'w Storage,
        window: impl FnOnce(&Storage) -> Window,
    ) -> Self {
        Self {
            storage,
            window: window(storage),
            unlock: None,
            of: PhantomData,
        }
    }

    /// Returns the window of a query that was just locked, for a borrower without memory: all changes.
    #[inline]
    pub(crate) fn window(storage: &Storage) -> Window {
        if Self::TRACKS {
            storage.clock.window(None)
        } else {
            Window::NONE
        }
    }

    /// Returns the window of a query that was just locked: changes since the borrower's last lock, whose tick is replaced by
    /// this lock's tick.
    ///
    /// It names the constants of the access, so it is for parameters of systems only: a query of a world finds out at run
    /// time that its data conflicts with itself.
    #[inline]
    pub(crate) fn window_since(storage: &Storage, last: &mut Tick) -> Window {
        if !Self::TRACKS {
            return Window::NONE;
        }
        let before = *last;
        let window = storage.clock.window(Some(last));
        if !Self::SEES_DISABLED && storage.any_disabled_since(before) {
            note_late_query(storage, [D::ACCESS, F::ACCESS], before, *last);
        }
        window
    }

    /// True if loops over the query visit disabled entities too.
    const SEES_DISABLED: bool = <D::Fetch<'static> as Fetch<'static>>::SEES_DISABLED
        || <F::Filter<'static> as Filter<'static>>::SEES_DISABLED;

    /// True if the query reads or notes ticks.
    pub(crate) const TRACKS: bool = D::TRACKS || F::TRACKS;

    /// Like [`reborrow`](Self::reborrow), with other lifetimes in the data.
    #[inline]
    pub(crate) fn renamed<E: QueryData<Static = D::Static>>(&mut self) -> Query<'_, E, F> {
        // The invariants hold: `E` and `D` are both `Static` with other lifetimes, by the contract of `QueryData`, and this
        // query is borrowed exclusively.
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
            // SAFETY: the components are locked for `'w` by invariant 1, at least as `D::ReadOnly` locks them.
            // The query is borrowed as long as the fetch, so no fetch that writes is made through it; other code writes
            // no values of entities that match, and changes no sets, by invariant 2.
            fetch: unsafe { D::ReadOnly::fetch(self.storage, self.window) },
            // SAFETY: the components are locked for `'w` by invariant 1. The query is borrowed as long as the
            // filter, so no ticks are written through it; other code writes no ticks of entities that match, and
            // changes no sets, by invariant 2. Clause 3 of both by invariant 3.
            filter: unsafe { F::filter(self.storage, self.window) },
        }
    }

    #[inline]
    pub(super) fn write(&mut self) -> Joined<'_, D::Fetch<'_>, F::Filter<'_>> {
        Joined {
            storage: Some(self.storage),
            // SAFETY: the components are locked for `'w` by invariant 1. The query is borrowed exclusively as
            // long as the fetch, so no other fetch is made through it; other code accesses values of entities that
            // match only if neither writes, and changes no sets, by invariant 2.
            fetch: unsafe { D::fetch(self.storage, self.window) },
            // SAFETY: the components are locked for `'w` by invariant 1. The query is borrowed exclusively as
            // long as the filter, so through it ticks are written by items of this join alone; other code writes no
            // ticks of entities that match, and changes no sets, by invariant 2. Clause 3 of both by invariant 3.
            filter: unsafe { F::filter(self.storage, self.window) },
        }
    }

    /// Like [`read`](Self::read), with other lifetimes in the data.
    #[inline]
    pub(super) fn read_as<E>(&self) -> Joined<'_, E::Fetch<'_>, F::Filter<'_>>
    where
        E: ReadOnlyQueryData<Static = D::Static>,
    {
        Joined {
            storage: Some(self.storage),
            // SAFETY: `E` and `D` are both `Static` with other lifetimes, by the contract of `QueryData`, so the components
            // are locked by invariant 1. Like in `read`, nothing that the fetch reads is written meanwhile.
            fetch: unsafe { E::fetch(self.storage, self.window) },
            // SAFETY: as in `read`.
            filter: unsafe { F::filter(self.storage, self.window) },
        }
    }

    /// Like [`write`](Self::write), with other lifetimes in the data.
    #[inline]
    pub(super) fn write_as<E>(&mut self) -> Joined<'_, E::Fetch<'_>, F::Filter<'_>>
    where
        E: QueryData<Static = D::Static>,
    {
        Joined {
            storage: Some(self.storage),
            // SAFETY: `E` and `D` are both `Static` with other lifetimes, by the contract of `QueryData`, so the components
            // are locked by invariant 1. As in `write`, this is the only fetch of its entities that is used meanwhile.
            fetch: unsafe { E::fetch(self.storage, self.window) },
            // SAFETY: as in `write`.
            filter: unsafe { F::filter(self.storage, self.window) },
        }
    }

    /// Calls `f` with each matching entity: the fastest way to visit them all (see
    /// [`Join::for_each`](crate::Join::for_each)).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn_batch([Health(3), Health(4)]);
    /// world.query::<&mut Health>().for_each(|health| health.0 += 1);
    /// assert!(world.view::<Health>().iter().eq([&Health(4), &Health(5)]));
    /// ```
    #[inline]
    #[doc(alias = "for_each_mut")]
    #[doc(alias = "each")]
    #[doc(alias = "each_entity")]
    pub fn for_each<G: FnMut(Item<'_, D>)>(&mut self, mut f: G) {
        self.write().each(&mut f);
    }

    /// Iterates over all matching entities, with `&mut` members as `&`.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn_batch([Health(3), Health(4)]);
    /// let query = world.query::<(Entity, &Health)>();
    /// assert_eq!(query.iter().map(|(_, health)| health.0).sum::<i32>(), 7);
    /// ```
    #[inline]
    #[must_use]
    #[doc(alias = "join")]
    pub fn iter(&self) -> Iter<'_, D::ReadOnly, F> {
        self.read().iter()
    }

    /// Iterates over all matching entities.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn_batch([Health(3), Health(4)]);
    /// let mut query = world.query::<&mut Health>();
    /// for health in query.iter_mut() { // or `in &mut query`
    ///     health.0 += 1;
    /// }
    /// assert!(query.iter().eq([&Health(4), &Health(5)]));
    /// ```
    #[inline]
    #[must_use]
    pub fn iter_mut(&mut self) -> Iter<'_, D, F> {
        self.write().iter()
    }

    /// Returns the items of one entity, with `&mut` members as `&`; `None` if it does not match or is despawned.
    /// O(members).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let rat = world.spawn(Health(3));
    /// assert_eq!(world.query::<&Health>().get(rat), Some(&Health(3)));
    /// ```
    #[inline]
    #[must_use]
    pub fn get(&self, entity: Entity) -> Option<ReadItem<'_, D>> {
        self.read().get(entity)
    }

    /// Returns the items of one entity; `None` if it does not match or is despawned. O(members).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let rat = world.spawn(Health(3));
    /// let mut query = world.query::<&mut Health>();
    /// query.get_mut(rat).unwrap().0 -= 1;
    /// assert_eq!(query.get(rat), Some(&Health(2)));
    /// ```
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, entity: Entity) -> Option<Item<'_, D>> {
        self.write().get(entity)
    }

    /// Returns true if the entity matches. O(members).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let (rat, stone) = (world.spawn(Health(3)), world.spawn(()));
    /// let query = world.query::<&Health>();
    /// assert!(query.contains(rat) && !query.contains(stone));
    /// ```
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.get(entity).is_some()
    }

    /// Returns the items of the one entity that matches, with `&mut` members as `&`.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// assert_eq!(world.query::<&Health>().single().unwrap(), &Health(3));
    /// ```
    ///
    /// # Errors
    /// If none matches, or more than one; these are counted, in O(matching entities).
    #[doc(alias = "get_single")]
    pub fn single(&self) -> Result<ReadItem<'_, D>, SingleError> {
        single::<D, F, _>(self.iter())
    }

    /// Returns the items of the one entity that matches.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn(Health(3));
    /// world.query::<&mut Health>().single_mut().unwrap().0 = 9;
    /// assert_eq!(world.query::<&Health>().single().unwrap(), &Health(9));
    /// ```
    ///
    /// # Errors
    /// If none matches, or more than one; these are counted, in O(matching entities).
    #[doc(alias = "get_single_mut")]
    pub fn single_mut(&mut self) -> Result<Item<'_, D>, SingleError> {
        single::<D, F, _>(self.iter_mut())
    }

    /// Returns the number of matching entities. O(matching entities).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn_batch([Health(3), Health(4)]);
    /// assert_eq!(world.query::<&Health>().count(), 2);
    /// ```
    #[must_use]
    pub fn count(&self) -> usize {
        self.iter().count()
    }

    /// Returns true if no entity matches.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let world = World::new();
    /// assert!(world.query::<&Health>().is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Iterates over the columns of each matching table as slices, with `&mut` members as `&`; see
    /// [`Join::chunks`](crate::Join::chunks).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn_batch([Health(3), Health(4)]);
    /// let total: i32 = world.query::<&Health>().chunks().flatten().map(|health| health.0).sum();
    /// assert_eq!(total, 7);
    /// ```
    #[inline]
    #[must_use]
    pub fn chunks(&self) -> Chunks<'_, D::ReadOnly, F> {
        let () = Chunks::<'_, D::ReadOnly, F>::CHECK;
        self.read().chunks()
    }

    /// Iterates over the columns of each matching table as slices; see [`Join::chunks`](crate::Join::chunks).
    #[inline]
    #[must_use]
    pub fn chunks_mut(&mut self) -> Chunks<'_, D, F> {
        let () = Chunks::<'_, D, F>::CHECK;
        self.write().chunks()
    }

    /// Makes [`Changed`](super::Changed), [`Added`](super::Added) and [`Mutated`](super::Mutated) match changes after
    /// `tick`, instead of since the last run.
    #[must_use]
    pub fn since(mut self, tick: Tick) -> Self {
        self.window.seen = self.storage.clock.seen(tick);
        if Self::TRACKS && !Self::SEES_DISABLED && self.storage.any_disabled_since(tick) {
            let now = self.storage.clock.tick_of(self.window.now);
            note_late_query(self.storage, [D::ACCESS, F::ACCESS], tick, now);
        }
        self
    }

    /// Returns a second handle on this one's run-time borrows. It borrows this handle exclusively as long as it lives.
    #[must_use]
    pub fn reborrow(&mut self) -> Query<'_, D, F> {
        self.renamed()
    }
}

impl<D: QueryData, F: QueryFilter> Query<'_, D, F> {
    /// Returns a second handle on this one's run-time borrows, with other lifetimes in the data.
    #[inline]
    pub(crate) fn share<E>(&self) -> Query<'_, E, F>
    where
        E: ReadOnlyQueryData<Static = D::Static>,
    {
        // The invariants hold: `E` and `D` are both `Static` with other lifetimes, by the contract of `QueryData`, and both
        // handles only read.
        Query {
            storage: self.storage,
            window: self.window,
            unlock: None,
            of: PhantomData,
        }
    }
}

/// Releases the run-time borrows of a query.
///
/// # Safety
/// `D` and `F` were locked, and no fetch or filter relies on it any more.
unsafe fn unlock<D: QueryData, F: QueryFilter>(storage: &Storage) {
    // SAFETY: by the caller's contract `F` was locked with `D`, and no filter relies on it any more.
    unsafe { F::unlock::<D>(storage) };
    // SAFETY: by the caller's contract `D` was locked, and no fetch relies on it any more.
    unsafe { D::unlock(storage) };
}

impl<D, F> Drop for Query<'_, D, F> {
    fn drop(&mut self) {
        if let Some(unlock) = self.unlock {
            // SAFETY: `lock` has taken these borrows, and they are held by invariant 1; items and fetches borrow the
            // query, which ends here.
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

/// Notes a run of a query that leaves out entities that were disabled since its last run.
#[cold]
#[inline(never)]
fn note_late_query(storage: &Storage, accesses: [&QueryAccess; 2], last: Tick, now: Tick) {
    for access in accesses {
        access.for_each_type(&mut |ident| storage.note_late_reader(ident, last, now));
    }
}

//! Access to one entity and to all others at the same time.
//!
//! Two `&mut` to one row cannot exist at the same time: a [`Rest`] has the access of a whole join, except for the entities
//! on its list. Every item that it returns is borrowed from it, and its list has each entity with an item that is alive
//! elsewhere: [`split`](super::JoinMut::split) returns the item of the entity that it puts on the list, and both end
//! together because both borrow from the same source. A nested `Rest` starts with the list of the outer one, which is
//! borrowed as long as the nested one lives.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use core::fmt;

use super::engine::Joined;
use super::fetch::{Fetch, Filter};
use super::fetches::EntityFetch;
use super::iter::JoinIter;
use super::reborrow::{Reborrow, ReborrowFilter};
use crate::entity::{Entity, Location, TableId};
use crate::storage::Storage;

/// An excluded entity, and those that were excluded before: a linked list on the stack, with one node in each nested
/// [`Rest`].
#[derive(Clone, Copy)]
struct Excluded<'a> {
    entity: Entity,
    at: Location,
    outer: Option<&'a Excluded<'a>>,
}

impl<'a> Excluded<'a> {
    fn iter(&self) -> impl Iterator<Item = &Excluded<'a>> {
        core::iter::successors(Some(self), |node| node.outer)
    }
}

/// Excludes the entities of a list.
///
/// A [`Joined`] with this filter must not leave this file: `Option` makes a join optional and drops its filter.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct ExcludeEntities<'a>(&'a Excluded<'a>);

// SAFETY: `next_excluded` returns a row of the list that is not before `from`, or `end` if that comes first; `DENSE` is
// the trait's.
unsafe impl<'a> Filter<'a> for ExcludeEntities<'a> {
    const BY_ENTITY: bool = false;
    const SEES_DISABLED: bool = false;
    const SKIPS: bool = true;

    type Rows = ();

    fn entities(&self) -> Option<&'a [Entity]> {
        None
    }

    fn table(&self, _: TableId) -> bool {
        true
    }

    #[inline]
    fn next_excluded(&self, table: TableId, from: usize, end: usize) -> usize {
        let rows = self.0.iter().filter(|node| node.at.table == table);
        rows.map(|node| node.at.row as usize)
            .filter(|&row| row >= from)
            .fold(end, usize::min)
    }

    fn rows(&self, _: TableId) {}

    // These are not called for excluded rows: `next_excluded` ends before them.
    #[inline]
    unsafe fn mask(&self, (): (), _: usize) -> u32 {
        u32::MAX
    }

    #[inline]
    unsafe fn row(&self, (): (), _: usize) -> bool {
        true
    }

    #[inline]
    fn entity(&self, entity: Entity, _: Location) -> bool {
        self.0.iter().all(|node| node.entity != entity)
    }
}

/// All entities of a join except those split off by [`JoinMut::split`](super::JoinMut::split).
///
/// It can be iterated any number of times, shared or mutable, and split again; the entity that a nested rest excludes
/// is back in the outer one when the nested one ends. The list of exclusions allocates no memory: it is linked through
/// the nested rests, and each step over a table, and each lookup, costs O(exclusions).
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Bounty(u32);
///
/// let mut world = World::new();
/// let ids = world.spawn_batch((1..=4).map(Bounty)).to_vec();
/// let mut bounty = world.view_mut::<Bounty>();
///
/// let (hunter, mut others) = bounty.split(ids[0]).unwrap();
/// for other in others.iter_mut() {
///     hunter.0 += other.0;                           // both may be changed
///     other.0 = 0;
/// }
/// let (ally, mut targets) = others.split(ids[1]).unwrap();
/// ally.0 = 5;
/// assert_eq!(targets.iter().count(), 2);             // neither hunter nor ally
/// targets.for_each(|target| target.0 = hunter.0);
/// assert!(others.get(ids[0]).is_none());             // the hunter is still out,
/// assert_eq!(others.get(ids[1]).unwrap().0, 5);      // the ally is back
/// assert_eq!(bounty.get(ids[2]).unwrap().0, 10);
/// ```
pub struct Rest<'a, T, F> {
    storage: &'a Storage,
    /// Invariant 1: made for `'a`; in `'a` no other code uses items of entities that are not excluded.
    fetch: T,
    filter: F,
    excluded: Excluded<'a>,
}

/// The item of the reborrowed fetch.
type ShortItem<'b, 'a, T> = <T as Reborrow<'a>>::ShortItem<'b>;
type SharedItem<'b, 'a, T> = <<T as Reborrow<'a>>::Shared<'b> as Fetch<'b>>::Item;
/// The rest with reborrowed fetch and filter.
type ShortRest<'b, 'a, T, F> =
    Rest<'b, <T as Reborrow<'a>>::Short<'b>, <F as ReborrowFilter<'a>>::Short<'b>>;
/// An iterator over the entities of a rest.
type Iter<'b, 'a, T, F> = JoinIter<'b, <T as Reborrow<'a>>::Short<'b>, RestFilter<'b, 'a, F>>;
type SharedIter<'b, 'a, T, F> =
    JoinIter<'b, <T as Reborrow<'a>>::Shared<'b>, RestFilter<'b, 'a, F>>;
/// The filter of a rest. The list comes first, so that the other filter never reads an entity whose item is alive elsewhere.
type RestFilter<'b, 'a, F> = (ExcludeEntities<'b>, <F as ReborrowFilter<'a>>::Short<'b>);

impl<'a, T: Reborrow<'a>, F: ReborrowFilter<'a>> Rest<'a, T, F> {
    /// Returns the first rest of a join, and the items of the entity that it excludes.
    #[inline]
    pub(super) fn split_join(join: Joined<'a, T, F>, entity: Entity) -> Option<(T::Item, Self)> {
        let storage = join.storage?;
        let at = storage.entities.get(entity)?;
        // SAFETY: the join came by value, so no item of it is alive, and all others are from now on made by the rest,
        // which excludes the entity.
        let item = unsafe { join.find(entity) }?;
        let rest = Self {
            storage,
            fetch: join.fetch,
            filter: join.filter,
            excluded: Excluded {
                entity,
                at,
                outer: None,
            },
        };
        Some((item, rest))
    }

    /// Returns the join of all entities that are not excluded.
    ///
    /// # Safety
    /// As long as the join or items of it are used, this rest is borrowed, and no other items of the entities that the
    /// join is used for are used.
    #[inline]
    unsafe fn joined<'b>(&'b self) -> Joined<'b, T::Short<'b>, RestFilter<'b, 'a, F>> {
        Joined {
            storage: Some(self.storage),
            // SAFETY: the rest is borrowed, so `'b` ends before `'a` does. Items of entities that are not excluded are
            // used by no other code by invariant 1, and not through this rest by the caller's contract.
            fetch: unsafe { self.fetch.reborrow() },
            filter: self.filter_excluded(),
        }
    }

    /// Returns the filter for entities that are not excluded.
    #[inline]
    fn filter_excluded<'b>(&'b self) -> RestFilter<'b, 'a, F> {
        // SAFETY: the rest is borrowed, so `'b` ends before `'a` does.
        (ExcludeEntities(&self.excluded), unsafe {
            self.filter.reborrow()
        })
    }

    #[inline]
    fn read(&self) -> Joined<'_, T::Shared<'_>, RestFilter<'_, 'a, F>> {
        Joined {
            storage: Some(self.storage),
            // SAFETY: the rest is borrowed for as long as the fetch, so no items that write are made through it, and no
            // other code makes them by invariant 1.
            fetch: unsafe { self.fetch.shared() },
            filter: self.filter_excluded(),
        }
    }

    #[inline]
    fn write(&mut self) -> Joined<'_, T::Short<'_>, RestFilter<'_, 'a, F>> {
        // SAFETY: this rest is borrowed exclusively as long as the join, so no other items are made through it.
        unsafe { self.joined() }
    }

    /// Iterates over all entities that are not excluded, with `&mut` items as `&`.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> SharedIter<'_, 'a, T, F> {
        self.read().iter()
    }

    /// Iterates over all entities that are not excluded.
    #[inline]
    #[must_use]
    pub fn iter_mut(&mut self) -> Iter<'_, 'a, T, F> {
        self.write().iter()
    }

    /// Calls `f` with each entity that is not excluded: the fastest way to visit them all (see
    /// [`Join::for_each`](crate::Join::for_each)).
    #[inline]
    pub fn for_each<G: FnMut(ShortItem<'_, 'a, T>)>(&mut self, mut f: G) {
        self.write().each(&mut f);
    }

    /// Iterates over the ids of all entities that are not excluded.
    #[inline]
    pub fn entities(&self) -> impl Iterator<Item = Entity> {
        let join = self.read();
        let with_id = Joined {
            storage: join.storage,
            fetch: (EntityFetch, join.fetch),
            filter: join.filter,
        };
        with_id.iter().map(|(entity, _)| entity)
    }

    /// Puts the entity's id before the items: `(entity, item)`.
    ///
    /// To use this rest again afterwards: `rest.reborrow().with_entity()`.
    #[inline]
    #[must_use]
    pub fn with_entity(self) -> Rest<'a, (EntityFetch, T), F> {
        Rest {
            storage: self.storage,
            fetch: (EntityFetch, self.fetch),
            filter: self.filter,
            excluded: self.excluded,
        }
    }

    /// Returns the same rest for a shorter lifetime; this one is borrowed exclusively as long as that lives.
    #[inline]
    #[must_use]
    pub fn reborrow(&mut self) -> ShortRest<'_, 'a, T, F> {
        // SAFETY: this rest is borrowed exclusively as long as the new one, so no other items are made through it; the
        // list is the same.
        unsafe { self.with_list(self.excluded) }
    }

    /// Returns the items of one entity, with `&mut` as `&`; `None` if it does not match or was split off.
    /// O(exclusions).
    #[inline]
    #[must_use]
    pub fn get(&self, entity: Entity) -> Option<SharedItem<'_, 'a, T>> {
        self.read().get(entity)
    }

    /// Returns the items of one entity; `None` if it does not match or was split off. O(exclusions).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, entity: Entity) -> Option<ShortItem<'_, 'a, T>> {
        self.write().get(entity)
    }

    /// Returns true if the entity matches and was not split off. O(exclusions).
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.get(entity).is_some()
    }

    /// Returns the items of one entity, and a nested rest; `None` if it does not match or was split off already.
    ///
    /// The entity is back in this rest when both results are dropped. O(exclusions).
    #[inline]
    #[must_use]
    pub fn split(
        &mut self,
        entity: Entity,
    ) -> Option<(ShortItem<'_, 'a, T>, ShortRest<'_, 'a, T, F>)> {
        let at = self.storage.entities.get(entity)?;
        let outer = &*self;
        // SAFETY: this rest is borrowed exclusively as long as the item. The join is used for this entity alone, and
        // returns its item only if it is not excluded.
        let item = unsafe { outer.joined() }.get(entity)?;
        let excluded = Excluded {
            entity,
            at,
            outer: Some(&outer.excluded),
        };
        // SAFETY: this rest is borrowed exclusively as long as the new one, which excludes the entity of the item; its list
        // extends this one.
        Some((item, unsafe { outer.with_list(excluded) }))
    }

    /// Returns a rest of the same fetch with another list.
    ///
    /// # Safety
    /// As long as the new rest is used, this one is borrowed, and no other items of entities that are not on the list
    /// are used. The list has all entities that this rest excludes.
    #[inline]
    unsafe fn with_list<'b>(&'b self, excluded: Excluded<'b>) -> ShortRest<'b, 'a, T, F> {
        Rest {
            storage: self.storage,
            // SAFETY: the rest is borrowed, so `'b` ends before `'a` does. Items of entities that are not on the list
            // are used by no other code by invariant 1, and not through this rest by the caller's contract.
            fetch: unsafe { self.fetch.reborrow() },
            // SAFETY: the rest is borrowed, so `'b` ends before `'a` does.
            filter: unsafe { self.filter.reborrow() },
            excluded,
        }
    }
}

/// Calls `f` with each entity of the join and the rest of the join.
#[inline]
pub(super) fn for_each_with_rest<'a, T, F, G>(join: Joined<'a, T, F>, mut f: G)
where
    T: Reborrow<'a>,
    F: ReborrowFilter<'a>,
    G: for<'b> FnMut(ShortItem<'b, 'a, T>, &mut ShortRest<'b, 'a, T, F>),
{
    let Some(storage) = join.storage else { return };
    // SAFETY: the fetch is used in this call alone, as are its items, since `f` must take them for any lifetime. Each
    // item is of the entity that the rest of its iteration excludes, and is gone in the next iteration.
    let fetch = unsafe { join.fetch.reborrow() };
    let all = Joined {
        storage: Some(storage),
        fetch: (EntityFetch, fetch),
        // SAFETY: the filter is used in this call alone.
        filter: unsafe { join.filter.reborrow() },
    };
    for (entity, item) in all.iter() {
        let Some(at) = storage.entities.get(entity) else {
            continue;
        };
        let mut rest = Rest {
            storage,
            // SAFETY: no item of the rest outlives this iteration, since `f` must take it for any lifetime, and the
            // rest excludes the entity of `item`.
            fetch: unsafe { join.fetch.reborrow() },
            // SAFETY: the filter is used in this iteration alone.
            filter: unsafe { join.filter.reborrow() },
            excluded: Excluded {
                entity,
                at,
                outer: None,
            },
        };
        f(item, &mut rest);
    }
}

impl<'b, 'a, T: Reborrow<'a>, F: ReborrowFilter<'a>> IntoIterator for &'b Rest<'a, T, F> {
    type Item = SharedItem<'b, 'a, T>;
    type IntoIter = SharedIter<'b, 'a, T, F>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'b, 'a, T: Reborrow<'a>, F: ReborrowFilter<'a>> IntoIterator for &'b mut Rest<'a, T, F> {
    type Item = ShortItem<'b, 'a, T>;
    type IntoIter = Iter<'b, 'a, T, F>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}

impl<T, F> fmt::Debug for Rest<'_, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Rest without ")?;
        let entities = self.excluded.iter().map(|node| node.entity);
        f.debug_list().entries(entities).finish()
    }
}

//! One entity, and all the rest.
//!
//! Why no two `&mut` to one row can be had: a [`Rest`] is the access of a whole join, less the entities on its list.
//! Every item that it gives is borrowed from it, and its list names each entity of which an item is alive elsewhere:
//! [`split`](super::JoinMut::split) gives the item of the entity that it puts on the list, and both end together, as both
//! borrow what was split. A nested `Rest` starts with the list of the outer one, which is locked as long as it lives.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use core::fmt;

use super::engine::{JoinIter, Joined};
use super::fetch::{Fetch, Filter};
use super::fetches::EntityFetch;
use super::reborrow::{Reborrow, ReborrowFilter};
use crate::entity::{Entity, Location, TableId};
use crate::storage::Storage;

/// An entity that is left out, and those that were left out before: a list whose links lie on the stack, one in each
/// nested [`Rest`].
#[derive(Clone, Copy)]
struct Excluded<'a> {
    entity: Entity,
    at: Location,
    outer: Option<&'a Excluded<'a>>,
}

impl<'a> Excluded<'a> {
    fn iter(&self) -> impl Iterator<Item = &Excluded<'a>> {
        core::iter::successors(Some(self), |link| link.outer)
    }
}

/// Leaves out the entities of a list.
///
/// A [`Joined`] with this filter must not get out of this file: `Option` makes a join optional and forgets its filter.
#[derive(Clone, Copy)]
#[doc(hidden)]
pub struct ExcludeEntities<'a>(&'a Excluded<'a>);

// SAFETY: `next_excluded` returns a row of a link that is not before `from`, or `end` if that comes first; nothing is packed.
unsafe impl<'a> Filter<'a> for ExcludeEntities<'a> {
    const SPARSE: bool = false;
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
        let rows = self.0.iter().filter(|link| link.at.table == table);
        rows.map(|link| link.at.row as usize)
            .filter(|&row| row >= from)
            .fold(end, usize::min)
    }

    fn rows(&self, _: TableId) {}

    // Rows that are left out are not asked about: `next_excluded` ends before them.
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
        self.0.iter().all(|link| link.entity != entity)
    }
}

/// All entities of a join but those that were split off: what [`JoinMut::split`](super::JoinMut::split) leaves.
///
/// It is iterated as often as you like, shared or mutable, and split again; the inner rest gives back what it left out
/// when it ends. The list of exclusions needs no memory of its own: it is linked through the nested rests, and each
/// step over a table or lookup costs O(exclusions).
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
    /// Invariant 1: made for `'a`, in which nobody else uses items of entities that are not excluded.
    fetch: T,
    filter: F,
    excluded: Excluded<'a>,
}

/// An item of the term, made again.
type ShortItem<'b, 'a, T> = <T as Reborrow<'a>>::ShortItem<'b>;
type SharedItem<'b, 'a, T> = <<T as Reborrow<'a>>::Shared<'b> as Fetch<'b>>::Item;
/// What remains of a rest, made again.
type ShortRest<'b, 'a, T, F> =
    Rest<'b, <T as Reborrow<'a>>::Short<'b>, <F as ReborrowFilter<'a>>::Short<'b>>;
/// Iterators over what remains.
type Iter<'b, 'a, T, F> = JoinIter<'b, <T as Reborrow<'a>>::Short<'b>, Left<'b, 'a, F>>;
type SharedIter<'b, 'a, T, F> = JoinIter<'b, <T as Reborrow<'a>>::Shared<'b>, Left<'b, 'a, F>>;
/// The filter of what remains. The list stands first, so that the other filter never looks at an entity of which an item
/// is alive.
type Left<'b, 'a, F> = (ExcludeEntities<'b>, <F as ReborrowFilter<'a>>::Short<'b>);

impl<'a, T: Reborrow<'a>, F: ReborrowFilter<'a>> Rest<'a, T, F> {
    /// The first rest of a join, and the items of the entity that it lacks.
    #[inline]
    pub(super) fn split_join(join: Joined<'a, T, F>, entity: Entity) -> Option<(T::Item, Self)> {
        let storage = join.storage?;
        let at = storage.entities.get(entity)?;
        // SAFETY: the join came by value, so it has given out nothing, and all that it will give from now on goes
        // through the rest, which lacks the entity.
        let one = unsafe { join.find(entity) }?;
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
        Some((one, rest))
    }

    /// The join of all that is left.
    ///
    /// # Safety
    /// As long as the join or items of it are used, this rest is borrowed, and nobody uses other items of the entities
    /// that the join is used for.
    #[inline]
    unsafe fn joined<'b>(&'b self) -> Joined<'b, T::Short<'b>, Left<'b, 'a, F>> {
        Joined {
            storage: Some(self.storage),
            // SAFETY: by invariant 1 and the caller's promise; the rest is borrowed, so `'b` ends before `'a` does.
            fetch: unsafe { self.fetch.reborrow() },
            filter: self.left(),
        }
    }

    /// The test for what is left.
    #[inline]
    fn left<'b>(&'b self) -> Left<'b, 'a, F> {
        // SAFETY: the rest is borrowed, so `'b` ends before `'a` does.
        (ExcludeEntities(&self.excluded), unsafe {
            self.filter.reborrow()
        })
    }

    #[inline]
    fn read(&self) -> Joined<'_, T::Shared<'_>, Left<'_, 'a, F>> {
        Joined {
            storage: Some(self.storage),
            // SAFETY: by invariant 1; the rest is borrowed as long as the term, so nobody writes through it.
            fetch: unsafe { self.fetch.shared() },
            filter: self.left(),
        }
    }

    #[inline]
    fn write(&mut self) -> Joined<'_, T::Short<'_>, Left<'_, 'a, F>> {
        // SAFETY: this rest is borrowed exclusively as long as the join.
        unsafe { self.joined() }
    }

    /// Iterates over all entities that are left, with `&mut` items as `&`.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> SharedIter<'_, 'a, T, F> {
        self.read().iter()
    }

    /// Iterates over all entities that are left.
    #[inline]
    #[must_use]
    pub fn iter_mut(&mut self) -> Iter<'_, 'a, T, F> {
        self.write().iter()
    }

    /// Calls `f` with each entity that is left: the fastest way to visit them all (see
    /// [`Join::for_each`](crate::Join::for_each)).
    #[inline]
    pub fn for_each<G: FnMut(ShortItem<'_, 'a, T>)>(&mut self, mut f: G) {
        self.write().each(&mut f);
    }

    /// Iterates over the ids of all entities that are left.
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
    /// To have this rest back afterwards: `rest.reborrow().with_entity()`.
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

    /// The same rest for a shorter time; this one is locked out meanwhile.
    #[inline]
    #[must_use]
    pub fn reborrow(&mut self) -> ShortRest<'_, 'a, T, F> {
        // SAFETY: this rest is borrowed exclusively as long as the new one.
        unsafe { self.lacking(self.excluded) }
    }

    /// The items of one entity, with `&mut` as `&`; `None` if it does not match, or was split off. O(exclusions).
    #[inline]
    #[must_use]
    pub fn get(&self, entity: Entity) -> Option<SharedItem<'_, 'a, T>> {
        self.read().get(entity)
    }

    /// The items of one entity; `None` if it does not match, or was split off. O(exclusions).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, entity: Entity) -> Option<ShortItem<'_, 'a, T>> {
        self.write().get(entity)
    }

    /// Whether the entity matches, and was not split off. O(exclusions).
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.get(entity).is_some()
    }

    /// The items of one entity, and the rest of the rest; `None` if it does not match, or was split off already.
    ///
    /// The entity is back in this rest when both parts are gone. O(exclusions).
    #[inline]
    #[must_use]
    pub fn split(
        &mut self,
        entity: Entity,
    ) -> Option<(ShortItem<'_, 'a, T>, ShortRest<'_, 'a, T, F>)> {
        let at = self.storage.entities.get(entity)?;
        let outer = &*self;
        // SAFETY: this rest is borrowed exclusively as long as the item; the join is used for it alone, and it exists
        // only if the entity is not excluded.
        let one = unsafe { outer.joined() }.get(entity)?;
        let excluded = Excluded {
            entity,
            at,
            outer: Some(&outer.excluded),
        };
        // SAFETY: this rest is borrowed exclusively as long as the new one, which lacks the entity of the item.
        Some((one, unsafe { outer.lacking(excluded) }))
    }

    /// The rest of the same term with another list.
    ///
    /// # Safety
    /// As long as it is used, this rest is borrowed, and nobody uses other items of entities that are not on the list.
    #[inline]
    unsafe fn lacking<'b>(&'b self, excluded: Excluded<'b>) -> ShortRest<'b, 'a, T, F> {
        Rest {
            storage: self.storage,
            // SAFETY: by invariant 1 and the caller's promise; the rest is borrowed, so `'b` ends before `'a` does.
            fetch: unsafe { self.fetch.reborrow() },
            // SAFETY: as above.
            filter: unsafe { self.filter.reborrow() },
            excluded,
        }
    }
}

/// Calls `f` with each entity of the join and all the rest.
#[inline]
pub(super) fn for_each_with_rest<'a, T, F, G>(join: Joined<'a, T, F>, mut f: G)
where
    T: Reborrow<'a>,
    F: ReborrowFilter<'a>,
    G: for<'b> FnMut(ShortItem<'b, 'a, T>, &mut ShortRest<'b, 'a, T, F>),
{
    let Some(storage) = join.storage else { return };
    // SAFETY: the term lives as long as this call, as do its items, since `f` must take them for any lifetime; each is
    // of an entity that the rest of its round lacks, and is gone in the next round.
    let fetch = unsafe { join.fetch.reborrow() };
    let all = Joined {
        storage: Some(storage),
        fetch: (EntityFetch, fetch),
        // SAFETY: the filter lives as long as this call.
        filter: unsafe { join.filter.reborrow() },
    };
    for (entity, one) in all.iter() {
        let Some(at) = storage.entities.get(entity) else {
            continue;
        };
        let mut rest = Rest {
            storage,
            // SAFETY: as above: no item of the rest outlives this round, and it has none of this round's entity.
            fetch: unsafe { join.fetch.reborrow() },
            // SAFETY: as above.
            filter: unsafe { join.filter.reborrow() },
            excluded: Excluded {
                entity,
                at,
                outer: None,
            },
        };
        f(one, &mut rest);
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
        let entities = self.excluded.iter().map(|link| link.entity);
        f.debug_list().entries(entities).finish()
    }
}

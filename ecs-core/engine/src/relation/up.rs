//! `Up` and `Inherited`: data of the target of an entity, or of the nearest of many, in a query.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;

use super::{Target, ToOne};
use crate::component::{Component, ComponentId};
use crate::entity::{Entity, Location, TableId};
use crate::invariant::Invariant;
use crate::join::{Fetch, JoinSets, ReadFetch, Reborrow};
use crate::meta::{ComponentEntry, DataList, QueryAccess, ReadOf, Unfiltered};
use crate::query::{QueryData, ReadOnlyQueryData};
use crate::storage::Storage;
use crate::tick::Window;
use crate::world::BorrowError;

/// Query data of the target of an entity, such as the parent's position beside the child's.
///
/// `D` is data of a [`Query`](crate::Query) that only reads. An entity matches if it is related to a target by `R` and that
/// target has `D`; [`Option<Up<R, D>>`](Option) matches all, and is `None` for entities without such a target. The item is
/// an `Up` too, which dereferences to the item of the target.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::relation::Up;
///
/// #[derive(Relation)]
/// #[relation(tree)]
/// struct ChildOf;
/// #[derive(Component)]
/// struct Place(f32);
/// #[derive(Component)]
/// struct Distance(f32);
///
/// #[system]
/// fn measure(mut nodes: Query<(&Place, Up<ChildOf, &Place>, &mut Distance)>) {
///     for (place, parent, distance) in &mut nodes {
///         distance.0 = (place.0 - parent.0).abs();
///     }
/// }
///
/// let mut world = World::new();
/// let root = world.spawn((Place(1.0), Distance(-1.0)));
/// let node = world.spawn((Place(4.0), Distance(0.0), ChildOf.to(root)));
/// measure(&world);
/// assert_eq!(world.get::<Distance>(node).unwrap().0, 3.0);
/// assert_eq!(world.get::<Distance>(root).unwrap().0, -1.0, "it has no parent");
/// ```
///
/// `Up<ChildOf, Up<ChildOf, &T>>` is the data of the grandparent.
///
/// Any entity may be a target. So other systems, queries and members of the same query cannot write the data of `D`
/// meanwhile, even if their filters exclude the targets. To change parents and children at once, see
/// [`Cascade`](super::Cascade), and [`Query::split`](crate::Query::split).
///
/// # Cost
/// A query with it looks at each entity that has the other members, or at each source of `R` if there are fewer of these. It
/// finds the target and its row for each of them, so it costs about as much as three calls of `get`.
#[doc(alias = "cascade")]
pub struct Up<R, D, const OWN: bool = false> {
    target: Entity,
    item: D,
    of: Invariant<R>,
}

/// Query data of an entity, or else of the nearest of its targets that has it: of its target by `R`, of that one's target, and so
/// on.
///
/// It's an [`Up`] that begins at the entity itself. An entity matches if it has `D`, or an entity above it has; with
/// [`Option`] around it, all match. [`target`](Up::target) is the entity that the item belongs to. Values that are written are the
/// entity's own: insert one to override an inherited value, and remove it to inherit again.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::relation::Inherited;
///
/// #[derive(Relation)]
/// #[relation(tree)]
/// struct IsA;
/// #[derive(Component)]
/// struct Speed(f32);
/// #[derive(Component)]
/// struct Place(f32);
///
/// #[system]
/// fn walk(mut walkers: Query<(&mut Place, Inherited<IsA, &Speed>)>) {
///     walkers.for_each(|(place, speed)| place.0 += speed.0);
/// }
///
/// let mut world = World::new();
/// let creature = world.spawn(Speed(2.0));
/// let goblin = world.spawn(IsA.to(creature));
/// let grunt = world.spawn((Place(0.0), IsA.to(goblin)));
/// let runner = world.spawn((Place(0.0), IsA.to(goblin), Speed(5.0)));
/// walk(&world);
/// assert_eq!([grunt, runner].map(|entity| world.get::<Place>(entity).unwrap().0), [2.0, 5.0]);
///
/// let speeds = world.query::<Inherited<IsA, &Speed>>();
/// assert_eq!(speeds.get(grunt).unwrap().target(), creature);
/// ```
///
/// The items are from one entity: `Inherited<IsA, (&A, &B)>` is from the nearest that has both. For other members, filters and
/// conflicts it's like an `Up`. A walk ends where a relation that isn't a tree has a cycle.
///
/// # Cost
/// A query with it looks at each entity that has the other members. For one that has `D`, that's a `get`; for each step up, it's an
/// `Up`.
#[doc(alias = "is_a")]
pub type Inherited<R, D> = Up<R, D, true>;

impl<R, D, const OWN: bool> Up<R, D, OWN> {
    /// The target: the entity that the item belongs to.
    #[inline]
    #[must_use]
    pub fn target(&self) -> Entity {
        self.target
    }

    /// Converts into the item of the target.
    #[inline]
    #[must_use]
    pub fn into_inner(self) -> D {
        self.item
    }
}

impl<R, D, const OWN: bool> Deref for Up<R, D, OWN> {
    type Target = D;

    #[inline]
    fn deref(&self) -> &D {
        &self.item
    }
}

impl<R, D: Clone, const OWN: bool> Clone for Up<R, D, OWN> {
    fn clone(&self) -> Self {
        Self {
            target: self.target,
            item: self.item.clone(),
            of: self.of,
        }
    }
}

impl<R, D: Copy, const OWN: bool> Copy for Up<R, D, OWN> {}

impl<R, D: fmt::Debug, const OWN: bool> fmt::Debug for Up<R, D, OWN> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = f.debug_struct("Up");
        fields.field("target", &self.target);
        fields.field("item", &self.item).finish()
    }
}

/// Fetches from the targets of entities, or if `OWN`, from the nearest entity that has the item, of an entity and those above it.
pub struct UpFetch<'a, R: ToOne, M, const OWN: bool> {
    storage: &'a Storage,
    sources: ReadFetch<'a, Target<R>>,
    /// Invariant 1: only reads; in `'a` no code writes the values and ticks that it accesses, of any entity.
    targets: M,
}

impl<R: ToOne, M: Clone, const OWN: bool> Clone for UpFetch<'_, R, M, OWN> {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            storage: self.storage,
            sources: self.sources,
            targets: self.targets.clone(),
        }
    }
}

impl<R: ToOne, M: Copy, const OWN: bool> Copy for UpFetch<'_, R, M, OWN> {}

impl<'a, R: ToOne, M, const OWN: bool> UpFetch<'a, R, M, OWN> {
    /// Returns the target of an entity, and its location.
    ///
    /// # Safety
    /// The entity is placed at `at`.
    #[inline]
    unsafe fn target(&self, entity: Entity, at: Location) -> Option<(Entity, Location)> {
        // SAFETY: `at` is the location of the entity by the caller's contract; the component is only read.
        let target = unsafe { self.sources.get(self.storage, entity, at) }?.entity();
        Some((target, self.storage.entities.get(target)?))
    }

    /// Returns the entity that an item belongs to, and the item. The function is passed entities and their locations.
    ///
    /// # Safety
    /// The entity is placed at `at`.
    #[inline]
    unsafe fn find<T>(
        &self,
        mut entity: Entity,
        mut at: Location,
        item: impl Fn(Entity, Location) -> Option<T>,
    ) -> Option<(Entity, T)> {
        // The walk is in a cycle if it is back at this entity, which follows it in ever longer steps.
        let (mut mark, mut steps) = (entity, 0_u32);
        if OWN && let Some(own) = item(entity, at) {
            return Some((entity, own));
        }
        loop {
            // SAFETY: `at` is the location of the entity, by the caller's contract or because `target` returned both.
            (entity, at) = unsafe { self.target(entity, at) }?;
            let found = item(entity, at);
            if !OWN || found.is_some() {
                return Some((entity, found?));
            }
            if entity == mark {
                return None;
            }
            steps += 1;
            if steps.is_power_of_two() {
                mark = entity;
            }
        }
    }
}

/// The columns of a fetch that has none.
#[derive(Clone, Copy)]
pub enum NoColumn {}

// SAFETY: the sources are borrowed by their fetch, which only reads; the targets' items only read, and are not written
// in `'a` by invariant 1. `column` is never `Some`, and `DENSE` is false.
unsafe impl<'a, R: ToOne, M: Fetch<'a>, const OWN: bool> Fetch<'a> for UpFetch<'a, R, M, OWN> {
    type Item = Up<R, M::Item, OWN>;
    type Ptr = NoColumn;
    type Block<const LEN: usize> = NoColumn;
    type Chunk = NoColumn;
    type Lookup = ();

    const BY_ENTITY: bool = true;
    const SEES_DISABLED: bool = false;

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        if OWN { None } else { self.sources.entities() }
    }

    #[inline]
    fn sets(&self, sets: &mut JoinSets<'a>) {
        if !OWN {
            self.sources.sets(sets);
        }
    }

    fn lookup(&self, _: &'a [Entity]) {}

    #[inline]
    fn column(&self, _: &'a Storage, _: TableId) -> Option<NoColumn> {
        None
    }

    unsafe fn block<const LEN: usize>(column: NoColumn, _: usize) -> NoColumn {
        column
    }

    fn with_block<const LEN: usize, F: FnOnce(NoColumn)>(&self, block: NoColumn, _: F) {
        match block {}
    }

    unsafe fn chunk(column: NoColumn, _: usize, _: usize) -> NoColumn {
        column
    }

    unsafe fn at(column: NoColumn, _: usize) -> Self::Item {
        match column {}
    }

    #[inline]
    fn has(&self, entity: Entity, at: Location) -> bool {
        let has = |entity, at| self.targets.has(entity, at).then_some(());
        // SAFETY: `at` is the location of the entity by the contract of `Fetch`.
        unsafe { self.find(entity, at, has) }.is_some()
    }

    #[inline]
    unsafe fn get(&self, storage: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item> {
        // SAFETY: `find` passes entities with their locations. Items of them that this fetch returns only read, and no other
        // code writes the same data, by invariant 1.
        let get = |entity, at| unsafe { self.targets.get(storage, entity, at) };
        // SAFETY: `at` is the location of the entity by the caller's contract.
        let (target, item) = unsafe { self.find(entity, at, get) }?;
        Some(Up {
            target,
            item,
            of: PhantomData,
        })
    }
}

// SAFETY: `Short` is the same type except for the lifetime; `Shared` reads the same components of the same storage.
unsafe impl<'a, R: ToOne, M: Reborrow<'a>, const OWN: bool> Reborrow<'a>
    for UpFetch<'a, R, M, OWN>
{
    type ShortItem<'b> = Up<R, M::ShortItem<'b>, OWN>;
    type Short<'b> = UpFetch<'b, R, M::Short<'b>, OWN>;
    type Shared<'b> = UpFetch<'b, R, M::Short<'b>, OWN>;

    #[inline]
    unsafe fn shared<'b>(&self) -> Self::Shared<'b> {
        // SAFETY: `'b` ends before `'a` does by the caller's contract; all fetches that are made from this one only read.
        unsafe { self.reborrow() }
    }
}

// SAFETY: locks and reads the component of sources, and the data of targets. `ACCESS` names the latter as data of any
// entities, and `D` only reads.
unsafe impl<R: ToOne, D, const OWN: bool> QueryData for Up<R, D, OWN>
where
    D: ReadOnlyQueryData<Static: ReadOnlyQueryData>,
{
    type Item<'a> = Up<R, D::Item<'a>, OWN>;
    type Fetch<'a> = UpFetch<'a, R, D::Fetch<'a>, OWN>;
    type ReadOnly = Self;
    type Static = Up<R, D::Static, OWN>;
    type Locked = Self;
    type List<Q, Tail: DataList> = ReadOf<ComponentEntry<Target<R>>, Q, D::List<Unfiltered, Tail>>;

    const ACCESS: &'static QueryAccess = &QueryAccess::All(&[
        if OWN {
            &QueryAccess::Optional(&[&QueryAccess::Read(Target::<R>::IDENT)])
        } else {
            &QueryAccess::Read(Target::<R>::IDENT)
        },
        &QueryAccess::OfAny(&[D::ACCESS]),
    ]);
    const TRACKS: bool = D::TRACKS;

    fn fetches(component: ComponentId) -> bool {
        component == ComponentId::of::<Target<R>>() || D::fetches(component)
    }

    fn lock(storage: &Storage) -> Result<(), BorrowError> {
        <&Target<R>>::lock(storage)?;
        D::lock(storage).inspect_err(|_| {
            // SAFETY: it was locked just now, and no fetch was made.
            unsafe { <&Target<R>>::unlock(storage) }
        })
    }

    unsafe fn unlock(storage: &Storage) {
        // SAFETY: `lock` has locked the data, and no fetch relies on it any more, by the caller's contract.
        unsafe { D::unlock(storage) };
        // SAFETY: `lock` has locked the component, and no fetch relies on it any more, by the caller's contract.
        unsafe { <&Target<R>>::unlock(storage) };
    }

    #[inline]
    unsafe fn fetch<'a>(storage: &'a Storage, window: Window) -> Self::Fetch<'a> {
        UpFetch {
            storage,
            // SAFETY: clauses 1 and 2 by the caller's contract; the component has no data of other entities.
            sources: unsafe { <&Target<R>>::fetch(storage, window) },
            // SAFETY: clause 1 by the caller's contract. Clauses 2 and 3 and the invariant of the fetch by its clause 3
            // because `ACCESS` has all data of targets in an `OfAny`.
            targets: unsafe { D::fetch(storage, window) },
        }
    }
}

// SAFETY: its fetch only reads.
unsafe impl<R: ToOne, D, const OWN: bool> ReadOnlyQueryData for Up<R, D, OWN> where
    D: ReadOnlyQueryData<Static: ReadOnlyQueryData>
{
}

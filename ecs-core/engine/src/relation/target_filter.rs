//! `Related`: a filter on the targets of an entity.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use super::{Relation, sealed::OutgoingOps as _};
use crate::component::{Component, ComponentId};
use crate::entity::{Entity, Location, TableId};
use crate::invariant::Invariant;
use crate::join::{Fetch, Filter, JoinSets, ReadFetch, ReborrowFilter};
use crate::meta::{ComponentEntry, DataList, QueryAccess, ReadOf, Unfiltered};
use crate::query::{NegatableFilter, QueryData, QueryFilter};
use crate::storage::Storage;
use crate::tick::Window;
use crate::world::BorrowError;

/// Matches entities that are related by `R` to a target that passes the filter `F`, or to any target if there is no filter.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::relation::Related;
///
/// #[derive(Relation)]
/// #[relation(many)]
/// struct Likes;
/// #[derive(Component)]
/// struct Hungry;
/// #[derive(Component, Debug, PartialEq)]
/// struct Name(&'static str);
///
/// #[system]
/// fn worried(friends: Query<&Name, Related<Likes, With<Hungry>>>) -> Vec<&'static str> {
///     friends.iter().map(|name| name.0).collect()
/// }
///
/// let mut world = World::new();
/// let (cat, dog) = (world.spawn(Hungry), world.spawn(()));
/// world.spawn((Name("Ann"), Likes.to(dog).and(Likes, cat)));
/// world.spawn((Name("Bob"), Likes.to(dog)));
/// world.spawn(Name("Eve"));
/// assert_eq!(worried(&world), ["Ann"]);
/// ```
///
/// Filters by tick are allowed: `Related<ChildOf, Changed<Place>>` matches children of parents that have moved. The query
/// cannot write a component whose ticks `F` reads, because any entity may be a target; neither can queries beside it.
///
/// # Cost
/// O(sources of `R`), or O(entities with the other members) if these are fewer, times the targets of one of them.
pub struct Related<R, F = ()>(Invariant<(R, F)>);

/// Tests the targets of entities.
pub struct RelatedFilter<'a, R: Relation, F> {
    storage: &'a Storage,
    sources: ReadFetch<'a, R::Outgoing>,
    /// Invariant 1: in `'a` no code writes the ticks that it reads, of any entity.
    targets: F,
    /// The result of the test that passes.
    passes: bool,
}

impl<R: Relation, F: Clone> Clone for RelatedFilter<'_, R, F> {
    #[inline]
    fn clone(&self) -> Self {
        Self {
            targets: self.targets.clone(),
            ..*self
        }
    }
}

impl<R: Relation, F: Copy> Copy for RelatedFilter<'_, R, F> {}

// SAFETY: excludes no single row (`next_excluded` is the trait's), and `DENSE` is false.
unsafe impl<'a, R: Relation, F: Filter<'a>> Filter<'a> for RelatedFilter<'a, R, F> {
    const BY_ENTITY: bool = true;
    const SEES_DISABLED: bool = false;

    type Rows = ();

    #[inline]
    fn sets(&self, sets: &mut JoinSets<'a>) {
        if self.passes {
            self.sources.sets(sets);
        }
    }

    #[inline]
    fn entities(&self) -> Option<&'a [Entity]> {
        self.sources.entities().filter(|_| self.passes)
    }

    #[inline]
    fn table(&self, _: TableId) -> bool {
        true
    }

    fn rows(&self, _: TableId) {}

    unsafe fn mask(&self, (): (), _: usize) -> u32 {
        u32::MAX
    }

    unsafe fn row(&self, (): (), _: usize) -> bool {
        true
    }

    #[inline]
    fn entity(&self, entity: Entity, at: Location) -> bool {
        let passes = |target| {
            let at = self.storage.entities.get(target);
            at.is_some_and(|at| {
                // SAFETY: `at` is the location of the target; its ticks are not written meanwhile by invariant 1.
                self.targets.entity(target, at) && unsafe { self.targets.ticks(target, at) }
            })
        };
        // SAFETY: by the contract of `Filter` the entity is placed at `at`; the component is only read.
        let edges = unsafe { self.sources.get(self.storage, entity, at) };
        edges.is_some_and(|edges| edges.any_target(passes)) == self.passes
    }
}

// SAFETY: `Short` is the same type except for the lifetime.
unsafe impl<'a, R: Relation, F: ReborrowFilter<'a>> ReborrowFilter<'a> for RelatedFilter<'a, R, F> {
    type Short<'b> = RelatedFilter<'b, R, F::Short<'b>>;
}

/// Creates the filter.
///
/// # Safety
/// As for [`QueryFilter::filter`], with the locks of `Related<R, F>`.
#[inline]
unsafe fn filter<'a, R: Relation, F: QueryFilter>(
    storage: &'a Storage,
    window: Window,
    passes: bool,
) -> RelatedFilter<'a, R, F::Filter<'a>> {
    RelatedFilter {
        storage,
        // SAFETY: the component is locked for `'a` by clause 1 of the caller's contract; no view writes components
        // of relations.
        sources: unsafe { <&R::Outgoing>::fetch(storage, window) },
        // SAFETY: clause 1 is the same in the caller's contract. Clause 2 and invariant 1: `ACCESS` has everything that `F`
        // reads in an `OfAny`, so by clause 3 no code writes it.
        targets: unsafe { F::filter(storage, window) },
        passes,
    }
}

// SAFETY: reads the component of sources, which is locked unless it is fetched, and ticks that `F` has locked; `ACCESS`
// names them, and names ticks of targets as data of any entities.
unsafe impl<R: Relation, F: QueryFilter> QueryFilter for Related<R, F> {
    type Filter<'a> = RelatedFilter<'a, R, F::Filter<'a>>;
    type List<Q, Tail: DataList> =
        ReadOf<ComponentEntry<R::Outgoing>, Q, F::List<Unfiltered, Tail>>;

    const ACCESS: &'static QueryAccess = &QueryAccess::All(&[
        &QueryAccess::Read(R::Outgoing::IDENT),
        &QueryAccess::OfAny(&[F::ACCESS]),
    ]);
    const TRACKS: bool = F::TRACKS;

    fn lock<D: QueryData>(storage: &Storage) -> Result<(), BorrowError> {
        // Targets may be entities that the query does not match, so they need borrows of their own.
        F::lock::<Entity>(storage)?;
        if D::fetches(ComponentId::of::<R::Outgoing>()) {
            return Ok(());
        }
        <&R::Outgoing>::lock(storage).inspect_err(|_| {
            // SAFETY: `F` was locked just now, and no filter was made.
            unsafe { F::unlock::<Entity>(storage) }
        })
    }

    unsafe fn unlock<D: QueryData>(storage: &Storage) {
        if !D::fetches(ComponentId::of::<R::Outgoing>()) {
            // SAFETY: `lock` has borrowed the component under the same condition, and no filter relies on it any more, by
            // the caller's contract.
            unsafe { <&R::Outgoing>::unlock(storage) };
        }
        // SAFETY: `lock` has taken the borrows of `F`, and no filter relies on them any more, by the caller's contract.
        unsafe { F::unlock::<Entity>(storage) };
    }

    #[inline]
    unsafe fn filter<'a>(storage: &'a Storage, window: Window) -> Self::Filter<'a> {
        // SAFETY: by the caller's contract.
        unsafe { filter::<R, F>(storage, window, true) }
    }
}

// SAFETY: reads the same as `Related` itself; `NEGATED` names it, and nothing that matching entities must have.
unsafe impl<R: Relation, F: QueryFilter> NegatableFilter for Related<R, F> {
    type Negated<'a> = RelatedFilter<'a, R, F::Filter<'a>>;

    const NEGATED: &'static QueryAccess = &QueryAccess::All(&[
        &QueryAccess::Optional(&[&QueryAccess::Read(R::Outgoing::IDENT)]),
        &QueryAccess::OfAny(&[F::ACCESS]),
    ]);

    #[inline]
    unsafe fn negated<'a>(storage: &'a Storage, window: Window) -> Self::Negated<'a> {
        // SAFETY: by the caller's contract.
        unsafe { filter::<R, F>(storage, window, false) }
    }
}

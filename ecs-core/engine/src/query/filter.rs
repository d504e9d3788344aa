//! The tests that a query makes without fetching.

use super::QueryData;
use super::data::list_of;
use super::data::{Locks, lock_all};
use crate::component::{Component, ComponentId, TrackedComponent};
use crate::invariant::Invariant;
use crate::join::{
    AddedFilter, ChangedFilter, MutatedFilter, OrFilter, ReborrowFilter, SeesDisabled, WithFilter,
    WithoutFilter,
};
use crate::meta::{ComponentEntry, DataList, LackOf, NeedOf, QueryAccess, ReadOf};
use crate::storage::{Frozen, Storage};
use crate::tick::Window;
use crate::tuples::{for_each_narrow_arity, for_each_wide_arity, pairs};
use crate::world::BorrowError;

/// Matches entities that have a `T`.
pub struct With<T>(Invariant<T>);

/// Matches entities that lack a `T`.
pub struct Without<T>(Invariant<T>);

/// Matches all entities, including disabled ones, which loops normally leave out: entities with a component that is
/// `#[component(disables)]`, such as `ecs_core::Disabled`.
///
/// A query that names such a component itself, in its data or in a filter, needs no `AndDisabled`. If it is one of several
/// filters, the query visits disabled entities that pass the others.
#[doc(alias = "Allow")]
pub struct AndDisabled;

/// Matches entities whose tracked `T` was changed, or added, since the query's system ran last.
///
/// Each system sees each change once, however rarely it runs; its own changes count for the run that makes them, not
/// for the next one. Changes by commands and `&mut World` count as made between the runs. A query that does not belong
/// to a system has no last run: everything counts as changed unless [`since`](super::Query::since) sets a tick.
///
/// A change while an entity is [disabled](crate::Disabled) counts as made when the entity is enabled, so it is seen then.
///
/// Every `&mut` to the value is a change: a [`Mut`](crate::Mut) that was dereferenced mutably, or an insertion that
/// replaced the value.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Health(i32);
///
/// #[system]
/// fn bars(hurt: Query<&Health, Changed<Health>>) -> usize {
///     hurt.count()
/// }
///
/// let mut world = World::new();
/// let [a, _] = [Health(3), Health(4)].map(|health| world.spawn(health));
/// assert_eq!(bars(&world), 2);
/// world.get_mut::<Health>(a).unwrap().0 -= 1;
/// assert_eq!(bars(&world), 1);
/// assert_eq!(bars(&world), 0);
/// ```
///
/// The component must be tracked:
///
/// ```compile_fail
/// # use ecs_core::prelude::*;
/// #[derive(Component)]
/// struct Health(i32);
///
/// #[system]
/// fn bars(hurt: Query<&Health, Changed<Health>>) {} // changes of `Health` are not tracked
/// ```
pub struct Changed<T>(Invariant<T>);

/// Matches entities that got a tracked `T` since the query's system ran last; see [`Changed`].
///
/// Replacing a value by inserting another one is a change, not an addition.
pub struct Added<T>(Invariant<T>);

/// Matches entities whose tracked `T` was changed since the query's system ran last, and which had it already then; see
/// [`Changed`].
///
/// So each entity that `Changed<T>` matches is matched by either [`Added<T>`](Added) or `Mutated<T>`: one reader can set
/// things up for a new value, and another one update them.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::query::Mutated;
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Health(i32);
///
/// #[system]
/// fn bars(new: Query<&Health, Added<Health>>, hurt: Query<&Health, Mutated<Health>>) -> (usize, usize) {
///     (new.count(), hurt.count())
/// }
///
/// let mut world = World::new();
/// let [a, b] = [Health(3), Health(4)].map(|health| world.spawn(health));
/// world.get_mut::<Health>(a).unwrap().0 -= 1;
/// assert_eq!(bars(&world), (2, 0));
/// world.get_mut::<Health>(b).unwrap().0 -= 1;
/// assert_eq!(bars(&world), (0, 1));
/// ```
pub struct Mutated<T>(Invariant<T>);

/// Matches entities that at least one filter of the tuple matches: `Or<(With<A>, With<B>)>`.
pub struct Or<F>(Invariant<F>);

/// The test that a [`Query`](super::Query) makes without fetching: [`With`], [`Without`], [`Changed`], [`Added`],
/// [`Mutated`], [`Or`], [`Not`](super::Not), and tuples of filters that must all match.
///
/// Structs whose fields are filters implement it with the derive of the same name:
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Body;
/// #[derive(Component)]
/// struct Dead;
///
/// #[derive(QueryFilter)]
/// struct Alive(With<Body>, Without<Dead>);
///
/// #[system]
/// fn living(bodies: Query<Entity, Alive>) -> usize {
///     bodies.count()
/// }
///
/// let mut world = World::new();
/// world.spawn(Body);
/// world.spawn((Body, Dead));
/// assert_eq!(living(&world), 1);
/// ```
///
/// # Safety
/// `filter` reads ticks, and values that it tests, only of components that `lock` has locked or that `D::fetches` says are
/// fetched; `ACCESS` names them. It reads entities that it is not used for only through a [`QueryAccess::OfAny`] in
/// `ACCESS`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a query filter",
    label = "not a query filter",
    note = "write `With<{Self}>` or `Without<{Self}>` for a component; a struct of filters needs `#[derive(QueryFilter)]`",
    note = "filters are `With<T>`, `Without<T>`, `Changed<T>`, `Added<T>`, `Mutated<T>`, `Or<(..)>`, `Not<..>`, and tuples of them"
)]
pub unsafe trait QueryFilter {
    /// The filter that joins use.
    #[doc(hidden)]
    type Filter<'a>: ReborrowFilter<'a>;

    /// The data that the query `Q` reads in order to test it, and the components that it tests, before the list `Tail`.
    #[doc(hidden)]
    type List<Q, Tail: DataList>: DataList;

    /// The components that are tested.
    const ACCESS: &'static QueryAccess;

    /// True if ticks are read.
    #[doc(hidden)]
    const TRACKS: bool = false;

    /// Takes the run-time borrows of the components whose ticks are read: all, or none. Those that `D` fetches are
    /// locked already.
    #[doc(hidden)]
    fn lock<D: QueryData>(storage: &Storage) -> Result<(), BorrowError> {
        let _ = storage;
        Ok(())
    }

    /// Releases the run-time borrows.
    ///
    /// # Safety
    /// `lock` with the same `D` has taken them, and no filter relies on them any more.
    #[doc(hidden)]
    unsafe fn unlock<D: QueryData>(storage: &Storage) {
        let _ = storage;
    }

    /// Creates the filter.
    ///
    /// # Safety
    /// 1. The run-time borrows that `lock` takes are held for `'a`, and so are the borrows of the fetched components. In
    ///    `'a` no view inserts or removes values of these components.
    /// 2. In `'a` the ticks and values of an entity that the filter is [used for](Filter) are written through items of the
    ///    filtered query alone.
    /// 3. In `'a`, no code writes values or ticks of components that `ACCESS` names in a [`QueryAccess::OfAny`], whatever the
    ///    entity.
    #[doc(hidden)]
    unsafe fn filter<'a>(storage: &'a Storage, window: Window) -> Self::Filter<'a>;
}

// SAFETY: reads nothing.
unsafe impl QueryFilter for () {
    type Filter<'a> = ();
    type List<Q, Tail: DataList> = Tail;

    const ACCESS: &'static QueryAccess = &QueryAccess::Nothing;

    #[inline]
    unsafe fn filter(_: &Storage, _: Window) {}
}

// SAFETY: reads nothing.
unsafe impl QueryFilter for AndDisabled {
    type Filter<'a> = SeesDisabled;
    type List<Q, Tail: DataList> = Tail;

    const ACCESS: &'static QueryAccess = &QueryAccess::Nothing;

    #[inline]
    unsafe fn filter(_: &Storage, _: Window) -> SeesDisabled {
        SeesDisabled
    }
}

/// The locks of a filter on the presence of a `T`. Presence can change during a run only if `T` is immediate; only then a
/// borrow is needed.
macro_rules! lock_presence {
    () => {
        #[inline]
        fn lock<D: QueryData>(storage: &Storage) -> Result<(), BorrowError> {
            if !T::IMMEDIATE || D::fetches(ComponentId::of::<T>()) {
                return Ok(());
            }
            <&T>::lock(storage)
        }

        #[inline]
        unsafe fn unlock<D: QueryData>(storage: &Storage) {
            if T::IMMEDIATE && !D::fetches(ComponentId::of::<T>()) {
                // SAFETY: `lock` has borrowed `T` under the same condition, and no filter relies on it any more, by the
                // caller's contract.
                unsafe { <&T>::unlock(storage) };
            }
        }
    };
}

/// Creates the filter for entities that have a `T`.
///
/// # Safety
/// The component is borrowed for `'a` if it is immediate.
#[inline]
unsafe fn presence<T: Component>(storage: &Storage) -> WithFilter<'_, T> {
    let store = storage.component(ComponentId::of::<T>());
    // SAFETY: by the caller's contract an immediate component is borrowed, so no view changes which entities have it.
    WithFilter::new(store.map(|store| unsafe { Frozen::new(store) }))
}

// SAFETY: reads no values and no ticks, and reads presence only while it cannot change.
unsafe impl<T: Component> QueryFilter for With<T> {
    type Filter<'a> = WithFilter<'a, T>;
    type List<Q, Tail: DataList> = NeedOf<ComponentEntry<T>, Q, Tail>;

    const ACCESS: &'static QueryAccess = if T::IMMEDIATE {
        &QueryAccess::All(&[
            &QueryAccess::With(T::IDENT),
            &QueryAccess::Optional(&[&QueryAccess::Read(T::IDENT)]),
        ])
    } else {
        &QueryAccess::With(T::IDENT)
    };

    lock_presence!();

    #[inline]
    unsafe fn filter<'a>(storage: &'a Storage, _: Window) -> WithFilter<'a, T> {
        // SAFETY: by the caller's contract `lock` has taken the borrows, they are held for `'a`, and they include `T` if it
        // is immediate.
        unsafe { presence(storage) }
    }
}

// SAFETY: reads no values and no ticks, and reads presence only while it cannot change.
unsafe impl<T: Component> QueryFilter for Without<T> {
    type Filter<'a> = WithoutFilter<'a, T>;
    type List<Q, Tail: DataList> = LackOf<ComponentEntry<T>, Q, Tail>;

    const ACCESS: &'static QueryAccess = if T::IMMEDIATE {
        &QueryAccess::All(&[
            &QueryAccess::Without(T::IDENT),
            &QueryAccess::Optional(&[&QueryAccess::Read(T::IDENT)]),
        ])
    } else {
        &QueryAccess::Without(T::IDENT)
    };

    lock_presence!();

    #[inline]
    unsafe fn filter<'a>(storage: &'a Storage, _: Window) -> WithoutFilter<'a, T> {
        // SAFETY: by the caller's contract `lock` has taken the borrows, they are held for `'a`, and they include `T` if it
        // is immediate.
        WithoutFilter(unsafe { presence(storage) })
    }
}

macro_rules! tick_filter {
    ($filter:ident $name:ident $access:ident) => {
        // SAFETY: reads the ticks of one component, which `lock` has locked for reading unless it is fetched.
        unsafe impl<T: TrackedComponent> QueryFilter for $name<T> {
            type Filter<'a> = $filter<'a, T>;
            type List<Q, Tail: DataList> = ReadOf<ComponentEntry<T>, Q, Tail>;

            const ACCESS: &'static QueryAccess = &QueryAccess::$access(T::IDENT);
            const TRACKS: bool = true;

            fn lock<D: QueryData>(storage: &Storage) -> Result<(), BorrowError> {
                if D::fetches(ComponentId::of::<T>()) {
                    return Ok(());
                }
                <&T>::lock(storage)
            }

            unsafe fn unlock<D: QueryData>(storage: &Storage) {
                if !D::fetches(ComponentId::of::<T>()) {
                    // SAFETY: `lock` has borrowed `T` under the same condition, and no filter relies on it any more, by
                    // the caller's contract.
                    unsafe { <&T>::unlock(storage) };
                }
            }

            #[inline]
            unsafe fn filter<'a>(storage: &'a Storage, window: Window) -> Self::Filter<'a> {
                // SAFETY: the store is the one of `T`, borrowed for `'a` by clause 1. By clause 2 ticks of
                // entities that the filter is used for are written through items of the filtered query alone.
                unsafe { $filter::new(storage.component(ComponentId::of::<T>()), window.seen) }
            }
        }
    };
}

tick_filter!(ChangedFilter Changed Changed);
tick_filter!(AddedFilter Added Added);
// Matches some of the entities that `Changed` matches.
tick_filter!(MutatedFilter Mutated Changed);

/// A tuple of filters for [`Or`]: one of them must match.
///
/// # Safety
/// `any` reads ticks only of components that `lock` has locked or that `D::fetches` says are fetched; `ANY` names them.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of query filters",
    label = "not a tuple of query filters",
    note = "alternatives are written as a tuple: `Or<(With<A>, With<B>)>`"
)]
pub unsafe trait Alternatives: QueryFilter {
    /// The filter that joins use.
    type Any<'a>: ReborrowFilter<'a>;

    /// The components that are tested.
    const ANY: &'static QueryAccess;

    /// Creates the filter.
    ///
    /// # Safety
    /// As for [`QueryFilter::filter`].
    unsafe fn any<'a>(storage: &'a Storage, window: Window) -> Self::Any<'a>;
}

// SAFETY: reads the ticks that `F::any` reads, and `lock` is `F::lock`, which covers all its members.
unsafe impl<F: Alternatives> QueryFilter for Or<F> {
    type Filter<'a> = F::Any<'a>;
    type List<Q, Tail: DataList> = F::List<Q, Tail>;

    const ACCESS: &'static QueryAccess = F::ANY;
    const TRACKS: bool = F::TRACKS;

    fn lock<D: QueryData>(storage: &Storage) -> Result<(), BorrowError> {
        F::lock::<D>(storage)
    }

    unsafe fn unlock<D: QueryData>(storage: &Storage) {
        // SAFETY: `lock` is `F::lock` and has taken the borrows, and no filter relies on them any more, by the
        // caller's contract.
        unsafe { F::unlock::<D>(storage) }
    }

    #[inline]
    unsafe fn filter<'a>(storage: &'a Storage, window: Window) -> Self::Filter<'a> {
        // SAFETY: by the caller's contract `lock` of `F` has taken the borrows, they are held for `'a`, and
        // values are written through items of the filtered query alone.
        unsafe { F::any(storage, window) }
    }
}

/// Like [`pairs`], for filters where one must match.
macro_rules! any {
    (type [$last:ty]) => { $last };
    (type [$first:ty] $($rest:tt)+) => { OrFilter<$first, any!(type $($rest)+)> };
    ([$last:expr]) => { $last };
    ([$first:expr] $($rest:tt)+) => { OrFilter($first, any!($($rest)+)) };
}

pub(super) use any;

macro_rules! tuple_filter {
    ($($name:ident $value:ident),+) => {
        // SAFETY: locks, unlocks and reads the same as its members.
        unsafe impl<$($name: QueryFilter),+> QueryFilter for ($($name,)+) {
            type Filter<'a> = pairs!($([$name::Filter<'a>])+);
            type List<Query, Tail: DataList> = list_of!(Query, Tail; $($name)+);

            const ACCESS: &'static QueryAccess = &QueryAccess::All(&[$($name::ACCESS),+]);
            const TRACKS: bool = $($name::TRACKS)||+;

            fn lock<Data: QueryData>(storage: &Storage) -> Result<(), BorrowError> {
                let members: &[Locks] = &[$(($name::lock::<Data>, $name::unlock::<Data>)),+];
                // SAFETY: each `unlock` belongs to the same member as its `lock`; none of their filters was made.
                unsafe { lock_all(members, storage) }
            }

            unsafe fn unlock<Data: QueryData>(storage: &Storage) {
                // SAFETY: by the caller's contract `lock` has succeeded, so each member is locked, and no filter relies
                // on the borrows.
                $(unsafe { $name::unlock::<Data>(storage) };)+
            }

            #[inline]
            unsafe fn filter<'a>(storage: &'a Storage, window: Window) -> Self::Filter<'a> {
                // SAFETY: clauses 1 to 3 hold for each member: the tuple locks and reads the same as its members.
                pairs!($([unsafe { $name::filter(storage, window) }])+)
            }
        }

        // SAFETY: `any` reads the ticks that its members read, and `lock` of the tuple covers all of them.
        unsafe impl<$($name: QueryFilter),+> Alternatives for ($($name,)+) {
            type Any<'a> = any!(type $([$name::Filter<'a>])+);

            const ANY: &'static QueryAccess = &QueryAccess::Or(&[$($name::ACCESS),+]);

            #[inline]
            unsafe fn any<'a>(storage: &'a Storage, window: Window) -> Self::Any<'a> {
                // SAFETY: clauses 1 to 3 hold for each member: the tuple locks and reads the same as its members.
                any!($([unsafe { $name::filter(storage, window) }])+)
            }
        }
    };
}

for_each_narrow_arity!(tuple_filter);

/// The bounds of the members improve messages. The bodies need the inner tuples alone, so there is less to prove.
macro_rules! wide_filter {
    ($($left:ident $l:ident),+; $($right:ident $r:ident),+) => {
        // SAFETY: locks, unlocks and reads the same as the inner tuples.
        unsafe impl<$($left: QueryFilter,)+ $($right: QueryFilter),+> QueryFilter for ($($left,)+ $($right,)+)
        where
            (($($left,)+), ($($right,)+)): QueryFilter,
        {
            type Filter<'a> = <(($($left,)+), ($($right,)+)) as QueryFilter>::Filter<'a>;
            type List<Query, Tail: DataList> = <(($($left,)+), ($($right,)+)) as QueryFilter>::List<Query, Tail>;

            const ACCESS: &'static QueryAccess = <(($($left,)+), ($($right,)+))>::ACCESS;
            const TRACKS: bool = <(($($left,)+), ($($right,)+))>::TRACKS;

            fn lock<Data: QueryData>(storage: &Storage) -> Result<(), BorrowError> {
                <(($($left,)+), ($($right,)+))>::lock::<Data>(storage)
            }

            unsafe fn unlock<Data: QueryData>(storage: &Storage) {
                // SAFETY: by the caller's contract `lock` of the inner tuples has succeeded, and no filter relies on
                // the borrows.
                unsafe { <(($($left,)+), ($($right,)+))>::unlock::<Data>(storage) }
            }

            #[inline]
            unsafe fn filter<'a>(storage: &'a Storage, window: Window) -> Self::Filter<'a> {
                // SAFETY: clauses 1 to 3 hold because the inner tuples lock and read the same.
                unsafe { <(($($left,)+), ($($right,)+))>::filter(storage, window) }
            }
        }

        // SAFETY: reads the ticks that the inner tuples read, and `lock` covers the same members.
        unsafe impl<$($left: QueryFilter,)+ $($right: QueryFilter),+> Alternatives for ($($left,)+ $($right,)+)
        where
            Self: QueryFilter,
            (Or<($($left,)+)>, Or<($($right,)+)>): Alternatives,
        {
            type Any<'a> = <(Or<($($left,)+)>, Or<($($right,)+)>) as Alternatives>::Any<'a>;

            const ANY: &'static QueryAccess = <(Or<($($left,)+)>, Or<($($right,)+)>)>::ANY;

            #[inline]
            unsafe fn any<'a>(storage: &'a Storage, window: Window) -> Self::Any<'a> {
                // SAFETY: clauses 1 to 3 hold for each member: the tuple locks and reads the same as its members.
                unsafe { <(Or<($($left,)+)>, Or<($($right,)+)>)>::any(storage, window) }
            }
        }
    };
}

for_each_wide_arity!(wide_filter);

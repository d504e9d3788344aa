//! What a query tests without fetching it.

use super::QueryData;
use super::data::{Locks, lock_all};
use crate::component::{Component, ComponentId, TrackedComponent};
use crate::invariant::Invariant;
use crate::join::{
    AddedFilter, ChangedFilter, OrFilter, ReborrowFilter, WithFilter, WithoutFilter,
};
use crate::meta::QueryAccess;
use crate::storage::{Frozen, Storage};
use crate::tick::Window;
use crate::tuples::{for_each_narrow_arity, for_each_wide_arity, pairs};
use crate::world::BorrowError;

/// Matches entities that have a `T`.
pub struct With<T>(Invariant<T>);

/// Matches entities that lack a `T`.
pub struct Without<T>(Invariant<T>);

/// Matches entities whose tracked `T` was changed, or added, since the query's system ran last.
///
/// Each system sees each change once, however seldom it runs; its own changes come with the run that makes them, not with
/// the next one. What commands and `&mut World` do counts as done between the runs. A query that is not a system's has no
/// last run: everything counts as changed unless it is told [since when](super::Query::since).
///
/// A change is any `&mut` to the value: a [`Mut`](crate::Mut) that was dereferenced mutably, or an insertion that
/// replaced it.
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
/// A component must be marked for it:
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

/// Matches entities to which a tracked `T` was added since the query's system ran last; see [`Changed`].
///
/// Replacing a value by inserting another one is a change, not an addition.
pub struct Added<T>(Invariant<T>);

/// Matches entities that at least one filter of the tuple matches: `Or<(With<A>, With<B>)>`.
pub struct Or<F>(Invariant<F>);

/// What a [`Query`](super::Query) tests without fetching it: [`With`], [`Without`], [`Changed`], [`Added`], [`Or`], and
/// tuples of filters, all of which must match.
///
/// Structs whose fields are filters get an impl by the derive of the same name:
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
/// `filter` looks at values' ticks only of components that `lock` has locked or found to be fetched; `ACCESS` names them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a query filter",
    label = "not a query filter",
    note = "filters are `With<T>`, `Without<T>`, `Changed<T>`, `Added<T>`, `Or<(..)>`, and tuples of them"
)]
pub unsafe trait QueryFilter {
    /// How it is tested.
    #[doc(hidden)]
    type Filter<'a>: ReborrowFilter<'a>;

    /// What is tested.
    const ACCESS: &'static QueryAccess;

    /// Whether it asks for ticks.
    #[doc(hidden)]
    const TRACKS: bool = false;

    /// Takes the run-time borrows of the components whose ticks it asks for: all, or none. Those that `D` fetches are
    /// locked already.
    #[doc(hidden)]
    fn lock<D: QueryData>(storage: &Storage) -> Result<(), BorrowError> {
        let _ = storage;
        Ok(())
    }

    /// Gives the run-time borrows back.
    ///
    /// # Safety
    /// `lock` with the same `D` has taken them, and no filter relies on them any more.
    #[doc(hidden)]
    unsafe fn unlock<D: QueryData>(storage: &Storage) {
        let _ = storage;
    }

    /// The test.
    ///
    /// # Safety
    /// `lock` has taken the run-time borrows, they are held as long as `'a`, and values are written through items of the
    /// filtered query alone.
    #[doc(hidden)]
    unsafe fn filter<'a>(storage: &'a Storage, window: Window) -> Self::Filter<'a>;
}

// SAFETY: looks at nothing.
unsafe impl QueryFilter for () {
    type Filter<'a> = ();

    const ACCESS: &'static QueryAccess = &QueryAccess::Nothing;

    #[inline]
    unsafe fn filter(_: &Storage, _: Window) {}
}

/// The locks of a filter that asks who has a `T`, which is nobody's business but where `T` is immediate.
macro_rules! lock_membership {
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
                // SAFETY: `lock` has locked it then.
                unsafe { <&T>::unlock(storage) };
            }
        }
    };
}

/// # Safety
/// The component is borrowed as long as `'a` if it is immediate.
#[inline]
unsafe fn has<T: Component>(storage: &Storage) -> WithFilter<'_, T> {
    let store = storage.component(ComponentId::of::<T>());
    // SAFETY: the caller says that no view changes who has the component.
    WithFilter::new(store.map(|store| unsafe { Frozen::new(store) }))
}

// SAFETY: looks at no values, nor at who has them while that may change.
unsafe impl<T: Component> QueryFilter for With<T> {
    type Filter<'a> = WithFilter<'a, T>;

    const ACCESS: &'static QueryAccess = if T::IMMEDIATE {
        &QueryAccess::All(&[
            &QueryAccess::With(T::IDENTITY.ident()),
            &QueryAccess::OptRead(T::IDENTITY.ident()),
        ])
    } else {
        &QueryAccess::With(T::IDENTITY.ident())
    };

    lock_membership!();

    #[inline]
    unsafe fn filter<'a>(storage: &'a Storage, _: Window) -> WithFilter<'a, T> {
        // SAFETY: `lock` has borrowed `T` if it is immediate, as long as `'a`, as the caller says.
        unsafe { has(storage) }
    }
}

// SAFETY: looks at no values, nor at who has them while that may change.
unsafe impl<T: Component> QueryFilter for Without<T> {
    type Filter<'a> = WithoutFilter<'a, T>;

    const ACCESS: &'static QueryAccess = if T::IMMEDIATE {
        &QueryAccess::All(&[
            &QueryAccess::Without(T::IDENTITY.ident()),
            &QueryAccess::OptRead(T::IDENTITY.ident()),
        ])
    } else {
        &QueryAccess::Without(T::IDENTITY.ident())
    };

    lock_membership!();

    #[inline]
    unsafe fn filter<'a>(storage: &'a Storage, _: Window) -> WithoutFilter<'a, T> {
        // SAFETY: `lock` has borrowed `T` if it is immediate, as long as `'a`, as the caller says.
        WithoutFilter(unsafe { has(storage) })
    }
}

macro_rules! tick_filter {
    ($filter:ident $name:ident) => {
        // SAFETY: looks at the ticks of one component, which is locked for reading or fetched.
        unsafe impl<T: TrackedComponent> QueryFilter for $name<T> {
            type Filter<'a> = $filter<'a, T>;

            const ACCESS: &'static QueryAccess = &QueryAccess::$name(T::IDENTITY.ident());
            const TRACKS: bool = true;

            fn lock<D: QueryData>(storage: &Storage) -> Result<(), BorrowError> {
                if D::fetches(ComponentId::of::<T>()) {
                    return Ok(());
                }
                <&T>::lock(storage)
            }

            unsafe fn unlock<D: QueryData>(storage: &Storage) {
                if !D::fetches(ComponentId::of::<T>()) {
                    // SAFETY: `lock` has locked it then.
                    unsafe { <&T>::unlock(storage) };
                }
            }

            #[inline]
            unsafe fn filter<'a>(storage: &'a Storage, window: Window) -> Self::Filter<'a> {
                // SAFETY: the store is the one of `T`; the rest is the caller's promise.
                unsafe { $filter::new(storage.component(ComponentId::of::<T>()), window.seen) }
            }
        }
    };
}

tick_filter!(ChangedFilter Changed);
tick_filter!(AddedFilter Added);

/// A tuple of filters of which one is enough: what [`Or`] takes.
///
/// # Safety
/// `any` looks at values' ticks only of components that `lock` has locked or found to be fetched; `ANY` names them.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of query filters",
    label = "not a tuple of query filters",
    note = "alternatives are written as a tuple: `Or<(With<A>, With<B>)>`"
)]
pub unsafe trait Alternatives: QueryFilter {
    /// How they are tested.
    type Any<'a>: ReborrowFilter<'a>;

    /// What is tested.
    const ANY: &'static QueryAccess;

    /// The test.
    ///
    /// # Safety
    /// As for [`QueryFilter::filter`].
    unsafe fn any<'a>(storage: &'a Storage, window: Window) -> Self::Any<'a>;
}

// SAFETY: looks at the ticks that its members look at, which are locked as by all of them.
unsafe impl<F: Alternatives> QueryFilter for Or<F> {
    type Filter<'a> = F::Any<'a>;

    const ACCESS: &'static QueryAccess = F::ANY;
    const TRACKS: bool = F::TRACKS;

    fn lock<D: QueryData>(storage: &Storage) -> Result<(), BorrowError> {
        F::lock::<D>(storage)
    }

    unsafe fn unlock<D: QueryData>(storage: &Storage) {
        // SAFETY: the caller's promise.
        unsafe { F::unlock::<D>(storage) }
    }

    #[inline]
    unsafe fn filter<'a>(storage: &'a Storage, window: Window) -> Self::Filter<'a> {
        // SAFETY: the caller's promise.
        unsafe { F::any(storage, window) }
    }
}

/// As [`pairs`], of which one is enough.
macro_rules! any {
    (type [$last:ty]) => { $last };
    (type [$first:ty] $($rest:tt)+) => { OrFilter<$first, any!(type $($rest)+)> };
    ([$last:expr]) => { $last };
    ([$first:expr] $($rest:tt)+) => { OrFilter($first, any!($($rest)+)) };
}

macro_rules! tuple_filter {
    ($($name:ident $value:ident),+) => {
        // SAFETY: as its members.
        unsafe impl<$($name: QueryFilter),+> QueryFilter for ($($name,)+) {
            type Filter<'a> = pairs!($([$name::Filter<'a>])+);

            const ACCESS: &'static QueryAccess = &QueryAccess::All(&[$($name::ACCESS),+]);
            const TRACKS: bool = $($name::TRACKS)||+;

            fn lock<Data: QueryData>(storage: &Storage) -> Result<(), BorrowError> {
                let members: &[Locks] = &[$(($name::lock::<Data>, $name::unlock::<Data>)),+];
                // SAFETY: each `unlock` undoes its `lock`.
                unsafe { lock_all(members, storage) }
            }

            unsafe fn unlock<Data: QueryData>(storage: &Storage) {
                // SAFETY: the caller says that `lock` has succeeded, so each member is locked.
                $(unsafe { $name::unlock::<Data>(storage) };)+
            }

            #[inline]
            unsafe fn filter<'a>(storage: &'a Storage, window: Window) -> Self::Filter<'a> {
                // SAFETY: the caller's promise.
                pairs!($([unsafe { $name::filter(storage, window) }])+)
            }
        }

        // SAFETY: as its members, which are locked as by all of them.
        unsafe impl<$($name: QueryFilter),+> Alternatives for ($($name,)+) {
            type Any<'a> = any!(type $([$name::Filter<'a>])+);

            const ANY: &'static QueryAccess = &QueryAccess::Or(&[$($name::ACCESS),+]);

            #[inline]
            unsafe fn any<'a>(storage: &'a Storage, window: Window) -> Self::Any<'a> {
                // SAFETY: the caller's promise.
                any!($([unsafe { $name::filter(storage, window) }])+)
            }
        }
    };
}

for_each_narrow_arity!(tuple_filter);

/// The members' bounds are for messages; the bodies ask for the inner tuples alone, which is less to prove.
macro_rules! wide_filter {
    ($($left:ident $l:ident),+; $($right:ident $r:ident),+) => {
        // SAFETY: as the inner tuples.
        unsafe impl<$($left: QueryFilter,)+ $($right: QueryFilter),+> QueryFilter for ($($left,)+ $($right,)+)
        where
            (($($left,)+), ($($right,)+)): QueryFilter,
        {
            type Filter<'a> = <(($($left,)+), ($($right,)+)) as QueryFilter>::Filter<'a>;

            const ACCESS: &'static QueryAccess = <(($($left,)+), ($($right,)+))>::ACCESS;
            const TRACKS: bool = <(($($left,)+), ($($right,)+))>::TRACKS;

            fn lock<Data: QueryData>(storage: &Storage) -> Result<(), BorrowError> {
                <(($($left,)+), ($($right,)+))>::lock::<Data>(storage)
            }

            unsafe fn unlock<Data: QueryData>(storage: &Storage) {
                // SAFETY: the caller's promise.
                unsafe { <(($($left,)+), ($($right,)+))>::unlock::<Data>(storage) }
            }

            #[inline]
            unsafe fn filter<'a>(storage: &'a Storage, window: Window) -> Self::Filter<'a> {
                // SAFETY: the caller's promise.
                unsafe { <(($($left,)+), ($($right,)+))>::filter(storage, window) }
            }
        }

        // SAFETY: as the inner tuples.
        unsafe impl<$($left: QueryFilter,)+ $($right: QueryFilter),+> Alternatives for ($($left,)+ $($right,)+)
        where
            Self: QueryFilter,
            (Or<($($left,)+)>, Or<($($right,)+)>): Alternatives,
        {
            type Any<'a> = <(Or<($($left,)+)>, Or<($($right,)+)>) as Alternatives>::Any<'a>;

            const ANY: &'static QueryAccess = <(Or<($($left,)+)>, Or<($($right,)+)>)>::ANY;

            #[inline]
            unsafe fn any<'a>(storage: &'a Storage, window: Window) -> Self::Any<'a> {
                // SAFETY: the caller's promise.
                unsafe { <(Or<($($left,)+)>, Or<($($right,)+)>)>::any(storage, window) }
            }
        }
    };
}

for_each_wide_arity!(wide_filter);

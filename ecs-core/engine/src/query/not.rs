//! The negation of filters.
//!
//! Each filter has an opposite, which is a filter too; tuples and `Or` turn into one another. So presence is tested the way
//! `With` and `Without` test it, with the same consequences for tables and for conflicts, and before ticks are read.

use super::QueryData;
use super::filter::{Added, Changed, Mutated, Or, QueryFilter, With, Without, any};
use crate::component::{Component, TrackedComponent};
use crate::invariant::Invariant;
use crate::join::{NotTicks, OrFilter, ReborrowFilter};
use crate::meta::{DataList, ListEnd, QueryAccess};
use crate::storage::Storage;
use crate::tick::Window;
use crate::tuples::{for_each_narrow_arity, pairs};
use crate::world::BorrowError;

/// Matches entities that the filter does not match.
///
/// An entity without a `T` was not changed: `Not<Changed<T>>` matches it.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::query::Not;
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Health(i32);
/// #[derive(Component)]
/// struct Player;
/// #[derive(Component)]
/// struct Enemy;
///
/// #[system]
/// fn rested(all: Query<&Health, Not<Changed<Health>>>) -> Vec<i32> {
///     all.iter().map(|health| health.0).collect()
/// }
///
/// let mut world = World::new();
/// let hero = world.spawn((Health(3), Player));
/// let rat = world.spawn((Health(1), Enemy));
/// world.spawn(Health(9));
/// assert!(rested(&world).is_empty());
/// world.get_mut::<Health>(hero).unwrap().0 -= 1;
/// assert_eq!(rested(&world), [1, 9]);
///
/// let query = world.query_filtered::<&Health, Not<Or<(With<Player>, With<Enemy>)>>>();
/// assert_eq!(query.iter().map(|health| health.0).collect::<Vec<_>>(), [9]);
/// ```
pub struct Not<F>(Invariant<F>);

/// A [`QueryFilter`] that [`Not`] can negate: [`With`], [`Without`], [`Changed`], [`Added`], [`Mutated`], [`Or`], [`Not`]
/// itself, and tuples of up to eight of these.
///
/// # Safety
/// `negated` reads ticks only of components that `lock` has locked or that `D::fetches` says are fetched; `NEGATED` names
/// them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a filter that `Not` can negate",
    label = "cannot be negated",
    note = "`Not` takes `With<T>`, `Without<T>`, `Changed<T>`, `Added<T>`, `Mutated<T>`, `Or<(..)>`, and tuples of up to eight of them; of a derived filter, negate the parts"
)]
pub unsafe trait NegatableFilter: QueryFilter {
    /// The filter that joins use.
    #[doc(hidden)]
    type Negated<'a>: ReborrowFilter<'a>;

    /// The components that are tested.
    #[doc(hidden)]
    const NEGATED: &'static QueryAccess;

    /// Creates the filter.
    ///
    /// # Safety
    /// As for [`QueryFilter::filter`].
    #[doc(hidden)]
    unsafe fn negated<'a>(storage: &'a Storage, window: Window) -> Self::Negated<'a>;
}

/// A tuple of filters for [`Not`] of [`Or`]: none of them may match.
///
/// # Safety
/// `none` reads ticks only of components that `lock` has locked or that `D::fetches` says are fetched; `NONE` names them.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "the alternatives `{Self}` cannot be negated",
    label = "cannot be negated",
    note = "`Not` takes `Or` of up to eight of `With<T>`, `Without<T>`, `Changed<T>`, `Added<T>`, `Mutated<T>`, `Or<(..)>`, and tuples of them; of a derived filter, negate the parts"
)]
pub unsafe trait NegatableAlternatives: QueryFilter {
    /// The filter that joins use.
    type None<'a>: ReborrowFilter<'a>;

    /// The components that are tested.
    const NONE: &'static QueryAccess;

    /// Creates the filter.
    ///
    /// # Safety
    /// As for [`QueryFilter::filter`].
    unsafe fn none<'a>(storage: &'a Storage, window: Window) -> Self::None<'a>;
}

// SAFETY: reads the ticks that `F::negated` reads, and `lock` is `F::lock`.
unsafe impl<F: NegatableFilter> QueryFilter for Not<F> {
    type Filter<'a> = F::Negated<'a>;
    type List<Q, Tail: DataList> = <F::List<Q, ListEnd> as DataList>::Opposite<Tail>;

    const ACCESS: &'static QueryAccess = F::NEGATED;
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
        // SAFETY: clauses 1 to 3 hold for `F` by the caller's contract: the locks are the same.
        unsafe { F::negated(storage, window) }
    }
}

// SAFETY: reads the same as `F`; `lock` is `F::lock`.
unsafe impl<F: NegatableFilter> NegatableFilter for Not<F> {
    type Negated<'a> = F::Filter<'a>;

    const NEGATED: &'static QueryAccess = F::ACCESS;

    #[inline]
    unsafe fn negated<'a>(storage: &'a Storage, window: Window) -> Self::Negated<'a> {
        // SAFETY: clauses 1 to 3 hold for `F` by the caller's contract: the locks are the same.
        unsafe { F::filter(storage, window) }
    }
}

macro_rules! opposites {
    ($($one:ident $other:ident),+) => {$(
        // SAFETY: reads presence only, and locks the same, like the opposite.
        unsafe impl<T: Component> NegatableFilter for $one<T> {
            type Negated<'a> = <$other<T> as QueryFilter>::Filter<'a>;

            const NEGATED: &'static QueryAccess = $other::<T>::ACCESS;

            #[inline]
            unsafe fn negated<'a>(storage: &'a Storage, window: Window) -> Self::Negated<'a> {
                // SAFETY: clauses 1 to 3 hold for the opposite by the caller's contract: its locks are the same.
                unsafe { $other::<T>::filter(storage, window) }
            }
        }
    )+};
}

opposites!(With Without, Without With);

macro_rules! negated_ticks {
    ($($name:ident),+) => {$(
        // SAFETY: reads the ticks that the filter reads.
        unsafe impl<T: TrackedComponent> NegatableFilter for $name<T> {
            type Negated<'a> = NotTicks<<Self as QueryFilter>::Filter<'a>>;

            // Entities without the component match too.
            const NEGATED: &'static QueryAccess = &QueryAccess::Optional(&[&QueryAccess::Read(T::IDENT)]);

            #[inline]
            unsafe fn negated<'a>(storage: &'a Storage, window: Window) -> Self::Negated<'a> {
                // SAFETY: clauses 1 to 3 hold by the caller's contract.
                NotTicks(unsafe { Self::filter(storage, window) })
            }
        }
    )+};
}

negated_ticks!(Changed, Added, Mutated);

// SAFETY: reads the ticks that `F::none` reads, and `lock` covers all of them.
unsafe impl<F> NegatableFilter for Or<F>
where
    Self: QueryFilter,
    F: NegatableAlternatives,
{
    type Negated<'a> = F::None<'a>;

    const NEGATED: &'static QueryAccess = F::NONE;

    #[inline]
    unsafe fn negated<'a>(storage: &'a Storage, window: Window) -> Self::Negated<'a> {
        // SAFETY: clauses 1 to 3 hold for `F` by the caller's contract: the locks are the same.
        unsafe { F::none(storage, window) }
    }
}

macro_rules! negated_tuple {
    ($($name:ident $value:ident),+) => {
        // SAFETY: reads the ticks that its members read, and `lock` of the tuple covers all of them.
        unsafe impl<$($name: NegatableFilter),+> NegatableFilter for ($($name,)+) {
            type Negated<'a> = any!(type $([$name::Negated<'a>])+);

            const NEGATED: &'static QueryAccess = &QueryAccess::Or(&[$($name::NEGATED),+]);

            #[inline]
            unsafe fn negated<'a>(storage: &'a Storage, window: Window) -> Self::Negated<'a> {
                // SAFETY: clauses 1 to 3 hold for each member: the tuple locks and reads the same as its members.
                any!($([unsafe { $name::negated(storage, window) }])+)
            }
        }

        // SAFETY: reads the ticks that its members read, and `lock` of the tuple covers all of them.
        unsafe impl<$($name: NegatableFilter),+> NegatableAlternatives for ($($name,)+) {
            type None<'a> = pairs!($([$name::Negated<'a>])+);

            const NONE: &'static QueryAccess = &QueryAccess::All(&[$($name::NEGATED),+]);

            #[inline]
            unsafe fn none<'a>(storage: &'a Storage, window: Window) -> Self::None<'a> {
                // SAFETY: clauses 1 to 3 hold for each member: the tuple locks and reads the same as its members.
                pairs!($([unsafe { $name::negated(storage, window) }])+)
            }
        }
    };
}

for_each_narrow_arity!(negated_tuple);

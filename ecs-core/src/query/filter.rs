//! What a query tests without fetching it.

use core::marker::PhantomData;

use crate::component::{Component, ComponentId};
use crate::join::{AnyOf, Has, Lacks, ReborrowFilter, for_each_arity};
use crate::meta::Terms;
use crate::storage::Storage;

/// Matches entities that have a `T`.
pub struct With<T>(PhantomData<fn() -> T>);

/// Matches entities that lack a `T`.
pub struct Without<T>(PhantomData<fn() -> T>);

/// Matches entities that at least one filter of the tuple matches: `Or<(With<A>, With<B>)>`.
pub struct Or<F>(PhantomData<fn() -> F>);

/// What a [`Query`](super::Query) tests without fetching it: [`With`], [`Without`], [`Or`], and tuples of filters, all of
/// which must match.
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a query filter",
    label = "not a query filter",
    note = "filters are `With<T>`, `Without<T>`, `Or<(..)>`, and tuples of them"
)]
pub trait QueryFilter {
    /// How it is tested.
    #[doc(hidden)]
    type Filter<'a>: ReborrowFilter<'a>;

    /// What is tested.
    const TERMS: &'static Terms;

    /// The test.
    #[doc(hidden)]
    fn filter<'a>(storage: &'a Storage) -> Self::Filter<'a>;
}

impl QueryFilter for () {
    type Filter<'a> = ();

    const TERMS: &'static Terms = &Terms::Nothing;

    #[inline]
    fn filter(_: &Storage) {}
}

impl<T: Component> QueryFilter for With<T> {
    type Filter<'a> = Has<'a, T>;

    const TERMS: &'static Terms = &Terms::With(T::IDENTITY.ident());

    #[inline]
    fn filter<'a>(storage: &'a Storage) -> Has<'a, T> {
        Has::new(storage.component(ComponentId::of::<T>()))
    }
}

impl<T: Component> QueryFilter for Without<T> {
    type Filter<'a> = Lacks<'a, T>;

    const TERMS: &'static Terms = &Terms::Without(T::IDENTITY.ident());

    #[inline]
    fn filter<'a>(storage: &'a Storage) -> Lacks<'a, T> {
        Lacks(Has::new(storage.component(ComponentId::of::<T>())))
    }
}

macro_rules! tuple_filter {
    ($($name:ident $value:ident),+) => {
        impl<$($name: QueryFilter),+> QueryFilter for ($($name,)+) {
            type Filter<'a> = ($($name::Filter<'a>,)+);

            const TERMS: &'static Terms = &Terms::All(&[$($name::TERMS),+]);

            #[inline]
            fn filter<'a>(storage: &'a Storage) -> Self::Filter<'a> {
                ($($name::filter(storage),)+)
            }
        }

        impl<$($name: QueryFilter),+> QueryFilter for Or<($($name,)+)> {
            type Filter<'a> = AnyOf<($($name::Filter<'a>,)+)>;

            const TERMS: &'static Terms = &Terms::Or(&[$($name::TERMS),+]);

            #[inline]
            fn filter<'a>(storage: &'a Storage) -> Self::Filter<'a> {
                AnyOf(($($name::filter(storage),)+))
            }
        }
    };
}

for_each_arity!(tuple_filter);

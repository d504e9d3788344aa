//! The functions that `system!` expands to on a [`World`], where it runs a query.

use alloc::vec::Vec;
use core::mem;

use ecs_engine::query::{QueryData, ReadOnlyQueryData};
use ecs_engine::{CompMut, Component, Entity, World};

use crate::lookup::{EachItems, FoundView, Iteration, Requested, StaticLookup};
use crate::renew::{Nothing, Returned};

type Value<'a, D> = <D as QueryData>::Item<'a>;

impl<T: Component> Requested<World, T> {
    /// Returns the component.
    #[inline]
    pub fn found(self) -> FoundView<T> {
        FoundView::new()
    }
}

/// The lookup of a type that is not a component.
#[doc(hidden)]
pub trait NoComponent<T>: Sized {
    /// Requires that the type is a component; returns any type, so that no second error follows.
    fn found<U>(self) -> U
    where
        T: Component,
    {
        unreachable!("the inherent method finds components")
    }
}

impl<T> NoComponent<T> for Requested<World, T> {}

impl<D: QueryData> Iteration<World, D> {
    /// Takes the closure of a `system!` that returns nothing.
    #[inline]
    pub fn each<O: Nothing, F: FnMut(Value<'_, D>) -> O>(self, f: F) -> EachItems<D, F> {
        self.with(f)
    }

    /// Takes the closure of a `system!` that returns new values.
    #[inline]
    pub fn renew<R, F: FnMut(Value<'_, D>) -> R>(self, f: F) -> EachItems<D, F> {
        self.with(f)
    }
}

/// Components of a [`World`] that a `system!` returns.
#[doc(hidden)]
pub trait NewComponents: Returned {
    /// The views of the components.
    type Views<'w>;

    /// Borrows all of the components.
    fn views(world: &World) -> Self::Views<'_>;

    /// Exchanges the values with the entity's own.
    fn swap(views: &mut Self::Views<'_>, entity: Entity, values: Self::Values<'_>);
}

impl NewComponents for () {
    type Views<'w> = ();

    #[inline]
    fn views(_: &World) {}

    #[inline]
    fn swap((): &mut (), _: Entity, (): ()) {}
}

impl<T: Component, R: NewComponents> NewComponents for (FoundView<T>, R) {
    type Views<'w> = (CompMut<'w, T>, R::Views<'w>);

    #[track_caller]
    fn views(world: &World) -> Self::Views<'_> {
        (world.view_mut(), R::views(world))
    }

    #[inline]
    fn swap(
        (view, rest_of_views): &mut Self::Views<'_>,
        entity: Entity,
        (value, rest): Self::Values<'_>,
    ) {
        if let Some(mut old) = view.get_mut(entity) {
            mem::swap(&mut *old, value);
        }
        R::swap(rest_of_views, entity, rest);
    }
}

/// The functions that `system!` expands to on a [`World`]; [`ClosedSystems`](crate::ClosedSystems) has the ones for a
/// closed world.
#[doc(hidden)]
pub trait OpenSystems {
    /// Returns the lookup of the parameters.
    fn system_items(&self) -> StaticLookup<World>;

    /// Runs a `system!` that returns nothing.
    #[track_caller]
    fn for_each_of<D, O, F>(&self, each: EachItems<D, F>)
    where
        D: QueryData,
        F: FnMut(Value<'_, D>) -> O;

    /// Collects the values that a `system!` returns.
    #[track_caller]
    fn values_of<D, R, F>(&self, each: EachItems<D, F>) -> Vec<(Entity, R)>
    where
        D: ReadOnlyQueryData,
        F: FnMut(Value<'_, D>) -> R;

    /// Replaces old values with those that a `system!` returned. `list` makes the list of the values of an entity.
    #[track_caller]
    fn renew<R, V, F>(&self, returned: R, values: Vec<(Entity, V)>, list: F)
    where
        R: NewComponents,
        F: Fn(&mut V) -> R::Values<'_>;
}

impl OpenSystems for World {
    #[inline]
    fn system_items(&self) -> StaticLookup<World> {
        StaticLookup::new()
    }

    #[inline]
    #[track_caller]
    fn for_each_of<D, O, F>(&self, mut each: EachItems<D, F>)
    where
        D: QueryData,
        F: FnMut(Value<'_, D>) -> O,
    {
        self.query::<D>().for_each(|items| {
            (each.f)(items);
        });
    }

    #[track_caller]
    fn values_of<D, R, F>(&self, mut each: EachItems<D, F>) -> Vec<(Entity, R)>
    where
        D: ReadOnlyQueryData,
        F: FnMut(Value<'_, D>) -> R,
    {
        let mut values = Vec::new();
        self.query::<(Entity, D)>()
            .for_each(|(entity, items)| values.push((entity, (each.f)(items))));
        values
    }

    #[track_caller]
    fn renew<R, V, F>(&self, _: R, mut values: Vec<(Entity, V)>, list: F)
    where
        R: NewComponents,
        F: Fn(&mut V) -> R::Values<'_>,
    {
        let mut views = R::views(self);
        for (entity, new) in &mut values {
            R::swap(&mut views, *entity, list(new));
        }
        // Dropped only now, when all new values are in place.
        drop(values);
    }
}

//! The functions that `system!` expands to on a closed world.

use alloc::vec::Vec;

use ecs_engine::Entity;

use crate::access::is_unaliased;
use crate::items::{Item, ReadOnlyItem};
use crate::iterate::{self, Value};
use crate::lookup::{EachItems, Iteration, StaticLookup};
use crate::renew::{NewValues, Nothing};
use crate::world::StaticWorld;

impl<W: StaticWorld, D: Item<W>> Iteration<W, D> {
    /// Takes the closure of a `system!` that returns nothing.
    #[inline]
    pub fn each<O: Nothing, F: FnMut(Value<'_, W, D>) -> O>(self, f: F) -> EachItems<D, F> {
        self.with(f)
    }

    /// Takes the closure of a `system!` that returns new values.
    #[inline]
    pub fn renew<R, F: FnMut(Value<'_, W, D>) -> R>(self, f: F) -> EachItems<D, F> {
        self.with(f)
    }
}

/// The functions that `system!` expands to on a closed world; [`OpenSystems`](crate::OpenSystems) has the ones for a
/// `World`.
///
/// The methods of both have the same names, so that the macro need not know the kind of the world.
#[doc(hidden)]
pub trait ClosedSystems: StaticWorld {
    /// Returns the lookup of the parameters.
    #[inline]
    fn system_items(&self) -> StaticLookup<Self> {
        StaticLookup::new()
    }

    /// Runs a `system!` that returns nothing.
    #[inline]
    fn for_each_of<D, O, F>(&mut self, mut each: EachItems<D, F>)
    where
        D: Item<Self>,
        F: FnMut(Value<'_, Self, D>) -> O,
    {
        const {
            assert!(
                is_unaliased(D::ACCESS),
                "a `system!` borrows a component twice, at least once mutably; help: borrow it once"
            );
        }
        let f = |items: Value<'_, Self, D>| {
            (each.f)(items);
        };
        // SAFETY: `is_unaliased` ensures that `D` does not alias (clause 1), and `self` is borrowed exclusively (clause
        // 2).
        unsafe { iterate::for_each::<Self, D, _>(self, f) };
    }

    /// Collects the values that a `system!` returns.
    fn values_of<D, R, F>(&self, mut each: EachItems<D, F>) -> Vec<(Entity, R)>
    where
        D: ReadOnlyItem<Self>,
        F: FnMut(Value<'_, Self, D>) -> R,
    {
        let mut values = Vec::new();
        let push = |(entity, items)| values.push((entity, (each.f)(items)));
        // SAFETY: `D` only reads, by the contract of `ReadOnlyItem`, so that it does not alias (clause 1), and `self`
        // is borrowed, so that there are no other references that write (clause 2).
        unsafe { iterate::for_each::<Self, (Entity, D), _>(self, push) };
        values
    }

    /// Replaces old values with those that a `system!` returned. `list` makes the list of the values of an entity.
    #[inline]
    fn renew<R, V, F>(&mut self, _: R, mut values: Vec<(Entity, V)>, list: F)
    where
        R: NewValues<Self>,
        F: Fn(&mut V) -> R::Values<'_>,
    {
        for (entity, new) in &mut values {
            R::swap(self, *entity, list(new));
        }
        // Dropped only now, when all new values are in place.
        drop(values);
    }
}

impl<W: StaticWorld> ClosedSystems for W {}

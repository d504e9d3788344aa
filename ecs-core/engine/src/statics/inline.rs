//! What `system!` does with a [`World`].

use super::lookup::{Each, Lookup, Walk};
use super::renew::NewComponents;
use crate::entity::Entity;
use crate::join::Term;
use crate::query::{QueryData, ReadOnlyQueryData};
use crate::world::World;

type Value<'a, D> = <<D as QueryData>::Term<'a> as Term<'a>>::Item;

impl<D: QueryData> Walk<World, D> {
    /// What is done with each entity.
    #[inline]
    pub fn each<F: FnMut(Value<'_, D>)>(self, f: F) -> Each<D, F> {
        self.with(f)
    }

    /// What new values each entity gets.
    #[inline]
    pub fn renew<R, F: FnMut(Value<'_, D>) -> R>(self, f: F) -> Each<D, F> {
        self.with(f)
    }
}

/// The methods have the names of those of [`StaticWorld`](crate::statics::StaticWorld), so that a macro need not know
/// which kind of world it is given.
impl World {
    /// Where `system!` looks up its parameters.
    #[doc(hidden)]
    #[inline]
    pub fn system_items(&self) -> Lookup<Self> {
        Lookup::new()
    }

    /// What `system!` does.
    #[doc(hidden)]
    #[inline]
    #[track_caller]
    pub fn for_each_of<D, F>(&self, each: Each<D, F>)
    where
        D: QueryData,
        F: FnMut(Value<'_, D>),
    {
        self.query::<D>().for_each(each.f);
    }

    /// What `system!` that returns new values does first.
    #[doc(hidden)]
    #[track_caller]
    pub fn values_of<D, R, F>(&self, mut each: Each<D, F>) -> Vec<(Entity, R)>
    where
        D: ReadOnlyQueryData,
        F: FnMut(Value<'_, D>) -> R,
    {
        let mut values = Vec::new();
        self.query::<(Entity, D)>()
            .for_each(|(entity, items)| values.push((entity, (each.f)(items))));
        values
    }

    /// What `system!` that returns new values does then. `list` makes the list of the values of an entity.
    #[doc(hidden)]
    #[track_caller]
    pub fn renew<R, V, F>(&self, _: R, mut values: Vec<(Entity, V)>, list: F)
    where
        R: NewComponents,
        F: Fn(&mut V) -> R::Values<'_>,
    {
        let mut views = R::views(self);
        for (entity, new) in &mut values {
            R::swap(&mut views, *entity, list(new));
        }
        // The old values are dropped when all new ones are in place.
        drop(values);
    }
}

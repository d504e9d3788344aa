//! What `system!` does with a [`World`].

use crate::entity::Entity;
use crate::join::Term;
use crate::query::{QueryData, ReadOnlyQueryData};
use crate::statics::NewValues;
use crate::world::World;

type Value<'a, D> = <<D as QueryData>::Term<'a> as Term<'a>>::Item;

/// The methods have the names of those of [`StaticWorld`](crate::statics::StaticWorld), so that a macro need not know
/// which kind of world it is given.
impl World {
    /// What `system!` does.
    #[doc(hidden)]
    #[inline]
    #[track_caller]
    pub fn for_each_of<D: QueryData, F: FnMut(Value<'_, D>)>(&self, f: F) {
        self.query::<D>().for_each(f);
    }

    /// What `system!` that returns new values does first.
    #[doc(hidden)]
    #[track_caller]
    pub fn values_of<D, R, F>(&self, mut f: F) -> Vec<(Entity, R)>
    where
        D: ReadOnlyQueryData,
        F: FnMut(Value<'_, D>) -> R,
    {
        let mut values = Vec::new();
        self.query::<(Entity, D)>()
            .for_each(|(entity, items)| values.push((entity, f(items))));
        values
    }

    /// What `system!` that returns new values does then.
    #[doc(hidden)]
    #[track_caller]
    pub fn renew<Kind, R: for<'w> NewValues<&'w Self, Kind>>(&self, mut values: Vec<(Entity, R)>) {
        R::swap(self, &mut values);
        // The old values are dropped when all new ones are in place.
        drop(values);
    }
}

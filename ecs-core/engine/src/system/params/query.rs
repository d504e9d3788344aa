//! `Query` as a parameter.

use crate::meta::ParamAccess;
use crate::query::{Query, QueryData, QueryFilter};
use crate::system::{HeldBorrows, ParamError, Remember, Remembered, SystemParam};
use crate::tick::Tick;
use crate::world::World;

// SAFETY: accesses the components that the `ACCESS` of `D` and `F` names, and `ACCESS` contains both.
unsafe impl<D: QueryData, F: QueryFilter> SystemParam for Query<'_, D, F> {
    /// The tick of the last run.
    type State = Tick;
    // Does not depend on the lifetimes written in the data, so that a derived parameter can choose them for each run.
    type Guard<'w> = Query<'w, D::Static, F>;
    type Item<'g> = Query<'g, D, F>;

    const ACCESS: &'static ParamAccess = &ParamAccess::Query {
        data: D::ACCESS,
        filter: F::ACCESS,
    };

    const REMEMBERS: bool = Self::TRACKS;

    fn init(_: &World) -> Tick {
        Tick::START
    }

    #[inline]
    fn lock<'w>(
        last: &'w mut Tick,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamError> {
        let window = |storage: &_| Self::window_since(storage, last);
        if held.holds(D::ACCESS) && held.holds(F::ACCESS) {
            // SAFETY: `held` covers the components for `'w`; the system was checked, so no two of its parameters access
            // the same data of an entity in a conflicting way.
            Ok(unsafe { Query::locked(&world.storage, window) })
        } else {
            Ok(Query::lock(&world.storage, window)?)
        }
    }

    #[inline]
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Query<'g, D, F> {
        guard.renamed()
    }

    fn remembered(last: &mut Tick, remember: &mut Remember<'_>) {
        if Self::REMEMBERS {
            remember(Remembered::tick(last));
        }
    }
}

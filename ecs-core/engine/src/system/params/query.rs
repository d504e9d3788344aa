//! `Query` as a parameter.

use crate::meta::ParamAccess;
use crate::query::{Query, QueryData, QueryFilter};
use crate::system::{HeldBorrows, ParamError, SystemParam};
use crate::tick::Tick;
use crate::world::World;

// SAFETY: touches the components that `D` and `F` name in their terms, which are `ACCESS`.
unsafe impl<D: QueryData, F: QueryFilter> SystemParam for Query<'_, D, F> {
    /// The tick of the last run.
    type State = Tick;
    // Whatever lifetimes the data is written with, so that a derived parameter can choose them for each run.
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
        if held.holds(D::ACCESS) && held.holds(F::ACCESS) {
            // SAFETY: `held` vouches for the components as long as `'w`, and its system was found to have no two parameters
            // that touch the same data of an entity.
            Ok(unsafe { Query::locked(&world.storage, Some(last)) })
        } else {
            Ok(Query::lock(&world.storage, Some(last))?)
        }
    }

    #[inline]
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Query<'g, D, F> {
        guard.renamed()
    }
}

//! `Query` as a parameter.

use crate::meta::Tree;
use crate::query::{Query, QueryData, QueryFilter};
use crate::system::{ParamError, SystemParam};
use crate::world::World;

// SAFETY: touches the components that `D` and `F` name in their terms, which are `ACCESS`.
unsafe impl<D: QueryData, F: QueryFilter> SystemParam for Query<'_, D, F> {
    type State = ();
    type Guard<'w> = Query<'w, D, F>;
    type Item<'g> = Query<'g, D, F>;

    const ACCESS: &'static Tree = &Tree::Query {
        data: D::TERMS,
        filter: F::TERMS,
    };

    fn init(_: &World) {}

    #[inline]
    fn lock<'w>((): &'w mut (), world: &'w World) -> Result<Query<'w, D, F>, ParamError> {
        Ok(world.try_query_filtered()?)
    }

    #[inline]
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Query<'g, D, F> {
        guard.reborrow()
    }
}

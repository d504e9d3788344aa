//! `Query` as a parameter.

use crate::meta::Tree;
use crate::query::{Query, QueryData, QueryFilter};
use crate::system::{Joint, ParamError, SystemParam};
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
    fn lock_beside<'w>(
        state: &'w mut (),
        world: &'w World,
        joint: &'w Joint<'w>,
    ) -> Result<Query<'w, D, F>, ParamError> {
        if joint.holds(D::TERMS) {
            // SAFETY: the borrows are held as long as `'w`, and the system that took them was found to have no two
            // parameters that touch the same data of an entity.
            Ok(unsafe { world.locked_query() })
        } else {
            Self::lock(state, world)
        }
    }

    #[inline]
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Query<'g, D, F> {
        guard.reborrow()
    }
}

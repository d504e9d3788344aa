//! `Single` as a parameter: a query, and the one entity that it matches.

use super::optional::MayBeMissing;
use crate::entity::Entity;
use crate::meta::ParamAccess;
use crate::query::{Query, QueryData, QueryFilter, Single};
use crate::system::{HeldBorrows, ParamError, Remember, SystemParam};
use crate::tick::Tick;
use crate::world::World;

/// The guard of `Single`.
pub struct SingleGuard<'w, D, F> {
    pub(in crate::system) query: Query<'w, D, F>,
    pub(in crate::system) entity: Entity,
}

// SAFETY: has the `ACCESS` of the query and accesses the same data, and passes `held` to it once.
unsafe impl<D: QueryData, F: QueryFilter> SystemParam for Single<'_, D, F> {
    type State = Tick;
    // Does not depend on the lifetimes written in the data, like the guard of `Query`.
    type Guard<'w> = SingleGuard<'w, D::Static, F>;
    type Item<'g> = Single<'g, D, F>;

    const ACCESS: &'static ParamAccess = <Query<'_, D, F> as SystemParam>::ACCESS;
    const REMEMBERS: bool = <Query<'_, D, F> as SystemParam>::REMEMBERS;

    fn init(world: &World) -> Tick {
        <Query<'_, D, F> as SystemParam>::init(world)
    }

    fn lock<'w>(
        last: &'w mut Tick,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamError> {
        let query = <Query<'_, D, F> as SystemParam>::lock(last, world, held)?;
        match query.only() {
            Ok(entity) => Ok(SingleGuard { query, entity }),
            Err(error) => Err(ParamError::Single(error)),
        }
    }

    #[inline]
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Single<'g, D, F> {
        guard.query.only_item(guard.entity)
    }

    fn remembered(last: &mut Tick, remember: &mut Remember<'_>) {
        <Query<'_, D, F> as SystemParam>::remembered(last, remember);
    }
}

impl<D: QueryData, F: QueryFilter> MayBeMissing for Single<'_, D, F> {}

//! The methods of `World` and `ReadOnlyWorld` that make queries.

use super::{Query, QueryData, QueryFilter, ReadOnlyQueryData};
use crate::meta::{
    ParamAccess, QueryAccess, never_aliases, refuse_aliasing, refuse_aliasing_by_type,
    refuse_immutable_in,
};
use crate::world::{BorrowError, ReadOnlyWorld, World};

impl World {
    /// Queries the entities that have the components of `D`.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// # #[derive(Component, Debug, PartialEq)] struct Name(&'static str);
    /// let mut world = World::new();
    /// world.spawn((Name("rat"), Health(3)));
    /// world.spawn(Name("stone"));
    /// for (name, health) in &mut world.query::<(&Name, &mut Health)>() {
    ///     assert_eq!(name.0, "rat");
    ///     health.0 += 1;
    /// }
    /// ```
    ///
    /// # Panics
    /// If a component is borrowed elsewhere in a conflicting way, or `D` names one twice and writes it.
    #[track_caller]
    #[must_use]
    pub fn query<D: QueryData>(&self) -> Query<'_, D> {
        const { refuse_written::<D>() };
        Query::lock(&self.storage, Query::<D>::window).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Queries the entities that have the components of `D` and pass the filter `F`.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// # #[derive(Component, Debug, PartialEq)] struct Name(&'static str);
    /// let mut world = World::new();
    /// world.spawn((Name("rat"), Health(3)));
    /// world.spawn(Name("stone"));
    /// assert_eq!(*world.query_filtered::<&Name, Without<Health>>().single().unwrap(), Name("stone"));
    /// ```
    ///
    /// # Panics
    /// If a component is borrowed elsewhere in a conflicting way, or `D` names one twice and writes it;
    /// [`try_query_filtered`](Self::try_query_filtered) returns an error instead.
    #[track_caller]
    #[must_use]
    pub fn query_filtered<D: QueryData, F: QueryFilter>(&self) -> Query<'_, D, F> {
        const { refuse_written::<D>() };
        Query::lock(&self.storage, Query::<D, F>::window).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Queries the entities that have the components of `D` and pass the filter `F`.
    ///
    /// # Errors
    /// If a component is borrowed elsewhere in a conflicting way, or `D` names one twice and writes it.
    pub fn try_query_filtered<D: QueryData, F: QueryFilter>(
        &self,
    ) -> Result<Query<'_, D, F>, BorrowError> {
        const { refuse_written::<D>() };
        Query::lock(&self.storage, Query::<D, F>::window)
    }

    /// Queries the entities that have the components of `D`, without run-time borrows. Like [`query`](Self::query), for
    /// short loops over a world that is borrowed exclusively.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)] struct Boss(u32);
    /// #[derive(Component)] struct Level(u32);
    ///
    /// let mut world = World::new();
    /// let boss = world.spawn((Boss(1), Level(7)));
    /// world.query_mut::<(&mut Boss, &Level)>().for_each(|(boss, level)| boss.0 += level.0);
    /// assert_eq!(world.get::<Boss>(boss).unwrap().0, 8);
    /// ```
    ///
    /// A `D` that names a component twice, and writes it, does not compile.
    ///
    /// # Panics
    /// If `D` does so with two instances of a generic type, and no constant could tell.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn query_mut<D: QueryData>(&mut self) -> Query<'_, D> {
        const { refuse_aliasing(D::ACCESS, &QueryAccess::Nothing) };
        exclusive(self)
    }

    /// Queries the entities that have the components of `D` and pass the filter `F`, without run-time borrows; see
    /// [`query_mut`](Self::query_mut).
    ///
    /// # Panics
    /// If `D` names a component twice and writes it, and no constant could tell.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn query_filtered_mut<D: QueryData, F: QueryFilter>(&mut self) -> Query<'_, D, F> {
        const { refuse_aliasing(D::ACCESS, F::ACCESS) };
        exclusive(self)
    }
}

/// Fails to compile if the data of a query writes an immutable component.
#[track_caller]
const fn refuse_written<D: QueryData>() {
    let (data, filter) = (D::ACCESS, &QueryAccess::Nothing);
    refuse_immutable_in(&ParamAccess::Query { data, filter });
}

/// Queries a world that is borrowed exclusively. The methods that users call refuse data that aliases, so that the compiler
/// names their line.
#[inline]
#[track_caller]
fn exclusive<D: QueryData, F: QueryFilter>(world: &mut World) -> Query<'_, D, F> {
    if !const { never_aliases(D::ACCESS, F::ACCESS) } {
        refuse_aliasing_by_type(D::ACCESS, F::ACCESS);
    }
    // SAFETY: the world is borrowed exclusively as long as the query, so no other code accesses anything of it, which is
    // stronger than run-time borrows. The query names nothing twice that it writes: a constant has found that, or the
    // comparison of types.
    unsafe { Query::locked(&world.storage, Query::<D, F>::window) }
}

impl<'w> ReadOnlyWorld<'w> {
    /// Queries the entities that have the components of `D`, without run-time borrows.
    #[inline]
    #[must_use]
    pub fn query<D: ReadOnlyQueryData>(self) -> Query<'w, D> {
        self.query_filtered()
    }

    /// Queries the entities that have the components of `D` and pass the filter `F`, without run-time borrows.
    #[inline]
    #[must_use]
    pub fn query_filtered<D: ReadOnlyQueryData, F: QueryFilter>(self) -> Query<'w, D, F> {
        // SAFETY: by invariant 1 of `ReadOnlyWorld` no code writes anything of the world as long as `'w`, which is stronger
        // than run-time borrows for reading, and `D` only reads.
        unsafe { Query::locked(&self.world.storage, Query::<D, F>::window) }
    }
}

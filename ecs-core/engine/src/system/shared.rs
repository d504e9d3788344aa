//! Parameters shared by the threads of a parallel loop.

use super::param::SystemParam;
use super::params::{ResourcesRef, WorldRef};
use crate::component::Component;
use crate::query::{Query, QueryFilter, ReadOnlyQueryData, Single};
use crate::resource::{Res, Resource, ResourceMap};
use crate::tuples::for_each_prefix;
use crate::view::{Comp, Entities};
use crate::world::World;

/// A parameter that all threads of a `#[system(par_for_each)]` loop can use at the same time, because it only reads.
///
/// Structs with `#[derive(SystemParam)]` need `#[system_param(shared)]`:
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Resource)]
/// struct Wind(f32);
///
/// #[derive(SystemParam)]
/// #[system_param(shared)]
/// struct Weather<'w> {
///     wind: Res<'w, Wind>,
///     dt: Res<'w, f32>,
/// }
///
/// # #[cfg(feature = "parallel")]
/// #[system(par_for_each)]
/// fn blow(position: &mut Position, weather: Weather<'_>) {
///     position.0 += weather.wind.0 * *weather.dt;
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be shared by the threads of a `par_for_each` system",
    label = "not shared by threads",
    note = "threads share `Res<T>`, `Comp<T>`, queries and `Single`s that only read, `Entities`, `&World`, and structs with `#[system_param(shared)]`",
    note = "change the entity's components through the items; a `&mut` of one value (`ResMut`, `Local`, `Commands`, an event reader or writer) needs one thread: `#[system(for_each)]`"
)]
pub trait SharedParam: SystemParam {
    /// Returns the value for the function from a guard that other threads also use.
    fn get_shared<'g>(guard: &'g Self::Guard<'_>) -> Self::Item<'g>;
}

impl<T: Component> SharedParam for Comp<'_, T> {
    #[inline]
    fn get_shared<'g>(guard: &'g Self::Guard<'_>) -> Comp<'g, T> {
        guard.reborrow()
    }
}

impl<D: ReadOnlyQueryData, F: QueryFilter> SharedParam for Query<'_, D, F> {
    #[inline]
    fn get_shared<'g>(guard: &'g Self::Guard<'_>) -> Query<'g, D, F> {
        guard.share()
    }
}

impl<D: ReadOnlyQueryData, F: QueryFilter> SharedParam for Single<'_, D, F> {
    #[inline]
    fn get_shared<'g>(guard: &'g Self::Guard<'_>) -> Single<'g, D, F> {
        guard.query.only_shared(guard.entity)
    }
}

impl<D: ReadOnlyQueryData, F: QueryFilter> SharedParam for Option<Single<'_, D, F>> {
    #[inline]
    fn get_shared<'g>(guard: &'g Self::Guard<'_>) -> Self::Item<'g> {
        let guard = guard.as_ref()?;
        Some(guard.query.only_shared(guard.entity))
    }
}

impl<T: Resource> SharedParam for Res<'_, T> {
    #[inline]
    fn get_shared<'g>(guard: &'g Self::Guard<'_>) -> Res<'g, T> {
        guard.reborrow()
    }
}

impl<T: Resource> SharedParam for Option<Res<'_, T>> {
    #[inline]
    fn get_shared<'g>(guard: &'g Self::Guard<'_>) -> Self::Item<'g> {
        guard.as_ref().map(Res::reborrow)
    }
}

impl SharedParam for Entities<'_> {
    #[inline]
    fn get_shared<'g>(guard: &'g Self::Guard<'_>) -> Entities<'g> {
        *guard
    }
}

impl SharedParam for WorldRef<'_> {
    #[inline]
    fn get_shared<'g>(guard: &'g Self::Guard<'_>) -> &'g World {
        guard
    }
}

impl SharedParam for ResourcesRef<'_> {
    #[inline]
    fn get_shared<'g>(guard: &'g Self::Guard<'_>) -> &'g ResourceMap {
        guard
    }
}

macro_rules! tuple {
    ($($name:ident $index:tt),+) => {
        #[diagnostic::do_not_recommend]
        impl<$($name: SharedParam),+> SharedParam for ($($name,)+) {
            #[inline]
            fn get_shared<'g>(guard: &'g Self::Guard<'_>) -> Self::Item<'g> {
                ($($name::get_shared(&guard.$index),)+)
            }
        }
    };
}

for_each_prefix!(tuple: [A 0] [B 1] [C 2] [D 3] [E 4] [F 5] [G 6] [H 7]);

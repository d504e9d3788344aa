//! `Res`, `ResMut`, and `Option` of them.

use crate::meta::{Access, Domain, Kind, Tree};
use crate::resource::{Res, ResMut, Resource, ResourceError};
use crate::system::{ParamError, SystemParam};
use crate::tick::Tick;
use crate::world::World;

const fn access<T: Resource>(kind: Kind) -> Tree {
    Tree::Leaf(Access {
        domain: Domain::Resource,
        kind,
        ident: T::IDENTITY.ident(),
    })
}

/// Turns "missing" into `None`; a borrow elsewhere stays an error.
fn optional<G>(guard: Result<G, ResourceError>) -> Result<Option<G>, ParamError> {
    match guard {
        Ok(guard) => Ok(Some(guard)),
        Err(ResourceError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

// SAFETY: reads the resource `T`, as `ACCESS` says.
unsafe impl<T: Resource> SystemParam for Res<'_, T> {
    /// When the system ran last.
    type State = Tick;
    type Guard<'w> = Res<'w, T>;
    type Item<'g> = Res<'g, T>;

    const ACCESS: &'static Tree = &access::<T>(Kind::Read);

    fn init(_: &World) -> Tick {
        Tick::START
    }

    #[inline]
    fn lock<'w>(last: &'w mut Tick, world: &'w World) -> Result<Res<'w, T>, ParamError> {
        Ok(world.resources().borrow_since(last)?)
    }

    #[inline]
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Res<'g, T> {
        guard.reborrow()
    }
}

// SAFETY: writes the resource `T`, as `ACCESS` says.
unsafe impl<T: Resource> SystemParam for ResMut<'_, T> {
    /// When the system ran last.
    type State = Tick;
    type Guard<'w> = ResMut<'w, T>;
    type Item<'g> = ResMut<'g, T>;

    const ACCESS: &'static Tree = &access::<T>(Kind::Write);

    fn init(_: &World) -> Tick {
        Tick::START
    }

    #[inline]
    fn lock<'w>(last: &'w mut Tick, world: &'w World) -> Result<ResMut<'w, T>, ParamError> {
        Ok(world.resources().borrow_mut_since(last)?)
    }

    #[inline]
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> ResMut<'g, T> {
        guard.reborrow()
    }
}

// SAFETY: reads at most the resource `T`, as `ACCESS` says.
unsafe impl<T: Resource> SystemParam for Option<Res<'_, T>> {
    /// When the system ran last.
    type State = Tick;
    type Guard<'w> = Option<Res<'w, T>>;
    type Item<'g> = Option<Res<'g, T>>;

    const ACCESS: &'static Tree = <Res<'_, T> as SystemParam>::ACCESS;

    fn init(_: &World) -> Tick {
        Tick::START
    }

    #[inline]
    fn lock<'w>(last: &'w mut Tick, world: &'w World) -> Result<Self::Guard<'w>, ParamError> {
        optional(world.resources().borrow_since(last))
    }

    #[inline]
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g> {
        guard.as_ref().map(Res::reborrow)
    }
}

// SAFETY: writes at most the resource `T`, as `ACCESS` says.
unsafe impl<T: Resource> SystemParam for Option<ResMut<'_, T>> {
    /// When the system ran last.
    type State = Tick;
    type Guard<'w> = Option<ResMut<'w, T>>;
    type Item<'g> = Option<ResMut<'g, T>>;

    const ACCESS: &'static Tree = <ResMut<'_, T> as SystemParam>::ACCESS;

    fn init(_: &World) -> Tick {
        Tick::START
    }

    #[inline]
    fn lock<'w>(last: &'w mut Tick, world: &'w World) -> Result<Self::Guard<'w>, ParamError> {
        optional(world.resources().borrow_mut_since(last))
    }

    #[inline]
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g> {
        guard.as_mut().map(ResMut::reborrow)
    }
}

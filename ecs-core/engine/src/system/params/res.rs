//! `Res`, `ResMut`, and `Option` of them.

use crate::meta::{Access, Domain, Kind, Tree};
use crate::resource::{Res, ResMut, Resource, ResourceError};
use crate::system::{Joint, ParamError, SystemParam};
use crate::tick::Tick;
use crate::world::World;

const fn access<T: Resource>(kind: Kind) -> Tree {
    Tree::Leaf(Access {
        domain: Domain::Resource,
        kind,
        ident: T::IDENTITY.ident(),
    })
}

/// Borrows for reading, at run time unless the joint makes that superfluous.
///
/// # Safety
/// The joint was handed to a parameter that reads `T`.
#[inline]
pub(super) unsafe fn read<'w, T: Send + Sync + 'static>(
    last: &mut Tick,
    world: &'w World,
    joint: &Joint<'w>,
) -> Result<Res<'w, T>, ResourceError> {
    // SAFETY: a joint that holds all vouches for what its parameters touch.
    unsafe { world.resources().read(last, !joint.holds_all()) }
}

/// Borrows for writing, at run time unless the joint makes that superfluous.
///
/// # Safety
/// The joint was handed to a parameter that writes `T`.
#[inline]
pub(super) unsafe fn write<'w, T: Send + Sync + 'static>(
    last: &mut Tick,
    world: &'w World,
    joint: &Joint<'w>,
) -> Result<ResMut<'w, T>, ResourceError> {
    // SAFETY: a joint that holds all vouches for what its parameters touch.
    unsafe { world.resources().write(last, !joint.holds_all()) }
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
    fn lock_beside<'w>(
        last: &'w mut Tick,
        world: &'w World,
        joint: &'w Joint<'w>,
    ) -> Result<Res<'w, T>, ParamError> {
        // SAFETY: `ACCESS` says so.
        match unsafe { read(last, world, joint) } {
            Ok(guard) => Ok(guard),
            Err(error) => Err(ParamError::Resource(error)),
        }
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
    fn lock_beside<'w>(
        last: &'w mut Tick,
        world: &'w World,
        joint: &'w Joint<'w>,
    ) -> Result<ResMut<'w, T>, ParamError> {
        // SAFETY: `ACCESS` says so.
        match unsafe { write(last, world, joint) } {
            Ok(guard) => Ok(guard),
            Err(error) => Err(ParamError::Resource(error)),
        }
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
    fn lock_beside<'w>(
        last: &'w mut Tick,
        world: &'w World,
        joint: &'w Joint<'w>,
    ) -> Result<Self::Guard<'w>, ParamError> {
        // SAFETY: `ACCESS` says so.
        optional(unsafe { read(last, world, joint) })
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
    fn lock_beside<'w>(
        last: &'w mut Tick,
        world: &'w World,
        joint: &'w Joint<'w>,
    ) -> Result<Self::Guard<'w>, ParamError> {
        // SAFETY: `ACCESS` says so.
        optional(unsafe { write(last, world, joint) })
    }

    #[inline]
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g> {
        guard.as_mut().map(ResMut::reborrow)
    }
}

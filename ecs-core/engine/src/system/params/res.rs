//! `Res`, `ResMut`, and `Option` of them.

use crate::meta::{Access, Domain, Kind, ParamAccess};
use crate::resource::{Res, ResMut, Resource, ResourceError};
use crate::system::{HeldBorrows, ParamError, SystemParam};
use crate::tick::Tick;
use crate::world::World;

const fn access<T: Resource>(kind: Kind) -> ParamAccess {
    ParamAccess::Leaf(Access {
        domain: Domain::Resource,
        kind,
        ident: T::IDENTITY.ident(),
    })
}

/// Borrows for reading, at run time unless `held` covers it.
///
/// # Safety
/// `held` was passed to a parameter that reads `T`.
#[inline]
pub(super) unsafe fn read<'w, T: Send + Sync + 'static>(
    last: &mut Tick,
    world: &'w World,
    held: &HeldBorrows<'w>,
) -> Result<Res<'w, T>, ResourceError> {
    // SAFETY: `HeldBorrows` that hold everything prove that nothing else uses what the parameters touch in a conflicting way.
    unsafe { world.resources().read(last, !held.holds_all()) }
}

/// Borrows for writing, at run time unless `held` covers it.
///
/// # Safety
/// `held` was passed to a parameter that writes `T`.
#[inline]
pub(super) unsafe fn write<'w, T: Send + Sync + 'static>(
    last: &mut Tick,
    world: &'w World,
    held: &HeldBorrows<'w>,
) -> Result<ResMut<'w, T>, ResourceError> {
    // SAFETY: `HeldBorrows` that hold everything prove that nothing else uses what the parameters touch in a conflicting way.
    unsafe { world.resources().write(last, !held.holds_all()) }
}

// SAFETY: reads the resource `T`, as `ACCESS` says.
unsafe impl<T: Resource> SystemParam for Res<'_, T> {
    /// When the system ran last.
    type State = Tick;
    type Guard<'w> = Res<'w, T>;
    type Item<'g> = Res<'g, T>;

    const ACCESS: &'static ParamAccess = &access::<T>(Kind::Read);

    fn init(_: &World) -> Tick {
        Tick::START
    }

    #[inline]
    fn lock<'w>(
        last: &'w mut Tick,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Res<'w, T>, ParamError> {
        // SAFETY: `ACCESS` says so.
        match unsafe { read(last, world, held) } {
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

    const ACCESS: &'static ParamAccess = &access::<T>(Kind::Write);

    fn init(_: &World) -> Tick {
        Tick::START
    }

    #[inline]
    fn lock<'w>(
        last: &'w mut Tick,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<ResMut<'w, T>, ParamError> {
        // SAFETY: `ACCESS` says so.
        match unsafe { write(last, world, held) } {
            Ok(guard) => Ok(guard),
            Err(error) => Err(ParamError::Resource(error)),
        }
    }

    #[inline]
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> ResMut<'g, T> {
        guard.reborrow()
    }
}

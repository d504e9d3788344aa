//! `Res` and `ResMut` as parameters.

use crate::meta::{Access, Domain, Kind, ParamAccess};
use crate::resource::{Res, ResMut, Resource, ResourceError};
use crate::system::{HeldBorrows, ParamError, Remember, Remembered, SystemParam};
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
    // SAFETY: takes no run-time borrow if `held` holds everything. That proves that no other code uses the parameters'
    // data in a conflicting way; by the caller's contract `T` is among it.
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
    // SAFETY: takes no run-time borrow if `held` holds everything. That proves that no other code uses the parameters'
    // data in a conflicting way; by the caller's contract `T` is among it.
    unsafe { world.resources().write(last, !held.holds_all()) }
}

// SAFETY: reads the resource `T`, and `ACCESS` declares it.
unsafe impl<T: Resource> SystemParam for Res<'_, T> {
    /// The tick of the last run.
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
        // SAFETY: `held` was passed to this parameter, whose `ACCESS` reads `T`.
        match unsafe { read(last, world, held) } {
            Ok(guard) => Ok(guard),
            Err(error) => Err(ParamError::Resource(error)),
        }
    }

    #[inline]
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Res<'g, T> {
        guard.reborrow()
    }

    fn remembered(last: &mut Tick, remember: &mut Remember<'_>) {
        remember(Remembered::tick(last));
    }
}

// SAFETY: writes the resource `T`, and `ACCESS` declares it.
unsafe impl<T: Resource> SystemParam for ResMut<'_, T> {
    /// The tick of the last run.
    type State = Tick;
    type Guard<'w> = ResMut<'w, T>;
    type Item<'g> = ResMut<'g, T>;

    const ACCESS: &'static ParamAccess = match T::SENDS {
        ParamAccess::Nothing => &access::<T>(Kind::Write),
        _ => &ParamAccess::All(&[&access::<T>(Kind::Write), T::SENDS]),
    };

    fn init(_: &World) -> Tick {
        Tick::START
    }

    #[inline]
    fn lock<'w>(
        last: &'w mut Tick,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<ResMut<'w, T>, ParamError> {
        // SAFETY: `held` was passed to this parameter, whose `ACCESS` writes `T`.
        match unsafe { write(last, world, held) } {
            Ok(guard) => Ok(guard),
            Err(error) => Err(ParamError::Resource(error)),
        }
    }

    #[inline]
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> ResMut<'g, T> {
        guard.reborrow()
    }

    fn remembered(last: &mut Tick, remember: &mut Remember<'_>) {
        remember(Remembered::tick(last));
    }
}

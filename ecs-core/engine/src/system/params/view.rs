//! `Comp` and `CompMut` as parameters.

use crate::component::{Component, Tracking as _};
use crate::meta::{Access, Domain, Kind, ParamAccess};
use crate::system::{HeldBorrows, ParamError, Remember, Remembered, SystemParam};
use crate::tick::Tick;
use crate::view::{Comp, CompMut, RawExclusive, RawShared, Viewed};
use crate::world::World;

const fn access<T: Component>(kind: Kind) -> ParamAccess {
    ParamAccess::Leaf(Access {
        domain: Domain::Component,
        kind,
        ident: T::IDENT,
    })
}

/// Borrows for reading, at run time unless `held` covers it.
#[inline]
fn read<'w>(
    viewed: Viewed,
    last: Option<&mut Tick>,
    world: &'w World,
    held: &'w HeldBorrows<'w>,
) -> Result<RawShared<'w>, ParamError> {
    if held.holds_view(viewed.id(), Kind::Read) {
        // SAFETY: during `'w`, `held` has a borrow of the component, at least for reading, or proves that no other code
        // writes it.
        return Ok(unsafe { world.view_unlocked(viewed, last) });
    }
    match world.view_raw(viewed, last) {
        Ok(raw) => Ok(raw),
        Err(error) => Err(ParamError::Component(error)),
    }
}

/// Like [`read`], for writing.
#[inline]
fn write<'w>(
    viewed: Viewed,
    last: &mut Tick,
    world: &'w World,
    held: &'w HeldBorrows<'w>,
) -> Result<RawExclusive<'w>, ParamError> {
    if held.holds_view(viewed.id(), Kind::Write) {
        // SAFETY: during `'w`, `held` has the borrow of the component for writing, or proves that no other code uses
        // it. Parameters of one system that rely on it are borrowed one at a time.
        return Ok(unsafe { world.view_unlocked(viewed, Some(last)) });
    }
    match world.view_mut_raw(viewed, Some(last)) {
        Ok(raw) => Ok(raw),
        Err(error) => Err(ParamError::Component(error)),
    }
}

impl<'w, T: Component> Comp<'w, T> {
    /// Locks the view for a parameter that does not remember its last run, so everything counts as changed.
    ///
    /// # Errors
    /// If the component is borrowed for writing.
    #[doc(hidden)]
    #[inline]
    pub fn lock_anew(world: &'w World, held: &'w HeldBorrows<'w>) -> Result<Self, ParamError> {
        match read(Viewed::of::<T>(), None, world, held) {
            // SAFETY: the raw view is of the id of `T`. It has a borrow, or `held` covers the data named by `ACCESS`,
            // so no code writes a `T` during `'w`.
            Ok(raw) => Ok(unsafe { Comp::of(raw) }),
            Err(error) => Err(error),
        }
    }
}

// SAFETY: reads the component `T`, and `ACCESS` declares it.
unsafe impl<T: Component> SystemParam for Comp<'_, T> {
    /// The tick of the last run.
    type State = Tick;
    type Guard<'w> = Comp<'w, T>;
    type Item<'g> = Comp<'g, T>;

    const ACCESS: &'static ParamAccess = &access::<T>(Kind::Read);

    const REMEMBERS: bool = T::Tracking::TRACKED;

    fn init(_: &World) -> Tick {
        Tick::START
    }

    #[inline]
    fn lock<'w>(
        last: &'w mut Tick,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Comp<'w, T>, ParamError> {
        match read(Viewed::of::<T>(), Some(last), world, held) {
            // SAFETY: the raw view is of the id of `T`. It has a borrow, or `held` covers the data named by `ACCESS`,
            // so no code writes a `T` during `'w`.
            Ok(raw) => Ok(unsafe { Comp::of(raw) }),
            Err(error) => Err(error),
        }
    }

    #[inline]
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Comp<'g, T> {
        guard.reborrow()
    }

    fn remembered(last: &mut Tick, remember: &mut Remember<'_>) {
        if Self::REMEMBERS {
            remember(Remembered::tick(last));
        }
    }
}

// SAFETY: writes the component `T`, and `ACCESS` declares it.
unsafe impl<T: Component> SystemParam for CompMut<'_, T> {
    /// The tick of the last run.
    type State = Tick;
    type Guard<'w> = CompMut<'w, T>;
    type Item<'g> = CompMut<'g, T>;

    const ACCESS: &'static ParamAccess = &access::<T>(Kind::Write);

    const REMEMBERS: bool = T::Tracking::TRACKED;

    fn init(_: &World) -> Tick {
        Tick::START
    }

    #[inline]
    fn lock<'w>(
        last: &'w mut Tick,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<CompMut<'w, T>, ParamError> {
        match write(Viewed::of::<T>(), last, world, held) {
            // SAFETY: the raw view is of the id of `T`. It has a borrow, or `held` covers the data named by `ACCESS`,
            // so no other code uses a `T` during `'w`.
            Ok(raw) => Ok(unsafe { CompMut::of(raw) }),
            Err(error) => Err(error),
        }
    }

    #[inline]
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> CompMut<'g, T> {
        guard.reborrow()
    }

    fn remembered(last: &mut Tick, remember: &mut Remember<'_>) {
        if Self::REMEMBERS {
            remember(Remembered::tick(last));
        }
    }
}

//! `Comp` and `CompMut` as parameters.

use crate::component::{Component, Tracking as _};
use crate::meta::{Access, Domain, Kind, Tree};
use crate::system::{Joint, ParamError, SystemParam};
use crate::tick::Tick;
use crate::view::{Comp, CompMut};
use crate::world::World;

const fn access<T: Component>(kind: Kind) -> Tree {
    Tree::Leaf(Access {
        domain: Domain::Component,
        kind,
        ident: T::IDENTITY.ident(),
    })
}

// SAFETY: reads the component `T`, as `ACCESS` says.
unsafe impl<T: Component> SystemParam for Comp<'_, T> {
    /// The tick of the last run.
    type State = Tick;
    type Guard<'w> = Comp<'w, T>;
    type Item<'g> = Comp<'g, T>;

    const ACCESS: &'static Tree = &access::<T>(Kind::Read);

    const REMEMBERS: bool = T::Tracking::TRACKED;

    fn init(_: &World) -> Tick {
        Tick::START
    }

    #[inline]
    fn lock<'w>(last: &'w mut Tick, world: &'w World) -> Result<Comp<'w, T>, ParamError> {
        Ok(world.view_since(Some(last))?)
    }

    #[inline]
    fn lock_beside<'w>(
        last: &'w mut Tick,
        world: &'w World,
        joint: &'w Joint<'w>,
    ) -> Result<Comp<'w, T>, ParamError> {
        if joint.holds_all() {
            // SAFETY: the joint vouches for what `ACCESS` names: nobody writes a `T` as long as `'w`.
            return Ok(unsafe { world.view_unlocked(Some(last)) });
        }
        Self::lock(last, world)
    }

    #[inline]
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Comp<'g, T> {
        guard.reborrow()
    }
}

// SAFETY: writes the component `T`, as `ACCESS` says.
unsafe impl<T: Component> SystemParam for CompMut<'_, T> {
    /// The tick of the last run.
    type State = Tick;
    type Guard<'w> = CompMut<'w, T>;
    type Item<'g> = CompMut<'g, T>;

    const ACCESS: &'static Tree = &access::<T>(Kind::Write);

    const REMEMBERS: bool = T::Tracking::TRACKED;

    fn init(_: &World) -> Tick {
        Tick::START
    }

    #[inline]
    fn lock<'w>(last: &'w mut Tick, world: &'w World) -> Result<CompMut<'w, T>, ParamError> {
        Ok(world.view_mut_since(Some(last))?)
    }

    #[inline]
    fn lock_beside<'w>(
        last: &'w mut Tick,
        world: &'w World,
        joint: &'w Joint<'w>,
    ) -> Result<CompMut<'w, T>, ParamError> {
        if joint.holds_all() {
            // SAFETY: the joint vouches for what `ACCESS` names: nobody else uses a `T` as long as `'w`.
            return Ok(unsafe { world.view_mut_unlocked(Some(last)) });
        }
        Self::lock(last, world)
    }

    #[inline]
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> CompMut<'g, T> {
        guard.reborrow()
    }
}

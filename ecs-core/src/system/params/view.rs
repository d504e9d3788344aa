//! `Comp` and `CompMut` as parameters.

use crate::component::Component;
use crate::meta::{Access, Domain, Kind, Tree};
use crate::system::{ParamError, SystemParam};
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
    type State = ();
    type Guard<'w> = Comp<'w, T>;
    type Item<'g> = Comp<'g, T>;

    const ACCESS: &'static Tree = &access::<T>(Kind::Read);

    fn init(_: &World) {}

    #[inline]
    fn lock<'w>((): &'w mut (), world: &'w World) -> Result<Comp<'w, T>, ParamError> {
        Ok(world.try_view()?)
    }

    #[inline]
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Comp<'g, T> {
        guard.reborrow()
    }
}

// SAFETY: writes the component `T`, as `ACCESS` says.
unsafe impl<T: Component> SystemParam for CompMut<'_, T> {
    type State = ();
    type Guard<'w> = CompMut<'w, T>;
    type Item<'g> = CompMut<'g, T>;

    const ACCESS: &'static Tree = &access::<T>(Kind::Write);

    fn init(_: &World) {}

    #[inline]
    fn lock<'w>((): &'w mut (), world: &'w World) -> Result<CompMut<'w, T>, ParamError> {
        Ok(world.try_view_mut()?)
    }

    #[inline]
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> CompMut<'g, T> {
        guard.reborrow()
    }
}

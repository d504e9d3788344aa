//! `&World` and `&ResourceMap` as parameters.

use core::marker::PhantomData;

use crate::meta::ParamAccess;
use crate::resource::ResourceMap;
use crate::system::{HeldBorrows, ParamError, SystemParam};
use crate::world::World;

/// The parameter that is written `&World`.
///
/// `#[system]` replaces the reference by this type. References do not implement the trait: the compiler could then not
/// infer which kind of function a system is.
pub struct WorldRef<'w>(PhantomData<&'w World>);

/// The parameter that is written `&ResourceMap`, like [`WorldRef`] for `&World`.
pub struct ResourcesRef<'w>(PhantomData<&'w ResourceMap>);

// SAFETY: has the `ACCESS` of a `&World`, which can borrow any data at run time.
unsafe impl SystemParam for WorldRef<'_> {
    type State = ();
    type Guard<'w> = &'w World;
    type Item<'g> = &'g World;

    const ACCESS: &'static ParamAccess = &ParamAccess::WorldRef;

    fn init(_: &World) {}

    #[inline]
    fn lock<'w>(
        (): &'w mut (),
        world: &'w World,
        _: &'w HeldBorrows<'w>,
    ) -> Result<&'w World, ParamError> {
        Ok(world)
    }

    #[inline]
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> &'g World {
        guard
    }
}

// SAFETY: has the `ACCESS` of a `&ResourceMap`, which can borrow any resource at run time.
unsafe impl SystemParam for ResourcesRef<'_> {
    type State = ();
    type Guard<'w> = &'w ResourceMap;
    type Item<'g> = &'g ResourceMap;

    const ACCESS: &'static ParamAccess = &ParamAccess::ResourcesRef;

    fn init(_: &World) {}

    #[inline]
    fn lock<'w>(
        (): &'w mut (),
        world: &'w World,
        _: &'w HeldBorrows<'w>,
    ) -> Result<&'w ResourceMap, ParamError> {
        Ok(world.resources())
    }

    #[inline]
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> &'g ResourceMap {
        guard
    }
}

//! The last argument of a `#[system]` function: a world, or a handle that only describes the system.

use core::convert::Infallible;
use core::ops::{Deref, DerefMut};

use super::definition::System;
use crate::invariant::Invariant;
use crate::meta::refuse_more_than_resources;
use crate::resource::ResourceMap;
use crate::world::{MapWorld, World};

/// A handle to call the system `S` with: a [`World`], any type that derefs to one, and, if `S` accesses only resources,
/// a [`ResourceMap`].
///
/// `#[system]` makes `fn movement(..)` generic over this trait. The only other implementor is [`SystemProbe<S>`], which
/// has no values: when you pass `movement` *by name*, the compiler finds the one `S` for which
/// `SystemProbe<S>: WorldFor<movement's hidden type>` holds, and so finds the system of the function.
#[diagnostic::on_unimplemented(
    message = "a system is called with a `&World`, not with a `&{Self}`",
    label = "not a world",
    note = "ordinary arguments come first, the world is the last argument; for an app, pass `app.world()`"
)]
pub trait WorldFor<S> {
    /// A world that is borrowed for one call.
    type Lent<'a>: Deref<Target = World>
    where
        Self: 'a;

    /// Stops the compilation if the system needs more than the handle provides. The function that calls the system
    /// evaluates it, so the compiler points at the system's line.
    #[doc(hidden)]
    const CHECK: () = ();

    /// Returns the world.
    fn world(&self) -> Self::Lent<'_>;
}

/// A handle to call the exclusive system `S` with; see [`WorldFor`].
#[diagnostic::on_unimplemented(
    message = "an exclusive system is called with a `&mut World`, not with a `&mut {Self}`",
    label = "not a world",
    note = "ordinary arguments come first, the world is the last argument; for an app, pass `app.world_mut()`"
)]
pub trait WorldForMut<S> {
    /// Returns the world.
    fn world_mut(&mut self) -> &mut World;
}

/// The type that leads the compiler from a function to its system; it has no values.
pub struct SystemProbe<S> {
    never: Infallible,
    system: Invariant<S>,
}

impl<S> WorldFor<S> for World {
    type Lent<'a> = &'a World;

    #[inline]
    fn world(&self) -> &World {
        self
    }
}

impl<S> WorldForMut<S> for World {
    #[inline]
    fn world_mut(&mut self) -> &mut World {
        self
    }
}

/// Lets systems that access only resources run without a world.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::resource::ResourceMap;
///
/// #[system]
/// fn sum(a: usize, b: usize, c: Res<usize>, d: Res<isize>) -> isize {
///     (a + b + *c) as isize + *d
/// }
///
/// let mut map = ResourceMap::new();
/// map.insert(3_usize);
/// map.insert(-10_isize);
/// assert_eq!(sum(1, 2, &map), -4);
/// ```
///
/// It is a compile error (in `cargo build`) if the system accesses anything else, defers changes, or keeps state from
/// call to call:
///
/// ```compile_fail
/// use ecs_core::prelude::*;
/// use ecs_core::resource::ResourceMap;
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// #[system]
/// fn heal(mut health: CompMut<Health>, by: Res<u32>) {
///     health.iter_mut().for_each(|health| health.0 += *by);
/// }
///
/// heal(&ResourceMap::new());
/// ```
impl<S: System> WorldFor<S> for ResourceMap {
    type Lent<'a> = MapWorld<'a>;

    const CHECK: () = refuse_more_than_resources(&S::META);

    #[inline]
    fn world(&self) -> MapWorld<'_> {
        let () = <Self as WorldFor<S>>::CHECK;
        MapWorld::new(self)
    }
}

impl<S> WorldFor<S> for SystemProbe<S> {
    type Lent<'a>
        = &'a World
    where
        S: 'a;

    fn world(&self) -> &World {
        match self.never {}
    }
}

impl<S> WorldForMut<S> for SystemProbe<S> {
    fn world_mut(&mut self) -> &mut World {
        match self.never {}
    }
}

#[diagnostic::do_not_recommend]
impl<S, P: Deref<Target: WorldFor<S>>> WorldFor<S> for P {
    type Lent<'a>
        = <P::Target as WorldFor<S>>::Lent<'a>
    where
        P: 'a,
        P::Target: 'a;

    const CHECK: () = <P::Target as WorldFor<S>>::CHECK;

    #[inline]
    fn world(&self) -> Self::Lent<'_> {
        (**self).world()
    }
}

#[diagnostic::do_not_recommend]
impl<S, P: DerefMut<Target: WorldForMut<S>>> WorldForMut<S> for P {
    #[inline]
    fn world_mut(&mut self) -> &mut World {
        (**self).world_mut()
    }
}

//! What a `#[system]` function is called with: a world, or a handle that only describes the system.

use core::convert::Infallible;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use crate::world::World;

/// Something that the system `S` can be called with: a [`World`], and all that derefs to one.
///
/// `#[system]` makes `fn movement(..)` generic over this trait. The only other implementor is [`Describe<S>`], of which
/// no value exists: when `movement` is passed *by name*, the compiler finds the one `S` for which
/// `Describe<S>: WorldFor<movement's hidden type>` holds, and so knows the system behind the function.
#[diagnostic::on_unimplemented(
    message = "a system is called with a `&World`, not with a `&{Self}`",
    label = "not a world",
    note = "ordinary arguments come first, the world is the last argument"
)]
pub trait WorldFor<S> {
    /// The world.
    fn world(&self) -> &World;
}

/// Something that the exclusive system `S` can be called with; see [`WorldFor`].
#[diagnostic::on_unimplemented(
    message = "an exclusive system is called with a `&mut World`, not with a `&mut {Self}`",
    label = "not a world",
    note = "ordinary arguments come first, the world is the last argument"
)]
pub trait WorldForMut<S> {
    /// The world.
    fn world_mut(&mut self) -> &mut World;
}

/// The handle by which the type of a system function reveals the system; there is no value of this type.
pub struct Describe<S> {
    never: Infallible,
    system: PhantomData<fn() -> S>,
}

impl<S> WorldFor<S> for World {
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

impl<S> WorldFor<S> for Describe<S> {
    fn world(&self) -> &World {
        match self.never {}
    }
}

impl<S> WorldForMut<S> for Describe<S> {
    fn world_mut(&mut self) -> &mut World {
        match self.never {}
    }
}

#[diagnostic::do_not_recommend]
impl<S, P: Deref<Target: WorldFor<S>>> WorldFor<S> for P {
    #[inline]
    fn world(&self) -> &World {
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

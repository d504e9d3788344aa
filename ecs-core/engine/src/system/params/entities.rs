//! `Entities` as a parameter.

use crate::meta::{Components, ParamAccess};
use crate::system::{HeldBorrows, ParamError, SystemParam};
use crate::view::Entities;
use crate::world::World;

// SAFETY: accesses no component or resource. The set of entities changes only through `&mut World`, and several threads
// can reserve ids at the same time.
unsafe impl SystemParam for Entities<'_> {
    type State = ();
    type Guard<'w> = Entities<'w>;
    type Item<'g> = Entities<'g>;

    // It only allocates ids: like commands that are declared to change no component.
    const ACCESS: &'static ParamAccess = &ParamAccess::All(&[
        &ParamAccess::Deferred,
        &ParamAccess::Commands(&Components::All(&[])),
        &ParamAccess::Shape,
    ]);

    fn init(_: &World) {}

    #[inline]
    fn lock<'w>(
        (): &'w mut (),
        world: &'w World,
        _: &'w HeldBorrows<'w>,
    ) -> Result<Entities<'w>, ParamError> {
        Ok(world.entities())
    }

    #[inline]
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Entities<'g> {
        *guard
    }
}

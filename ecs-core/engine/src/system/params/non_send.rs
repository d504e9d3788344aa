//! `NonSend` and `NonSendMut` as parameters.
//!
//! They take their run-time borrows in schedules too: few systems have such a parameter, and each has to check its
//! thread anyway.

use super::optional::MayBeMissing;
use crate::meta::{Access, ConstTypeIdOf, Domain, Kind, ParamAccess};
use crate::resource::{NonSend, NonSendMut};
use crate::system::{HeldBorrows, ParamError, SystemParam};
use crate::world::World;

const fn access<T: 'static>(kind: Kind) -> ParamAccess {
    ParamAccess::NonSend(Access {
        domain: Domain::NonSend,
        kind,
        ident: ConstTypeIdOf::<T>::opaque().ident(),
    })
}

// SAFETY: reads the non-send value `T` with a run-time borrow, and `ACCESS` declares it.
unsafe impl<T: 'static> SystemParam for NonSend<'_, T> {
    type State = ();
    type Guard<'w> = NonSend<'w, T>;
    type Item<'g> = NonSend<'g, T>;

    const ACCESS: &'static ParamAccess = &access::<T>(Kind::Read);

    fn init(_: &World) {}

    fn lock<'w>(
        (): &'w mut (),
        world: &'w World,
        _: &'w HeldBorrows<'w>,
    ) -> Result<NonSend<'w, T>, ParamError> {
        Ok(world.try_non_send()?)
    }

    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> NonSend<'g, T> {
        guard.reborrow()
    }
}

// SAFETY: writes the non-send value `T` with a run-time borrow, and `ACCESS` declares it.
unsafe impl<T: 'static> SystemParam for NonSendMut<'_, T> {
    type State = ();
    type Guard<'w> = NonSendMut<'w, T>;
    type Item<'g> = NonSendMut<'g, T>;

    const ACCESS: &'static ParamAccess = &access::<T>(Kind::Write);

    fn init(_: &World) {}

    fn lock<'w>(
        (): &'w mut (),
        world: &'w World,
        _: &'w HeldBorrows<'w>,
    ) -> Result<NonSendMut<'w, T>, ParamError> {
        Ok(world.try_non_send_mut()?)
    }

    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> NonSendMut<'g, T> {
        guard.reborrow()
    }
}

impl<T: 'static> MayBeMissing for NonSend<'_, T> {}
impl<T: 'static> MayBeMissing for NonSendMut<'_, T> {}

//! `NonSend`, `NonSendMut`, and `Option` of them.
//!
//! They ask their run-time borrows in schedules too: few systems have such a parameter, and each has to ask which thread
//! it is on anyway.

use crate::meta::{Access, Domain, Identity, Kind, Tree};
use crate::resource::{NonSend, NonSendError, NonSendMut};
use crate::system::{ParamError, SystemParam};
use crate::world::World;

const fn access<T: 'static>(kind: Kind) -> Tree {
    Tree::NonSend(Access {
        domain: Domain::NonSend,
        kind,
        ident: Identity::<T>::opaque().ident(),
    })
}

/// Turns "missing" into `None`; all else stays an error.
fn optional<G>(guard: Result<G, NonSendError>) -> Result<Option<G>, ParamError> {
    match guard {
        Ok(guard) => Ok(Some(guard)),
        Err(NonSendError::Missing { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

// SAFETY: reads the non-send value `T`, as `ACCESS` says.
unsafe impl<T: 'static> SystemParam for NonSend<'_, T> {
    type State = ();
    type Guard<'w> = NonSend<'w, T>;
    type Item<'g> = NonSend<'g, T>;

    const ACCESS: &'static Tree = &access::<T>(Kind::Read);

    fn init(_: &World) {}

    fn lock<'w>((): &'w mut (), world: &'w World) -> Result<NonSend<'w, T>, ParamError> {
        Ok(world.try_non_send()?)
    }

    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> NonSend<'g, T> {
        guard.reborrow()
    }
}

// SAFETY: writes the non-send value `T`, as `ACCESS` says.
unsafe impl<T: 'static> SystemParam for NonSendMut<'_, T> {
    type State = ();
    type Guard<'w> = NonSendMut<'w, T>;
    type Item<'g> = NonSendMut<'g, T>;

    const ACCESS: &'static Tree = &access::<T>(Kind::Write);

    fn init(_: &World) {}

    fn lock<'w>((): &'w mut (), world: &'w World) -> Result<NonSendMut<'w, T>, ParamError> {
        Ok(world.try_non_send_mut()?)
    }

    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> NonSendMut<'g, T> {
        guard.reborrow()
    }
}

// SAFETY: reads at most the non-send value `T`, as `ACCESS` says.
unsafe impl<T: 'static> SystemParam for Option<NonSend<'_, T>> {
    type State = ();
    type Guard<'w> = Option<NonSend<'w, T>>;
    type Item<'g> = Option<NonSend<'g, T>>;

    const ACCESS: &'static Tree = <NonSend<'_, T> as SystemParam>::ACCESS;

    fn init(_: &World) {}

    fn lock<'w>((): &'w mut (), world: &'w World) -> Result<Self::Guard<'w>, ParamError> {
        optional(world.try_non_send())
    }

    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g> {
        guard.as_ref().map(NonSend::reborrow)
    }
}

// SAFETY: writes at most the non-send value `T`, as `ACCESS` says.
unsafe impl<T: 'static> SystemParam for Option<NonSendMut<'_, T>> {
    type State = ();
    type Guard<'w> = Option<NonSendMut<'w, T>>;
    type Item<'g> = Option<NonSendMut<'g, T>>;

    const ACCESS: &'static Tree = <NonSendMut<'_, T> as SystemParam>::ACCESS;

    fn init(_: &World) {}

    fn lock<'w>((): &'w mut (), world: &'w World) -> Result<Self::Guard<'w>, ParamError> {
        optional(world.try_non_send_mut())
    }

    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g> {
        guard.as_mut().map(NonSendMut::reborrow)
    }
}

//! `Option<..>` of a parameter whose value can be missing.

use crate::meta::ParamAccess;
use crate::query::SingleError;
#[cfg(feature = "std")]
use crate::resource::NonSendError;
use crate::resource::{Res, ResMut, Resource, ResourceError};
use crate::system::{HeldBorrows, ParamError, Remember, SystemParam};
use crate::world::{CommandQueue, World};

/// A parameter that is `None` in an `Option` if its value is missing: a resource, a thread-bound value, or an entity.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`Option<{Self}>` cannot be borrowed from the world",
    label = "`{Self}` is never missing",
    note = "for a component that may be missing write `Option<&{Self}>`, as an item of `#[system(for_each)]` or in a `Query`",
    note = "`Option` works with `Res`, `ResMut`, `NonSend`, `NonSendMut` and `Single`"
)]
pub trait MayBeMissing: SystemParam {}

impl<T: Resource> MayBeMissing for Res<'_, T> {}
impl<T: Resource> MayBeMissing for ResMut<'_, T> {}

const fn is_missing(error: &ParamError) -> bool {
    match error {
        ParamError::Resource(ResourceError::Missing { .. })
        | ParamError::Single(SingleError::None { .. }) => true,
        #[cfg(feature = "std")]
        ParamError::NonSend(NonSendError::Missing { .. }) => true,
        _ => false,
    }
}

// SAFETY: has the `ACCESS` of `P` and accesses the same data, and passes `held` to `P` once.
unsafe impl<P: MayBeMissing> SystemParam for Option<P> {
    type State = P::State;
    type Guard<'w> = Option<P::Guard<'w>>;
    type Item<'g> = Option<P::Item<'g>>;

    const ACCESS: &'static ParamAccess = P::ACCESS;
    const REMEMBERS: bool = P::REMEMBERS;
    const HAS_READERS: bool = P::HAS_READERS;

    fn init(world: &World) -> Self::State {
        P::init(world)
    }

    #[inline]
    fn lock<'w>(
        state: &'w mut Self::State,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamError> {
        match P::lock(state, world, held) {
            Ok(guard) => Ok(Some(guard)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    #[inline]
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g> {
        guard.as_mut().map(P::item)
    }

    fn flush(state: &mut Self::State, into: &mut CommandQueue) {
        P::flush(state, into);
    }

    fn skip(state: &mut Self::State, world: &World) {
        P::skip(state, world);
    }

    fn remembered(state: &mut Self::State, remember: &mut Remember<'_>) {
        P::remembered(state, remember);
    }
}

//! `Removed` as a parameter.

use crate::component::TrackedComponent;
use crate::entity::Entity;
use crate::log::Log;
use crate::meta::{ParamAccess, QueryAccess};
use crate::system::{HeldBorrows, ParamError, Remember, Remembered, SystemParam};
use crate::view::{Removed, RemovedCursor};
use crate::world::World;

/// The guard of `Removed`, which keeps the log private.
pub struct RemovedGuard<'w, T> {
    log: Option<&'w Log<Entity>>,
    cursor: &'w mut RemovedCursor<T>,
}

// SAFETY: accesses no values. Removals are recorded only through `&mut World`, and the cursor belongs to the system.
unsafe impl<T: TrackedComponent> SystemParam for Removed<'_, T> {
    type State = RemovedCursor<T>;
    type Guard<'w> = RemovedGuard<'w, T>;
    type Item<'g> = Removed<'g, T>;

    const ACCESS: &'static ParamAccess = &ParamAccess::All(&[
        &ParamAccess::Shape,
        // Accesses nothing, but names its component.
        &ParamAccess::Query {
            data: &QueryAccess::Nothing,
            filter: &QueryAccess::With(T::IDENT),
        },
    ]);
    const REMEMBERS: bool = true;
    const HAS_READERS: bool = true;

    fn init(world: &World) -> Self::State {
        let mut cursor = RemovedCursor::default();
        cursor.attach(&world.storage);
        cursor
    }

    fn lock<'w>(
        state: &'w mut Self::State,
        world: &'w World,
        _: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamError> {
        Ok(RemovedGuard {
            log: state.attach(&world.storage),
            cursor: state,
        })
    }

    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g> {
        Removed::new(guard.log, guard.cursor)
    }

    fn skip(state: &mut Self::State, world: &World) {
        world.removed(state).clear();
    }

    fn remembered(state: &mut Self::State, remember: &mut Remember<'_>) {
        remember(Remembered::reader(state.position()));
    }
}

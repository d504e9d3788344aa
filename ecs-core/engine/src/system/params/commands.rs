//! `Commands` as a parameter.

use crate::bundle::Bundle;
use crate::command::Commands;
use crate::meta::ParamAccess;
use crate::system::{HeldBorrows, ParamError, SystemParam};
use crate::view::Entities;
use crate::world::{CommandQueue, World};

// SAFETY: accesses no data of the world, as declared by `ACCESS`. Ids are reserved under a lock of their own, and the
// queue belongs to the system.
unsafe impl<B: Bundle> SystemParam for Commands<'_, B> {
    type State = CommandQueue;
    type Guard<'w> = (&'w mut CommandQueue, Entities<'w>);
    type Item<'g> = Commands<'g, B>;

    const ACCESS: &'static ParamAccess = if B::COMPONENTS.is_empty() {
        &ParamAccess::Deferred
    } else {
        &ParamAccess::All(&[
            &ParamAccess::Deferred,
            &ParamAccess::Commands(B::COMPONENTS),
        ])
    };

    fn init(_world: &World) -> CommandQueue {
        CommandQueue::new()
    }

    fn lock<'w>(
        state: &'w mut CommandQueue,
        world: &'w World,
        _: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamError> {
        Ok((state, world.entities()))
    }

    fn item<'g>((queue, entities): &'g mut Self::Guard<'_>) -> Commands<'g, B> {
        Commands::declared(queue, *entities)
    }

    fn flush(state: &mut CommandQueue, into: &mut CommandQueue) {
        into.append(state);
    }
}

//! `EventReader` and `EventWriter` as parameters.

use crate::event::{EventCursor, EventReader, EventValue, EventWriter, Events};
use crate::meta::{Access, Domain, Kind, ParamAccess};
use crate::resource::{Res, ResMut, Resource, ResourceError};
use crate::system::{HeldBorrows, ParamError, Remember, Remembered, SystemParam};
use crate::tick::Tick;
use crate::type_name::type_name;
use crate::world::World;

use super::res::{read, write};

const fn access<E: Send + Sync + 'static>(kind: Kind) -> Access {
    Access {
        domain: Domain::Resource,
        kind,
        ident: <Events<E> as Resource>::IDENTITY.ident(),
    }
}

/// Converts the error; if the resource is missing, names the event and the remedy.
fn into_param_error<E>(error: ResourceError) -> ParamError {
    match error {
        ResourceError::Missing { .. } => ParamError::NoEvents {
            event: type_name::<E>(),
        },
        borrowed @ ResourceError::Borrowed { .. } => borrowed.into(),
    }
}

// SAFETY: reads the `Events<E>` resource, and `ACCESS` declares it; the cursor belongs to the system.
unsafe impl<E: EventValue> SystemParam for EventReader<'_, E> {
    type State = EventCursor<E>;
    type Guard<'w> = (Res<'w, Events<E>>, &'w mut EventCursor<E>);
    type Item<'g> = EventReader<'g, E>;

    const ACCESS: &'static ParamAccess = &ParamAccess::Leaf(access::<E>(Kind::Read));
    const REMEMBERS: bool = true;
    const HAS_READERS: bool = true;

    fn init(world: &World) -> Self::State {
        let mut cursor = EventCursor::default();
        // If the resource is missing or borrowed for writing, the first `lock` attaches the cursor.
        if let Ok(events) = world.resources().try_borrow::<Events<E>>() {
            events.attach(&mut cursor);
        }
        cursor
    }

    fn lock<'w>(
        state: &'w mut Self::State,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamError> {
        // SAFETY: `held` was passed to this parameter, whose `ACCESS` reads `Events<E>`.
        let events = unsafe { read::<Events<E>>(&mut Tick::default(), world, held) };
        let events = events.map_err(into_param_error::<E>)?;
        events.attach(state);
        Ok((events, state))
    }

    fn item<'g>((events, cursor): &'g mut Self::Guard<'_>) -> Self::Item<'g> {
        EventReader::new(events, cursor)
    }

    fn skip(state: &mut Self::State, world: &World) {
        // Without the resource there are no events to read.
        if let Ok(events) = world.resources().try_borrow::<Events<E>>() {
            state.on(&events).clear();
        }
    }

    fn remembered(state: &mut Self::State, remember: &mut Remember<'_>) {
        remember(Remembered::reader(state.position()));
    }
}

// SAFETY: writes the `Events<E>` resource, and `ACCESS` declares it.
unsafe impl<E: EventValue> SystemParam for EventWriter<'_, E> {
    type State = ();
    type Guard<'w> = ResMut<'w, Events<E>>;
    type Item<'g> = EventWriter<'g, E>;

    const ACCESS: &'static ParamAccess = <ResMut<'_, Events<E>> as SystemParam>::ACCESS;

    fn init(_world: &World) -> Self::State {}

    fn lock<'w>(
        _state: &'w mut (),
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamError> {
        // SAFETY: `held` was passed to this parameter, whose `ACCESS` writes `Events<E>`.
        let events = unsafe { write::<Events<E>>(&mut Tick::default(), world, held) };
        let mut events = events.map_err(into_param_error::<E>)?;
        events.drop_read();
        Ok(events)
    }

    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g> {
        EventWriter::from(&mut **guard)
    }
}

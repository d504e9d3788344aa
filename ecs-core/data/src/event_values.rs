//! Single events as values, by the name of their type.

use std::fmt;

use ecs_engine::world::hooks::ObserverId;
use ecs_engine::{Entity, World};

use crate::Value;
use crate::by_name::{self, ByNameError};
use crate::event_functions::{EventFunctions, EventSink, PassedEvent, ReadFn};

/// Reads the events of a type that is known by its name, as values; see
/// [`WorldData::event_values`](crate::WorldData::event_values).
pub struct EventValues {
    read: ReadFn,
}

impl EventValues {
    /// Calls a function with each event that was sent since the last call, or that was kept at the first one: with the last `most`
    /// of them. Returns the number of the others, together with those that were dropped meanwhile.
    ///
    /// While other readers are registered, this one is too, so that no event is dropped before it was seen: an event may be kept
    /// longer than without it, until the next call or its drop. It changes no order, and no reader misses an event by it.
    ///
    /// # Panics
    /// If the events are borrowed for writing, or the `Serialize` of an event or the function panics.
    pub fn read(&mut self, world: &World, most: usize, each: &mut dyn FnMut(PassedEvent)) -> u64 {
        (self.read)(world, most, each)
    }
}

impl fmt::Debug for EventValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventValues").finish_non_exhaustive()
    }
}

fn find(world: &World, name: &str) -> Result<&'static EventFunctions, ByNameError> {
    by_name::event_functions(world, name)
}

pub(crate) fn reader_of(world: &World, name: &str) -> Result<EventValues, ByNameError> {
    let functions = find(world, name)?;
    Ok(EventValues {
        read: (functions.reader)(),
    })
}

pub(crate) fn send(world: &mut World, name: &str, event: &Value) -> Result<(), ByNameError> {
    (find(world, name)?.send)(world, event).map_err(|message| unfit(name, message))
}

/// Calls a function with each event of a type that is triggered from now on, until the observer is unregistered.
pub fn observe_values(
    world: &mut World,
    name: &str,
    sink: EventSink,
) -> Result<ObserverId, ByNameError> {
    let functions = find(world, name)?;
    Ok((functions.observe)(world, sink))
}

pub(crate) fn trigger(
    world: &mut World,
    name: &str,
    entity: Option<Entity>,
    event: &Value,
) -> Result<(), ByNameError> {
    let functions = find(world, name)?;
    if let Some(entity) = entity {
        world.entity(entity)?;
    }
    (functions.trigger)(world, entity, event).map_err(|message| unfit(name, message))
}

fn unfit(name: &str, message: String) -> ByNameError {
    ByNameError::Value {
        name: name.to_owned(),
        message,
    }
}

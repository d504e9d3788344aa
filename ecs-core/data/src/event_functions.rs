//! The functions for single events of a type, without the type.

use std::sync::Arc;

use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::event::{EventCursor, Events};
use ecs_engine::world::hooks::{ObserverId, Trigger};
use ecs_engine::{Entity, World};
use serde_core::Serialize;
use serde_core::de::DeserializeOwned;

use crate::Value;

/// Calls a function with the new events, at most so many, and returns the number of events that were passed over before them.
pub(crate) type ReadFn = Box<dyn FnMut(&World, usize, &mut dyn FnMut(PassedEvent)) -> u64 + Send>;

/// Is called with each event that is triggered: its entity, and a function that writes it as a value, which may panic.
pub type EventSink =
    Arc<dyn Fn(Option<Entity>, &mut dyn FnMut() -> Result<Value, String>) + Send + Sync>;

/// An event that was sent; see [`EventValues::read`](crate::EventValues::read).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PassedEvent {
    /// The number of the event among all of its type that were sent in this world, from 0.
    pub number: u64,
    /// The event as a value; an error if its `Serialize` fails.
    pub value: Result<Value, String>,
}

/// The functions for single events of a type.
pub(crate) struct EventFunctions {
    pub(crate) reader: fn() -> ReadFn,
    pub(crate) send: fn(&mut World, &Value) -> Result<(), String>,
    pub(crate) observe: fn(&mut World, EventSink) -> ObserverId,
    /// The entity is alive.
    pub(crate) trigger: fn(&mut World, Option<Entity>, &Value) -> Result<(), String>,
}

impl EventFunctions {
    pub(crate) const fn of<E: Serialize + DeserializeOwned + Send + Sync + 'static>() -> Self {
        Self {
            reader: reader::<E>,
            send: |world, event| {
                world.send_event(read::<E>(event)?);
                Ok(())
            },
            observe: |world, sink| {
                world.observe(move |event: Trigger<E>| {
                    sink(event.target(), &mut || written(&*event));
                })
            },
            trigger: |world, entity, event| {
                let event = read::<E>(event)?;
                match entity {
                    Some(entity) => _ = world.trigger_on(entity, event),
                    None => _ = world.trigger(event),
                }
                Ok(())
            },
        }
    }
}

fn read<E: DeserializeOwned>(event: &Value) -> Result<E, String> {
    let session = Session::new(IdForm::Tree);
    let event = session.run(|| event.to::<E>());
    match session.take_error() {
        Some(error) => Err(error.to_string()),
        None => event.map_err(|error| error.to_string()),
    }
}

fn written<E: Serialize>(event: &E) -> Result<Value, String> {
    let session = Session::new(IdForm::Tree);
    let event = session.run(|| Value::of(event));
    match session.take_error() {
        Some(error) => Err(error.to_string()),
        None => event.map_err(|error| error.to_string()),
    }
}

fn reader<E: Serialize + Send + Sync + 'static>() -> ReadFn {
    let mut next = None;
    // Where other readers let events go, this one keeps them until it has read them. Where there are none, all are kept.
    let mut keeper: Option<EventCursor<E>> = None;
    Box::new(move |world, most, each| {
        let Some(events) = world.get_resource::<Events<E>>() else {
            return 0;
        };
        if events.readers() > usize::from(keeper.is_some()) {
            let keeper = keeper.get_or_insert_default();
            keeper.on(&events).clear();
        } else {
            keeper = None;
        }
        let (first, kept) = events.numbered();
        let end = first + kept.len() as u64;
        // After a step back there are fewer.
        let from = next.filter(|next| *next <= end).unwrap_or(first);
        next = Some(end);
        let start = from.max(first).max(end.saturating_sub(most as u64));
        for (number, event) in (start..).zip(kept.skip((start - first) as usize)) {
            each(PassedEvent {
                number,
                value: written(event),
            });
        }
        start - from
    })
}

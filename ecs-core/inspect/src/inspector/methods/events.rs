//! Events: their queues, the last ones, and new ones.

use ecs_data::{Value, WorldData};

use crate::inspector::call::{
    CallContext,
    Effect::{Reads, Writes},
    Progress, RpcMethod, in_pieces, method,
};
use crate::inspector::error::RpcError;
use crate::inspector::json::{object, with_entities};
use crate::inspector::params::Params;
use crate::inspector::values::frame;

/// The events of one answer.
const MOST_EVENTS: u64 = 200;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![
        method(
            "events.list",
            Reads,
            "",
            "Events, the number that waits, and the lag of readers.",
            list,
        ),
        method(
            "events.tail",
            Reads,
            "event, since, limit",
            "The last events of a type, as they pass.",
            tail,
        ),
        method(
            "world.trigger_event",
            Writes,
            "event, value, entity",
            "Calls the observers of an event, on an entity or on none.",
            trigger,
        ),
        method(
            "world.write_message",
            Writes,
            "message, value",
            "Sends an event to its readers.",
            send,
        ),
    ]
}

fn list(context: &mut CallContext<'_>, _: &Params) -> Result<Progress, RpcError> {
    let queues = context.world().event_queues();
    Ok(in_pieces(queues, |context, queue| {
        if context.state.hidden.has(context.world(), queue.name) {
            return Ok(None);
        }
        let unread = queue.unread.iter();
        let unread = unread.map(|unread| Value::from(*unread as u64));
        Ok(Some(object([
            ("name", queue.name.into()),
            ("kept", (queue.len as u64).into()),
            ("delayed", (queue.delayed as u64).into()),
            ("unread", Value::List(unread.collect())),
        ])))
    }))
}

fn tail(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let name = params.text("event")?;
    let since = params.number_or("since", 0)?;
    let limit = params.number_or("limit", 100)?.min(MOST_EVENTS) as usize;
    context.shown(name)?;
    let tails = context.state.tails.clone();
    let new = tails.events(context.app, name, since);
    let new = new.map_err(|error| RpcError::of_resource(&error))?;
    let next = new.last().map_or(since, |(_, event)| event.number + 1);
    let shown = &new[new.len().saturating_sub(limit)..];
    let missed = shown.first().map_or(0, |(_, event)| event.number - since);
    let events = shown.iter().map(|(frame, event)| {
        let value = match &event.value {
            Ok(value) => ("value", value.clone()),
            Err(error) => ("error", error.as_str().into()),
        };
        object([
            ("number", event.number.into()),
            ("frame", (*frame).into()),
            value,
        ])
    });
    Ok(object([
        ("frame", frame(context.world()).into()),
        ("next", next.into()),
        ("missed", missed.into()),
        ("events", Value::List(events.collect())),
    ])
    .into())
}

/// Calls a function with a value whose marks of entities are entities, and if the type refuses it, with the value as it came.
fn with_marks(
    value: Option<&Value>,
    mut call: impl FnMut(&Value) -> Result<(), ecs_data::ByNameError>,
) -> Result<Progress, RpcError> {
    let null = Value::Null;
    let value = value.unwrap_or(&null);
    let (marked, found) = with_entities(value);
    let mut done = call(&marked);
    if found && matches!(done, Err(ecs_data::ByNameError::Value { .. })) {
        done = call(value).or(done);
    }
    match done {
        Ok(()) => Ok(Value::Null.into()),
        Err(ecs_data::ByNameError::NoSuchEntity(error)) => Err(error.into()),
        Err(error) => Err(RpcError::of_resource(&error)),
    }
}

fn trigger(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let name = params.text("event")?;
    context.shown(name)?;
    let entity = params
        .get("entity")
        .map(|_| params.entity("entity"))
        .transpose()?;
    let world = context.app.world_mut();
    with_marks(params.get("value"), |value| {
        world.trigger_by_name(name, entity, value)
    })
}

fn send(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let name = params.text("message")?;
    context.shown(name)?;
    let world = context.app.world_mut();
    with_marks(params.get("value"), |value| {
        world.send_event_by_name(name, value)
    })
}

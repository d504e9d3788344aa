//! A stream of the events that are triggered, with the name of the Bevy Remote Protocol.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ecs_app::App;
use ecs_data::__private::{EventSink, observe_values};
use ecs_data::Value;
use ecs_engine::Entity;

use crate::inspector::call::{CallContext, Effect::Writes, Progress, RpcMethod, method};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::inspector::values::{frame, read_beside};

/// The events that wait for the client. Later ones are only counted.
const MOST_WAITING: usize = 200;

pub(crate) fn methods() -> Vec<RpcMethod> {
    // An observer takes time whenever an event is triggered, so only clients with the token add one.
    vec![method(
        "world.observe+watch",
        Writes,
        "event, entity",
        "A stream of the events of a type that are triggered.",
        observe,
    )]
}

/// The events that were triggered and not sent.
#[derive(Default)]
struct TriggeredEvents {
    waiting: VecDeque<(Option<Entity>, Result<Value, RpcError>)>,
    missed: u64,
}

type SharedTriggered = Arc<Mutex<TriggeredEvents>>;

fn lock(observed: &Mutex<TriggeredEvents>) -> MutexGuard<'_, TriggeredEvents> {
    observed.lock().unwrap_or_else(PoisonError::into_inner)
}

fn observe(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let name = params.text("event")?;
    context.shown(name)?;
    let entity = params.get("entity").map(|_| params.entity("entity"));
    let entity = entity.transpose()?;
    if let Some(entity) = entity {
        context.world().entity(entity)?;
    }
    let observed = begin(context.app, name, entity)?;
    let mut is_first = true;
    Ok(Progress::Stream(Box::new(move |context| {
        let TriggeredEvents { waiting, missed } = std::mem::take(&mut *lock(&observed));
        if waiting.is_empty() && !std::mem::take(&mut is_first) {
            return None;
        }
        let events = waiting.into_iter().map(|(entity, value)| {
            let value = match value {
                Ok(value) => ("value", value),
                Err(error) => ("error", error.message().into()),
            };
            object([
                ("entity", entity.map(|entity| context.id(entity)).into()),
                value,
            ])
        });
        Some(Ok(object([
            ("events", Value::List(events.collect())),
            ("missed", missed.into()),
            ("frame", frame(context.world()).into()),
        ])))
    })))
}

/// Registers an observer. A hook unregisters it after a frame when nothing holds the events any more.
fn begin(app: &mut App, name: &str, only: Option<Entity>) -> Result<SharedTriggered, RpcError> {
    let observed = SharedTriggered::default();
    let held = Arc::downgrade(&observed);
    let watched = held.clone();
    let sink: EventSink = Arc::new(move |entity, write| {
        let Some(observed) = held.upgrade() else {
            return;
        };
        if only.is_some() && entity != only {
            return;
        }
        let mut observed = lock(&observed);
        if observed.waiting.len() == MOST_WAITING {
            // The time that events take in a frame has a bound.
            observed.missed += 1;
            return;
        }
        let value =
            read_beside(|| write().map_err(|message| RpcError::new(RpcError::RESOURCE, message)));
        observed.waiting.push_back((entity, value));
    });
    let added = observe_values(app.world_mut(), name, sink);
    let id = added.map_err(|error| RpcError::of_resource(&error))?;
    app.after_frame(move |app| match watched.strong_count() {
        0 => {
            app.world_mut().unobserve(id);
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    });
    Ok(observed)
}

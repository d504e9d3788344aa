//! Observers.

use ecs_data::Value;
use ecs_engine::meta::SystemMeta;
use ecs_engine::world::hooks::{Lifecycle, ListedObserver};

use super::access::{AccessUse, each_access};
use crate::inspector::call::{CallContext, Effect::Reads, Progress, RpcMethod, in_pieces, method};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::inspector::values::shown_name;

/// The most entities with observers of their own that an answer lists.
const MOST_ENTITIES: usize = 200;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![method(
        "observers.list",
        Reads,
        "entity",
        "The observers of all entities, and the ones of single entities.",
        list,
    )]
}

fn list(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let world = context.world();
    let listed = match params.get("entity") {
        Some(_) => {
            let entity = params.entity("entity")?;
            world.entity(entity)?;
            world.observer_list_of(entity)
        }
        None => {
            let own = world.observed_entities(MOST_ENTITIES).into_iter();
            let own = own.flat_map(|entity| world.observer_list_of(entity));
            world.observer_list().into_iter().chain(own).collect()
        }
    };
    Ok(in_pieces(listed, |context, observer| {
        let is_hidden = context.state.hidden.has_event(context.world(), &observer);
        Ok((!is_hidden).then(|| described(context, &observer)))
    }))
}

fn described(context: &CallContext<'_>, observer: &ListedObserver) -> Value {
    let lifecycle = observer.lifecycle.map(|lifecycle| match lifecycle {
        Lifecycle::Add => "add",
        Lifecycle::Insert => "insert",
        Lifecycle::Replace => "replace",
        Lifecycle::Remove => "remove",
        Lifecycle::Despawn => "despawn",
    });
    let component = observer.component;
    let component = component.map(|component| shown_name(component).unwrap_or(component.name()));
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let meta = SystemMeta::new(observer.name, observer.params);
    each_access(&meta, &mut |name, used| {
        if context.state.hidden.has(context.world(), name) {
            return;
        }
        let list = match used {
            AccessUse::Reads => &mut reads,
            AccessUse::Writes | AccessUse::Commands => &mut writes,
        };
        if !list.contains(&Value::from(name)) {
            list.push(name.into());
        }
    });
    object([
        ("observer", observer.name.into()),
        ("event", observer.event.into()),
        ("lifecycle", lifecycle.into()),
        ("component", component.into()),
        (
            "entity",
            observer.entity.map(|entity| context.id(entity)).into(),
        ),
        ("reads", Value::List(reads)),
        ("writes", Value::List(writes)),
    ])
}

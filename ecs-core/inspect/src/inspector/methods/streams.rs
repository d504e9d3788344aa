//! Streams of what changes in an entity, with the names and shapes of the Bevy Remote Protocol.

use ecs_data::Value;
use ecs_engine::Entity;

use super::world;
use crate::inspector::call::{CallContext, Effect::Reads, Progress, RpcMethod, method};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::inspector::values;

/// The components of a stream: all are looked at in one piece.
const MOST_COMPONENTS: usize = 64;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![
        method(
            "world.get_components+watch",
            Reads,
            "entity, components, strict",
            "A stream of the values of an entity that have changed.",
            get_components,
        ),
        method(
            "world.list_components+watch",
            Reads,
            "entity",
            "A stream of the names of components that an entity gets and loses.",
            list_components,
        ),
    ]
}

/// A component, and its value at the last look.
struct WatchedCell {
    name: String,
    last: Option<Result<Value, RpcError>>,
}

impl WatchedCell {
    /// Looks at the value; returns true if it has changed.
    fn look(&mut self, context: &CallContext<'_>, entity: Entity) -> bool {
        let value = values::component_beside(context.world(), entity, &self.name);
        let has_changed = self.last.as_ref() != Some(&value);
        if has_changed {
            self.last = Some(value);
        }
        has_changed
    }
}

fn get_components(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let entity = params.entity("entity")?;
    let strict = params.flag("strict")?;
    context.world().entity(entity)?;
    let names = params.texts("components")?;
    if names.len() > MOST_COMPONENTS {
        let message = format!("a stream has at most {MOST_COMPONENTS} components");
        return Err(RpcError::params(message));
    }
    let mut cells = Vec::new();
    for name in names {
        context.shown(name)?;
        if strict {
            values::component(context.world(), entity, name)?;
        }
        cells.push(WatchedCell {
            name: name.to_owned(),
            last: None,
        });
    }
    Ok(Progress::Stream(Box::new(move |context| {
        if let Err(error) = context.world().entity(entity) {
            return Some(Err(error.into()));
        }
        let (mut components, mut removed, mut errors) = (Vec::new(), Vec::new(), Vec::new());
        let had_values: Vec<bool> = cells
            .iter()
            .map(|cell| matches!(cell.last, Some(Ok(_))))
            .collect();
        let have_changed: Vec<bool> = values::together(|| {
            cells
                .iter_mut()
                .map(|cell| cell.look(context, entity))
                .collect()
        });
        let changed = cells.iter().zip(had_values).zip(have_changed);
        for ((cell, had_value), _) in changed.filter(|(_, has_changed)| *has_changed) {
            let name = cell.name.as_str();
            match cell.last.as_ref()? {
                Ok(value) => components.push((name, value.clone())),
                Err(error) if had_value && error.code() == RpcError::NOT_PRESENT => {
                    removed.push(name);
                }
                Err(error) if strict => return Some(Err(error.clone())),
                Err(error) => errors.push((name, world::error_cell(context, error.clone()))),
            }
        }
        let has_changed = !(components.is_empty() && removed.is_empty() && errors.is_empty());
        has_changed.then(|| {
            let components = ("components", components.into_iter().collect());
            let removed = ("removed", removed.into_iter().collect());
            Ok(match strict {
                true => object([components, removed]),
                false => object([
                    components,
                    removed,
                    ("errors", errors.into_iter().collect()),
                ]),
            })
        })
    })))
}

fn list_components(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let entity = params.entity("entity")?;
    context.world().entity(entity)?;
    let mut last: Option<Vec<&'static str>> = None;
    Ok(Progress::Stream(Box::new(move |context| {
        let now = match world::component_names(context, entity) {
            Ok(names) => names,
            Err(error) => return Some(Err(error)),
        };
        let is_first = last.is_none();
        let before = last.replace(now.clone()).unwrap_or_default();
        let missing = |names: &[&'static str], other: &[&'static str]| {
            let names = names.iter().filter(|name| !other.contains(name));
            names.copied().collect::<Vec<_>>()
        };
        let (added, removed) = (missing(&now, &before), missing(&before, &now));
        let has_changed = is_first || !(added.is_empty() && removed.is_empty());
        has_changed.then(|| {
            Ok(object([
                ("added", added.into_iter().collect()),
                ("removed", removed.into_iter().collect()),
            ]))
        })
    })))
}

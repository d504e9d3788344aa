//! The methods of worlds, with the names and shapes of the Bevy Remote Protocol.

use ecs_data::{TextPlace, TextQuery, Value, WorldData};
use ecs_engine::component::ComponentId;
use ecs_engine::{Entity, World};

use super::rows::{query_error, row};
use crate::inspector::core::{
    CallContext,
    Effect::{Reads, Writes},
    Progress, RpcMethod, ValueEdit, method,
};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::inspector::values;

/// The rows of an answer without pages.
const MOST_ROWS: usize = 10_000;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![
        method(
            "world.query",
            Reads,
            "data: {components, option, has}, filter: {with, without}",
            "Entities by their components.",
            query,
        ),
        method(
            "world.get_components",
            Reads,
            "entity, components, strict",
            "Values of an entity.",
            get_components,
        ),
        method(
            "world.list_components",
            Reads,
            "entity",
            "The names of the components of an entity, or of all.",
            list_components,
        ),
        method(
            "world.insert_components",
            Writes,
            "entity, components: {name: value}",
            "Inserts components: all or none.",
            insert_components,
        ),
        method(
            "world.mutate_components",
            Writes,
            "entity, component, path, value",
            "Changes a part of a component.",
            mutate_components,
        ),
        method(
            "world.remove_components",
            Writes,
            "entity, components",
            "Removes components.",
            remove_components,
        ),
        method(
            "world.spawn_entity",
            Writes,
            "components: {name: value}",
            "Spawns an entity.",
            spawn_entity,
        ),
        method(
            "world.despawn_entity",
            Writes,
            "entity",
            "Despawns an entity.",
            despawn_entity,
        ),
        method(
            "world.reparent_entities",
            Writes,
            "entities, parent, relation",
            "Gives entities a parent, or takes it.",
            reparent_entities,
        ),
        method(
            "edit.undo",
            Writes,
            "",
            "Takes back the last edit of a value.",
            undo,
        ),
    ]
}

fn quoted(name: &str) -> Result<String, RpcError> {
    match name.contains(['`', '\n']) || name.is_empty() {
        true => Err(RpcError::new(
            RpcError::COMPONENT,
            format!("no component `{name}`"),
        )),
        false => Ok(format!("`{name}`")),
    }
}

fn query(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let (data, filter) = (params.inner("data")?, params.inner("filter")?);
    let components = data.texts("components")?;
    let all = data.get("option").and_then(Value::as_str) == Some("all");
    let option = if all {
        Vec::new()
    } else {
        data.texts("option")?
    };
    let has = data.texts("has")?;
    let mut terms = Vec::new();
    for name in components.iter().chain(&filter.texts("with")?) {
        terms.push(quoted(name)?);
    }
    for name in filter.texts("without")? {
        terms.push(format!("!{}", quoted(name)?));
    }
    for name in option.iter().chain(&has) {
        context.shown(name)?;
    }
    let text = terms.join(", ");
    let query = TextQuery::new(context.world(), &text).map_err(|error| query_error(&error))?;
    context.state.hidden.check_query(&query)?;
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let (mut names, has) = (owned(components), owned(has));
    names.extend(owned(option));
    let (mut place, mut rows) = (TextPlace::START, Vec::new());
    Ok(Progress::Later(Box::new(move |context| {
        let world = context.world();
        let matches = match query.matches(world) {
            Ok(matches) => matches,
            Err(error) => return Some(Err(query_error(&error))),
        };
        let mut walk = matches.resume(&place, 1024);
        for found in walk.by_ref() {
            let entity = found.entity();
            let mut shown = names.clone();
            if all {
                let known = world
                    .entity(entity)
                    .into_iter()
                    .flat_map(|entity| entity.components());
                let known = known.filter_map(|known| values::shown_name(known.id()));
                let known = known.filter(|name| !context.state.hidden.has(world, name));
                shown.extend(known.map(str::to_owned));
            }
            let cells = shown.iter().map(|name| {
                let cell = values::read(|| Ok(world.get_by_name(entity, name)?));
                (name.as_str(), cell)
            });
            let mut cells = row(context, entity, cells);
            if !has.is_empty() {
                let has = has.iter().map(|name| {
                    let mut known = world
                        .entity(entity)
                        .into_iter()
                        .flat_map(|entity| entity.components());
                    (
                        name.as_str(),
                        Value::from(
                            known.any(|known| values::shown_name(known.id()) == Some(name)),
                        ),
                    )
                });
                cells.push(("has".into(), has.collect()));
            }
            rows.push(Value::Map(cells));
            if rows.len() == MOST_ROWS {
                return Some(Ok(Value::List(std::mem::take(&mut rows))));
            }
            if context.budget.is_spent() {
                break;
            }
        }
        match walk.place() {
            Some(next) => {
                place = next;
                None
            }
            None => Some(Ok(Value::List(std::mem::take(&mut rows)))),
        }
    })))
}

fn get_components(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let entity = params.entity("entity")?;
    let strict = params.flag("strict")?;
    context.world().entity(entity)?;
    let (mut components, mut errors) = (Vec::new(), Vec::new());
    for name in params.texts("components")? {
        let value = context
            .shown(name)
            .and_then(|()| values::component(context.world(), entity, name));
        match value {
            Ok(value) => components.push((name, value)),
            Err(error) if strict => return Err(error),
            Err(error) => errors.push((name, error_cell(&error))),
        }
    }
    let components = ("components", components.into_iter().collect());
    Ok(match strict {
        true => components.1,
        false => object([components, ("errors", errors.into_iter().collect())]),
    }
    .into())
}

/// Returns an error in the place of a value.
pub(super) fn error_cell(error: &RpcError) -> Value {
    object([
        ("code", error.code().into()),
        ("message", error.message().into()),
    ])
}

/// Returns the names of the components of an entity, or of all.
pub(super) fn component_names(
    context: &CallContext<'_>,
    entity: Option<Entity>,
) -> Result<Vec<&'static str>, RpcError> {
    let world = context.world();
    let ids: Vec<ComponentId> = match entity {
        Some(entity) => {
            let entity = world.entity(entity)?;
            entity.components().map(|known| known.id()).collect()
        }
        None => world.registered_components(),
    };
    let mut names: Vec<&'static str> = ids.into_iter().filter_map(values::shown_name).collect();
    names.retain(|name| !context.state.hidden.has(world, name));
    Ok(names)
}

fn list_components(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let entity = params.get("entity").map(|_| params.entity("entity"));
    let names = component_names(context, entity.transpose()?)?;
    Ok(names.into_iter().collect::<Value>().into())
}

/// Remembers the value before an edit.
fn remember(context: &mut CallContext<'_>, entity: Entity, name: &str) {
    let before = values::read(|| Ok(context.world().get_by_name(entity, name)?));
    if let Ok(before) = before {
        let name = name.to_owned();
        context.state.remember(ValueEdit {
            entity: Some(entity),
            name,
            before,
        });
    }
}

fn insert_components(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let entity = params.entity("entity")?;
    let values = params.entries("components")?;
    context.world().entity(entity)?;
    for (name, _) in &values {
        context.shown(name)?;
    }
    let known = context.state.edits.len();
    for (name, _) in &values {
        remember(context, entity, name);
    }
    let inserted = values::insert(context.app.world_mut(), Some(entity), &values);
    if inserted.is_err() {
        context.state.edits.truncate(known);
    }
    inserted?;
    Ok(Value::Null.into())
}

fn mutate_components(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let (entity, name) = (params.entity("entity")?, params.text("component")?);
    let path = params.get("path").map_or(Ok(""), |_| params.text("path"))?;
    let null = Value::Null;
    let value = params.get("value").unwrap_or(&null);
    context.shown(name)?;
    let before = values::component(context.world(), entity, name)?;
    let mut tree = before.clone();
    values::put(&mut tree, path, value)?;
    values::insert(context.app.world_mut(), Some(entity), &[(name, &tree)])?;
    let (entity, name, before) = (Some(entity), name.to_owned(), Some(before));
    context.state.remember(ValueEdit {
        entity,
        name,
        before,
    });
    Ok(Value::Null.into())
}

fn remove_components(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let entity = params.entity("entity")?;
    let names = params.texts("components")?;
    for name in &names {
        context.shown(name)?;
        // Unknown names are found before anything is removed.
        if let Err(error @ ecs_data::ByNameError::Unknown { .. }) =
            context.world().entities_with(name)
        {
            return Err(error.into());
        }
    }
    context.world().entity(entity)?;
    for name in &names {
        remember(context, entity, name);
        context.app.world_mut().remove_by_name(entity, name)?;
    }
    Ok(Value::Null.into())
}

fn spawn_entity(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let values = params.entries("components")?;
    for (name, _) in &values {
        context.shown(name)?;
    }
    let entity = values::insert(context.app.world_mut(), None, &values)?;
    Ok(object([("entity", context.id(entity))]).into())
}

fn despawn_entity(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let entity = params.entity("entity")?;
    context.app.world_mut().despawn(entity)?;
    Ok(Value::Null.into())
}

fn reparent_entities(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let relation = match params.get("relation") {
        Some(_) => params.text("relation")?.to_owned(),
        None => only_tree(context)?,
    };
    context.shown(&relation)?;
    let parent = params
        .get("parent")
        .map(|_| params.entity("parent"))
        .transpose()?;
    let entities = params.entities("entities")?;
    for entity in entities.iter().chain(&parent) {
        context.world().entity(*entity)?;
    }
    if let Some(parent) = parent
        && entities.contains(&parent)
    {
        let message = format!("entity {parent} cannot be its own parent");
        return Err(RpcError::new(RpcError::SELF_PARENT, message));
    }
    let mut edits = Vec::with_capacity(entities.len());
    for entity in entities {
        let before = values::read(|| Ok(context.world().get_by_name(entity, &relation)?))?;
        edits.push(ValueEdit {
            entity: Some(entity),
            name: relation.clone(),
            before,
        });
    }
    let world = context.app.world_mut();
    for (position, edit) in edits.iter().enumerate() {
        let Some(entity) = edit.entity else { continue };
        let moved = match parent {
            Some(parent) => world.insert_by_name(entity, &relation, &parent.into()),
            None => world.remove_by_name(entity, &relation).map(drop),
        };
        if let Err(error) = moved {
            // Only now it shows that the parent is below one of them: those before it return.
            for edit in edits[..position].iter().rev() {
                take_back(world, edit)?;
            }
            return Err(error.into());
        }
    }
    for edit in edits {
        context.state.remember(edit);
    }
    Ok(Value::Null.into())
}

/// Returns the name of the only relation that makes trees.
fn only_tree(context: &CallContext<'_>) -> Result<String, RpcError> {
    let mut trees = context.world().relations();
    trees.retain(|relation| relation.is_tree());
    match &trees[..] {
        [tree] => Ok(tree.name().to_owned()),
        _ => Err(RpcError::params("name the relation in `relation`")),
    }
}

/// Returns a component or a resource to the value before an edit.
fn take_back(world: &mut World, edit: &ValueEdit) -> Result<(), RpcError> {
    match (edit.entity, &edit.before) {
        (Some(entity), Some(value)) => world.insert_by_name(entity, &edit.name, value)?,
        (Some(entity), None) => _ = world.remove_by_name(entity, &edit.name)?,
        (None, Some(value)) => {
            let inserted = world.insert_resource_by_name(&edit.name, value);
            inserted.map_err(|error| RpcError::of_resource(&error))?;
        }
        (None, None) => {
            let removed = world.remove_resource_by_name(&edit.name);
            removed.map_err(|error| RpcError::of_resource(&error))?;
        }
    }
    Ok(())
}

fn undo(context: &mut CallContext<'_>, _: &Params) -> Result<Progress, RpcError> {
    let Some(edit) = context.state.edits.pop_back() else {
        return Err(RpcError::new(
            RpcError::TIME,
            "there is no edit to take back",
        ));
    };
    take_back(context.app.world_mut(), &edit)?;
    let entity = edit.entity.map(|entity| context.id(entity));
    Ok(object([("entity", entity.into()), ("name", edit.name.into())]).into())
}

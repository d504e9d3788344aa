//! The methods of worlds, with the names and shapes of the Bevy Remote Protocol.

use ecs_data::{TextPlace, Value, WorldData};
use ecs_engine::__private::Instant;
use ecs_engine::component::ComponentId;
use ecs_engine::{Entity, World};

use super::rows::{MOST_COLUMNS, PieceOfRows, parsed, query_error, row, too_many_columns};
use super::undo;
use crate::inspector::call::{
    CallContext,
    Effect::{Reads, Writes},
    Progress, RpcMethod, in_pieces, in_pieces_then, method,
};
use crate::inspector::edits::{UndoableEdit, ValueEdit};
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
            "entity, components, strict, whole",
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
    if components.len() + option.len() + has.len() > MOST_COLUMNS {
        return Err(too_many_columns());
    }
    let text = terms.join(", ");
    let query = parsed(context.world(), &text)?;
    context.state.hidden.check_query(&query)?;
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
    let (mut names, has) = (owned(components), owned(has));
    names.extend(owned(option));
    let (mut place, mut rows, mut size) = (TextPlace::START, Vec::new(), PieceOfRows::new());
    Ok(Progress::Later(Box::new(move |context| {
        let world = context.world();
        let matches = match query.matches(world) {
            Ok(matches) => matches,
            Err(error) => return Some(Err(query_error(&error))),
        };
        let start = Instant::now();
        let mut walk = matches.resume(&place, size.rows());
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
                let cell = values::read_beside(|| Ok(world.get_by_name(entity, name)?));
                (name.as_str(), cell)
            });
            let mut cells = values::together(|| row(context, entity, cells));
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
        size.took(start, context.budget);
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
    let (strict, whole) = (params.flag("strict")?, context.whole(params)?);
    context.world().entity(entity)?;
    let names = params.texts("components")?.into_iter();
    let names: Vec<String> = names.map(str::to_owned).collect();
    let each = move |context: &mut CallContext<'_>, name: String| {
        let value = context.shown(&name).and_then(|()| match whole {
            true => values::whole_component(context.world(), entity, &name),
            false => values::component(context.world(), entity, &name),
        });
        Ok(Some(match value {
            Ok(value) => Value::List(vec![name.into(), value]),
            Err(error) if strict => return Err(error),
            Err(error) => Value::List(vec![name.into(), Value::Null, error_cell(context, error)]),
        }))
    };
    Ok(in_pieces_then(names, each, move |_, parts| {
        let (mut components, mut errors) = (Vec::new(), Vec::new());
        for part in parts {
            let part = part.into_list().unwrap_or_default();
            match <[Value; 2]>::try_from(part) {
                Ok([name, value]) => components.push((name, value)),
                Err(mut part) => {
                    errors.extend(part.pop().map(|error| (part.swap_remove(0), error)));
                }
            }
        }
        Ok(match strict {
            true => Value::Map(components),
            false => object([
                ("components", Value::Map(components)),
                ("errors", Value::Map(errors)),
            ]),
        })
    }))
}

/// Returns an error in the place of a value.
pub(super) fn error_cell(context: &CallContext<'_>, error: RpcError) -> Value {
    let error = context.state.hidden.redacted(context.world(), error);
    object([
        ("code", error.code().into()),
        ("message", error.message().into()),
    ])
}

/// Returns the names of the components of an entity.
pub(super) fn component_names(
    context: &CallContext<'_>,
    entity: Entity,
) -> Result<Vec<&'static str>, RpcError> {
    let world = context.world();
    let ids = component_ids(world, Some(entity))?.into_iter();
    let mut names: Vec<&'static str> = ids.filter_map(values::shown_name).collect();
    names.retain(|name| !context.state.hidden.has(world, name));
    Ok(names)
}

/// Returns the components of an entity, or all.
fn component_ids(world: &World, entity: Option<Entity>) -> Result<Vec<ComponentId>, RpcError> {
    Ok(match entity {
        Some(entity) => {
            let entity = world.entity(entity)?;
            entity.components().map(|known| known.id()).collect()
        }
        None => world.registered_components(),
    })
}

fn list_components(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let entity = params.get("entity").map(|_| params.entity("entity"));
    let ids = component_ids(context.world(), entity.transpose()?)?;
    Ok(in_pieces(ids, |context, id| {
        let name = values::shown_name(id);
        let name = name.filter(|name| !context.state.hidden.has(context.world(), name));
        Ok(name.map(Value::from))
    }))
}

fn insert_components(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let entity = params.entity("entity")?;
    let values = params.entries("components")?;
    context.world().entity(entity)?;
    for (name, _) in &values {
        context.shown(name)?;
    }
    let names = values.iter().map(|(name, _)| *name);
    let before = undo::before(context.world(), entity, names);
    values::insert(context.app.world_mut(), Some(entity), &values)?;
    context.state.remember(before);
    Ok(Value::Null.into())
}

fn mutate_components(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let (entity, name) = (params.entity("entity")?, params.text("component")?);
    let path = params.get("path").map_or(Ok(""), |_| params.text("path"))?;
    let null = Value::Null;
    let value = params.get("value").unwrap_or(&null);
    context.shown(name)?;
    let before = values::whole_component(context.world(), entity, name)?;
    let mut tree = before.clone();
    values::put(&mut tree, path, value)?;
    values::insert(context.app.world_mut(), Some(entity), &[(name, &tree)])?;
    let (entity, name, before) = (Some(entity), name.to_owned(), Some(before));
    let edit = ValueEdit {
        entity,
        name,
        before,
    };
    context.state.remember(UndoableEdit::Values(vec![edit]));
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
    let before = undo::before(context.world(), entity, names.iter().copied());
    for name in &names {
        context.app.world_mut().remove_by_name(entity, name)?;
    }
    context.state.remember(before);
    Ok(Value::Null.into())
}

fn spawn_entity(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let values = params.entries("components")?;
    for (name, _) in &values {
        context.shown(name)?;
    }
    let entity = values::insert(context.app.world_mut(), None, &values)?;
    context.state.remember(UndoableEdit::Spawned(vec![entity]));
    Ok(object([("entity", context.id(entity))]).into())
}

fn despawn_entity(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let entity = params.entity("entity")?;
    context.world().entity(entity)?;
    let before = undo::before_despawn(context, entity);
    context.app.world_mut().despawn(entity)?;
    context.state.remember(before);
    Ok(Value::Null.into())
}

fn reparent_entities(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let relation = match params.get("relation") {
        Some(_) => params.text("relation")?.to_owned(),
        None => only_tree(context)?,
    };
    context.shown(&relation)?;
    let mut relations = context.world().relations().into_iter();
    if !relations.any(|known| known.name() == relation) {
        let message = format!("there is no relation `{relation}`");
        return Err(RpcError::new(RpcError::COMPONENT, message));
    }
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
        let before = values::read_all(|| Ok(context.world().get_by_name(entity, &relation)?))?;
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
                undo::take_back(world, edit)?;
            }
            return Err(error.into());
        }
    }
    context.state.remember(UndoableEdit::Values(edits));
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

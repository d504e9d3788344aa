//! Edits that are taken back.

use std::collections::{HashMap, HashSet};

use ecs_data::{Dangling, Value, WorldData};
use ecs_engine::staging::RelationInfo;
use ecs_engine::{Entity, World};

use super::copy_text::{BoundedText, MOST_COPIED, MOST_TEXT, parts, spawn_parts};
use crate::inspector::call::{CallContext, Effect::Writes, Progress, RpcMethod, method};
use crate::inspector::edits::{DespawnedRows, UndoableEdit, ValueEdit};
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::inspector::values;

/// The edges of others that a despawn remembers.
const MOST_EDGES: usize = 1000;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![method(
        "edit.undo",
        Writes,
        "",
        "Takes back the last edit: of values, a spawn or a despawn.",
        undo,
    )]
}

/// Returns the values of some components, to be remembered if they are changed.
pub(super) fn before<'n>(
    world: &World,
    entity: Entity,
    names: impl Iterator<Item = &'n str>,
) -> UndoableEdit {
    let mut edits = Vec::new();
    for name in names {
        match values::read_all(|| Ok(world.get_by_name(entity, name)?)) {
            Ok(before) => edits.push(ValueEdit {
                entity: Some(entity),
                name: name.to_owned(),
                before,
            }),
            Err(error) => {
                let message = error.message();
                return UndoableEdit::Final(format!(
                    "`{name}` of {entity} was not kept: {message}"
                ));
            }
        }
    }
    UndoableEdit::Values(edits)
}

/// Returns the rows of an entity and of all that are despawned with it.
pub(super) fn before_despawn(context: &CallContext<'_>, entity: Entity) -> UndoableEdit {
    let world = context.world();
    let all = with_sources(world, &[entity], RelationInfo::despawns_sources);
    let Some(all) = all else {
        return UndoableEdit::Final(format!(
            "more than {MOST_COPIED} entities were despawned with {entity}"
        ));
    };
    let here = &context.state.here;
    let key = |entity: Entity| world.contains(entity).then(|| format!("{entity}@{here}"));
    let save = world.save().only(all.iter().copied()).without_resources();
    let save = save.dangling(Dangling::Dead).map_ids(key).with_ids();
    let mut text = BoundedText::new(MOST_TEXT);
    let written = values::read_all(|| {
        let written = serde_json::to_writer(&mut text, &save);
        written.map_err(|error| RpcError::new(RpcError::COMPONENT, error))
    });
    match written.map(|()| String::from_utf8(text.bytes)) {
        Ok(Ok(text)) => {
            let (edges, others) = edges_to(world, &all);
            let mut lost = lost(context, &all);
            if others > 0 {
                lost.push(format!("{others} of the edges that led to it"));
            }
            UndoableEdit::Despawned(DespawnedRows {
                entity,
                text,
                edges,
                lost,
            })
        }
        Ok(Err(_)) => UndoableEdit::Final(format!("{entity} was not kept")),
        Err(error) => UndoableEdit::Final(format!("{entity} was not kept: {}", error.message())),
    }
}

/// Returns entities and all that relations lead to them from; `None` if there are too many.
fn with_sources(
    world: &World,
    roots: &[Entity],
    follows: fn(&RelationInfo) -> bool,
) -> Option<Vec<Entity>> {
    let mut relations = world.relations();
    relations.retain(follows);
    let mut list = roots.to_vec();
    let mut known: HashSet<Entity> = list.iter().copied().collect();
    let mut place = 0;
    while let Some(&target) = list.get(place) {
        for relation in &relations {
            let sources = world.sources_erased(relation, target).take(MOST_COPIED + 1);
            list.extend(sources.filter(|source| known.insert(*source)));
        }
        if list.len() > MOST_COPIED {
            return None;
        }
        place += 1;
    }
    Some(list)
}

/// Returns the spawn of some entities, and of everything below them.
pub(super) fn spawned(world: &World, roots: &[Entity]) -> UndoableEdit {
    match with_sources(world, roots, RelationInfo::is_tree) {
        Some(all) => UndoableEdit::Spawned(all),
        None => UndoableEdit::Final(format!("more than {MOST_COPIED} entities were spawned")),
    }
}

/// Returns the edges that lead from others to some entities, and the number of those beyond the ones that are kept.
fn edges_to(world: &World, all: &[Entity]) -> (Vec<ValueEdit>, usize) {
    let own: HashSet<Entity> = all.iter().copied().collect();
    let (mut edges, mut others, mut known) = (Vec::new(), 0, HashSet::new());
    for relation in world.relations() {
        for &target in all {
            for source in world.sources_erased(&relation, target) {
                if own.contains(&source) || !known.insert((source, relation.outgoing())) {
                    continue;
                }
                if edges.len() == MOST_EDGES {
                    others += 1;
                    continue;
                }
                let name = relation.name();
                let before = values::read(|| Ok(world.get_by_name(source, name)?));
                edges.extend(before.ok().map(|before| ValueEdit {
                    entity: Some(source),
                    name: name.to_owned(),
                    before,
                }));
            }
        }
    }
    (edges, others)
}

/// Returns the components that are not data.
fn lost(context: &CallContext<'_>, all: &[Entity]) -> Vec<String> {
    let world = context.world();
    let mut lost = Vec::new();
    let entities = all.iter().filter_map(|entity| world.entity(*entity).ok());
    for id in entities.flat_map(|entity| entity.components().map(|known| known.id())) {
        let is_data = id.data().is_some() || id.relation().is_some();
        let name = values::shown_name(id)
            .filter(|name| !is_data && !context.state.hidden.has(world, name));
        if let Some(name) = name.filter(|name| !lost.iter().any(|known| known == name)) {
            lost.push(name.to_owned());
        }
    }
    lost
}

/// Returns a component or a resource to the value before an edit.
pub(super) fn take_back(world: &mut World, edit: &ValueEdit) -> Result<(), RpcError> {
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
    match edit {
        UndoableEdit::Values(edits) => {
            let mut result = Ok(());
            for edit in &edits {
                result = result.and(take_back(context.app.world_mut(), edit));
            }
            result?;
            let first = edits.into_iter().next();
            let entity = first.as_ref().and_then(|edit| edit.entity);
            Ok(undone(
                context,
                entity,
                first.map(|edit| edit.name),
                Vec::new(),
            ))
        }
        UndoableEdit::Spawned(entities) => {
            // Some may have gone, or go with others.
            for &entity in &entities {
                if context.world().contains(entity) {
                    context.app.world_mut().despawn(entity)?;
                }
            }
            Ok(undone(context, entities.first().copied(), None, Vec::new()))
        }
        UndoableEdit::Despawned(rows) => respawned(context, rows),
        UndoableEdit::Final(why) => Err(RpcError::new(
            RpcError::TIME,
            format!("the last edit cannot be taken back: {why}"),
        )),
    }
}

fn undone(
    context: &CallContext<'_>,
    entity: Option<Entity>,
    name: Option<String>,
    lost: Vec<String>,
) -> Progress {
    let entity = entity.map(|entity| context.id(entity));
    let lost = lost.into_iter().map(Value::from).collect();
    Progress::from(object([
        ("entity", entity.into()),
        ("name", name.into()),
        ("lost", Value::List(lost)),
    ]))
}

/// Spawns entities again, with new ids: no id is given twice.
fn respawned(context: &mut CallContext<'_>, rows: DespawnedRows) -> Result<Progress, RpcError> {
    let mut parts = parts(&rows.text)?;
    let ids = parts
        .get_mut("ids")
        .map(std::mem::take)
        .and_then(|ids| ids.into_list().ok());
    let old = ids.unwrap_or_default().into_iter();
    let old = old.map(|id| id.as_str().and_then(|id| id.parse::<Entity>().ok()));
    let old: Vec<Option<Entity>> = old.collect();
    let new = spawn_parts(context, parts.without("ids"))?;
    let new: HashMap<Entity, Entity> = old
        .into_iter()
        .zip(new)
        .filter_map(|(old, new)| Some((old?, new)))
        .collect();
    let mut lost = rows.lost;
    for mut edge in rows.edges {
        if let Some(value) = &mut edge.before {
            rename(value, &new);
        }
        // Its source may have gone, or lead elsewhere by now.
        if let Err(error) = take_back(context.app.world_mut(), &edge) {
            lost.push(error.message().to_owned());
        }
    }
    let entity = new.get(&rows.entity).copied();
    Ok(undone(context, entity, None, lost))
}

/// Replaces ids in the value of an edge.
fn rename(value: &mut Value, new: &HashMap<Entity, Entity>) {
    match value {
        Value::Entity(entity) => *entity = new.get(entity).copied().unwrap_or(*entity),
        Value::List(parts) => parts.iter_mut().for_each(|part| rename(part, new)),
        Value::Map(entries) => entries.iter_mut().for_each(|(key, value)| {
            if key.as_str() == Some("to") {
                rename(value, new);
            }
        }),
        _ => {}
    }
}

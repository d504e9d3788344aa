//! Copies: clones, entities as text, and prefabs.

use std::collections::HashSet;

use ecs_data::{Cloner, Dangling, Value, WorldData};
use ecs_engine::staging::RelationInfo;
use ecs_engine::{Entity, World};

use super::copy_text::{BoundedText, MOST_COPIED, MOST_TEXT, parts, spawn_parts};
use super::undo;
use crate::inspector::budget::Budget;
use crate::inspector::call::{
    CallContext,
    Effect::{Reads, Writes},
    Progress, RpcMethod, method,
};
use crate::inspector::edits::UndoableEdit;
use crate::inspector::error::RpcError;
use crate::inspector::json::object;
use crate::inspector::params::Params;
use crate::inspector::values::shown_name;

/// The entities of one copy for clients without the right to write: as many as take a part of what a frame has.
const MOST_READ: usize = 50;
/// The bytes of its text.
const MOST_TEXT_READ: usize = 16 << 10;

pub(crate) fn methods() -> Vec<RpcMethod> {
    vec![
        method(
            "entity.clone",
            Writes,
            "entity, relation",
            "Clones an entity, or everything below it in a relation.",
            clone,
        ),
        method(
            "entities.copy",
            Reads,
            "entities, relation",
            "Returns entities as text, with everything below them in a relation.",
            copy,
        ),
        method(
            "entities.paste",
            Writes,
            "text",
            "Spawns the entities of a text, of this world or of another one.",
            paste,
        ),
        method(
            "prefabs.list",
            Reads,
            "",
            "The prefabs that can be spawned.",
            list,
        ),
        method(
            "prefabs.spawn",
            Writes,
            "prefab, count",
            "Spawns copies of a prefab.",
            spawn,
        ),
    ]
}

/// Entities and everything below them, each before its descendants; they are found in pieces.
struct Below {
    relation: Option<RelationInfo>,
    most: usize,
    list: Vec<Entity>,
    known: HashSet<Entity>,
    place: usize,
}

impl Below {
    fn new(
        world: &World,
        roots: &[Entity],
        relation: Option<RelationInfo>,
        most: usize,
    ) -> Result<Self, RpcError> {
        if roots.len() > most {
            return Err(too_many(most));
        }
        let (mut list, mut known) = (Vec::new(), HashSet::new());
        for &root in roots {
            world.entity(root)?;
            if known.insert(root) {
                list.push(root);
            }
        }
        Ok(Self {
            relation,
            most,
            list,
            known,
            place: 0,
        })
    }

    /// Looks below the next entities until the budget is spent; returns true at the end.
    fn go_on(&mut self, world: &World, budget: Budget) -> Result<bool, RpcError> {
        while self.place < self.list.len() {
            if self.list.len() > self.most {
                return Err(too_many(self.most));
            }
            if let Some(relation) = &self.relation {
                let sources = world.sources_erased(relation, self.list[self.place]);
                let new = sources
                    .take(self.most + 1)
                    .filter(|source| self.known.insert(*source));
                self.list.extend(new);
            }
            self.place += 1;
            if budget.is_spent() {
                break;
            }
        }
        Ok(self.place == self.list.len())
    }
}

fn too_many(most: usize) -> RpcError {
    RpcError::too_large(format!(
        "these are more than {most} entities; help: copy a smaller part"
    ))
}

/// Returns the relation that the parameters name, if any.
pub(super) fn relation_of(
    context: &CallContext<'_>,
    params: &Params,
) -> Result<Option<RelationInfo>, RpcError> {
    let Some(_) = params.get("relation") else {
        return Ok(None);
    };
    let name = params.text("relation")?;
    context.shown(name)?;
    let mut relations = context.world().relations().into_iter();
    let found = relations.find(|relation| relation.name() == name);
    let found = found.ok_or_else(|| {
        RpcError::new(
            RpcError::COMPONENT,
            format!("there is no relation `{name}`"),
        )
    })?;
    Ok(Some(found))
}

fn clone(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let entity = params.entity("entity")?;
    let relation = relation_of(context, params)?;
    let mut below = Below::new(context.world(), &[entity], relation, MOST_COPIED)?;
    below.go_on(context.world(), Budget::ALL)?;
    let cloned = Cloner::new().entities(context.app.world_mut(), below.list.clone());
    let cloned = cloned.map_err(|error| RpcError::new(RpcError::COMPONENT, error))?;
    let copy = cloned.copy_of(entity).unwrap_or(cloned.root());
    let copies = below.list.iter().filter_map(|one| cloned.copy_of(*one));
    context
        .state
        .remember(UndoableEdit::Spawned(copies.collect()));
    Ok(object([("entity", context.id(copy))]).into())
}

fn copy(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let roots = params.entities("entities")?;
    let relation = relation_of(context, params)?;
    let most = if context.may_write {
        MOST_COPIED
    } else {
        MOST_READ
    };
    let mut below = Below::new(context.world(), &roots, relation, most)?;
    let (mut left_out, mut looked) = (Vec::new(), 0);
    // The text itself is written in one piece: all of its values belong to one moment.
    Ok(Progress::Later(Box::new(move |context| {
        match below.go_on(context.world(), context.budget) {
            Err(error) => return Some(Err(error)),
            Ok(false) => return None,
            Ok(true) => {}
        }
        while let Some(entity) = below.list.get(looked) {
            look_for_others(context, *entity, &mut left_out);
            looked += 1;
            if context.budget.is_spent() {
                return None;
            }
        }
        Some(written(context, &below.list, &left_out))
    })))
}

/// Adds the components of an entity that are not data.
fn look_for_others(context: &CallContext<'_>, entity: Entity, left_out: &mut Vec<&'static str>) {
    let world = context.world();
    // The entity may have gone since the last frame, which is an error of the text.
    for component in world
        .entity(entity)
        .into_iter()
        .flat_map(|entity| entity.components())
    {
        let id = component.id();
        let is_data = id.data().is_some() || id.relation().is_some();
        let name = shown_name(id).filter(|name| !context.state.hidden.has(world, name));
        if let Some(name) = name.filter(|name| !is_data && !left_out.contains(name)) {
            left_out.push(name);
        }
    }
}

fn written(
    context: &CallContext<'_>,
    list: &[Entity],
    left_out: &[&'static str],
) -> Result<Value, RpcError> {
    let (world, hidden) = (context.world(), &context.state.hidden);
    for &entity in list {
        world.entity(entity)?;
    }
    let mut save = world.save().only(list.iter().copied()).without_resources();
    for component in world.registered_components() {
        if hidden.has_component(component) {
            save = save.without_erased(component);
        }
    }
    let here = &context.state.here;
    let key = |entity: Entity| world.contains(entity).then(|| format!("{entity}@{here}"));
    let most = match context.may_write {
        true => MOST_TEXT,
        false => MOST_TEXT_READ,
    };
    let mut text = BoundedText::new(most);
    let save = save.dangling(Dangling::Dead).map_ids(key);
    let written = serde_json::to_writer(&mut text, &save);
    written.map_err(|error| match text.is_full() {
        true => RpcError::too_large(error),
        false => RpcError::new(RpcError::COMPONENT, error),
    })?;
    let text = String::from_utf8(text.bytes);
    let mut text = text.map_err(|error| RpcError::new(RpcError::COMPONENT, error))?;
    // Values that the world keeps for types that it does not know may be of hidden ones.
    if text.contains("\"kept\"") {
        text = parts(&text)?.without("kept").text()?;
    }
    Ok(object([
        ("text", text.into()),
        ("entities", (list.len() as u64).into()),
        ("left_out", left_out.iter().copied().collect()),
    ]))
}

fn paste(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let mut parts = parts(params.text("text")?)?;
    for (part, _) in &parts.0 {
        let part = part.as_str().unwrap_or_default();
        // The others would change more than new entities.
        if ![
            "format",
            "versions",
            "entities",
            "orders",
            "outside",
            "dead",
            "resources",
        ]
        .contains(&part)
        {
            return Err(RpcError::params(format!(
                "a copy of entities has no part `{part}`"
            )));
        }
    }
    if parts
        .get_mut("resources")
        .is_some_and(|all| *all != Value::Map(Vec::new()))
    {
        return Err(RpcError::params("a copy of entities has no resources"));
    }
    for row in parts.rows() {
        for (name, _) in row.iter() {
            context.shown(name.as_str().unwrap_or_default())?;
        }
    }
    let spawned = spawn_parts(context, parts)?;
    let entities = spawned.iter().map(|entity| context.id(*entity)).collect();
    context.state.remember(UndoableEdit::Spawned(spawned));
    Ok(object([("entities", Value::List(entities))]).into())
}

fn list(context: &mut CallContext<'_>, _: &Params) -> Result<Progress, RpcError> {
    let rows = context.state.prefabs.iter().map(|(name, prefab)| {
        object([
            ("name", name.as_str().into()),
            ("entities", (prefab.len() as u64).into()),
        ])
    });
    Ok(Value::List(rows.collect()).into())
}

fn spawn(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let name = params.text("prefab")?;
    let count = params.number_or("count", 1)?.min(MOST_COPIED as u64) as usize;
    let Some(prefab) = context.state.prefabs.get(name) else {
        return Err(RpcError::params(format!(
            "there is no prefab `{name}`; help: choose one that `prefabs.list` lists"
        )));
    };
    let spawned = prefab.spawn_n(context.app.world_mut(), count);
    let spawned = spawned.map_err(|error| RpcError::new(RpcError::COMPONENT, error))?;
    let roots = spawned.iter().map(|root| context.id(*root)).collect();
    let edit = undo::spawned(context.world(), &spawned);
    context.state.remember(edit);
    Ok(object([("entities", Value::List(roots))]).into())
}

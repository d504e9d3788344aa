//! Copies: clones, entities as text, and prefabs.

use std::collections::HashSet;

use ecs_data::{Cloner, Dangling, Loader, Value, WorldData};
use ecs_engine::staging::RelationInfo;
use ecs_engine::{Entity, World};

use crate::inspector::core::{
    CallContext,
    Effect::{Reads, Writes},
    Progress, RpcMethod, method,
};
use crate::inspector::error::RpcError;
use crate::inspector::json::{self, object};
use crate::inspector::params::Params;
use crate::inspector::values::shown_name;

/// The entities of one copy.
const MOST_COPIED: usize = 1000;
/// The same for clients without the right to write.
const MOST_READ: usize = 200;

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

/// Returns entities and everything below them, each before its descendants.
fn below(
    world: &World,
    roots: &[Entity],
    relation: Option<&RelationInfo>,
    most: usize,
) -> Result<Vec<Entity>, RpcError> {
    let (mut list, mut known) = (Vec::new(), HashSet::new());
    for &root in roots {
        world.entity(root)?;
        if known.insert(root) {
            list.push(root);
        }
    }
    let mut place = 0;
    while place < list.len() {
        if list.len() > most {
            return Err(RpcError::params(format!(
                "these are more than {most} entities; help: copy a smaller part"
            )));
        }
        if let Some(relation) = relation {
            let sources = world.sources_erased(relation, list[place]);
            let new = sources
                .take(most + 1)
                .filter(|source| known.insert(*source));
            list.extend(new);
        }
        place += 1;
    }
    Ok(list)
}

/// Returns the relation that the parameters name, if any.
fn relation(context: &CallContext<'_>, params: &Params) -> Result<Option<RelationInfo>, RpcError> {
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
    let relation = relation(context, params)?;
    let list = below(context.world(), &[entity], relation.as_ref(), MOST_COPIED)?;
    let cloned = Cloner::new().entities(context.app.world_mut(), list);
    let cloned = cloned.map_err(|error| RpcError::new(RpcError::COMPONENT, error))?;
    let copy = cloned.copy_of(entity).unwrap_or(cloned.root());
    Ok(object([("entity", context.id(copy))]).into())
}

fn copy(context: &mut CallContext<'_>, params: &Params) -> Result<Progress, RpcError> {
    let roots = params.entities("entities")?;
    let relation = relation(context, params)?;
    let most = if context.may_write {
        MOST_COPIED
    } else {
        MOST_READ
    };
    let world = context.world();
    let list = below(world, &roots, relation.as_ref(), most)?;
    let hidden = &context.state.hidden;
    let mut save = world.save().only(list.iter().copied()).without_resources();
    let mut left_out: Vec<&str> = Vec::new();
    for &entity in &list {
        for component in world.entity(entity)?.components() {
            let id = component.id();
            let is_data = id.data().is_some() || id.relation().is_some();
            let name = shown_name(id).filter(|name| !hidden.has(world, name));
            if let Some(name) = name.filter(|name| !is_data && !left_out.contains(name)) {
                left_out.push(name);
            }
        }
    }
    for component in world.registered_components() {
        if hidden.has_component(component) {
            save = save.without_erased(component);
        }
    }
    let here = &context.state.here;
    let key = |entity: Entity| world.contains(entity).then(|| format!("{entity}@{here}"));
    let text = serde_json::to_string(&save.dangling(Dangling::Dead).map_ids(key));
    let text = text.map_err(|error| RpcError::new(RpcError::COMPONENT, error))?;
    // Values that the world keeps for types that it does not know may be of hidden ones.
    let text = parts(&text)?.without("kept").text()?;
    Ok(object([
        ("text", text.into()),
        ("entities", (list.len() as u64).into()),
        ("left_out", left_out.into_iter().collect()),
    ])
    .into())
}

/// A text of entities, in parts.
struct CopyParts(Vec<(Value, Value)>);

fn parts(text: &str) -> Result<CopyParts, RpcError> {
    let parts = json::read(text).and_then(|value| {
        let parts = value.into_map();
        parts.map_err(|_| "it is the text of no entities".to_owned())
    });
    parts.map(CopyParts).map_err(RpcError::params)
}

impl CopyParts {
    fn get_mut(&mut self, part: &str) -> Option<&mut Value> {
        let found = self
            .0
            .iter_mut()
            .find(|(key, _)| key.as_str() == Some(part));
        found.map(|(_, value)| value)
    }

    fn without(mut self, part: &str) -> Self {
        self.0.retain(|(key, _)| key.as_str() != Some(part));
        self
    }

    fn text(self) -> Result<String, RpcError> {
        json::write(&Value::Map(self.0), false).map_err(RpcError::params)
    }

    /// Returns the rows of components and relations.
    fn rows(&mut self) -> impl Iterator<Item = &mut Vec<(Value, Value)>> {
        let rows = match self.get_mut("entities") {
            Some(Value::List(rows)) => rows.as_mut_slice(),
            _ => &mut [],
        };
        rows.iter_mut().filter_map(|row| match row {
            Value::Map(entries) => Some(entries),
            _ => None,
        })
    }

    /// Forgets entities of another world: values name dead ones, and edges to them are left out.
    fn forget_others(&mut self, world: &World, here: &str) {
        let first = match self.get_mut("entities") {
            Some(Value::List(rows)) => rows.len(),
            _ => 0,
        };
        let (mut forgotten, mut dead) = (HashSet::new(), Vec::new());
        if let Some(Value::List(keys)) = self.get_mut("outside") {
            for (place, key) in keys.iter_mut().enumerate() {
                if found_here(world, here, key).is_some() {
                    continue;
                }
                let id = key.as_str().and_then(|key| key.split_once('@'));
                if let Some(id) = id.map(|(id, _)| Value::from(id)) {
                    let number = (first + place) as i128;
                    forgotten.insert(number);
                    dead.push(Value::List(vec![Value::Int(number), id]));
                    *key = Value::Null;
                }
            }
        }
        match self.get_mut("dead") {
            Some(Value::List(known)) => known.append(&mut dead),
            _ => self.0.push(("dead".into(), Value::List(dead))),
        }
        let relations = world.relations();
        let is_edge = |name: &Value| {
            let mut all = relations.iter();
            all.any(|relation| Some(relation.name()) == name.as_str())
        };
        let leads_away = |edge: &Value| {
            let target = edge.get("to").unwrap_or(edge);
            target
                .as_int()
                .is_some_and(|target| forgotten.contains(&target))
        };
        for row in self.rows() {
            row.retain_mut(|(name, value)| {
                if !is_edge(name) {
                    return true;
                }
                if let Value::List(edges) = value {
                    edges.retain(|edge| !leads_away(edge));
                    return !edges.is_empty();
                }
                !leads_away(value)
            });
        }
    }
}

/// Returns the entity of this world that has a key.
fn found_here(world: &World, here: &str, key: &Value) -> Option<Entity> {
    let (entity, place) = key.as_str()?.split_once('@')?;
    let entity = entity.parse().ok().filter(|_| place == here)?;
    world.contains(entity).then_some(entity)
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
    let here = context.state.here.clone();
    parts.forget_others(context.world(), &here);
    let text = parts.without("resources").text()?;
    let loader = Loader::new().max_entities(MOST_COPIED as u32);
    let loader = loader.resolve_ids(move |world, key| found_here(world, &here, key));
    let mut reader = serde_json::Deserializer::from_str(&text);
    let loaded = loader.deserialize(context.app.world_mut(), &mut reader);
    let loaded = loaded.map_err(|error| {
        let message = error.to_string();
        // The place is one in a text that the user has not seen.
        let message = message
            .rsplit_once(" at line ")
            .map_or(&*message, |(message, _)| message);
        RpcError::new(RpcError::COMPONENT, message)
    })?;
    let entities = loaded.entities.iter().map(|entity| context.id(*entity));
    Ok(object([("entities", Value::List(entities.collect()))]).into())
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
            "there is no prefab `{name}`; help: `prefabs.list` lists them"
        )));
    };
    let spawned = prefab.spawn_n(context.app.world_mut(), count);
    let spawned = spawned.map_err(|error| RpcError::new(RpcError::COMPONENT, error))?;
    let roots = spawned.into_iter().map(|root| context.id(root));
    Ok(object([("entities", Value::List(roots.collect()))]).into())
}

//! Entities as text, which is a save without resources.

use std::collections::HashSet;
use std::io;

use ecs_data::{Loader, Value};
use ecs_engine::{Entity, World};

use crate::inspector::call::CallContext;
use crate::inspector::error::RpcError;
use crate::inspector::json;

/// The entities of one copy.
pub(super) const MOST_COPIED: usize = 1000;
/// The bytes of its text.
pub(super) const MOST_TEXT: usize = 1 << 20;

/// A text of at most so many bytes.
pub(super) struct BoundedText {
    pub(super) bytes: Vec<u8>,
    most: usize,
    is_full: bool,
}

impl BoundedText {
    pub(super) const fn new(most: usize) -> Self {
        Self {
            bytes: Vec::new(),
            most,
            is_full: false,
        }
    }

    /// Returns true if there was no room for something.
    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }
}

impl io::Write for BoundedText {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.most {
            self.is_full = true;
            let most = self.most;
            return Err(io::Error::other(format!(
                "the text has more than {most} bytes; help: copy fewer entities"
            )));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A text of entities, in parts.
pub(super) struct CopyParts(pub(super) Vec<(Value, Value)>);

pub(super) fn parts(text: &str) -> Result<CopyParts, RpcError> {
    if text.len() > MOST_TEXT {
        let message = format!("the text has more than {MOST_TEXT} bytes");
        return Err(RpcError::too_large(message));
    }
    let parts = json::read(text).and_then(|value| {
        let parts = value.into_map();
        parts.map_err(|_| "it is the text of no entities".to_owned())
    });
    parts.map(CopyParts).map_err(RpcError::params)
}

impl CopyParts {
    pub(super) fn get_mut(&mut self, part: &str) -> Option<&mut Value> {
        let found = self
            .0
            .iter_mut()
            .find(|(key, _)| key.as_str() == Some(part));
        found.map(|(_, value)| value)
    }

    pub(super) fn without(mut self, part: &str) -> Self {
        self.0.retain(|(key, _)| key.as_str() != Some(part));
        self
    }

    pub(super) fn text(self) -> Result<String, RpcError> {
        json::write(&Value::Map(self.0), false).map_err(RpcError::params)
    }

    /// Returns the rows of components and relations.
    pub(super) fn rows(&mut self) -> impl Iterator<Item = &mut Vec<(Value, Value)>> {
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

/// Spawns the entities of a text.
pub(super) fn spawn_parts(
    context: &mut CallContext<'_>,
    mut parts: CopyParts,
) -> Result<Vec<Entity>, RpcError> {
    if parts.rows().count() > MOST_COPIED {
        let message = format!("these are more than {MOST_COPIED} entities");
        return Err(RpcError::too_large(message));
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
    Ok(loaded.entities)
}

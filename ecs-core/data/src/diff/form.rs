//! Differences as trees and as bytes.
//!
//! ```text
//! { "format": 1, "partial": ["game.sprite"],
//!   "entities": [{ "entity": "7v1", "spawned": true, "values": { "game.health": { "new": 5 } } }],
//!   "orders": [{ "relation": "game.child_of", "target": "0v1", "old": [], "new": ["7v1"] }],
//!   "resources": { "game.score": { "old": 1, "new": 2 } } }
//! ```

use std::fmt;

use ecs_engine::Entity;
use serde_core::de::{Error as _, Visitor};
use serde_core::ser::Error as _;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Diff, DiffOmissions, EntityChange, OrderChange, ValueChange};
use crate::Value;
use crate::codec::{DecodeError, Decoder, EncodeError, Encoder};

const FORMAT: i128 = 1;

impl Diff {
    /// Returns the difference as bytes, which [`from_slice`](Self::from_slice) reads.
    ///
    /// # Errors
    /// If a value is nested too deep.
    pub fn to_vec(&self) -> Result<Vec<u8>, EncodeError> {
        let mut encoder = Encoder::new();
        encoder.tree(&self.to_tree())?;
        Ok(encoder.bytes().to_vec())
    }

    /// Reads the bytes of [`to_vec`](Self::to_vec). They may come from a stranger: the result is a difference or an error, and
    /// [`apply`](Self::apply) checks the contents.
    ///
    /// ```
    /// use ecs_core::data::Diff;
    /// use ecs_core::prelude::*;
    ///
    /// let (one, mut other) = (World::new(), World::new());
    /// other.spawn(());
    /// let diff = one.diff(&other)?;
    /// let bytes = diff.to_vec()?;
    /// assert_eq!(Diff::from_slice(&bytes)?, diff);
    /// assert!(Diff::from_slice(&bytes[1..]).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If they are not the bytes of a difference.
    pub fn from_slice(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut decoder = Decoder::of_bytes(bytes);
        let tree = decoder.tree()?;
        decoder.finish()?;
        Self::of_tree(&tree).map_err(DecodeError::custom)
    }

    fn to_tree(&self) -> Value {
        let entities = self.entities.iter().map(|change| {
            let mut entries = vec![("entity".into(), id_tree(change.entity))];
            if !change.was_alive {
                entries.push(("spawned".into(), true.into()));
            }
            if !change.is_alive {
                entries.push(("despawned".into(), true.into()));
            }
            if !change.values.is_empty() {
                entries.push(("values".into(), values_tree(&change.values)));
            }
            Value::Map(entries)
        });
        let ids = |ids: &[Entity]| Value::List(ids.iter().copied().map(id_tree).collect());
        let orders = self.orders.iter().map(|order| {
            Value::Map(vec![
                ("relation".into(), order.relation.as_str().into()),
                ("target".into(), id_tree(order.target)),
                ("old".into(), ids(&order.old)),
                ("new".into(), ids(&order.new)),
            ])
        });
        Value::Map(vec![
            ("format".into(), Value::Int(FORMAT)),
            ("partial".into(), self.left_out.to_tree()),
            ("entities".into(), Value::List(entities.collect())),
            ("orders".into(), Value::List(orders.collect())),
            ("resources".into(), values_tree(&self.resources)),
        ])
    }

    fn of_tree(tree: &Value) -> Result<Self, String> {
        let known = ["format", "partial", "entities", "orders", "resources"];
        let [format, partial, entities, orders, resources] = fields(tree, known)?;
        if format != Some(&Value::Int(FORMAT)) {
            return Err("it is not a diff, or one of a later version".to_owned());
        }
        let mut diff = Self {
            left_out: left_out(partial)?,
            ..Self::default()
        };
        for tree in list(entities)? {
            let change = entity(tree)?;
            if diff
                .entities
                .last()
                .is_some_and(|last| last.entity >= change.entity)
            {
                return Err(format!(
                    "entity {} is not behind those before",
                    change.entity
                ));
            }
            diff.entities.push(change);
        }
        for tree in list(orders)? {
            let order = order(tree)?;
            let key = |order: &OrderChange| (order.relation.clone(), order.target);
            if diff
                .orders
                .last()
                .is_some_and(|last| key(last) >= key(&order))
            {
                return Err(format!(
                    "the sources of {} are not behind those before",
                    order.target
                ));
            }
            diff.orders.push(order);
        }
        diff.resources = values(resources)?;
        Ok(diff)
    }
}

fn id_tree(entity: Entity) -> Value {
    Value::Entity(entity)
}

fn values_tree(changes: &[ValueChange]) -> Value {
    let entry = |change: &ValueChange| {
        let mut entries = Vec::new();
        for (key, value) in [("old", &change.old), ("new", &change.new)] {
            if let Some(value) = value {
                entries.push((key.into(), value.clone()));
            }
        }
        (change.name.as_str().into(), Value::Map(entries))
    };
    Value::Map(changes.iter().map(entry).collect())
}

/// Returns the entries of a map by their keys, and refuses others.
fn fields<'a, const N: usize>(
    tree: &'a Value,
    known: [&str; N],
) -> Result<[Option<&'a Value>; N], String> {
    let mut found = [None; N];
    let entries = tree.as_map().ok_or_else(|| expected("a map", tree))?;
    for (key, value) in entries {
        let place = known.iter().position(|known| key.as_str() == Some(known));
        let place = place.ok_or_else(|| format!("unknown field {}", short(key)))?;
        if found[place].replace(value).is_some() {
            return Err(format!("the field {} occurs twice", short(key)));
        }
    }
    Ok(found)
}

fn list(tree: Option<&Value>) -> Result<&[Value], String> {
    match tree {
        None => Ok(&[]),
        Some(tree) => tree.as_list().ok_or_else(|| expected("a list", tree)),
    }
}

fn expected(what: &str, found: &Value) -> String {
    format!("expected {what}, found {}", short(found))
}

/// Returns the text of a tree, which may be long.
fn short(tree: &Value) -> String {
    match tree {
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a map".to_owned(),
        Value::Bytes(_) => "bytes".to_owned(),
        Value::String(text) => format!("{:?}", text.chars().take(40).collect::<String>()),
        tree => tree.to_string(),
    }
}

fn id(tree: Option<&Value>) -> Result<Entity, String> {
    let tree = tree.ok_or("an id is missing")?;
    let id = tree.to_entity();
    id.ok_or_else(|| expected("the id of an entity as text, such as \"7v1\"", tree))
}

fn flag(tree: Option<&Value>) -> Result<bool, String> {
    match tree {
        None => Ok(false),
        Some(tree) => tree
            .as_bool()
            .ok_or_else(|| expected("true or false", tree)),
    }
}

impl DiffOmissions {
    fn to_tree(&self) -> Value {
        match self {
            Self::Names(names) if names.is_empty() => false.into(),
            Self::Names(names) => {
                Value::List(names.iter().map(|name| name.as_str().into()).collect())
            }
            Self::Others => true.into(),
        }
    }
}

/// Reads the left-out components: their names, or whether there are any.
fn left_out(tree: Option<&Value>) -> Result<DiffOmissions, String> {
    let Some(Value::List(names)) = tree else {
        return Ok(match flag(tree)? {
            true => DiffOmissions::Others,
            false => DiffOmissions::default(),
        });
    };
    let name = |name: &Value| match name.as_str() {
        Some(name) => Ok(name.to_owned()),
        None => Err(expected("a name", name)),
    };
    let mut names = names.iter().map(name).collect::<Result<Vec<_>, _>>()?;
    names.sort_unstable();
    names.dedup();
    Ok(DiffOmissions::Names(names))
}

fn entity(tree: &Value) -> Result<EntityChange, String> {
    let [entity, spawned, despawned, of_entity] =
        fields(tree, ["entity", "spawned", "despawned", "values"])?;
    let change = EntityChange {
        entity: id(entity)?,
        was_alive: !flag(spawned)?,
        is_alive: !flag(despawned)?,
        values: values(of_entity)?,
    };
    let entity = change.entity;
    if !change.was_alive && !change.is_alive {
        return Err(format!("entity {entity} is spawned and despawned"));
    }
    if change.was_alive && change.is_alive && change.values.is_empty() {
        return Err(format!("nothing differs about entity {entity}"));
    }
    for value in &change.values {
        let is_early = !change.was_alive && value.old.is_some();
        if is_early || !change.is_alive && value.new.is_some() {
            return Err(format!(
                "entity {entity} has a value of `{}` when it is not there",
                value.name
            ));
        }
    }
    Ok(change)
}

fn values(tree: Option<&Value>) -> Result<Vec<ValueChange>, String> {
    let mut changes: Vec<ValueChange> = Vec::new();
    let Some(tree) = tree else {
        return Ok(changes);
    };
    // A map without entries is an empty list in some formats.
    if tree.as_list().is_some_and(<[Value]>::is_empty) {
        return Ok(changes);
    }
    for (name, tree) in tree.as_map().ok_or_else(|| expected("a map", tree))? {
        let name = name.as_str().ok_or_else(|| expected("a name", name))?;
        let [old, new] = fields(tree, ["old", "new"])?.map(|value| value.cloned());
        if old.is_none() && new.is_none() {
            return Err(format!("`{name}` has no value before and none after"));
        }
        let name = name.to_owned();
        changes.push(ValueChange { name, old, new });
    }
    // Formats and programs order the keys of maps as they like.
    if !changes.is_sorted_by(|one, other| one.name < other.name) {
        changes.sort_by(|one, other| one.name.cmp(&other.name));
        let twice = changes.windows(2).find(|pair| pair[0].name == pair[1].name);
        if let Some([change, _]) = twice {
            return Err(format!("`{}` occurs twice", change.name));
        }
    }
    Ok(changes)
}

fn order(tree: &Value) -> Result<OrderChange, String> {
    let [relation, target, old, new] = fields(tree, ["relation", "target", "old", "new"])?;
    let ids = |tree| -> Result<Vec<Entity>, String> {
        list(tree)?.iter().map(|tree| id(Some(tree))).collect()
    };
    let relation = relation.and_then(Value::as_str);
    Ok(OrderChange {
        relation: relation
            .ok_or("the name of a relation is missing")?
            .to_owned(),
        target: id(target)?,
        old: ids(old)?,
        new: ids(new)?,
    })
}

/// Written as a tree to a readable format, such as JSON or RON, and as bytes to a binary one.
impl Serialize for Diff {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return self.to_tree().serialize(serializer);
        }
        serializer.serialize_bytes(&self.to_vec().map_err(S::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for Diff {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let tree = Value::deserialize(deserializer)?;
            let diff = Self::of_tree(&tree).map_err(D::Error::custom)?;
            return Ok(Self {
                is_from_text: true,
                ..diff
            });
        }
        deserializer.deserialize_bytes(DiffBytes)
    }
}

/// Reads a difference from bytes.
struct DiffBytes;

impl Visitor<'_> for DiffBytes {
    type Value = Diff;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a diff")
    }

    fn visit_bytes<E: serde_core::de::Error>(self, bytes: &[u8]) -> Result<Diff, E> {
        Diff::from_slice(bytes).map_err(E::custom)
    }
}

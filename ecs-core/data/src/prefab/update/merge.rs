//! Merges the values of a prefab and of a copy.

use std::cell::Cell;

use ecs_engine::{Entity, World};

use super::copy::UpdatedCopy;
use super::files::FileChanges;
use crate::Value;
use crate::diff::is_same_tree;

/// A value, or edges, after the change of a prefab.
#[derive(Default)]
pub(super) struct Merged {
    /// The new value, if there is another one.
    pub(super) change: Option<Option<Value>>,
    /// True if the copy keeps something that the prefab has changed.
    pub(super) is_kept: bool,
}

impl Merged {
    fn kept() -> Self {
        Self {
            change: None,
            is_kept: true,
        }
    }
}

/// Merges values of a copy.
pub(super) struct ValueMerge<'a> {
    pub(super) world: &'a World,
    pub(super) files: &'a FileChanges,
    pub(super) copy: &'a UpdatedCopy,
    /// The id that stands for entities of the prefab that the copy does not have.
    pub(super) dead: Entity,
    /// Set if a value names it.
    pub(super) names_dead: &'a Cell<bool>,
}

/// An id that names nothing, for comparisons.
const GONE: &str = "gone";

impl ValueMerge<'_> {
    /// Merges a component: the values of the old and the new prefab, and of the copy.
    pub(super) fn component(
        &self,
        old: Option<&Value>,
        new: Option<&Value>,
        now: Option<&Value>,
    ) -> Merged {
        if let (Some(old), Some(new), Some(now)) = (old, new, now) {
            let mut is_kept = false;
            let tree = self.tree(old, new, now, &mut is_kept);
            let change = (!is_same_tree(&tree, now)).then_some(Some(tree));
            return Merged { change, is_kept };
        }
        match () {
            () if self.is_same(new, now) => Merged::default(),
            () if self.is_same(old, now) => Merged {
                change: Some(new.map(|new| self.made(new))),
                is_kept: false,
            },
            () => Merged::kept(),
        }
    }

    /// Merges the edges of an entity, which are one value.
    pub(super) fn edges(
        &self,
        old: Option<&Value>,
        new: Option<&Value>,
        now: Option<&Value>,
    ) -> Merged {
        if self.is_same(new, now) {
            return Merged::default();
        }
        if !self.is_same(old, now) {
            return Merged::kept();
        }
        let made = new.and_then(|new| self.made_edges(new));
        // The new targets are not there: an entity stays where it is, if it can.
        if new.is_some() && made.is_none() && !targets(now).any(|it| self.copy.removes(it)) {
            return Merged::kept();
        }
        let is_other = made.as_ref() != now;
        Merged {
            change: is_other.then_some(made),
            is_kept: false,
        }
    }

    /// Merges trees, field by field if all have the same ones.
    fn tree(&self, old: &Value, new: &Value, now: &Value, is_kept: &mut bool) -> Value {
        let [was, is] = [old, new].map(|tree| self.of_prefab(tree));
        let present = self.of_copy(now);
        if is_same_tree(&is, &present) || is_same_tree(&was, &is) {
            return now.clone();
        }
        if is_same_tree(&was, &present) {
            return self.made(new);
        }
        let (Value::Map(old), Value::Map(new), Value::Map(fields)) = (old, new, now) else {
            *is_kept = true;
            return now.clone();
        };
        let get = |map: &'_ [(Value, Value)], key: &Value| {
            let found = map.iter().position(|(other, _)| other == key);
            key.as_str().and(found)
        };
        let mut merged = Vec::with_capacity(fields.len());
        for (key, value) in fields {
            let (Some(before), Some(after)) = (get(old, key), get(new, key)) else {
                break;
            };
            let value = self.tree(&old[before].1, &new[after].1, value, is_kept);
            merged.push((key.clone(), value));
        }
        let len = merged.len();
        if len < fields.len() || len != old.len() || len != new.len() {
            *is_kept = true;
            return now.clone();
        }
        Value::Map(merged)
    }

    /// Returns true if the prefab and the copy have the same value.
    pub(super) fn is_same(&self, of_prefab: Option<&Value>, of_copy: Option<&Value>) -> bool {
        match (of_prefab, of_copy) {
            (Some(prefab), Some(copy)) => {
                is_same_tree(&self.of_prefab(prefab), &self.of_copy(copy))
            }
            (prefab, copy) => prefab.is_none() && copy.is_none(),
        }
    }

    /// Returns a value of the prefab for comparisons: an entity that the copy lacks is gone.
    fn of_prefab(&self, tree: &Value) -> Value {
        with_ids(tree, &|id| {
            let slot = self.files.slot_of(id);
            let is_there =
                |&slot: &u32| self.copy.parts[slot as usize].is_some() || self.files.is_new(slot);
            match slot.filter(is_there) {
                Some(slot) => Value::Int(slot.into()),
                None => GONE.into(),
            }
        })
    }

    /// Returns a value of the copy for comparisons: an entity of the copy is its slot.
    fn of_copy(&self, tree: &Value) -> Value {
        with_ids(tree, &|id| match self.copy.slots.get(&id) {
            Some(&slot) => Value::Int(slot.into()),
            None if self.world.contains(id) => Value::Entity(id),
            None => GONE.into(),
        })
    }

    /// Returns a value of the prefab with the ids of the copy.
    pub(super) fn made(&self, tree: &Value) -> Value {
        with_ids(tree, &|id| {
            let slot = self.files.slot_of(id);
            // The copies of a prefab name the same entities outside of it, which do not exist.
            let made = slot.map_or(Some(id), |slot| self.copy.later(slot));
            Value::Entity(made.unwrap_or_else(|| {
                self.names_dead.set(true);
                self.dead
            }))
        })
    }

    /// Returns edges of the prefab with the ids of the copy, without those to entities that it does not have.
    pub(super) fn made_edges(&self, tree: &Value) -> Option<Value> {
        let is_there = |edge: &Value| {
            let slot = target_of(edge).and_then(|target| self.files.slot_of(target));
            slot.is_some_and(|slot| self.copy.later(slot).is_some())
        };
        match tree {
            Value::List(edges) => {
                let edges = edges.iter().filter(|edge| is_there(edge));
                let edges: Vec<Value> = edges.map(|edge| self.made(edge)).collect();
                (!edges.is_empty()).then_some(Value::List(edges))
            }
            edge => is_there(edge).then(|| self.made(edge)),
        }
    }
}

/// Returns the targets of edges by name.
pub(super) fn targets(tree: Option<&Value>) -> impl Iterator<Item = Entity> + '_ {
    let edges = tree.map_or(&[][..], |tree| {
        tree.as_list().unwrap_or(core::slice::from_ref(tree))
    });
    edges.iter().filter_map(target_of)
}

fn target_of(edge: &Value) -> Option<Entity> {
    match edge.as_map() {
        Some(_) => edge.get("to").and_then(Value::as_entity),
        None => edge.as_entity(),
    }
}

/// Returns a tree with other ids.
fn with_ids(tree: &Value, id: &impl Fn(Entity) -> Value) -> Value {
    match tree {
        Value::Entity(entity) => id(*entity),
        Value::List(list) => Value::List(list.iter().map(|value| with_ids(value, id)).collect()),
        Value::Map(map) => {
            let entries = map.iter();
            let entries = entries.map(|(key, value)| (with_ids(key, id), with_ids(value, id)));
            Value::Map(entries.collect())
        }
        other => other.clone(),
    }
}

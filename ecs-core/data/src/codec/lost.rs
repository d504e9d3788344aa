//! Finds the parts of a tree that a type does not read: its fields had other names when they were saved.
//!
//! Trees have names, and most types pass over names that they do not know. No trait tells which ones they know, and types that
//! collect their fields before they look at them (`tag`, `untagged`, `flatten`) do not ask for any. So a value that was read is
//! written again, and compared with the tree.

use std::collections::{HashMap, HashSet};

use super::encoder::Encoder;
use crate::Value;

/// The names in a tree that loses something, and the names of the value that was read, like in [shapes](super::shape) but without
/// the kinds of values.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lost {
    pub(crate) found: String,
    pub(crate) current: String,
}

/// Returns the names if a part of a tree is missing in the tree of the value that was read: a key whose value no other new key
/// has. Such another key is an alias.
pub(super) fn lost(saved: &Value, read: &Value) -> Option<Lost> {
    let lost = differs(saved, read, Leaves::Ignored)?;
    // Sets without an order have another one now.
    differs(&sorted(saved), &sorted(read), Leaves::Ignored).and(Some(lost))
}

/// The role of values without parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaves {
    /// They have to be equal, because nothing else tells that a key is an alias.
    Matter,
    /// A type may change them under their key.
    Ignored,
}

fn differs(saved: &Value, read: &Value, leaves: Leaves) -> Option<Lost> {
    match (saved, read) {
        (Value::Map(saved), Value::Map(read)) => maps(saved, read, leaves),
        (Value::List(saved), Value::List(read)) if saved.len() == read.len() => {
            let mut pairs = saved.iter().zip(read);
            let lost = pairs.find_map(|(saved, read)| differs(saved, read, leaves))?;
            Some(Lost {
                found: format!("[{}]", lost.found),
                current: format!("[{}]", lost.current),
            })
        }
        _ => (leaves == Leaves::Matter && saved != read).then(Lost::default),
    }
}

type Entry = (Value, Value);

fn maps(saved: &[Entry], read: &[Entry], leaves: Leaves) -> Option<Lost> {
    let by_key: HashMap<&Value, &Value> = read.iter().map(|(key, value)| (key, value)).collect();
    let mut missing = Vec::new();
    for (key, value) in saved {
        match by_key.get(key) {
            Some(found) => {
                if let Some(lost) = differs(value, found, leaves) {
                    return Some(Lost {
                        found: names(saved, Some((key, &lost.found))),
                        current: names(read, Some((key, &lost.current))),
                    });
                }
            }
            None if value.is_null() => {}
            None => missing.push(value),
        }
    }
    if missing.is_empty() {
        return None;
    }
    let keys: HashSet<&Value> = saved.iter().map(|(key, _)| key).collect();
    let added = read.iter().filter(|(key, _)| !keys.contains(key));
    let added: Vec<&Value> = added.map(|(_, value)| value).collect();
    let mut equal = HashMap::<&Value, usize>::new();
    for value in &added {
        *equal.entry(value).or_default() += 1;
    }
    missing.retain(|value| !take(&mut equal, value));
    // There may be aliases inside of them, too.
    let mut others = added.into_iter().filter(|value| take(&mut equal, value));
    let is_lost = |saved: &Value| match others.next() {
        Some(read) => differs(saved, read, Leaves::Matter).is_some(),
        None => true,
    };
    missing.into_iter().any(is_lost).then(|| Lost {
        found: names(saved, None),
        current: names(read, None),
    })
}

/// Takes one of some counted values, and returns true if there was one.
fn take(equal: &mut HashMap<&Value, usize>, value: &Value) -> bool {
    let left = equal.get_mut(value).filter(|left| **left > 0);
    left.map(|left| *left -= 1).is_some()
}

/// Returns the keys of a map, and the value at one of them.
fn names(entries: &[Entry], inner: Option<(&Value, &str)>) -> String {
    let name = |(key, _): &Entry| {
        let name = match key {
            Value::String(name) => name.clone(),
            Value::Entity(entity) => entity.to_string(),
            key => key.to_string(),
        };
        match inner {
            Some((at, inner)) if at == key => format!("{name}:{inner}"),
            _ => name,
        }
    };
    let names: Vec<String> = entries.iter().map(name).collect();
    format!("{{{}}}", names.join(","))
}

/// Returns a tree with sorted lists.
fn sorted(value: &Value) -> Value {
    match value {
        Value::List(values) => {
            let mut values: Vec<Value> = values.iter().map(sorted).collect();
            values.sort_by_cached_key(|value| {
                let mut encoder = Encoder::canonical();
                // A list that is too long or too deep stays as it is.
                _ = encoder.tree(value);
                encoder.bytes().to_vec()
            });
            Value::List(values)
        }
        Value::Map(entries) => {
            let sorted = |(key, value): &Entry| (key.clone(), sorted(value));
            Value::Map(entries.iter().map(sorted).collect())
        }
        value => value.clone(),
    }
}

//! Differences field by field, and as text.

use std::collections::HashMap;
use std::fmt;

use super::same::is_same_tree;
use super::{Diff, ValueChange};
use crate::Value;
use crate::value::{write_index, write_key};

/// A change of a part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldChange<'a> {
    /// The path of the part, in the form that [`Value::get`] takes; empty for the whole value.
    pub path: String,
    /// The part before; `None` if there was none.
    pub old: Option<&'a Value>,
    /// The part after; `None` if there is none.
    pub new: Option<&'a Value>,
}

impl ValueChange {
    /// Returns the parts of the value that differ, as small as the common form of both values permits.
    #[must_use]
    pub fn fields(&self) -> Vec<FieldChange<'_>> {
        fields_of(self.old.as_ref(), self.new.as_ref())
    }
}

/// Returns the parts of two values that differ.
pub(crate) fn fields_of<'a>(
    old: Option<&'a Value>,
    new: Option<&'a Value>,
) -> Vec<FieldChange<'a>> {
    let mut fields = Vec::new();
    collect(old, new, "", &mut fields);
    fields
}

fn collect<'a>(
    old: Option<&'a Value>,
    new: Option<&'a Value>,
    path: &str,
    fields: &mut Vec<FieldChange<'a>>,
) {
    match (old, new) {
        (Some(old), Some(new)) if is_same_tree(old, new) => {}
        (Some(Value::List(old)), Some(Value::List(new))) if old.len() == new.len() => {
            for (index, (old, new)) in old.iter().zip(new).enumerate() {
                let mut path = path.to_owned();
                write_index(&mut path, index);
                collect(Some(old), Some(new), &path, fields);
            }
        }
        (Some(Value::Map(old)), Some(Value::Map(new))) if !old.is_empty() && !new.is_empty() => {
            let by_key: HashMap<_, _> = new.iter().map(|(key, value)| (key, value)).collect();
            let old_keys: HashMap<_, _> = old.iter().map(|(key, value)| (key, value)).collect();
            let added = new.iter().filter(|(key, _)| !old_keys.contains_key(key));
            let kept = old.iter().map(|(key, value)| (key, Some(value)));
            for (key, old) in kept.chain(added.map(|(key, _)| (key, None))) {
                let mut path = path.to_owned();
                write_key(&mut path, key);
                collect(old, by_key.get(key).copied(), &path, fields);
            }
        }
        (old, new) => fields.push(FieldChange {
            path: path.to_owned(),
            old,
            new,
        }),
    }
}

/// Writes a line for each entity that is spawned or despawned, for each field that differs, and for each target whose
/// sources have another order.
impl fmt::Display for Diff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for change in &self.entities {
            match (change.was_alive, change.is_alive) {
                (false, _) => writeln!(f, "{} spawned", change.entity)?,
                (true, false) => writeln!(f, "{} despawned", change.entity)?,
                (true, true) => {}
            }
            for value in &change.values {
                write_value(f, &format!("{} ", change.entity), value)?;
            }
        }
        for order in &self.orders {
            // Entities that are gone or new have their own lines.
            let common = |list: &[_], other: &[_]| -> Vec<_> {
                let other: std::collections::HashSet<_> = other.iter().copied().collect();
                let common = list.iter().copied().filter(|source| other.contains(source));
                common.collect()
            };
            if common(&order.old, &order.new) == common(&order.new, &order.old) {
                continue;
            }
            write!(f, "{} sources in {}: ", order.target, order.relation)?;
            writeln!(f, "{:?} -> {:?}", order.old, order.new)?;
        }
        for resource in &self.resources {
            write_value(f, "", resource)?;
        }
        Ok(())
    }
}

fn write_value(f: &mut fmt::Formatter<'_>, of: &str, change: &ValueChange) -> fmt::Result {
    for field in change.fields() {
        write!(f, "{of}{}{}: ", change.name, field.path)?;
        match field.old {
            Some(old) => write!(f, "{old} -> ")?,
            None => f.write_str("none -> ")?,
        }
        match field.new {
            Some(new) => writeln!(f, "{new}")?,
            None => f.write_str("none\n")?,
        }
    }
    Ok(())
}

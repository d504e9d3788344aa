//! The order of rows.

use std::cmp::Ordering;

use ecs_data::Value;
use ecs_engine::Entity;

/// The bytes of a text, and the parts of a list or a map, that count.
const COUNTED_BYTES: usize = 256;
const COUNTED_PARTS: usize = 8;
/// The levels that count.
const COUNTED_LEVELS: u32 = 4;

/// The key of a row in the order: its value, then its entity. Rows without a value come last.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SortKey {
    value: Option<Value>,
    entity: Entity,
    descends: bool,
}

impl SortKey {
    /// Makes a key. Of large values the beginning counts, so that keys are small.
    pub(super) fn new(value: Option<Value>, entity: Entity, descends: bool) -> Self {
        Self {
            value: value.map(|value| start_of(&value, COUNTED_LEVELS)),
            entity,
            descends,
        }
    }

    pub(super) fn entity(&self) -> Entity {
        self.entity
    }
}

fn start_of(value: &Value, levels: u32) -> Value {
    let part = |value: &Value| match levels {
        0 => Value::Null,
        _ => start_of(value, levels - 1),
    };
    match value {
        Value::String(text) => text[..text.floor_char_boundary(COUNTED_BYTES)].into(),
        Value::Bytes(bytes) => Value::Bytes(bytes.iter().take(COUNTED_BYTES).copied().collect()),
        Value::List(parts) => Value::List(parts.iter().take(COUNTED_PARTS).map(part).collect()),
        Value::Map(entries) => {
            let entries = entries.iter().take(COUNTED_PARTS);
            let entries = entries.map(|(key, value)| (part(key), part(value)));
            Value::Map(entries.collect())
        }
        plain => plain.clone(),
    }
}

impl Eq for SortKey {}

impl PartialOrd for SortKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SortKey {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_value = match (&self.value, &other.value) {
            (Some(one), Some(other)) if self.descends => compare(other, one),
            (Some(one), Some(other)) => compare(one, other),
            (one, other) => other.is_some().cmp(&one.is_some()),
        };
        by_value.then_with(|| self.entity.cmp(&other.entity))
    }
}

/// Compares two values: a total order, whatever their kinds.
fn compare(one: &Value, other: &Value) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Int(_) | Value::Float(_) => 2,
        Value::String(_) => 3,
        Value::Entity(_) => 4,
        Value::Bytes(_) => 5,
        Value::List(_) => 6,
        _ => 7,
    };
    match (one, other) {
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        (Value::String(one), Value::String(other)) => one.cmp(other),
        (Value::Entity(one), Value::Entity(other)) => one.cmp(other),
        (Value::Bytes(one), Value::Bytes(other)) => one.cmp(other),
        (Value::List(one), Value::List(other)) => {
            let parts = one
                .iter()
                .zip(other)
                .map(|(one, other)| compare(one, other));
            let mut parts = parts.filter(|order| order.is_ne());
            parts.next().unwrap_or_else(|| one.len().cmp(&other.len()))
        }
        (Value::Map(one), Value::Map(other)) => {
            let parts = one.iter().zip(other);
            let parts = parts.map(|(one, other)| {
                compare(&one.0, &other.0).then_with(|| compare(&one.1, &other.1))
            });
            let mut parts = parts.filter(|order| order.is_ne());
            parts.next().unwrap_or_else(|| one.len().cmp(&other.len()))
        }
        _ => match (one.as_f64(), other.as_f64()) {
            // Whole numbers of more than 53 bits may be equal as floats.
            (Some(size), Some(other_size)) => size
                .total_cmp(&other_size)
                .then_with(|| one.as_int().cmp(&other.as_int())),
            _ => rank(one).cmp(&rank(other)),
        },
    }
}

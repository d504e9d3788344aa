//! Values as JSON, and JSON as values.

use std::borrow::Cow;

use ecs_data::Value;
use ecs_engine::Entity;
use serde_core::ser::{SerializeMap, Serializer};
use serde_core::{Deserialize, Serialize};

/// The levels of lists and objects that a request may have.
const MAX_DEPTH: u32 = 64;

/// The key of the object that stands for an entity inside of a value.
const MARK: &str = "entity";

/// The values in a request without the token: a call needs few to read, and the program looks at each.
const MOST_VALUES_READING: usize = 4096;

/// Reads a request; see [`read`].
pub(crate) fn read_request(text: &str, may_write: bool) -> Result<Value, String> {
    let outline = Outline::of(text);
    if !may_write && outline.values > MOST_VALUES_READING {
        return Err(format!(
            "the request has more than {MOST_VALUES_READING} values, which needs the token"
        ));
    }
    read(text)
}

/// Reads JSON. Entities in it are not distinguished from other objects: see [`with_entities`].
pub(crate) fn read(text: &str) -> Result<Value, String> {
    if Outline::of(text).depth > MAX_DEPTH {
        return Err(format!(
            "the request is nested more than {MAX_DEPTH} levels deep"
        ));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let read = Value::deserialize(&mut json).and_then(|value| json.end().map(|()| value));
    read.map_err(|error| error.to_string())
}

/// The levels of a text, and a bound for the number of its values.
struct Outline {
    depth: u32,
    values: usize,
}

impl Outline {
    fn of(text: &str) -> Self {
        let (mut depth, mut most, mut values) = (0_u32, 0, 1);
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            match byte {
                b',' | b':' => values += 1,
                b'{' | b'[' => {
                    values += 1;
                    depth += 1;
                    most = most.max(depth);
                }
                b'}' | b']' => depth = depth.saturating_sub(1),
                b'"' => {
                    while let Some(byte) = bytes.next() {
                        match byte {
                            b'\\' => _ = bytes.next(),
                            b'"' => break,
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        Self {
            depth: most,
            values,
        }
    }
}

/// Returns a value with entities for the objects `{"entity":"12v1"}`, and whether it has any.
pub(crate) fn with_entities(value: &Value) -> (Value, bool) {
    let mut found = false;
    let value = replaced(value, &mut found);
    (value, found)
}

fn replaced(value: &Value, found: &mut bool) -> Value {
    if let Some(entity) = marked(value) {
        *found = true;
        return Value::Entity(entity);
    }
    match value {
        Value::List(values) => Value::List(values.iter().map(|v| replaced(v, found)).collect()),
        Value::Map(entries) => {
            let entries = entries.iter();
            Value::Map(
                entries
                    .map(|(k, v)| (k.clone(), replaced(v, found)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

/// Returns the entity that an object stands for.
pub(crate) fn marked(value: &Value) -> Option<Entity> {
    match value.as_map()? {
        [(key, id)] if key.as_str() == Some(MARK) => id.as_str()?.parse().ok(),
        _ => None,
    }
}

/// Writes a value, with entities as objects, or as their numbers.
pub(crate) fn write(value: &Value, numbers: bool) -> Result<String, String> {
    serde_json::to_string(&JsonValue { value, numbers }).map_err(|error| error.to_string())
}

struct JsonValue<'a> {
    value: &'a Value,
    numbers: bool,
}

impl Serialize for JsonValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let numbers = self.numbers;
        let part = |value| JsonValue { value, numbers };
        match self.value {
            Value::Entity(entity) if numbers => serializer.serialize_u64(entity.to_bits()),
            Value::Entity(entity) => {
                let mut map = serializer.serialize_map(Some(1))?;
                map.serialize_entry(MARK, &entity.to_string())?;
                map.end()
            }
            Value::List(values) => serializer.collect_seq(values.iter().map(part)),
            Value::Map(entries) => {
                if entries.iter().any(|(key, _)| key_text(key).is_none()) {
                    let pairs = entries.iter().map(|(key, value)| [part(key), part(value)]);
                    return serializer.collect_seq(pairs);
                }
                let entries = entries.iter();
                let texts = entries.filter_map(|(key, value)| Some((key_text(key)?, part(value))));
                serializer.collect_map(texts)
            }
            plain => plain.serialize(serializer),
        }
    }
}

fn key_text(key: &Value) -> Option<Cow<'_, str>> {
    match key {
        Value::String(key) => Some(key.into()),
        Value::Int(key) => Some(key.to_string().into()),
        Value::Bool(key) => Some(key.to_string().into()),
        Value::Entity(key) => Some(key.to_string().into()),
        _ => None,
    }
}

/// Returns an object.
pub(crate) fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    entries.into_iter().collect()
}

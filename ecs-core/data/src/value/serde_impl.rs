//! Values in formats that describe their data.

use std::fmt::{self, Formatter};

use serde_core::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{SerializeMap, SerializeSeq};
use serde_core::{Deserialize, Serialize, Serializer};

use super::Value;
use super::float::{Special, parse_float};

/// The levels that are read and written.
const MAX_DEPTH: u32 = 128;

/// # Errors
/// Those of the format; also if the value is nested more than 128 levels deep, where a map that is written as a list of pairs counts
/// for two.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Part {
            value: self,
            left: MAX_DEPTH,
        }
        .serialize(serializer)
    }
}

/// A value that is written, with so many levels at most.
struct Part<'a> {
    value: &'a Value,
    left: u32,
}

impl Part<'_> {
    /// Returns the levels that the parts have at most.
    fn inside<E: serde_core::ser::Error>(&self, levels: u32) -> Result<u32, E> {
        let inside = self.left.checked_sub(levels);
        inside.ok_or_else(|| E::custom(TooDeep))
    }
}

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.value {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::Int(value) => {
                if let Ok(value) = i64::try_from(*value) {
                    serializer.serialize_i64(value)
                } else if let Ok(value) = u64::try_from(*value) {
                    serializer.serialize_u64(value)
                } else {
                    serializer.collect_str(value)
                }
            }
            Value::Float(value) if value.is_finite() => serializer.serialize_f64(*value),
            Value::Float(value) => serializer.collect_str(&Special(*value)),
            Value::String(value) => serializer.serialize_str(value),
            Value::Bytes(value) => serializer.serialize_bytes(value),
            Value::List(values) => {
                let left = self.inside(1)?;
                serializer.collect_seq(values.iter().map(|value| Part { value, left }))
            }
            Value::Map(entries) if entries.iter().all(|(key, _)| is_plain_key(key)) => {
                let left = self.inside(1)?;
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(&Part { value: key, left }, &Part { value, left })?;
                }
                map.end()
            }
            Value::Map(entries) => {
                let left = self.inside(2)?;
                let mut pairs = serializer.serialize_seq(Some(entries.len()))?;
                for (key, value) in entries {
                    pairs.serialize_element(&(Part { value: key, left }, Part { value, left }))?;
                }
                pairs.end()
            }
        }
    }
}

/// The problem with a value that has too many levels.
struct TooDeep;

impl fmt::Display for TooDeep {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "a value is nested more than {MAX_DEPTH} levels deep")
    }
}

/// Returns whether formats have such keys. JSON makes texts of those that are none.
fn is_plain_key(key: &Value) -> bool {
    matches!(key, Value::String(_) | Value::Int(_) | Value::Bool(_))
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Levels {
            left: MAX_DEPTH,
            is_key: false,
        }
        .deserialize(deserializer)
    }
}

/// Reads a value that may have so many levels.
struct Levels {
    left: u32,
    /// Keys that are floats are not written as texts.
    is_key: bool,
}

impl Levels {
    /// Returns what reads a part of the value.
    fn inside<E: Error>(&self) -> Result<Self, E> {
        match self.left.checked_sub(1) {
            Some(left) => Ok(Self {
                left,
                is_key: false,
            }),
            None => Err(E::custom(TooDeep)),
        }
    }

    fn key<E: Error>(&self) -> Result<Self, E> {
        self.inside().map(|inside| Self {
            is_key: true,
            ..inside
        })
    }

    fn float(&self, text: &str) -> Option<f64> {
        if self.is_key { None } else { parse_float(text) }
    }
}

impl<'de> DeserializeSeed<'de> for Levels {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// The elements or entries for which room is made before they are read, whatever their number is said to be.
const CAUTIOUS: usize = 1024;

impl<'de> Visitor<'de> for Levels {
    type Value = Value;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Int(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Value, E> {
        Ok(i128::try_from(value).map_or_else(|_| Value::String(value.to_string()), Value::Int))
    }

    /// The same number: a format that finds out the size of a float takes the smaller one if nothing is lost.
    fn visit_f32<E>(self, value: f32) -> Result<Value, E> {
        Ok(Value::Float(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(self
            .float(value)
            .map_or_else(|| Value::String(value.to_owned()), Value::Float))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(self
            .float(&value)
            .map_or(Value::String(value), Value::Float))
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<Value, E> {
        Ok(Value::Bytes(value.to_owned()))
    }

    fn visit_byte_buf<E>(self, value: Vec<u8>) -> Result<Value, E> {
        Ok(Value::Bytes(value))
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.inside()?.deserialize(deserializer).map(Value::some)
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut values = Vec::with_capacity(access.size_hint().unwrap_or(0).min(CAUTIOUS));
        while let Some(value) = access.next_element_seed(self.inside()?)? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut entries = Vec::with_capacity(access.size_hint().unwrap_or(0).min(CAUTIOUS));
        while let Some(key) = access.next_key_seed(self.key()?)? {
            entries.push((key, access.next_value_seed(self.inside()?)?));
        }
        Ok(Value::Map(entries))
    }
}

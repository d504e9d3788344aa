//! Values in formats that describe their data.

use std::fmt::{self, Formatter};
use std::mem;

use ecs_engine::entity::session::tells_ids;
use serde_core::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_core::ser::{SerializeMap, SerializeSeq};
use serde_core::{Deserialize, Serialize, Serializer};

use super::Value;
use super::float::{Special, parse_float};

/// The levels that are read and written.
pub(crate) const MAX_DEPTH: u32 = 128;

/// # Errors
/// The errors of the format. It is also an error if the value is nested more than 128 levels deep; a map that is written as a
/// list of pairs counts for two.
impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        NestedPart {
            value: self,
            left: MAX_DEPTH,
        }
        .serialize(serializer)
    }
}

/// A value to write, with at most this many levels.
struct NestedPart<'a> {
    value: &'a Value,
    left: u32,
}

impl NestedPart<'_> {
    /// Returns the greatest number of levels for the parts.
    fn inside<E: serde_core::ser::Error>(&self, levels: u32) -> Result<u32, E> {
        let inside = self.left.checked_sub(levels);
        inside.ok_or_else(|| E::custom(TooDeep))
    }
}

impl Serialize for NestedPart<'_> {
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
            Value::Entity(value) if tells_ids() => value.serialize(serializer),
            Value::Entity(value) => serializer.collect_str(value),
            Value::List(values) => {
                let left = self.inside(1)?;
                serializer.collect_seq(values.iter().map(|value| NestedPart { value, left }))
            }
            Value::Map(entries) if entries.iter().all(|(key, _)| is_plain_key(key)) => {
                let left = self.inside(1)?;
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries {
                    map.serialize_entry(
                        &NestedPart { value: key, left },
                        &NestedPart { value, left },
                    )?;
                }
                map.end()
            }
            Value::Map(entries) => {
                let left = self.inside(2)?;
                let mut pairs = serializer.serialize_seq(Some(entries.len()))?;
                for (key, value) in entries {
                    pairs.serialize_element(&(
                        NestedPart { value: key, left },
                        NestedPart { value, left },
                    ))?;
                }
                pairs.end()
            }
        }
    }
}

/// The problem with a value that has too many levels.
pub(crate) struct TooDeep;

impl fmt::Display for TooDeep {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "a value is nested more than {MAX_DEPTH} levels deep")
    }
}

/// Returns whether formats have such keys. JSON makes texts of keys that are not texts.
pub(crate) fn is_plain_key(key: &Value) -> bool {
    matches!(
        key,
        Value::String(_) | Value::Int(_) | Value::Bool(_) | Value::Entity(_)
    )
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut value = Self::Null;
        value.in_place().deserialize(deserializer)?;
        Ok(value)
    }
}

impl Value {
    /// Returns a seed that reads a value in place of this one, in the same memory: values of one type have lists and names of
    /// about the same lengths. After an error the value is unspecified.
    pub(crate) fn in_place<'de>(&mut self) -> impl DeserializeSeed<'de, Value = ()> {
        let levels = Levels {
            left: MAX_DEPTH,
            is_key: false,
        };
        levels.of(self)
    }

    /// Replaces the value.
    #[inline]
    fn put(&mut self, value: Self) {
        let before = mem::replace(self, value);
        let has_memory = match &before {
            Self::Null | Self::Bool(_) | Self::Int(_) | Self::Float(_) | Self::Entity(_) => false,
            Self::String(text) => text.capacity() > 0,
            Self::Bytes(bytes) => bytes.capacity() > 0,
            Self::List(values) => values.capacity() > 0,
            Self::Map(entries) => entries.capacity() > 0,
        };
        // Most values are numbers in place of numbers, or lists and maps that reuse the memory.
        if !has_memory {
            mem::forget(before);
        }
    }

    /// Turns the value into a text, in the memory of an old one.
    fn set_text(&mut self, text: &str) {
        match self {
            Self::String(before) => {
                before.clear();
                before.push_str(text);
            }
            _ => *self = Self::String(text.to_owned()),
        }
    }
}

/// A value that may have this many levels.
#[derive(Clone, Copy)]
struct Levels {
    left: u32,
    /// Keys that are floats are not written as texts.
    is_key: bool,
}

impl Levels {
    /// Returns the levels of a part of the value.
    fn inside<E: Error>(self) -> Result<Self, E> {
        match self.left.checked_sub(1) {
            Some(left) => Ok(Self {
                left,
                is_key: false,
            }),
            None => Err(E::custom(TooDeep)),
        }
    }

    fn key<E: Error>(self) -> Result<Self, E> {
        self.inside().map(|inside| Self {
            is_key: true,
            ..inside
        })
    }

    /// Returns a seed that reads a value into a place.
    fn of(self, place: &mut Value) -> InPlace<'_> {
        let levels = self;
        InPlace { place, levels }
    }
}

/// Reads a value in place of another one.
struct InPlace<'v> {
    place: &'v mut Value,
    levels: Levels,
}

impl InPlace<'_> {
    fn float(&self, text: &str) -> Option<f64> {
        if self.levels.is_key {
            None
        } else {
            parse_float(text)
        }
    }

    #[inline]
    fn set<E>(self, value: Value) -> Result<(), E> {
        self.place.put(value);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for InPlace<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// The maximum number of elements or entries to make room for in advance, whatever number the input claims.
const CAUTIOUS: usize = 1024;

impl<'de> Visitor<'de> for InPlace<'_> {
    type Value = ();

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.set(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.set(Value::Int(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.set(Value::Int(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<(), E> {
        self.set(Value::Int(value))
    }

    fn visit_u128<E>(self, value: u128) -> Result<(), E> {
        let int = i128::try_from(value);
        self.set(int.map_or_else(|_| Value::String(value.to_string()), Value::Int))
    }

    /// The same number: a format that finds out the size of a float takes the smaller one if nothing is lost.
    fn visit_f32<E>(self, value: f32) -> Result<(), E> {
        self.set(Value::Float(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.set(Value::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<(), E> {
        match self.float(value) {
            Some(float) => self.set(Value::Float(float)),
            None => {
                self.place.set_text(value);
                Ok(())
            }
        }
    }

    fn visit_string<E>(self, value: String) -> Result<(), E> {
        let float = self.float(&value);
        self.set(float.map_or(Value::String(value), Value::Float))
    }

    fn visit_bytes<E>(self, value: &[u8]) -> Result<(), E> {
        self.set(Value::Bytes(value.to_owned()))
    }

    fn visit_byte_buf<E>(self, value: Vec<u8>) -> Result<(), E> {
        self.set(Value::Bytes(value))
    }

    fn visit_none<E>(self) -> Result<(), E> {
        self.set(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let mut inner = mem::take(self.place);
        let levels = self.levels.inside()?;
        levels.of(&mut inner).deserialize(deserializer)?;
        self.set(Value::some(inner))
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.set(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let Self { place, levels } = self;
        let mut values = match place {
            Value::List(values) => mem::take(values),
            _ => Vec::new(),
        };
        let mut read = 0;
        while let Some(value) = values.get_mut(read) {
            let next = access.next_element_seed(levels.inside()?.of(value))?;
            if next.is_none() {
                values.truncate(read);
                place.put(Value::List(values));
                return Ok(());
            }
            read += 1;
        }
        values.reserve_exact(access.size_hint().unwrap_or(0).min(CAUTIOUS));
        loop {
            let mut value = Value::Null;
            let next = access.next_element_seed(levels.inside()?.of(&mut value))?;
            if next.is_none() {
                place.put(Value::List(values));
                return Ok(());
            }
            values.push(value);
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let Self { place, levels } = self;
        let mut entries = match place {
            Value::Map(entries) => mem::take(entries),
            _ => Vec::new(),
        };
        let mut read = 0;
        while let Some((key, value)) = entries.get_mut(read) {
            let next = access.next_key_seed(levels.key()?.of(key))?;
            if next.is_none() {
                entries.truncate(read);
                place.put(Value::Map(entries));
                return Ok(());
            }
            access.next_value_seed(levels.inside()?.of(value))?;
            read += 1;
        }
        entries.reserve_exact(access.size_hint().unwrap_or(0).min(CAUTIOUS));
        loop {
            let mut key = Value::Null;
            let next = access.next_key_seed(levels.key()?.of(&mut key))?;
            if next.is_none() {
                place.put(Value::Map(entries));
                return Ok(());
            }
            let mut value = Value::Null;
            access.next_value_seed(levels.inside()?.of(&mut value))?;
            entries.push((key, value));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_core::de::DeserializeSeed;

    use super::Value;

    fn read(value: &mut Value, text: &str) -> Result<(), serde_json::Error> {
        value
            .in_place()
            .deserialize(&mut serde_json::Deserializer::from_str(text))
    }

    #[test]
    fn nothing_of_the_value_before_is_left() {
        let texts = [
            "null",
            "true",
            "-1",
            "1.5",
            "\"\"",
            "\"a\"",
            "\"longer\"",
            "\"float(NaN)\"",
            "[]",
            "[1]",
            "[\"a\",[2,3],{\"b\":null}]",
            "[[],[4]]",
            "{}",
            "{\"x\":1,\"y\":[2]}",
            "{\"y\":[2,3],\"x\":\"1\",\"z\":{\"x\":0}}",
            "{\"float(inf)\":\"float(inf)\"}",
        ];
        for before in texts {
            for text in texts {
                let mut value = Value::Null;
                read(&mut value, before).unwrap();
                read(&mut value, text).unwrap();
                let alone: Value = serde_json::from_str(text).unwrap();
                assert_eq!(
                    format!("{value:?}"),
                    format!("{alone:?}"),
                    "{before}, {text}"
                );
            }
        }
    }

    #[test]
    fn after_an_error_another_value_can_be_read() {
        let mut value = Value::Null;
        read(&mut value, "{\"a\":[1,{\"b\":2}]}").unwrap();
        read(&mut value, "{\"a\":[3,{\"b\":").unwrap_err();
        read(&mut value, "[5]").unwrap();
        assert_eq!(value.to_string(), "[5]");
    }
}

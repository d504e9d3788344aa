//! Values at any depth: operations handle the parts of a value one after the other, and not one inside the other, because the
//! stack is short.

use std::hash::{Hash, Hasher};
use std::mem;
use std::slice;

use super::Value;

/// The remaining parts of a list or a map: for a map a key, its value, the next key.
pub(super) enum PartsLeft<'a> {
    List(slice::Iter<'a, Value>),
    Map {
        entries: slice::Iter<'a, (Value, Value)>,
        /// The value whose key was returned last.
        value: Option<&'a Value>,
    },
}

impl<'a> PartsLeft<'a> {
    /// Returns the parts of a value; `None` if it has none because it is neither a list nor a map.
    pub(super) fn of(value: &'a Value) -> Option<Self> {
        match value {
            Value::List(values) => Some(Self::List(values.iter())),
            Value::Map(entries) => Some(Self::Map {
                entries: entries.iter(),
                value: None,
            }),
            _ => None,
        }
    }

    /// Returns true if the next part is the value of a key.
    pub(super) fn is_behind_key(&self) -> bool {
        matches!(self, Self::Map { value: Some(_), .. })
    }

    pub(super) fn next(&mut self) -> Option<&'a Value> {
        match self {
            Self::List(values) => values.next(),
            Self::Map { entries, value } => match value.take() {
                Some(value) => Some(value),
                None => {
                    let (key, of_key) = entries.next()?;
                    *value = Some(of_key);
                    Some(key)
                }
            },
        }
    }
}

/// A list or a map that is put together.
enum MadeValue {
    List(Vec<Value>),
    Map {
        entries: Vec<(Value, Value)>,
        key: Option<Value>,
    },
}

impl MadeValue {
    /// Begins a copy of a list or a map; `None` for other values.
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::List(values) => Some(Self::List(Vec::with_capacity(values.len()))),
            Value::Map(entries) => Some(Self::Map {
                entries: Vec::with_capacity(entries.len()),
                key: None,
            }),
            _ => None,
        }
    }

    fn push(&mut self, value: Value) {
        match self {
            Self::List(values) => values.push(value),
            Self::Map { entries, key } => match key.take() {
                Some(key) => entries.push((key, value)),
                None => *key = Some(value),
            },
        }
    }

    fn finish(self) -> Value {
        match self {
            Self::List(values) => Value::List(values),
            Self::Map { entries, .. } => Value::Map(entries),
        }
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        let mut outer: Vec<(PartsLeft<'_>, MadeValue)> = Vec::new();
        let mut value = self;
        loop {
            let mut copy = match value {
                Self::Null => Self::Null,
                Self::Bool(value) => Self::Bool(*value),
                Self::Int(value) => Self::Int(*value),
                Self::Float(value) => Self::Float(*value),
                Self::String(value) => Self::String(value.clone()),
                Self::Bytes(value) => Self::Bytes(value.clone()),
                Self::Entity(value) => Self::Entity(*value),
                Self::List(_) | Self::Map(_) => {
                    outer.extend(PartsLeft::of(value).zip(MadeValue::of(value)));
                    let (parts, _) = outer.last_mut().expect("pushed above");
                    if let Some(next) = parts.next() {
                        value = next;
                        continue;
                    }
                    let (_, made) = outer.pop().expect("pushed above");
                    made.finish()
                }
            };
            // The copy may be the last part of a list, whose copy may be the last part of another, and so on.
            value = loop {
                let Some((parts, made)) = outer.last_mut() else {
                    return copy;
                };
                made.push(copy);
                if let Some(next) = parts.next() {
                    break next;
                }
                let (_, made) = outer.pop().expect("it is the last one");
                copy = made.finish();
            };
        }
    }
}

/// Returns true if two values are equal, apart from the parts of lists and maps with the same number of parts.
fn is_same_outside(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Bytes(a), Value::Bytes(b)) => a == b,
        (Value::Entity(a), Value::Entity(b)) => a == b,
        // An id has one text: reading it and printing it again gives the same text.
        (Value::Entity(id), Value::String(text)) | (Value::String(text), Value::Entity(id)) => {
            text.parse() == Ok(*id) && *text == id.to_string()
        }
        (Value::List(a), Value::List(b)) => a.len() == b.len(),
        (Value::Map(a), Value::Map(b)) => a.len() == b.len(),
        _ => false,
    }
}

/// Floats are compared by their bits: `NaN` equals itself, `0.0` and `-0.0` differ. An entity equals the text of its id.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        let mut outer: Vec<(PartsLeft<'_>, PartsLeft<'_>)> = Vec::new();
        let mut pair = (self, other);
        loop {
            if !is_same_outside(pair.0, pair.1) {
                return false;
            }
            outer.extend(PartsLeft::of(pair.0).zip(PartsLeft::of(pair.1)));
            pair = loop {
                let Some((one, other)) = outer.last_mut() else {
                    return true;
                };
                if let Some(next) = one.next().zip(other.next()) {
                    break next;
                }
                outer.pop();
            };
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut outer: Vec<PartsLeft<'_>> = Vec::new();
        let mut value = self;
        loop {
            match value {
                // It equals its text.
                Self::Entity(_) => mem::discriminant(&Self::String(String::new())).hash(state),
                _ => mem::discriminant(value).hash(state),
            }
            match value {
                Self::Null => {}
                Self::Bool(value) => value.hash(state),
                Self::Int(value) => value.hash(state),
                Self::Float(value) => value.to_bits().hash(state),
                Self::String(value) => value.hash(state),
                Self::Bytes(value) => value.hash(state),
                Self::Entity(value) => value.to_string().hash(state),
                Self::List(values) => values.len().hash(state),
                Self::Map(entries) => entries.len().hash(state),
            }
            outer.extend(PartsLeft::of(value));
            value = loop {
                let Some(parts) = outer.last_mut() else {
                    return;
                };
                if let Some(next) = parts.next() {
                    break next;
                }
                outer.pop();
            };
        }
    }
}

impl Value {
    /// Returns true if the value is a list or a map.
    #[inline]
    pub(super) fn may_have_parts(&self) -> bool {
        matches!(self, Self::List(_) | Self::Map(_))
    }
}

/// Returns true if a value is nested at least two levels deep. Dropping any other needs little stack.
fn is_deep(value: &Value) -> bool {
    let has_parts = |value: &Value| match value {
        Value::List(values) => !values.is_empty(),
        Value::Map(entries) => !entries.is_empty(),
        _ => false,
    };
    match value {
        Value::List(values) => values.iter().any(has_parts),
        Value::Map(entries) => entries
            .iter()
            .any(|(key, value)| has_parts(key) || has_parts(value)),
        _ => false,
    }
}

/// Takes the parts that are [deep](is_deep) themselves out of a value.
fn take_deep(value: &mut Value, into: &mut Vec<Value>) {
    let mut take = |part: &mut Value| {
        if part.may_have_parts() && is_deep(part) {
            into.push(mem::take(part));
        }
    };
    match value {
        Value::List(values) => values.iter_mut().for_each(take),
        Value::Map(entries) => {
            for (key, value) in entries {
                take(key);
                take(value);
            }
        }
        _ => {}
    }
}

impl Drop for Value {
    #[inline]
    fn drop(&mut self) {
        if self.may_have_parts() {
            drop_deep(self);
        }
    }
}

/// Drops the deep parts of a value one after the other.
fn drop_deep(value: &mut Value) {
    let mut deep = Vec::new();
    take_deep(value, &mut deep);
    while let Some(mut value) = deep.pop() {
        // Its own drop no longer finds anything deep.
        take_deep(&mut value, &mut deep);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::hash_map::DefaultHasher;
    use std::fmt;

    use ecs_engine::Entity;

    use super::*;

    const DEEP: usize = 100_000;

    /// Lists and maps by turns, inside of values and of keys.
    fn deep(levels: usize, inside: Value) -> Value {
        let mut value = inside;
        for level in 0..levels {
            value = match level % 3 {
                0 => Value::List(vec![Value::Null, value, 1.into()]),
                1 => Value::Map(vec![("a".into(), value), (2.into(), Value::Null)]),
                _ => Value::Map(vec![(value, 3.into())]),
            };
        }
        value
    }

    fn hash_of(value: &Value) -> u64 {
        let mut hasher = DefaultHasher::new();
        value.hash(&mut hasher);
        hasher.finish()
    }

    /// The operations on values with few levels, by the recursion of the standard library.
    struct Naive<'a>(&'a Value);

    impl fmt::Debug for Naive<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self.0 {
                Value::List(values) => f.debug_list().entries(values.iter().map(Naive)).finish(),
                Value::Map(entries) => {
                    let entries = entries
                        .iter()
                        .map(|(key, value)| (Naive(key), Naive(value)));
                    f.debug_map().entries(entries).finish()
                }
                other => fmt::Display::fmt(other, f),
            }
        }
    }

    fn is_same(one: &Value, other: &Value) -> bool {
        match (one, other) {
            (Value::List(one), Value::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(a, b)| is_same(a, b))
            }
            (Value::Map(one), Value::Map(other)) => {
                let mut pairs = one.iter().zip(other);
                one.len() == other.len()
                    && pairs.all(|((a, b), (c, d))| is_same(a, c) && is_same(b, d))
            }
            (one, other) => one == other,
        }
    }

    fn random(seed: &mut u32, levels: u32) -> Value {
        *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let bits = *seed >> 16;
        let len = bits / 16 % 4;
        match bits % if levels == 0 { 7 } else { 10 } {
            0 => Value::Null,
            1 => Value::Bool(bits & 64 != 0),
            2 => Value::Int(i128::from(len) - 1),
            3 => Value::Float([0.0, -0.0, f64::NAN, 1.5][len as usize]),
            4 => Value::String(["", "a\nb", "1v1", "\"ü\""][len as usize].to_owned()),
            5 => Value::Bytes(vec![0, 200, 10][..len.min(3) as usize].to_owned()),
            6 => Value::Entity(Entity::from_bits(u64::from(len) + (1 << 32)).unwrap()),
            7 => Value::List((0..len).map(|_| random(seed, levels - 1)).collect()),
            _ => {
                let pair = |_| (random(seed, levels - 1), random(seed, levels - 1));
                Value::Map((0..len).map(pair).collect())
            }
        }
    }

    #[test]
    fn values_of_many_levels_are_made_cloned_compared_hashed_printed_and_dropped() {
        let small_stack = std::thread::Builder::new().stack_size(128 << 10);
        let run = || {
            let value = deep(DEEP, 7.into());
            let copy = value.clone();
            assert!(value == copy);
            assert_eq!(hash_of(&value), hash_of(&copy));
            let other = deep(DEEP, 8.into());
            assert!(value != other);
            assert_ne!(hash_of(&value), hash_of(&other));
            let text = value.to_string();
            assert_eq!(text.matches('[').count(), DEEP.div_ceil(3));
            assert!(text.contains("[null, 7, 1]"), "at the bottom");
            assert!(format!("{value:#?}").len() < 2 * text.len());
            assert!(value.get("no.such.path").is_none());
            let moved = value.into_map().or_else(Value::into_list_as_map);
            drop(moved);
        };
        small_stack.spawn(run).unwrap().join().unwrap();
    }

    impl Value {
        fn into_list_as_map(self) -> Result<Vec<(Value, Value)>, Value> {
            let list = self.into_list()?;
            Ok(list.into_iter().map(|value| (Value::Null, value)).collect())
        }
    }

    #[test]
    fn deep_values_are_errors_where_they_are_written_or_read() {
        let value = deep(DEEP, Value::Null);
        let too_deep = "a value is nested more than 128 levels deep";
        assert_eq!(
            serde_json::to_string(&value).unwrap_err().to_string(),
            too_deep
        );
        assert!(
            Value::of(&value)
                .unwrap_err()
                .to_string()
                .contains("levels deep")
        );
        assert!(
            value
                .to::<Value>()
                .unwrap_err()
                .to_string()
                .contains("levels deep")
        );
        assert!(value.to::<Vec<u8>>().is_err());
        let text = "[".repeat(DEEP);
        assert!(serde_json::from_str::<Value>(&text).is_err());
        assert!(ron::from_str::<Value>(&text).is_err());
        let bytes = vec![0x91; DEEP];
        assert!(rmp_serde::from_slice::<Value>(&bytes).is_err());
    }

    #[test]
    fn what_is_written_can_be_read_up_to_the_last_level() {
        let lists = |levels| (0..levels).fold(Value::Null, |value, _| Value::List(vec![value]));
        // A map whose keys are lists is written as a list of lists.
        let odd = |levels| {
            (0..levels / 2).fold(Value::Null, |value, _| {
                Value::Map(vec![(Value::Null, value)])
            })
        };
        for value in [lists(127), odd(126), lists(1), Value::List(Vec::new())] {
            let mut bytes = rmp_serde::to_vec(&value).unwrap();
            let mut read = rmp_serde::Deserializer::from_read_ref(&bytes);
            read.set_max_depth(1000);
            let read: Value = serde::Deserialize::deserialize(&mut read).unwrap();
            bytes.clear();
            assert_eq!(
                rmp_serde::to_vec(&read).unwrap(),
                rmp_serde::to_vec(&value).unwrap()
            );
        }
        for value in [lists(129), odd(130)] {
            assert!(rmp_serde::to_vec(&value).is_err());
        }
    }

    #[test]
    fn operations_are_the_same_as_by_recursion() {
        let mut seed = 1;
        let values: Vec<Value> = (0..400).map(|i| random(&mut seed, i % 5)).collect();
        for value in &values {
            let copy = value.clone();
            assert!(is_same(value, &copy) && *value == copy);
            assert_eq!(format!("{value}"), format!("{:?}", Naive(value)));
            assert_eq!(format!("{value:#}"), format!("{:#?}", Naive(value)));
            assert_eq!(format!("{value:4}"), format!("{:4?}", Naive(value)));
            for other in &values {
                assert_eq!(value == other, is_same(value, other), "{value} and {other}");
                if value == other {
                    assert_eq!(hash_of(value), hash_of(other));
                }
            }
        }
    }

    #[test]
    fn lines_end_at_some_depth() {
        let value = (0..70).fold(Value::Null, |value, _| Value::List(vec![value]));
        let text = format!("{value:#}");
        assert_eq!(
            text.lines().count(),
            129,
            "64 levels down and up, and one line"
        );
        assert_eq!(text.lines().nth(64).unwrap().trim(), "[[[[[[null]]]]]],");
    }
}

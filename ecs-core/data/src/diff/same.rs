//! Trees that are the same value.

use std::collections::HashMap;

use crate::Value;
use crate::value::{is_plain_key, parse_float};

/// Does the same as [`is_same_tree`] for trees that may be missing.
pub(super) fn is_same(one: Option<&Value>, other: Option<&Value>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => is_same_tree(one, other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

/// Returns true if two trees are equal, but for the order of entries in maps.
pub(crate) fn is_same_tree(one: &Value, other: &Value) -> bool {
    is_same_by(one, other, false)
}

/// Returns true if two trees are the same value, whichever of them was written as text and read again. In text, keys are texts,
/// and so are integers beyond 64 bits; bytes, and maps with other keys, are lists. See the table of [`Value`].
///
/// The key 1 is then the same as the key "1". Both are values of one component, whose type has either numbers or texts as keys.
/// So they only differ if the type, such as `Value`, accepts any kind of value, and then a text has lost the difference.
///
/// Equal maps whose keys are lists may have any order, and one that was read as a list may have been any of them. The order of
/// two lists counts, because neither says that it was a map.
pub(super) fn is_same_value(one: Option<&Value>, other: Option<&Value>) -> bool {
    is_same(one, other)
        || one.zip(other).is_some_and(|(one, other)| {
            is_same_by(&text_form(one, false), &text_form(other, false), true)
        })
}

/// Compares trees, which may have been read from text.
fn is_same_by(one: &Value, other: &Value, is_text: bool) -> bool {
    match (one, other) {
        (Value::List(one), Value::List(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(a, b)| is_same_by(a, b, is_text))
        }
        (Value::Map(one), Value::Map(other)) => {
            let other: Vec<_> = other.iter().map(|(key, value)| (key, value)).collect();
            is_same_map(one, &other, is_text)
        }
        (Value::Map(map), Value::List(list)) | (Value::List(list), Value::Map(map)) => {
            let pairs: Option<Vec<_>> = list.iter().map(as_pair).collect();
            let is_list = is_text && !has_plain_keys(map);
            is_list && pairs.is_some_and(|pairs| is_same_map(map, &pairs, is_text))
        }
        (one, other) => one == other,
    }
}

fn is_same_map(one: &[(Value, Value)], other: &[(&Value, &Value)], is_text: bool) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let mut pairs = one.iter().zip(other);
    if pairs.clone().all(|((a, _), (b, _))| a == *b) {
        return pairs.all(|((_, a), (_, b))| is_same_by(a, b, is_text));
    }
    let mut other: HashMap<_, _> = other.iter().copied().collect();
    one.iter().all(|(key, value)| {
        // Each entry has a counterpart of its own.
        let found = other.remove(key);
        found.is_some_and(|found| is_same_by(value, found, is_text))
    })
}

fn as_pair(value: &Value) -> Option<(&Value, &Value)> {
    match value.as_list() {
        Some([key, value]) => Some((key, value)),
        _ => None,
    }
}

/// Returns true if formats have such keys; a map with others is a list in a text.
fn has_plain_keys(map: &[(Value, Value)]) -> bool {
    map.iter().all(|(key, _)| is_plain_key(key))
}

/// Returns the form that a tree has after it was written as text and read again. Maps with keys that texts cannot have are an
/// exception: they stay maps, whose order does not matter, unless they are inside of keys, which are looked up.
fn text_form(value: &Value, is_in_key: bool) -> Value {
    let form = |value: &Value| text_form(value, is_in_key);
    match value {
        Value::Int(int) if i64::try_from(*int).is_err() && u64::try_from(*int).is_err() => {
            Value::String(int.to_string())
        }
        Value::String(text) => parse_float(text).map_or_else(|| value.clone(), Value::Float),
        Value::Bytes(bytes) => Value::List(bytes.iter().map(|&byte| byte.into()).collect()),
        Value::List(values) => Value::List(values.iter().map(form).collect()),
        Value::Map(map) if has_plain_keys(map) => {
            let text = |key: &Value| match key {
                Value::String(_) | Value::Entity(_) => key.clone(),
                other => Value::String(other.to_string()),
            };
            Value::Map(map.iter().map(|(k, v)| (text(k), form(v))).collect())
        }
        Value::Map(map) => {
            let entries = map.iter().map(|(k, v)| (text_form(k, true), form(v)));
            match is_in_key {
                false => Value::Map(entries.collect()),
                true => Value::List(entries.map(|(k, v)| Value::List(vec![k, v])).collect()),
            }
        }
        other => other.clone(),
    }
}

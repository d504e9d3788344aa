//! Errors about values of a tree that are not of the expected type.

use serde_core::de::{Error, Expected, Unexpected};

use super::error::Raised;
use crate::Value;

/// Returns the error for a value of an unexpected kind.
#[cold]
pub(super) fn wrong(value: &Value, expected: &dyn Expected) -> Raised {
    Raised::invalid_type(unexpected(value), expected)
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Other("null"),
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Int(value) => match (i64::try_from(*value), u64::try_from(*value)) {
            (Ok(value), _) => Unexpected::Signed(value),
            (_, Ok(value)) => Unexpected::Unsigned(value),
            _ => Unexpected::Other("an integer of more than 64 bits"),
        },
        Value::Float(value) => Unexpected::Float(*value),
        Value::String(value) => Unexpected::Str(value),
        Value::Bytes(value) => Unexpected::Bytes(value),
        Value::Entity(_) => Unexpected::Other("an entity"),
        Value::List(_) => Unexpected::Other("a list"),
        Value::Map(_) => Unexpected::Other("a map"),
    }
}

/// Returns the article of a number type.
pub(super) fn article(name: &str) -> &'static str {
    if name.starts_with('i') { "an" } else { "a" }
}

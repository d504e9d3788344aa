//! Values without parts.

use ecs_engine::Entity;

use crate::Value;
use crate::value::widen_float;

/// A value without parts, just like in a tree.
#[derive(Clone, Copy)]
pub(crate) enum Scalar<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Wide(i128),
    /// A `u128` that is no `i128`; a tree has its digits as text.
    Huge(u128),
    /// A tree widens it, like [`widen_float`](crate::value::widen_float).
    Short(f32),
    Float(f64),
    Text(&'a str),
    Entity(Entity),
}

impl<'a> Scalar<'a> {
    #[inline]
    pub(crate) fn of_u64(number: u64) -> Self {
        match i64::try_from(number) {
            Ok(number) => Self::Int(number),
            Err(_) => Self::Wide(number.into()),
        }
    }

    /// Returns a tree without parts.
    pub(super) fn of(tree: &'a Value) -> Option<Self> {
        match tree {
            Value::Null => Some(Self::Null),
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::Int(value) => Some(Self::Wide(*value)),
            Value::Float(value) => Some(Self::Float(*value)),
            Value::String(value) => Some(Self::Text(value)),
            Value::Entity(value) => Some(Self::Entity(*value)),
            Value::Bytes(_) | Value::List(_) | Value::Map(_) => None,
        }
    }

    /// Returns the tree.
    pub(crate) fn to_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(value),
            Self::Int(value) => Value::Int(value.into()),
            Self::Wide(value) => Value::Int(value),
            Self::Huge(value) => Value::String(value.to_string()),
            Self::Short(value) => Value::Float(widen_float(value)),
            Self::Float(value) => Value::Float(value),
            Self::Text(value) => Value::String(value.to_owned()),
            Self::Entity(value) => Value::Entity(value),
        }
    }
}

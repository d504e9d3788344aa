//! Values from values of the standard library.

use ecs_engine::Entity;

use super::Value;

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self::Int(i128::from(value))
            }
        }
    )*};
}

integers!(i8 i16 i32 i64 i128 u8 u16 u32 u64);

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

/// The `f64` with the same digits.
impl From<f32> for Value {
    fn from(value: f32) -> Self {
        Self::Float(super::widen_float(value))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<Entity> for Value {
    fn from(value: Entity) -> Self {
        Self::Entity(value)
    }
}

impl From<char> for Value {
    fn from(value: char) -> Self {
        Self::String(value.to_string())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::String(value.to_owned())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::String(value)
    }
}

impl From<()> for Value {
    fn from((): ()) -> Self {
        Self::Null
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, |value| value.into().some())
    }
}

/// A list, even for bytes.
impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(values: Vec<T>) -> Self {
        values.into_iter().collect()
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    fn from(values: [T; N]) -> Self {
        values.into_iter().collect()
    }
}

/// A list.
impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

/// A map.
///
/// ```
/// use ecs_core::data::Value;
///
/// let position: Value = [("x", 1.5), ("y", 2.0)].into_iter().collect();
/// assert_eq!(position.to_string(), r#"{"x": 1.5, "y": 2.0}"#);
/// ```
impl<K: Into<Value>, V: Into<Value>> FromIterator<(K, V)> for Value {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Self::Map(
            entries
                .into_iter()
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        )
    }
}

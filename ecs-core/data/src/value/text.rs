//! Values as text.

use std::fmt::{self, Debug, Display};

use super::Value;
use super::float::Special;

/// Writes the value much as JSON does; `{:#}` writes it on several lines.
///
/// ```
/// use ecs_core::data::Value;
///
/// let value: Value = [("hp", Value::from(3)), ("tags", ["a", "b"].into())].into_iter().collect();
/// assert_eq!(value.to_string(), r#"{"hp": 3, "tags": ["a", "b"]}"#);
/// ```
impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => Display::fmt(value, f),
            Self::Int(value) => Display::fmt(value, f),
            Self::Float(value) => Debug::fmt(value, f),
            Self::String(value) => Debug::fmt(value, f),
            Self::Bytes(value) => write!(f, "b\"{}\"", value.escape_ascii()),
            Self::List(values) => f.debug_list().entries(values).finish(),
            Self::Map(entries) => f
                .debug_map()
                .entries(entries.iter().map(|(key, value)| (key, value)))
                .finish(),
        }
    }
}

impl Value {
    /// Returns the text of a float that is not finite.
    pub(crate) fn float_text(&self) -> Option<String> {
        match self {
            Self::Float(value) if !value.is_finite() => Some(Special(*value).to_string()),
            _ => None,
        }
    }
}

/// The same as `Display`.
impl Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

//! Trees of values.

mod convert;
mod float;
mod nested;
mod path;
mod serde_impl;
mod text;

use ecs_engine::Entity;

pub(crate) use float::{Special, narrow_float, parse_float, widen_float};
pub(crate) use path::{PathStep, parse_path, write_index, write_key};
pub(crate) use serde_impl::{MAX_DEPTH, TooDeep, is_plain_key};
pub(crate) use text::is_same_text;

/// A value of any type, as a tree.
///
/// A program that does not know the type of a component sees it as a `Value`. A value of each type that implements serde's
/// traits can be turned into one ([`of`](Self::of)) and read from one ([`to`](Self::to)). A `Value` is itself read and written
/// in formats that describe their data, such as JSON, RON and MessagePack.
///
/// ```
/// use ecs_core::data::Value;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Debug, PartialEq, Serialize, Deserialize)]
/// enum State {
///     Idle,
///     Walk { speed: f32 },
/// }
///
/// let walk = Value::of(&State::Walk { speed: 1.5 })?;
/// assert_eq!(walk.to_string(), r#"{"Walk": {"speed": 1.5}}"#);
/// assert_eq!(walk.get("Walk.speed").and_then(Value::as_f64), Some(1.5));
/// assert_eq!(walk.to::<State>()?, State::Walk { speed: 1.5 });
///
/// let idle: Value = serde_json::from_str(r#""Idle""#)?;
/// assert_eq!(idle.to::<State>()?, State::Idle);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # The form of values
/// One value has one form, whatever the format, so that nothing is lost if a format has no notion for it:
///
/// | in Rust | as a `Value` |
/// |---|---|
/// | structs, and maps | a map; keys that are numbers or `bool`s stay so, if the format permits |
/// | newtypes | the value inside |
/// | tuples, sequences, sets | a list |
/// | `Idle`, `Walk(1.5)`, `Walk { speed: 1.5 }` | `"Idle"`, `{"Walk": 1.5}`, `{"Walk": {"speed": 1.5}}` |
/// | `None`, `()`, unit structs | `null` |
/// | `Some(value)` | the value; `{"Some": value}` if that were `null` or could be mistaken for this form |
/// | `char` | a text |
/// | an [`Entity`] | itself, written as the text of its id, such as `"7v1"`; both are equal, and read as an entity |
/// | `f32` | the `f64` with the same digits: `0.1_f32` is `0.1` |
/// | `NaN` and infinity | themselves, written as the texts `"float(NaN)"`, `"float(inf)"` |
/// | integers beyond 64 bits | themselves, written as texts; from `i128::MAX` on always texts |
/// | maps with other keys | a map, written as a list of `[key, value]` |
///
/// Values are nested at most 128 deep when they are read, and 112 when they are made from a type: formats have limits of 128, and
/// a file has levels around its values. (RON counts each level twice; `ron::Options` has a higher limit.)
///
/// Formats and serde may lose something. `serde_json` rounds floats unless its feature `float_roundtrip` is enabled. Values
/// under `untagged`, `tag` or `flatten` are read by their appearance, so options of options, and texts such as `"float(NaN)"`,
/// become other values there.
///
/// # Deep values
/// A value that a program puts together may be nested deeper. It is cloned, compared, hashed, printed and dropped at any depth,
/// with memory on the heap; writing it, or converting it to a type, returns an error. Because it is dropped that way, its parts
/// cannot be moved out by a pattern: [`into_list`](Self::into_list), [`into_map`](Self::into_map) and the like return them.
#[derive(Default)]
pub enum Value {
    /// Nothing: `None`, `()`.
    #[default]
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer of any size.
    Int(i128),
    /// A float of any size.
    Float(f64),
    /// A text, a `char`, or a variant without values.
    String(String),
    /// Bytes, in formats that distinguish them from lists.
    Bytes(Vec<u8>),
    /// An entity. It equals the text of its id, `"7v1"`, which formats have in its place.
    Entity(Entity),
    /// A sequence or a tuple.
    List(Vec<Value>),
    /// A struct, a map or a variant, in order.
    Map(Vec<(Value, Value)>),
}

/// A value for missing parts.
pub(crate) static NULL: Value = Value::Null;

impl Value {
    /// Returns `true` if it is [`Null`](Self::Null).
    #[must_use]
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }

    /// Returns the `bool` that it is.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the integer that it is.
    #[must_use]
    pub fn as_int(&self) -> Option<i128> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the number that it is. Integers above 2^53 are rounded.
    #[must_use]
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Float(value) => Some(*value),
            Self::Int(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// Returns the text that it is.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the entity that it is; `None` for the text of an id. Access by name returns entities, and formats return texts.
    ///
    /// ```
    /// use ecs_core::data::{Value, WorldData};
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.target")]
    /// struct Target {
    ///     at: Entity,
    ///     says: String,
    /// }
    ///
    /// let mut world = World::new();
    /// let goblin = world.spawn(());
    /// let hero = world.spawn(Target { at: goblin, says: "0v1".to_owned() });
    ///
    /// let target = world.get_by_name(hero, "game.target")?.unwrap();
    /// assert_eq!(target.get("at").and_then(Value::as_entity), Some(goblin));
    /// assert_eq!(target.get("says").and_then(Value::as_entity), None);
    /// // A value that comes from a file may have the text.
    /// let edited: Value = serde_json::from_str(r#"{"at":"0v1","says":"!"}"#)?;
    /// world.insert_by_name(goblin, "game.target", &edited)?;
    /// assert_eq!(world.get::<Target>(goblin).unwrap().at, goblin);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn as_entity(&self) -> Option<Entity> {
        match self {
            Self::Entity(value) => Some(*value),
            _ => None,
        }
    }

    /// Returns the entity that it is, or whose id the text is.
    pub(crate) fn to_entity(&self) -> Option<Entity> {
        match self {
            Self::Entity(value) => Some(*value),
            Self::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Returns the bytes that it is.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the elements of the list that it is.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Value]> {
        match self {
            Self::List(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the entries of the map that it is, in order.
    #[must_use]
    pub fn as_map(&self) -> Option<&[(Value, Value)]> {
        match self {
            Self::Map(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the text that it is, without a copy; otherwise the value.
    ///
    /// # Errors
    /// The value, if it is something else.
    pub fn into_string(mut self) -> Result<String, Self> {
        match &mut self {
            Self::String(value) => Ok(std::mem::take(value)),
            _ => Err(self),
        }
    }

    /// Returns the bytes that it is, without a copy; otherwise the value.
    ///
    /// # Errors
    /// The value, if it is something else.
    pub fn into_bytes(mut self) -> Result<Vec<u8>, Self> {
        match &mut self {
            Self::Bytes(value) => Ok(std::mem::take(value)),
            _ => Err(self),
        }
    }

    /// Returns the elements of the list that it is, without a copy; otherwise the value.
    ///
    /// ```
    /// use ecs_core::data::Value;
    ///
    /// let list = Value::from(["a", "b"]).into_list().unwrap();
    /// assert_eq!(list[1], Value::from("b"));
    /// assert_eq!(Value::from(3).into_list(), Err(Value::from(3)));
    /// ```
    ///
    /// # Errors
    /// The value, if it is something else.
    pub fn into_list(mut self) -> Result<Vec<Self>, Self> {
        match &mut self {
            Self::List(value) => Ok(std::mem::take(value)),
            _ => Err(self),
        }
    }

    /// Returns the entries of the map that it is, in order and without a copy; otherwise the value.
    ///
    /// # Errors
    /// The value, if it is something else.
    pub fn into_map(mut self) -> Result<Vec<(Self, Self)>, Self> {
        match &mut self {
            Self::Map(value) => Ok(std::mem::take(value)),
            _ => Err(self),
        }
    }

    /// Returns `Some(self)` in the form of an option, which differs from the form of `None` and of other values.
    pub(crate) fn some(self) -> Self {
        let ambiguous = match &self {
            Self::Null => true,
            Self::Map(entries) => {
                matches!(entries.as_slice(), [(Self::String(key), _)] if key == "Some")
            }
            _ => false,
        };
        if ambiguous {
            Self::Map(vec![(Self::String("Some".to_owned()), self)])
        } else {
            self
        }
    }

    /// Returns the value of an option, `None` for `None`.
    pub(crate) fn option(&self) -> Option<&Self> {
        match self {
            Self::Null => None,
            Self::Map(entries) => match entries.as_slice() {
                [(Self::String(key), value)] if key == "Some" => Some(value),
                _ => Some(self),
            },
            _ => Some(self),
        }
    }
}

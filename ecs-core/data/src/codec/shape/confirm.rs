//! Values that fit a schema, and schemas that are confirmed by such values.

use ecs_engine::Entity;

use super::schema::{Schema, SchemaKind, SchemaNode, SchemaPart};
use super::{ShapeBody, ValueShape};
use crate::Value;

/// The greatest number of values that are made to confirm a schema.
const MOST_VALUES: usize = 1000;

/// The number of values for a part that is not known.
pub(in crate::codec) const ANY_VALUES: usize = 5;

/// Returns a value for a part that is not known.
fn any_value(number: usize) -> Value {
    match number {
        1 => Value::from("x"),
        2 => Value::Null,
        3 => Value::Bool(true),
        4 => Value::Float(0.5),
        _ => Value::Int(1),
    }
}

/// The depth of a made value from which on lists and options are empty.
const DEEP: u32 = 6;

/// The greatest depth of a made value.
const DEEPEST: u32 = 40;

impl Schema {
    /// Returns true if a value has the form of the schema. Fields may be missing, because types may skip them. The value may come from
    /// a text format, where ids and keys are texts.
    ///
    /// ```
    /// use ecs_core::data::{Value, WorldData};
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.health")]
    /// struct Health {
    ///     now: u32,
    ///     hit_by: Option<Entity>,
    /// }
    ///
    /// let mut world = World::new();
    /// world.register::<Health>();
    /// let types = world.data_catalog();
    /// let health = types.iter().find(|known| known.name() == "game.health").unwrap();
    /// let schema = health.schema().unwrap();
    /// let fits = |text| schema.fits(&serde_json::from_str(text).unwrap());
    /// assert!(fits(r#"{"now":3,"hit_by":"7v1"}"#));
    /// assert!(!fits(r#"{"now":"many"}"#) && !fits(r#"{"noww":3}"#) && !fits("[3, null]"));
    /// ```
    #[must_use]
    pub fn fits(&self, value: &Value) -> bool {
        self.root().fits(value)
    }

    /// Returns the schema if values of each variant can be read, and are then written in the same form. The shape that a schema is
    /// made of does not distinguish all forms: those of `tag` with `content`, names that are only read or only written, and
    /// aliases.
    pub(crate) fn confirmed(self, read_back: impl Fn(&Value) -> Option<Value>) -> Option<Self> {
        // A whole that is not known is no schema.
        if let SchemaKind::Unknown = self.root().kind() {
            return None;
        }
        let namings = self.shape().namings();
        let read_as_written = |made: &Value| {
            // A value with an alias is written with the name.
            read_back(made).filter(|read| namings == 1 || read == made)
        };
        let mut all = 0..namings;
        all.find_map(|naming| self.named(naming).confirmed_once(&read_as_written))
    }

    fn confirmed_once(self, read_back: &dyn Fn(&Value) -> Option<Value>) -> Option<Self> {
        let others = match self.shape().is_partial() {
            true => ANY_VALUES,
            false => 1,
        };
        for choice in 0..self.shape().combinations() {
            let read =
                (0..others).find_map(|any| read_back(&self.root().made([choice, any], 0)?))?;
            if !self.fits(&read) {
                return None;
            }
        }
        Some(self)
    }
}

impl ValueShape {
    /// Returns the number of ways to tell names from aliases, up to a limit. A type lists the names of its fields or variants with
    /// the aliases of each beside its name, and does not tell which belong together: here one part of each type has aliases.
    fn namings(&self) -> usize {
        let counts = self.named.iter().map(|named| named.body.namings());
        counts.fold(1, usize::saturating_mul).min(MOST_VALUES)
    }

    /// Returns the number of combinations of variants, up to a limit.
    fn combinations(&self) -> usize {
        let counts = self.named.iter().map(|named| match &named.body {
            ShapeBody::Enum(_, variants) => variants.len().max(1),
            _ => 1,
        });
        counts.fold(1, usize::saturating_mul).min(MOST_VALUES)
    }
}

impl SchemaNode<'_> {
    /// Returns a value with the form of the node; `None` if it has no end. The choice decides on variants, and `any` on parts that are
    /// not known.
    fn made(self, [choice, any]: [usize; 2], depth: u32) -> Option<Value> {
        if depth > DEEPEST {
            return None;
        }
        let is_deep = depth >= DEEP;
        let inside = |node: Self| node.made([choice, any], depth + 1);
        Some(match self.kind() {
            SchemaKind::Unknown => any_value(any),
            SchemaKind::Plain("bool") => Value::Bool(true),
            SchemaKind::Plain("str" | "char") => Value::from("x"),
            SchemaKind::Plain("f32" | "f64") => Value::Float(0.5),
            SchemaKind::Plain("bytes") => Value::Bytes(vec![1]),
            SchemaKind::Plain(kind) if is_integer(kind) => Value::Int(1),
            SchemaKind::Plain(_) => return None,
            SchemaKind::Entity => Value::Entity(Entity::from_bits(1 << 32)?),
            SchemaKind::Unit => Value::Null,
            SchemaKind::Option(_) if is_deep => Value::Null,
            SchemaKind::Option(value) => inside(value)?.some(),
            SchemaKind::List(_) if is_deep => Value::List(Vec::new()),
            SchemaKind::List(value) => Value::List(vec![inside(value)?]),
            SchemaKind::Map(..) if is_deep => Value::Map(Vec::new()),
            SchemaKind::Map(key, value) => Value::Map(vec![(inside(key)?, inside(value)?)]),
            SchemaKind::Tuple(values) => {
                Value::List(values.into_iter().map(inside).collect::<Option<_>>()?)
            }
            SchemaKind::Struct(parts) => {
                let mut entries = Vec::new();
                for part in parts {
                    entries.push((part.name().into(), inside(part.value())?));
                }
                Value::Map(entries)
            }
            SchemaKind::Enum(variants) => {
                let is_end = |part: &&SchemaPart<'_>| {
                    let kind = part.value().kind();
                    matches!(kind, SchemaKind::Unit | SchemaKind::Plain(_))
                };
                let chosen = variants.get(choice % variants.len().max(1))?;
                let end = variants.iter().find(is_end).filter(|_| is_deep);
                let variant = end.unwrap_or(chosen);
                if variant.value().is_bare_variant() {
                    return Some(variant.name().into());
                }
                let choice = choice / variants.len();
                let value = variant.value().made([choice, any], depth + 1)?;
                Value::Map(vec![(variant.name().into(), value)])
            }
        })
    }

    /// See [`Schema::fits`].
    fn fits(self, value: &Value) -> bool {
        match (self.kind(), value) {
            (SchemaKind::Unknown, _) => true,
            (SchemaKind::Plain(kind), value) => fits_plain(kind, value),
            (SchemaKind::Entity, value) => value.to_entity().is_some(),
            (SchemaKind::Unit, value) => value.is_null(),
            (SchemaKind::Option(inner), value) => {
                value.option().is_none_or(|value| inner.fits(value))
            }
            (SchemaKind::List(element), Value::List(values)) => {
                values.iter().all(|value| element.fits(value))
            }
            (SchemaKind::Map(key, of_key), Value::Map(entries)) => {
                let mut entries = entries.iter();
                entries.all(|(k, v)| key.fits_key(k) && of_key.fits(v))
            }
            // The form of maps with other keys in text formats.
            (SchemaKind::Map(key, of_key), Value::List(pairs)) => {
                let mut pairs = pairs.iter().map(Value::as_list);
                pairs.all(|pair| match pair {
                    Some([k, v]) => key.fits(k) && of_key.fits(v),
                    _ => false,
                })
            }
            (SchemaKind::Tuple(nodes), Value::List(values)) => {
                let mut pairs = nodes.iter().zip(values);
                nodes.len() == values.len() && pairs.all(|(node, value)| node.fits(value))
            }
            (SchemaKind::Struct(parts), Value::Map(entries)) => {
                entries.iter().all(|(key, value)| {
                    let part = parts.iter().find(|part| key.as_str() == Some(part.name()));
                    part.is_some_and(|part| part.value().fits(value))
                })
            }
            (SchemaKind::Enum(variants), value) => {
                let (name, content) = match value {
                    Value::Map(entries) if entries.len() == 1 => {
                        (&entries[0].0, Some(&entries[0].1))
                    }
                    name => (name, None),
                };
                let named = |part: &&SchemaPart<'_>| name.as_str() == Some(part.name());
                let variant = variants.iter().find(named);
                variant.is_some_and(|variant| match (variant.value(), content) {
                    (variant, None) => variant.is_bare_variant(),
                    (variant, Some(content)) => !variant.is_bare_variant() && variant.fits(content),
                })
            }
            _ => false,
        }
    }

    /// Keys of text formats are texts.
    fn fits_key(self, key: &Value) -> bool {
        match (self.kind(), key) {
            (SchemaKind::Plain("bool"), Value::String(text)) => {
                matches!(text.as_str(), "true" | "false")
            }
            (SchemaKind::Plain(kind), Value::String(text)) if is_integer(kind) => {
                text.parse::<i128>().is_ok() || text.parse::<u128>().is_ok()
            }
            _ => self.fits(key),
        }
    }
}

fn is_integer(kind: &str) -> bool {
    let size = kind.strip_prefix(['i', 'u']);
    size.is_some_and(|size| matches!(size, "8" | "16" | "32" | "64" | "128"))
}

fn fits_plain(kind: &str, value: &Value) -> bool {
    match (kind, value) {
        ("bool", Value::Bool(_)) | ("f32" | "f64", Value::Float(_) | Value::Int(_)) => true,
        // An entity equals the text of its id.
        ("str", Value::String(_) | Value::Entity(_)) => true,
        ("char", Value::String(text)) => text.chars().count() == 1,
        ("bytes", Value::Bytes(_)) => true,
        ("bytes", Value::List(values)) => values.iter().all(|value| value.as_int().is_some()),
        (kind, Value::Int(_)) => is_integer(kind),
        // More than 64 bits.
        ("i128" | "u128", Value::String(text)) => {
            text.parse::<i128>().is_ok() || text.parse::<u128>().is_ok()
        }
        _ => false,
    }
}

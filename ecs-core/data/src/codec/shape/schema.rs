//! The public view of shapes.

use std::fmt;
use std::sync::Arc;

use super::{NamedShape, ShapeBody, ShapeFields, ShapeNode, ValueShape};

/// The parts that values of a type have: its fields, variants and kinds of numbers.
///
/// A type has no list of its parts at run time. So its `Deserialize` reads made-up values once, and the schema is made of its
/// requests. It describes the form of a [`Value`](crate::Value), where a newtype is the value inside of it.
///
/// It prints as a short text: `{now:u32,words:[str]}` is a struct, `<Calm,Angry{at:id}>` an enum, `?` stands before an option, `#0`
/// for the type that contains it, and `_` for a part that is not known.
///
/// ```
/// use ecs_core::data::SchemaKind;
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.mood")]
/// enum Mood {
///     Calm,
///     Angry { at: Option<Entity>, level: u8 },
/// }
///
/// let mut world = World::new();
/// world.register::<Mood>();
/// let types = world.data_catalog();
/// let mood = types.iter().find(|known| known.name() == "game.mood").unwrap();
/// let schema = mood.schema().unwrap();
/// assert_eq!(schema.to_string(), "<Calm,Angry{at:?id,level:u8}>");
///
/// let SchemaKind::Enum(variants) = schema.root().kind() else { panic!("an enum") };
/// let names: Vec<&str> = variants.iter().map(|variant| variant.name()).collect();
/// assert_eq!(names, ["Calm", "Angry"]);
/// let SchemaKind::Struct(fields) = variants[1].value().kind() else { panic!("fields") };
/// assert_eq!(fields[1].value().kind(), SchemaKind::Plain("u8"));
/// ```
#[derive(Clone)]
pub struct Schema(Arc<ValueShape>);

/// A part in a [`Schema`], or all of it.
#[derive(Clone, Copy)]
pub struct SchemaNode<'a> {
    shape: &'a ValueShape,
    part: SchemaSpot<'a>,
}

#[derive(Clone, Copy)]
enum SchemaSpot<'a> {
    Node(&'a ShapeNode),
    /// The values of a variant.
    Body(&'a ShapeBody),
}

/// A field or a variant in a [`Schema`].
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaPart<'a> {
    name: &'a str,
    value: SchemaNode<'a>,
}

/// The kind of a value in a [`Schema`].
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum SchemaKind<'a> {
    /// Not known: it looks at what it gets, as an `untagged` enum does, the `Deserialize` refuses made-up values before it, or it is
    /// recursive without end.
    Unknown,
    /// A value without parts: `bool`, `u8`, .. `i128`, `f32`, `f64`, `char`, `str`, `bytes`.
    Plain(&'a str),
    /// An entity.
    Entity,
    /// Nothing: `()`, a unit struct, a variant without values.
    Unit,
    /// A value that may be missing.
    Option(SchemaNode<'a>),
    /// Any number of such values.
    List(SchemaNode<'a>),
    /// Any number of such keys with such values.
    Map(SchemaNode<'a>, SchemaNode<'a>),
    /// These values.
    Tuple(Vec<SchemaNode<'a>>),
    /// These fields.
    Struct(Vec<SchemaPart<'a>>),
    /// One of these variants.
    Enum(Vec<SchemaPart<'a>>),
}

impl Schema {
    /// Reads the text of a shape; `None` if it is empty, since the type is written with names.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        Some(Self(Arc::new(ValueShape::of_text(text)?)))
    }

    /// Returns the schema of a struct with these fields, whose kinds are texts of shapes.
    pub(crate) fn of_fields<'f>(fields: impl Iterator<Item = (&'f str, &'f str)>) -> Option<Self> {
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for (name, kind) in fields {
            names.push(name.to_owned());
            values.push(ValueShape::of_text(kind)?.root);
        }
        let body = ShapeBody::Struct(ShapeFields {
            names,
            values,
            is_complete: true,
        });
        let named = vec![NamedShape {
            name: String::new(),
            body,
        }];
        let root = ShapeNode::Named(0);
        Some(Self(Arc::new(ValueShape { root, named })))
    }

    /// Returns the schema of the events in the schema of `Events`.
    pub(crate) fn of_events(self) -> Option<Self> {
        let mut shape = ValueShape::clone(&self.0);
        let ShapeNode::Named(root) = shape.root else {
            return None;
        };
        let ShapeBody::Struct(fields) = &mut shape.named[root].body else {
            return None;
        };
        let ShapeNode::List(event) = fields.values.pop()? else {
            return None;
        };
        shape.root = *event;
        Some(Self(Arc::new(shape)))
    }

    pub(super) fn shape(&self) -> &ValueShape {
        &self.0
    }

    /// Returns the schema without aliases, in one of the ways to tell these from names.
    pub(super) fn named(&self, mut naming: usize) -> Self {
        let mut shape = ValueShape::clone(&self.0);
        for named in &mut shape.named {
            let namings = named.body.namings();
            named.body.choose_names(naming % namings);
            naming /= namings;
        }
        Self(Arc::new(shape))
    }

    /// Returns the whole.
    #[must_use]
    pub fn root(&self) -> SchemaNode<'_> {
        SchemaNode {
            shape: &self.0,
            part: SchemaSpot::Node(&self.0.root),
        }
    }
}

impl<'a> SchemaNode<'a> {
    /// Returns the kind of the value, with its parts. O(parts).
    #[must_use]
    pub fn kind(self) -> SchemaKind<'a> {
        let mut part = self.part;
        // Newtypes inside of each other; a type of nothing but itself has no end.
        for _ in 0..=self.shape.named.len() {
            let body = match part {
                SchemaSpot::Node(ShapeNode::Named(position)) => &self.shape.named[*position].body,
                SchemaSpot::Node(node) => return self.kind_of_node(node),
                SchemaSpot::Body(body) => body,
            };
            match body {
                ShapeBody::Tuple(values) if values.len() == 1 => {
                    part = SchemaSpot::Node(&values[0]);
                }
                body => return self.kind_of_body(body),
            }
        }
        SchemaKind::Unknown
    }

    /// Returns true for the content of a variant that is written as its name alone. The content of another one may be nothing, too:
    /// `Variant(())`.
    pub(crate) fn is_bare_variant(self) -> bool {
        matches!(self.part, SchemaSpot::Body(ShapeBody::Unit))
    }

    fn node(self, node: &'a ShapeNode) -> Self {
        Self {
            part: SchemaSpot::Node(node),
            ..self
        }
    }

    fn kind_of_node(self, node: &'a ShapeNode) -> SchemaKind<'a> {
        match node {
            ShapeNode::Unknown | ShapeNode::Named(_) => SchemaKind::Unknown,
            ShapeNode::Plain(kind) => match kind.as_str() {
                "id" => SchemaKind::Entity,
                "unit" => SchemaKind::Unit,
                kind => SchemaKind::Plain(kind),
            },
            ShapeNode::Option(value) => SchemaKind::Option(self.node(value)),
            ShapeNode::List(value) => SchemaKind::List(self.node(value)),
            ShapeNode::Map(entry) => SchemaKind::Map(self.node(&entry[0]), self.node(&entry[1])),
            ShapeNode::Tuple(values) => self.tuple(values),
        }
    }

    fn kind_of_body(self, body: &'a ShapeBody) -> SchemaKind<'a> {
        match body {
            ShapeBody::Unknown => SchemaKind::Unknown,
            ShapeBody::Unit => SchemaKind::Unit,
            ShapeBody::Tuple(values) => self.tuple(values),
            ShapeBody::Struct(ShapeFields { names, values, .. }) => {
                SchemaKind::Struct(self.parts(names, values, SchemaSpot::Node))
            }
            ShapeBody::Enum(names, variants) => {
                SchemaKind::Enum(self.parts(names, variants, SchemaSpot::Body))
            }
        }
    }

    fn tuple(self, values: &'a [ShapeNode]) -> SchemaKind<'a> {
        SchemaKind::Tuple(values.iter().map(|value| self.node(value)).collect())
    }

    fn parts<T>(
        self,
        names: &'a [String],
        values: &'a [T],
        part: fn(&'a T) -> SchemaSpot<'a>,
    ) -> Vec<SchemaPart<'a>> {
        let named = values.iter().enumerate().map(|(number, value)| SchemaPart {
            name: names.get(number).map_or("", String::as_str),
            value: Self {
                part: part(value),
                ..self
            },
        });
        named.collect()
    }
}

impl<'a> SchemaPart<'a> {
    /// Returns the name that is written; aliases are only read.
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.name
    }

    /// Returns the value of the field, or the values of the variant.
    #[must_use]
    pub fn value(&self) -> SchemaNode<'a> {
        self.value
    }
}

impl fmt::Display for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_text())
    }
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Schema({self})")
    }
}

/// Schemas are equal if their texts are.
impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_text() == other.0.to_text()
    }
}

/// Parts are equal if they are the same part of the same schema, or have no parts and are of the same kind.
impl PartialEq for SchemaNode<'_> {
    fn eq(&self, other: &Self) -> bool {
        let is_same = match (self.part, other.part) {
            (SchemaSpot::Node(node), SchemaSpot::Node(other)) => std::ptr::eq(node, other),
            (SchemaSpot::Body(body), SchemaSpot::Body(other)) => std::ptr::eq(body, other),
            _ => false,
        };
        let plain = |node: Self| match node.kind() {
            SchemaKind::Plain(kind) => Some(kind),
            SchemaKind::Entity => Some("id"),
            _ => None,
        };
        is_same || plain(*self).is_some_and(|kind| plain(*other) == Some(kind))
    }
}

impl fmt::Debug for SchemaNode<'_> {
    /// Without the parts of its parts, since types may contain themselves.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind() {
            SchemaKind::Unknown => "_",
            SchemaKind::Plain(kind) => kind,
            SchemaKind::Entity => "id",
            SchemaKind::Unit => "unit",
            SchemaKind::Option(_) => "option",
            SchemaKind::List(_) => "list",
            SchemaKind::Map(..) => "map",
            SchemaKind::Tuple(_) => "tuple",
            SchemaKind::Struct(_) => "struct",
            SchemaKind::Enum(_) => "enum",
        };
        write!(f, "SchemaNode({kind})")
    }
}

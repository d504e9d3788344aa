//! The shape of a type as text: the names of its fields and variants, in order, and the kinds of their values.
//!
//! Plain bytes have no names. So a file has the shape of each type, and values of another shape are refused instead of read as
//! something else. A shape is found out by reading made-up values, and is a text such as
//!
//! ```text
//! {now:f32,max:f32}                                  a struct
//! <Calm,Angry{at:id,words:[str]},Afraid(#0)>         an enum; `#0` is the first type with a name, here the whole
//! @(@Meters(f32),?{u8=bool},(i8,char))               a tuple struct with a newtype, a map that may be missing, and a tuple
//! {life|now:f32}                                     a struct with an alias
//! _                                                  what is behind a value that is not known
//! ```
//! A type that refuses a value asks for nothing after it, so the trace tries other made-up values, and real ones: see
//! `made`.
//!
//! The name of the type itself is not part of it, because `data = ".."` names the type. Nor is the name of a type whose fields
//! have names.

mod compare;
mod confirm;
mod found;
mod schema;
mod text;

pub(crate) use compare::{NameRole, fits};
pub(super) use confirm::ANY_VALUES;
pub(super) use found::{ANY, Event, FoundShape, FoundType};
pub use schema::{Schema, SchemaKind, SchemaNode, SchemaPart};

/// A shape that was read from text, or found out.
#[derive(Clone, Debug, Default)]
struct ValueShape {
    root: ShapeNode,
    /// The types with names, in the order of their first use.
    named: Vec<NamedShape>,
}

impl ValueShape {
    /// Returns true if something is not known.
    fn is_partial(&self) -> bool {
        self.root.is_partial() || self.named.iter().any(|named| named.body.is_partial())
    }
}

impl ShapeNode {
    fn is_partial(&self) -> bool {
        match self {
            Self::Unknown => true,
            Self::Plain(_) | Self::Named(_) => false,
            Self::Option(value) | Self::List(value) => value.is_partial(),
            Self::Map(entry) => entry.iter().any(Self::is_partial),
            Self::Tuple(values) => values.iter().any(Self::is_partial),
        }
    }
}

impl ShapeBody {
    /// Returns the number of fields or variants, and the number of names that they have in addition.
    fn aliases(&self) -> (usize, usize) {
        let (names, values) = match self {
            Self::Struct(fields) => (fields.names.len(), fields.values.len()),
            Self::Enum(names, variants) => (names.len(), variants.len()),
            Self::Unknown | Self::Unit | Self::Tuple(_) => (0, 0),
        };
        (values, names.saturating_sub(values))
    }

    /// Returns the number of ways to tell names from aliases, if one field or variant has all aliases.
    fn namings(&self) -> usize {
        match self.aliases() {
            (0, _) | (_, 0) => 1,
            (values, more) => values * (more + 1),
        }
    }

    /// Removes the aliases, in one of these ways.
    fn choose_names(&mut self, naming: usize) {
        let (values, more) = self.aliases();
        if values == 0 || more == 0 {
            return;
        }
        let (part, name) = (naming / (more + 1), naming % (more + 1));
        if let Self::Struct(ShapeFields { names, .. }) | Self::Enum(names, _) = self {
            names.drain(part + name + 1..=part + more);
            names.drain(part..part + name);
        }
    }

    fn is_partial(&self) -> bool {
        match self {
            Self::Unknown => true,
            Self::Unit => false,
            Self::Tuple(values) => values.iter().any(ShapeNode::is_partial),
            Self::Struct(fields) => {
                !fields.is_complete || fields.values.iter().any(ShapeNode::is_partial)
            }
            Self::Enum(_, variants) => variants.is_empty() || variants.iter().any(Self::is_partial),
        }
    }
}

/// The shape of one value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum ShapeNode {
    #[default]
    Unknown,
    /// A number, a text, or another value without parts.
    Plain(String),
    Option(Box<ShapeNode>),
    List(Box<ShapeNode>),
    Map(Box<[ShapeNode; 2]>),
    Tuple(Vec<ShapeNode>),
    /// By the position in the list of types with names.
    Named(usize),
}

/// A type with a name.
#[derive(Clone, Debug, Default)]
struct NamedShape {
    name: String,
    body: ShapeBody,
}

/// The fields or variants of a type, or the values of a variant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum ShapeBody {
    #[default]
    Unknown,
    Unit,
    /// A newtype, or a tuple with a name.
    Tuple(Vec<ShapeNode>),
    Struct(ShapeFields),
    /// All names, which may be more than there are variants because of aliases.
    Enum(Vec<String>, Vec<ShapeBody>),
}

/// The fields of a struct.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ShapeFields {
    /// All names, which may be more than there are values because of aliases.
    names: Vec<String>,
    values: Vec<ShapeNode>,
    /// True if all values were read.
    is_complete: bool,
}

//! The terms of a text query, before their names are looked up.

use std::fmt;
use std::ops::Range;

use ecs_engine::Entity;

/// A name in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct NameText {
    pub(super) text: String,
    /// True if it was in backticks, and so is the name of a component and not a field.
    pub(super) is_quoted: bool,
    pub(super) at: Range<usize>,
}

/// A term; terms are separated by commas.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TextTerm {
    /// `?name`.
    Optional(NameText),
    Condition(QueryCondition),
}

/// A condition on an entity.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum QueryCondition {
    /// It has the component.
    Has(NameText),
    /// A field of its component compares with a value.
    Compare {
        field: NameText,
        operator: Operator,
        operator_at: Range<usize>,
        value: Literal,
        value_at: Range<usize>,
    },
    /// It is related to an entity; `None` for any.
    Related(NameText, Option<Entity>),
    Not(Box<QueryCondition>),
    All(Vec<QueryCondition>),
    Any(Vec<QueryCondition>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    /// The text contains another one, in any case of letters.
    Contains,
}

impl Operator {
    /// Returns true if it asks for an order, and not only for equality.
    pub(super) fn is_order(self) -> bool {
        !matches!(self, Self::Equal | Self::Unequal | Self::Contains)
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "==",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
            Self::Contains => "~",
        })
    }
}

/// A value in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Literal {
    None,
    Bool(bool),
    Integer(i128),
    /// An integer after the last `i128`.
    Huge(u128),
    Float(f64),
    Text(String),
    Entity(Entity),
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Bool(value) => value.fmt(f),
            Self::Integer(value) => value.fmt(f),
            Self::Huge(value) => value.fmt(f),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Text(value) => write!(f, "{value:?}"),
            Self::Entity(value) => value.fmt(f),
        }
    }
}

//! Comparisons of fields with values.

use std::cmp::Ordering;
use std::ops::Range;

use ecs_engine::component::ComponentId;
use ecs_engine::dynamic::{DynamicRef, DynamicType, FieldKind, FieldRef};
use ecs_engine::entity::session::{Ids, Session};
use ecs_engine::view::ErasedRef;

use super::ast::{Literal, Name, Operator};
use super::error::Problem;
use crate::saved::DataCodec;
use crate::value::Value;

/// A comparison that was found to be possible, as far as that is known before values are.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Comparison {
    field: Field,
    operator: Operator,
    value: Literal,
}

/// The place of a field in a value of its component.
#[derive(Clone, Debug, PartialEq)]
enum Field {
    /// At a position among the fields of a dynamic component.
    Dynamic(usize),
    /// At a path in the tree of a component that is data.
    Path(String),
}

/// A field in the text of a query: of which component, what it is called there, and the name that it is part of.
#[derive(Clone, Copy)]
pub(super) struct Named<'a> {
    pub(super) component: ComponentId,
    pub(super) field: &'a str,
    pub(super) name: &'a Name,
}

impl Comparison {
    /// Looks up a field of a component, and checks that it can be compared so.
    pub(super) fn new(
        named: Named<'_>,
        (operator, operator_at): (Operator, &Range<usize>),
        (value, value_at): (&Literal, &Range<usize>),
    ) -> Result<Self, Problem> {
        let component = named.component;
        let (field, kind) = match DynamicType::of(component) {
            Some(ty) => dynamic_field(ty, named)?,
            None => (data_field(named)?, None),
        };
        let Some(kind) = kind else {
            return Ok(Self {
                field,
                operator,
                value: value.clone(),
            });
        };
        if !is_comparable(kind, value) {
            return Err(Problem::new(
                value_at.clone(),
                format!(
                    "field `{}` of `{}` is of type `{kind}`, and is never `{value}`",
                    named.field,
                    component.name()
                ),
                format!("compare it with {}", values_of(kind)),
            ));
        }
        if operator.is_order() && matches!(kind, FieldKind::Bool | FieldKind::Entity) {
            return Err(Problem::new(
                operator_at.clone(),
                format!("values of type `{kind}` have no order"),
                "compare them with `==` or `!=`",
            ));
        }
        Ok(Self {
            field,
            operator,
            value: value.clone(),
        })
    }

    /// Returns true if it holds for a value of the component.
    pub(super) fn holds(&self, value: ErasedRef<'_>) -> bool {
        let ordering = match &self.field {
            Field::Dynamic(field) => {
                let value = DynamicRef::of(value).ok();
                let field = value.and_then(|value| value.fields().nth(*field));
                field.and_then(|(_, field)| compare(field, &self.value))
            }
            Field::Path(path) => {
                let tree = tree(value);
                let field = tree.as_ref().and_then(|tree| tree.get(path));
                field.and_then(|field| compare_tree(field, &self.value))
            }
        };
        match self.operator {
            Operator::Equal => ordering == Some(Ordering::Equal),
            // Also what is not a number.
            Operator::Unequal => ordering != Some(Ordering::Equal),
            Operator::Less => ordering == Some(Ordering::Less),
            Operator::AtMost => matches!(ordering, Some(Ordering::Less | Ordering::Equal)),
            Operator::Greater => ordering == Some(Ordering::Greater),
            Operator::AtLeast => matches!(ordering, Some(Ordering::Greater | Ordering::Equal)),
        }
    }
}

impl Named<'_> {
    /// The problem with the field.
    fn problem(self, message: impl Into<String>, help: impl Into<String>) -> Problem {
        let Self { field, name, .. } = self;
        let len = if name.is_quoted || field.is_empty() {
            name.at.len()
        } else {
            field.len()
        };
        Problem::new(name.at.end - len..name.at.end, message, help)
    }

    /// The problem with a field that the component does not have, but others.
    fn missing(self, others: &[String]) -> Problem {
        let Self {
            component, field, ..
        } = self;
        let component = component.name();
        let message = if others.is_empty() {
            format!("component `{component}` has no fields that can be compared")
        } else if field.is_empty() {
            format!("component `{component}` has several values")
        } else {
            format!("component `{component}` has no field `{field}`")
        };
        let help = if others.is_empty() {
            "ask for the component alone".to_owned()
        } else {
            format!("its fields are `{}`", others.join("`, `"))
        };
        self.problem(message, help)
    }
}

/// Returns the field of a dynamic component, and its type.
fn dynamic_field(
    ty: &DynamicType,
    named: Named<'_>,
) -> Result<(Field, Option<FieldKind>), Problem> {
    let mut fields = ty.fields().iter();
    match fields.position(|known| known.name() == named.field) {
        Some(position) => Ok((Field::Dynamic(position), Some(ty.fields()[position].kind()))),
        None => {
            let fields = ty.fields().iter();
            let fields = fields.map(|field| format!("{}: {}", field.name(), field.kind()));
            Err(named.missing(&fields.collect::<Vec<_>>()))
        }
    }
}

/// Returns the field of a component that is data.
fn data_field(named: Named<'_>) -> Result<Field, Problem> {
    let component = named.component;
    let codec = component.data().and_then(DataCodec::of);
    let Some(codec) = codec else {
        return Err(named.problem(
            format!(
                "the values of component `{}` cannot be compared",
                component.name()
            ),
            "make it data by `#[component(data = \"..\")]`, or ask for the component alone",
        ));
    };
    // Types that are no structs, or do not say their fields, are compared by the values that they have.
    if let Some(fields) = codec.fields() {
        let first = named.field.split(['.', '[']).next().unwrap_or_default();
        if !fields.contains(&first) {
            let fields: Vec<String> = fields.iter().map(|&field| field.to_owned()).collect();
            return Err(named.missing(&fields));
        }
    }
    Ok(Field::Path(named.field.to_owned()))
}

/// Returns a value of a component that is data as a tree, in which entities are numbers.
fn tree(value: ErasedRef<'_>) -> Option<Value> {
    let codec = DataCodec::of(value.component().data()?)?;
    let session = Session::new(Ids::Bits);
    // SAFETY: the functions are those of the component's type, as those of its data are, and the value is one of it, which is
    // not written as long as it is borrowed.
    session
        .run(|| unsafe { codec.to_value(value.as_ptr()) })
        .ok()
}

/// Compares a part of a tree with a value; `None` if they are neither equal nor in an order.
fn compare_tree(field: &Value, value: &Literal) -> Option<Ordering> {
    match (field, value) {
        (Value::Null, Literal::None) => Some(Ordering::Equal),
        (Value::Bool(field), Literal::Bool(value)) => (field == value).then_some(Ordering::Equal),
        (Value::Int(field), Literal::Integer(value)) => Some(field.cmp(value)),
        (Value::Int(field), Literal::Float(_)) => {
            compare_float_with_integer(value, *field).map(Ordering::reverse)
        }
        (Value::Int(field), Literal::Entity(value)) => {
            (*field == i128::from(value.to_bits())).then_some(Ordering::Equal)
        }
        (Value::Float(field), value) => compare_float(*field, value),
        (Value::String(field), Literal::Text(value)) => Some(field.as_str().cmp(value)),
        _ => None,
    }
}

/// Returns true if a field of the type can be compared with the value.
fn is_comparable(kind: FieldKind, value: &Literal) -> bool {
    match kind {
        FieldKind::Bool => matches!(value, Literal::Bool(_)),
        FieldKind::Char | FieldKind::String => matches!(value, Literal::Text(_)),
        FieldKind::Entity => matches!(value, Literal::Entity(_) | Literal::None),
        _ => matches!(value, Literal::Integer(_) | Literal::Float(_)),
    }
}

fn values_of(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Bool => "`true` or `false`",
        FieldKind::Char | FieldKind::String => "a text in quotes",
        FieldKind::Entity => "an entity such as `3v1`, or `none`",
        _ => "a number",
    }
}

/// Compares a field with a value; `None` if they are neither equal nor in an order.
fn compare(field: FieldRef<'_>, value: &Literal) -> Option<Ordering> {
    let integer = match field {
        FieldRef::I8(field) => i128::from(*field),
        FieldRef::I16(field) => i128::from(*field),
        FieldRef::I32(field) => i128::from(*field),
        FieldRef::I64(field) => i128::from(*field),
        FieldRef::U8(field) => i128::from(*field),
        FieldRef::U16(field) => i128::from(*field),
        FieldRef::U32(field) => i128::from(*field),
        FieldRef::U64(field) => i128::from(*field),
        FieldRef::F32(field) => return compare_float(f64::from(*field), value),
        FieldRef::F64(field) => return compare_float(*field, value),
        _ => return compare_other(field, value),
    };
    match value {
        Literal::Integer(value) => Some(integer.cmp(value)),
        // The other way round, so that whole numbers of any size are compared exactly.
        Literal::Float(_) => compare_float_with_integer(value, integer).map(Ordering::reverse),
        _ => None,
    }
}

fn compare_float(field: f64, value: &Literal) -> Option<Ordering> {
    match value {
        Literal::Integer(value) => compare_float_with_integer(&Literal::Float(field), *value),
        Literal::Float(value) => field.partial_cmp(value),
        _ => None,
    }
}

/// Compares the numbers exactly: a whole number may have more digits than an `f64`.
fn compare_float_with_integer(float: &Literal, integer: i128) -> Option<Ordering> {
    let Literal::Float(float) = *float else {
        return None;
    };
    if float.is_nan() {
        return None;
    }
    // Casts saturate, so what is out of range is beyond every field.
    let whole = (float.floor() as i128).cmp(&integer);
    let has_fraction = float.is_finite() && float.fract() != 0.0;
    Some(match whole {
        Ordering::Equal if has_fraction => Ordering::Greater,
        Ordering::Equal if float == f64::INFINITY => Ordering::Greater,
        Ordering::Equal if float == f64::NEG_INFINITY => Ordering::Less,
        whole => whole,
    })
}

fn compare_other(field: FieldRef<'_>, value: &Literal) -> Option<Ordering> {
    match (field, value) {
        (FieldRef::Bool(field), Literal::Bool(value)) => Some(field.cmp(value)),
        (FieldRef::Char(field), Literal::Text(value)) => {
            Some(std::iter::once(*field).cmp(value.chars()))
        }
        (FieldRef::String(field), Literal::Text(value)) => Some(field.as_str().cmp(value)),
        (FieldRef::Entity(field), Literal::Entity(value)) if *field == Some(*value) => {
            Some(Ordering::Equal)
        }
        (FieldRef::Entity(None), Literal::None) => Some(Ordering::Equal),
        _ => None,
    }
}

//! Comparisons of fields with values.

use std::cmp::Ordering;
use std::ops::Range;

use ecs_engine::component::ComponentId;
use ecs_engine::dynamic::{DynamicRef, DynamicType, FieldKind, FieldRef};
use ecs_engine::view::ErasedRef;

use super::ast::{Literal, Name, Operator};
use super::error::Problem;

/// A comparison that was found to be possible.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Comparison {
    /// The position of the field in the component.
    field: usize,
    operator: Operator,
    value: Literal,
}

impl Comparison {
    /// Looks up a field of a component, and checks that it can be compared so.
    pub(super) fn new(
        (component, field, name): (ComponentId, &str, &Name),
        (operator, operator_at): (Operator, &Range<usize>),
        (value, value_at): (&Literal, &Range<usize>),
    ) -> Result<Self, Problem> {
        let fields = DynamicType::of(component).map_or(&[][..], DynamicType::fields);
        let listed = || {
            let fields = fields
                .iter()
                .map(|field| format!("`{}: {}`", field.name(), field.kind()));
            fields.collect::<Vec<_>>().join(", ")
        };
        let Some(position) = fields.iter().position(|known| known.name() == field) else {
            let start = name.at.end - if name.is_quoted { 0 } else { field.len() };
            let message = if fields.is_empty() {
                format!(
                    "component `{}` has no fields that can be compared",
                    component.name()
                )
            } else if field.is_empty() {
                format!("component `{}` has several values", component.name())
            } else {
                format!("component `{}` has no field `{field}`", component.name())
            };
            let help = if fields.is_empty() {
                "ask for the component alone, or define it by its fields".to_owned()
            } else {
                format!("its fields are {}", listed())
            };
            let at = if field.is_empty() {
                name.at.clone()
            } else {
                start..name.at.end
            };
            return Err(Problem::new(at, message, help));
        };
        let kind = fields[position].kind();
        if !is_comparable(kind, value) {
            return Err(Problem::new(
                value_at.clone(),
                format!(
                    "field `{field}` of `{}` is of type `{kind}`, and is never `{value}`",
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
            field: position,
            operator,
            value: value.clone(),
        })
    }

    /// Returns true if it holds for a value of the component.
    pub(super) fn holds(&self, value: ErasedRef<'_>) -> bool {
        let value = DynamicRef::of(value).ok();
        let field = value.and_then(|value| value.fields().nth(self.field));
        let ordering = field.and_then(|(_, field)| compare(field, &self.value));
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

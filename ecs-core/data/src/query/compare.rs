//! Comparisons of fields with values.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;

use ecs_engine::component::{ComponentId, StorageKind};
use ecs_engine::dynamic::{DynamicRef, DynamicType, FieldKind, FieldRef, MatchRows};
use ecs_engine::entity::session::Session;
use ecs_engine::view::ErasedRef;

use super::ast::{Literal, NameText, Operator};
use super::error::TextProblem;
use crate::codec::{Path, Scalar, SomeRows};
use crate::saved::DataCodec;
use crate::value::widen_float;

/// A comparison that is possible, as far as that is known without values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FieldComparison {
    component: ComponentId,
    field: FieldPlace,
    /// The results if the field is less, equal, greater, or none of these.
    met: [bool; 4],
    value: Literal,
    /// The `f32` nearest to the value, unless the value is not a number.
    nearest: Option<f32>,
}

/// The place of a field in a value of its component.
#[derive(Clone)]
enum FieldPlace {
    /// At a position among the fields of a dynamic component.
    Dynamic(usize),
    /// At a path in values of a component that is data; these are its functions.
    Path(DataCodec, Path),
    /// Nowhere: the text is no path.
    Nowhere,
}

/// A field in the text of a query: its component, its name there, and the full name that it is part of.
#[derive(Clone, Copy)]
pub(super) struct NamedField<'a> {
    pub(super) component: ComponentId,
    pub(super) field: &'a str,
    pub(super) name: &'a NameText,
}

impl FieldComparison {
    /// Looks up a field of a component, and checks that this comparison is possible.
    pub(super) fn new(
        named: NamedField<'_>,
        (operator, operator_at): (Operator, &Range<usize>),
        (value, value_at): (&Literal, &Range<usize>),
    ) -> Result<Self, TextProblem> {
        let component = named.component;
        let (field, kind) = match DynamicType::of(component) {
            Some(ty) => dynamic_field(ty, named)?,
            None => (data_field(named)?, None),
        };
        let comparison = Self {
            component,
            field,
            met: met_by(operator),
            value: value.clone(),
            nearest: nearest(value),
        };
        let Some(kind) = kind else {
            return Ok(comparison);
        };
        if !is_comparable(kind, value) {
            return Err(TextProblem::new(
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
            return Err(TextProblem::new(
                operator_at.clone(),
                format!("values of type `{kind}` have no order"),
                "compare them with `==` or `!=`",
            ));
        }
        Ok(comparison)
    }

    /// Returns the rows of a selection that pass; the term of the query reads the value. Rows without a value do not pass. The
    /// session says how ids are written.
    ///
    /// # Panics
    /// If the term does not read the component.
    pub(super) fn holds(
        &self,
        rows: MatchRows<'_>,
        among: SomeRows,
        term: usize,
        session: &Session<'_>,
    ) -> SomeRows {
        let (codec, path) = match &self.field {
            FieldPlace::Path(codec, path) => (codec, path),
            FieldPlace::Dynamic(field) => {
                return among.filter(|row| {
                    let value = rows.get(row).read(term);
                    value.is_some_and(|value| self.holds_of_dynamic(value, *field))
                });
            }
            FieldPlace::Nowhere => {
                return among.filter(|row| rows.get(row).read(term).is_some() && self.is_met(None));
            }
        };
        let test = |scalar: Option<Scalar<'_>>| {
            self.is_met(scalar.and_then(|scalar| self.compare(scalar)))
        };
        assert_eq!(rows.component(term), self.component);
        let of_rows = |rows: MatchRows<'_>, among| match rows.first(term) {
            // SAFETY: the functions belong to the component, and so do the values, as was just checked. The first row's value is
            // followed by the others. Nothing writes them as long as the rows are borrowed.
            Some(first) => session.run(|| unsafe { codec.test(first, among, path, &test) }),
            None => SomeRows::NONE,
        };
        if self.component.storage() == StorageKind::Table || rows.len() == 1 {
            return of_rows(rows, among);
        }
        among.filter(|row| of_rows(rows.get(row).alone(), SomeRows::first(1)) != SomeRows::NONE)
    }

    fn holds_of_dynamic(&self, value: ErasedRef<'_>, field: usize) -> bool {
        let value = DynamicRef::of(value).ok();
        let field = value.and_then(|value| value.fields().nth(field));
        self.is_met(field.and_then(|(_, field)| compare(field, &self.value)))
    }

    #[inline]
    fn is_met(&self, ordering: Option<Ordering>) -> bool {
        // As a position, so that the processor need not guess.
        self.met[ordering.map_or(3, |ordering| (ordering as i8 + 1) as usize)]
    }

    /// Compares a part of a value of a component that is data; `None` if they are neither equal nor in an order.
    #[inline]
    fn compare(&self, field: Scalar<'_>) -> Option<Ordering> {
        match (field, &self.value) {
            (Scalar::Int(field), Literal::Integer(value)) => Some(field.cmp(value)),
            (Scalar::Null, Literal::None) => Some(Ordering::Equal),
            (Scalar::Bool(field), Literal::Bool(value)) => {
                (field == *value).then_some(Ordering::Equal)
            }
            (Scalar::Int(field), value @ Literal::Float(_)) => {
                compare_float_with_integer(value, field).map(Ordering::reverse)
            }
            (Scalar::Int(field), Literal::Entity(value)) => {
                (field == i128::from(value.to_bits())).then_some(Ordering::Equal)
            }
            (Scalar::Short(field), value) => compare_short(field, self.nearest?, value),
            (Scalar::Float(field), value) => compare_float(field, value),
            (Scalar::Text(field), Literal::Text(value)) => Some(field.cmp(value)),
            _ => None,
        }
    }
}

/// The functions belong to the component.
impl PartialEq for FieldPlace {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Dynamic(field), Self::Dynamic(other)) => field == other,
            (Self::Path(_, path), Self::Path(_, other)) => path == other,
            (Self::Nowhere, Self::Nowhere) => true,
            _ => false,
        }
    }
}

impl fmt::Debug for FieldPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dynamic(field) => write!(f, "Dynamic({field})"),
            Self::Path(_, path) => write!(f, "{path:?}"),
            Self::Nowhere => f.write_str("Nowhere"),
        }
    }
}

impl NamedField<'_> {
    /// The problem with the field.
    fn problem(self, message: impl Into<String>, help: impl Into<String>) -> TextProblem {
        let Self { field, name, .. } = self;
        let len = if name.is_quoted || field.is_empty() {
            name.at.len()
        } else {
            field.len()
        };
        TextProblem::new(name.at.end - len..name.at.end, message, help)
    }

    /// The problem with a field that the component lacks, although it has others.
    fn missing(self, others: &[String]) -> TextProblem {
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
    named: NamedField<'_>,
) -> Result<(FieldPlace, Option<FieldKind>), TextProblem> {
    let mut fields = ty.fields().iter();
    match fields.position(|known| known.name() == named.field) {
        Some(position) => Ok((
            FieldPlace::Dynamic(position),
            Some(ty.fields()[position].kind()),
        )),
        None => {
            let fields = ty.fields().iter();
            let fields = fields.map(|field| format!("{}: {}", field.name(), field.kind()));
            Err(named.missing(&fields.collect::<Vec<_>>()))
        }
    }
}

/// Returns the field of a component that is data.
fn data_field(named: NamedField<'_>) -> Result<FieldPlace, TextProblem> {
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
    // Types that are not structs, or do not name their fields, are compared by their values.
    if let Some(fields) = codec.fields() {
        let first = named.field.split(['.', '[']).next().unwrap_or_default();
        if !fields.contains(&first) {
            let fields: Vec<String> = fields.iter().map(|&field| field.to_owned()).collect();
            return Err(named.missing(&fields));
        }
    }
    Ok(Path::new(named.field).map_or(FieldPlace::Nowhere, |path| FieldPlace::Path(codec, path)))
}

/// Returns whether a comparison holds if a field is less, equal, greater, or none of these.
fn met_by(operator: Operator) -> [bool; 4] {
    match operator {
        Operator::Equal => [false, true, false, false],
        // Even if it is not a number.
        Operator::Unequal => [true, false, true, true],
        Operator::Less => [true, false, false, false],
        Operator::AtMost => [true, true, false, false],
        Operator::Greater => [false, false, true, false],
        Operator::AtLeast => [false, true, true, false],
    }
}

/// Returns the `f32` nearest to a number.
fn nearest(value: &Literal) -> Option<f32> {
    match value {
        Literal::Integer(value) => Some(*value as f32),
        Literal::Float(value) => Some(*value as f32),
        _ => None,
    }
}

/// Compares the number that has a field's digits with a value, whose [`nearest`] `f32` is given. The field is the `f32`
/// nearest to its own digits. So if the two `f32`s differ, the numbers are in the same order.
fn compare_short(field: f32, nearest: f32, value: &Literal) -> Option<Ordering> {
    match field.partial_cmp(&nearest) {
        Some(Ordering::Equal) => compare_float(widen_float(field), value),
        ordering => ordering,
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
    // Casts saturate at the least and the greatest integer.
    const END: f64 = -(i128::MIN as f64);
    let whole = (float.floor() as i128).cmp(&integer);
    let has_fraction = float.is_finite() && float.fract() != 0.0;
    Some(match whole {
        Ordering::Equal if has_fraction || float >= END => Ordering::Greater,
        Ordering::Equal if float < -END => Ordering::Less,
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn short() -> impl Strategy<Value = f32> {
        let bits = any::<u32>().prop_map(f32::from_bits);
        let special = [
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            -0.0,
            f32::MAX,
            0.1,
        ];
        prop_oneof![
            bits,
            -2e3f32..2e3,
            proptest::sample::select(special.to_vec())
        ]
    }

    proptest! {
        #[test]
        fn a_short_float_compares_as_the_number_with_its_digits(
            field in short(),
            other in short(),
            near in -3i64..=3,
            integer in any::<i128>(),
            float in any::<u64>().prop_map(f64::from_bits),
        ) {
            let float = if float.is_nan() { 0.5 } else { float };
            let wide = if other.is_nan() { 0.1 } else { widen_float(other) };
            let beside = widen_float(field) + near as f64 * f64::from(f32::EPSILON) / 4.0;
            let whole = Literal::Integer((field as i128).saturating_add(near.into()));
            let floats = [float, wide, beside, f64::from(field), wide.next_up(), wide.next_down()];
            let floats = floats.into_iter().filter(|float| !float.is_nan()).map(Literal::Float);
            for value in floats.chain([whole, Literal::Integer(integer)]) {
                let nearest = nearest(&value).unwrap();
                prop_assert_eq!(
                    compare_short(field, nearest, &value),
                    compare_float(widen_float(field), &value),
                    "{} and {}", field, value
                );
            }
        }
    }
}

//! Comparisons of fields with values.

use std::cmp::Ordering;
use std::ops::Range;
use std::ptr;

use ecs_engine::component::ComponentId;
use ecs_engine::dynamic::MatchRows;
use ecs_engine::entity::session::Session;

use super::ast::{Literal, Operator};
use super::error::TextProblem;
use super::field::{FieldPlace, NamedField};
use crate::codec::{Bounds, PartTest, Scalar, SomeRows};
use crate::value::widen_float;

/// A comparison that is possible, as far as that is known without values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FieldComparison {
    field: FieldPlace,
    /// The results if the field is less, equal, greater, or none of these.
    met: [bool; 4],
    value: Literal,
    /// The value in small letters, if texts are searched for it.
    part: Option<String>,
    /// The bounds of the value, if it is a number.
    bounds: Option<Bounds>,
}

impl FieldComparison {
    /// Looks up a field of a component, and checks that this comparison is possible.
    pub(super) fn new(
        named: NamedField<'_>,
        (operator, operator_at): (Operator, &Range<usize>),
        (value, value_at): (&Literal, &Range<usize>),
    ) -> Result<Self, TextProblem> {
        let (field, ty) = FieldPlace::new(named)?;
        let met = met_by(operator);
        let part = match (operator, value) {
            (Operator::Contains, Literal::Text(part)) => Some(part.to_lowercase()),
            (Operator::Contains, _) => {
                return Err(TextProblem::new(
                    value_at.clone(),
                    format!("`~` looks for a part of a text, and not for `{value}`"),
                    format!("write a text in quotes: `\"{value}\"`"),
                ));
            }
            _ => None,
        };
        let comparison = Self {
            field,
            met,
            value: value.clone(),
            part,
            bounds: bounds(value, met),
        };
        if let Some(ty) = ty {
            ty.check((operator, operator_at), (value, value_at))?;
        }
        Ok(comparison)
    }

    /// Returns the field.
    pub(super) fn field(&self) -> &FieldPlace {
        &self.field
    }

    /// Returns the component.
    pub(super) fn component(&self) -> ComponentId {
        self.field.component()
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
        let component = self.component();
        assert_eq!(rows.component(term), component);
        let test = PartTest {
            numbers: self.bounds.as_ref(),
            other: &|field| self.is_met(field),
        };
        let mut values = [ptr::null(); SomeRows::MOST];
        let among = if rows.has_in_order(term) {
            let Some(first) = rows.first(term) else {
                return SomeRows::NONE;
            };
            // The first row's value is followed by the others.
            let size = self.field.size();
            for (row, value) in values[..rows.len()].iter_mut().enumerate() {
                *value = first.wrapping_add(row * size);
            }
            among
        } else {
            among.filter(|row| match rows.get(row).pointer(term) {
                Some(value) => {
                    values[row] = value;
                    true
                }
                None => false,
            })
        };
        // SAFETY: the values belong to the component, as was just checked. Nothing writes them as long as the rows are borrowed.
        session.run(|| unsafe { self.field.test(&values, among, test) })
    }

    /// Returns the result for a part of a value; `None` if there is none that can be compared.
    fn is_met(&self, field: Option<Scalar<'_>>) -> bool {
        if let Some(part) = &self.part {
            return matches!(field, Some(Scalar::Text(text)) if contains(text, part));
        }
        // Most texts that differ have other lengths, too.
        if let (Some(Scalar::Text(text)), Literal::Text(value)) = (field, &self.value)
            && text.len() != value.len()
            && self.met[0] == self.met[2]
        {
            return self.met[0];
        }
        let ordering = field.and_then(|field| compare(field, &self.value));
        self.met[ordering.map_or(3, |ordering| (ordering as i8 + 1) as usize)]
    }
}

/// Returns true if a text in small letters contains another text, which is in small letters.
fn contains(text: &str, part: &str) -> bool {
    if !text.is_ascii() {
        return text.to_lowercase().contains(part);
    }
    // Without a copy of the text.
    let Some((first, rest)) = part.as_bytes().split_first() else {
        return true;
    };
    let (text, len) = (text.as_bytes(), rest.len());
    let Some(last) = text.len().checked_sub(part.len()) else {
        return false;
    };
    // The bit that makes a letter small; other bytes are compared as they are.
    let small = u8::from(first.is_ascii_lowercase()) << 5;
    text[..=last].iter().enumerate().any(|(at, byte)| {
        byte | small == *first && text[at + 1..][..len].eq_ignore_ascii_case(rest)
    })
}

/// Compares a part of a value with another one; `None` if they are neither equal nor in an order.
fn compare(field: Scalar<'_>, value: &Literal) -> Option<Ordering> {
    match (field, value) {
        (Scalar::Null, Literal::None) => Some(Ordering::Equal),
        (Scalar::Bool(field), Literal::Bool(value)) => (field == *value).then_some(Ordering::Equal),
        (Scalar::Int(field), Literal::Integer(value)) => Some(field.cmp(value)),
        (Scalar::Int(field), Literal::Float(_)) => {
            compare_float_with_integer(value, field).map(Ordering::reverse)
        }
        (Scalar::Entity(field), Literal::Entity(value)) => {
            (field == *value).then_some(Ordering::Equal)
        }
        (Scalar::Entity(field), Literal::Text(text)) => {
            (text.parse() == Ok(field)).then_some(Ordering::Equal)
        }
        (Scalar::Short(field), value) => compare_float(widen_float(field), value),
        (Scalar::Float(field), value) => compare_float(field, value),
        (Scalar::Text(field), Literal::Text(value)) => Some(field.cmp(value)),
        _ => None,
    }
}

/// Returns the bounds of the numbers that compare with a value; `None` if it is not a number.
fn bounds(value: &Literal, met: [bool; 4]) -> Option<Bounds> {
    let (integers, float, short) = match *value {
        Literal::Integer(value) => ((value, value), value as f64, value as f32),
        // Casts saturate, beyond all integers of 64 bits.
        Literal::Float(value) if !value.is_nan() => (
            (value.ceil() as i128, value.floor() as i128),
            value,
            value as f32,
        ),
        _ => return None,
    };
    let floats = match compare_float(float, value)? {
        Ordering::Less => (float.next_up(), float),
        Ordering::Equal => (float, float),
        Ordering::Greater => (float, float.next_down()),
    };
    // The nearest short float. If another one is less or greater, so are its digits.
    let shorts = match compare_float(widen_float(short), value)? {
        Ordering::Less => (short.next_up(), short),
        Ordering::Equal => (short, short),
        Ordering::Greater => (short, short.next_down()),
    };
    Some(Bounds {
        met,
        integers,
        floats,
        shorts,
    })
}

/// Returns whether a comparison holds if a field is less, equal, greater, or none of these.
fn met_by(operator: Operator) -> [bool; 4] {
    match operator {
        Operator::Equal | Operator::Contains => [false, true, false, false],
        // Even if it is not a number.
        Operator::Unequal => [true, false, true, true],
        Operator::Less => [true, false, false, false],
        Operator::AtMost => [true, true, false, false],
        Operator::Greater => [false, false, true, false],
        Operator::AtLeast => [false, true, true, false],
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_is_searched_like_its_copy_in_small_letters(
            text in "[abABkK .\u{212a}ß]{0,9}",
            part in "[abABkK .\u{212a}ß]{0,3}",
        ) {
            let part = part.to_lowercase();
            let expected = text.to_lowercase().contains(&part);
            prop_assert_eq!(contains(&text, &part), expected, "{} in {}", part, text);
        }
    }

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
        fn bounds_compare_like_the_numbers_themselves(
            field in short(),
            other in short(),
            near in -3i64..=3,
            integer in any::<i128>(),
            float in any::<u64>().prop_map(f64::from_bits),
            whole in any::<i64>(),
        ) {
            let float = if float.is_nan() { 0.5 } else { float };
            let wide = if other.is_nan() { 0.1 } else { widen_float(other) };
            let beside = widen_float(field) + near as f64 * f64::from(f32::EPSILON) / 4.0;
            let integers = [
                integer,
                (field as i128).saturating_add(near.into()),
                i128::from(whole) + i128::from(near),
                near.into(),
            ];
            let floats = [
                float, wide, beside, f64::from(field), wide.next_up(), wide.next_down(), whole as f64,
                whole as f64 + 0.5, near as f64 / 2.0,
            ];
            let floats = floats.into_iter().filter(|float| !float.is_nan()).map(Literal::Float);
            let values = floats.chain(integers.map(Literal::Integer));
            let wholes = [whole, i64::MIN, i64::MAX, near, field as i64];
            let fields = [float, float.next_up(), wide, beside, f64::from(field), whole as f64, f64::NAN, -0.0];
            for value in values {
                for met in [Operator::Equal, Operator::Unequal, Operator::Less, Operator::AtLeast].map(met_by) {
                    let bounds = bounds(&value, met).unwrap();
                    let expected = |field| {
                        met[compare(field, &value).map_or(3, |ordering| (ordering as i8 + 1) as usize)]
                    };
                    for number in wholes {
                        prop_assert_eq!(bounds.integer(number), expected(Scalar::Int(number.into())), "{} and {}", number, value);
                    }
                    for number in fields {
                        prop_assert_eq!(bounds.float(number), expected(Scalar::Float(number)), "{} and {}", number, value);
                    }
                    prop_assert_eq!(bounds.short(field), expected(Scalar::Short(field)), "{} and {}", field, value);
                }
            }
        }
    }
}

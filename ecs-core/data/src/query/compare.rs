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
use crate::codec::{NumberSpan, PartTest, ScalarComparison, SomeRows, TextComparison, TextPart};
use crate::value::widen_float;

/// A comparison that is possible, as far as that is known without values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct FieldComparison {
    field: FieldPlace,
    comparison: ScalarComparison,
}

impl FieldComparison {
    /// Looks up a field of a component, and checks that this comparison is possible.
    pub(super) fn new(
        named: NamedField<'_>,
        (operator, operator_at): (Operator, &Range<usize>),
        (value, value_at): (&Literal, &Range<usize>),
    ) -> Result<Self, TextProblem> {
        let (field, ty) = FieldPlace::new(named)?;
        if operator == Operator::Contains && !matches!(value, Literal::Text(_)) {
            return Err(TextProblem::new(
                value_at.clone(),
                format!("`~` looks for a part of a text, and not for `{value}`"),
                format!("write a text in quotes: `\"{value}\"`"),
            ));
        }
        if let Some(ty) = ty {
            ty.check((operator, operator_at), (value, value_at))?;
        }
        Ok(Self {
            field,
            comparison: comparison(operator, value),
        })
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
        let test = PartTest::Compared(&self.comparison);
        let mut values = [ptr::null(); SomeRows::MOST];
        let among = if rows.has_in_order(term) {
            let Some(first) = first_value(rows, term) else {
                return SomeRows::NONE;
            };
            // The first row's value is followed by the others.
            let size = self.field.size();
            for (row, value) in values[..rows.len()].iter_mut().enumerate() {
                *value = first.wrapping_add(row * size);
            }
            among
        } else {
            let mut found = SomeRows::NONE;
            rows.pointers(term, among.iter(), |row, value| {
                values[row] = value;
                found = found.and(SomeRows::one(row));
            });
            found
        };
        // SAFETY: the values belong to the component, as was just checked. Nothing writes them as long as the rows are borrowed.
        session.run(|| unsafe { self.field.test(&values, among, test) })
    }
}

/// Returns a pointer to the first row's value of a term; `None` if it has none.
pub(super) fn first_value(rows: MatchRows<'_>, term: usize) -> Option<*const u8> {
    let mut first = None;
    rows.pointers(term, 0..1, |_, value| first = Some(value));
    first
}

/// Returns the comparison with a value, of all kinds of scalars.
fn comparison(operator: Operator, value: &Literal) -> ScalarComparison {
    // The results if a scalar is less, equal, greater, or none of these, even if it is not a number.
    let met = match operator {
        Operator::Equal | Operator::Contains => [false, true, false, false],
        Operator::Unequal => [true, false, true, true],
        Operator::Less => [true, false, false, false],
        Operator::AtMost => [true, true, false, false],
        Operator::Greater => [false, false, true, false],
        Operator::AtLeast => [false, true, true, false],
    };
    let [less, equal, greater, others] = met;
    let text = match (operator, value) {
        (Operator::Contains, Literal::Text(part)) => TextComparison::Contain(TextPart::new(part)),
        (_, Literal::Text(text)) if less == greater => TextComparison::Equal(text.clone()),
        (_, Literal::Text(text)) => TextComparison::Order(text.clone(), [less, equal, greater]),
        _ => TextComparison::None,
    };
    let of = |is_equal| if is_equal { equal } else { others };
    let wide = integers(operator, value);
    let (floats, shorts) = floats(operator, value);
    ScalarComparison {
        inside: operator != Operator::Unequal,
        integers: short_integers(wide),
        wide,
        huge: huge_integers(operator, value),
        floats,
        shorts,
        bools: [false, true].map(|field| of(*value == Literal::Bool(field))),
        null: of(*value == Literal::None),
        text,
        entity: match value {
            Literal::Entity(entity) => Some(*entity),
            Literal::Text(text) if operator != Operator::Contains => text.parse().ok(),
            _ => None,
        },
        equal,
        others,
    }
}

/// The first float after all integers.
const INTEGERS_END: f64 = -(i128::MIN as f64);

/// The first float after all integers without a sign.
const HUGE_END: f64 = INTEGERS_END * 2.0;

/// The numbers of a type.
struct NumberType<T> {
    all: NumberSpan<T>,
    /// Return the next smaller and the next greater number; `None` if there is none.
    before: fn(T) -> Option<T>,
    after: fn(T) -> Option<T>,
}

const INTEGERS: NumberType<i128> = NumberType {
    all: NumberSpan {
        from: i128::MIN,
        to: i128::MAX,
    },
    before: |number| number.checked_sub(1),
    after: |number| number.checked_add(1),
};

const HUGE_INTEGERS: NumberType<u128> = NumberType {
    all: NumberSpan {
        from: INTEGERS.all.to as u128 + 1,
        to: u128::MAX,
    },
    before: |number| number.checked_sub(1),
    after: |number| number.checked_add(1),
};

const FLOATS: NumberType<f64> = NumberType {
    all: NumberSpan {
        from: f64::NEG_INFINITY,
        to: f64::INFINITY,
    },
    before: |number| (number > f64::NEG_INFINITY).then(|| number.next_down()),
    after: |number| (number < f64::INFINITY).then(|| number.next_up()),
};

const SHORTS: NumberType<f32> = NumberType {
    all: NumberSpan {
        from: f32::NEG_INFINITY,
        to: f32::INFINITY,
    },
    before: |number| (number > f32::NEG_INFINITY).then(|| number.next_down()),
    after: |number| (number < f32::INFINITY).then(|| number.next_up()),
};

impl<T: Copy> NumberType<T> {
    fn none(&self) -> NumberSpan<T> {
        let NumberSpan { from, to } = self.all;
        NumberSpan { from: to, to: from }
    }

    /// Returns the numbers that pass if all are less than the value, or all are greater.
    fn beside(&self, operator: Operator, are_less: bool) -> NumberSpan<T> {
        let passes = match operator {
            Operator::Less | Operator::AtMost => are_less,
            Operator::Greater | Operator::AtLeast => !are_less,
            Operator::Equal | Operator::Unequal | Operator::Contains => false,
        };
        match passes {
            true => self.all,
            false => self.none(),
        }
    }

    /// Returns the numbers that pass, or for [`Operator::Unequal`] those that do not. The numbers from `least` to `most` are equal to
    /// the value. If no number is, `most` and `least` are the neighbours of the value, and `least` is greater.
    fn span(&self, operator: Operator, least: T, most: T) -> NumberSpan<T> {
        let NumberSpan { from, to } = self.all;
        let span = match operator {
            Operator::Less => (self.before)(least).map(|to| (from, to)),
            Operator::AtMost => Some((from, most)),
            Operator::Greater => (self.after)(most).map(|from| (from, to)),
            Operator::AtLeast => Some((least, to)),
            Operator::Equal | Operator::Unequal | Operator::Contains => Some((least, most)),
        };
        span.map_or(self.none(), |(from, to)| NumberSpan { from, to })
    }

    /// Does the same for a value that is near a number of the type, which compares with it.
    fn span_near(&self, operator: Operator, near: T, ordering: Option<Ordering>) -> NumberSpan<T> {
        let beside = |next: fn(T) -> Option<T>| next(near).unwrap_or(near);
        match ordering {
            Some(Ordering::Less) => self.span(operator, beside(self.after), near),
            Some(Ordering::Equal) => self.span(operator, near, near),
            Some(Ordering::Greater) => self.span(operator, near, beside(self.before)),
            None => self.none(),
        }
    }
}

fn integers(operator: Operator, value: &Literal) -> NumberSpan<i128> {
    match *value {
        Literal::Integer(value) => INTEGERS.span(operator, value, value),
        Literal::Huge(_) => INTEGERS.beside(operator, true),
        Literal::Float(value) if value >= INTEGERS_END => INTEGERS.beside(operator, true),
        Literal::Float(value) if value < -INTEGERS_END => INTEGERS.beside(operator, false),
        Literal::Float(value) if !value.is_nan() => {
            INTEGERS.span(operator, value.ceil() as i128, value.floor() as i128)
        }
        _ => INTEGERS.none(),
    }
}

fn huge_integers(operator: Operator, value: &Literal) -> NumberSpan<u128> {
    match value {
        Literal::Integer(_) => HUGE_INTEGERS.beside(operator, false),
        Literal::Huge(value) => HUGE_INTEGERS.span(operator, *value, *value),
        Literal::Float(value) if *value >= HUGE_END => HUGE_INTEGERS.beside(operator, true),
        Literal::Float(value) if *value < INTEGERS_END => HUGE_INTEGERS.beside(operator, false),
        // So large a float is a whole number.
        Literal::Float(value) if !value.is_nan() => {
            HUGE_INTEGERS.span(operator, *value as u128, *value as u128)
        }
        _ => HUGE_INTEGERS.none(),
    }
}

/// Narrows a span to the integers of 64 bits.
fn short_integers(NumberSpan { from, to }: NumberSpan<i128>) -> NumberSpan<i64> {
    let (least, most) = (i64::MIN, i64::MAX);
    let (from, to) = (from.max(least.into()), to.min(most.into()));
    match (i64::try_from(from), i64::try_from(to)) {
        (Ok(from), Ok(to)) => NumberSpan { from, to },
        _ => NumberSpan {
            from: most,
            to: least,
        },
    }
}

/// Returns the spans of `f64` and `f32`.
fn floats(operator: Operator, value: &Literal) -> (NumberSpan<f64>, NumberSpan<f32>) {
    let (float, short) = match *value {
        Literal::Integer(value) => (value as f64, value as f32),
        Literal::Huge(value) => (value as f64, value as f32),
        Literal::Float(value) => (value, value as f32),
        _ => return (FLOATS.none(), SHORTS.none()),
    };
    // If the nearest short float is less or greater, so are its digits.
    let is_short = compare_float(widen_float(short), value);
    (
        FLOATS.span_near(operator, float, compare_float(float, value)),
        SHORTS.span_near(operator, short, is_short),
    )
}

fn compare_float(field: f64, value: &Literal) -> Option<Ordering> {
    match value {
        Literal::Integer(value) => compare_float_with_integer(field, *value),
        Literal::Huge(value) => compare_float_with_huge(field, *value),
        Literal::Float(value) => field.partial_cmp(value),
        _ => None,
    }
}

/// Compares the numbers exactly: a whole number may have more digits than an `f64`.
fn compare_float_with_integer(float: f64, integer: i128) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    // The cast saturates at the least and the greatest integer.
    let whole = (float.floor() as i128).cmp(&integer);
    let has_fraction = float.is_finite() && float.fract() != 0.0;
    Some(match whole {
        Ordering::Equal if has_fraction || float >= INTEGERS_END => Ordering::Greater,
        Ordering::Equal if float < -INTEGERS_END => Ordering::Less,
        whole => whole,
    })
}

/// Does the same for an integer after the last `i128`.
fn compare_float_with_huge(float: f64, integer: u128) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    // The cast saturates, and a float that is as large has no fraction.
    let whole = (float as u128).cmp(&integer);
    Some(match float >= HUGE_END {
        true => Ordering::Greater,
        false => whole,
    })
}

#[cfg(test)]
mod tests {
    use ecs_engine::Entity;
    use proptest::prelude::*;

    use super::*;
    use crate::codec::Scalar;

    /// Compares a scalar with a value; `None` if they are neither equal nor in an order.
    fn compare(field: Scalar<'_>, value: &Literal) -> Option<Ordering> {
        match (field, value) {
            (Scalar::Null, Literal::None) => Some(Ordering::Equal),
            (Scalar::Bool(field), Literal::Bool(value)) => {
                (field == *value).then_some(Ordering::Equal)
            }
            (Scalar::Int(field), value) => compare(Scalar::Wide(field.into()), value),
            (Scalar::Wide(field), Literal::Integer(value)) => Some(field.cmp(value)),
            (Scalar::Wide(field), Literal::Float(value)) => {
                compare_float_with_integer(*value, field).map(Ordering::reverse)
            }
            (Scalar::Wide(_), Literal::Huge(_)) => Some(Ordering::Less),
            (Scalar::Huge(_), Literal::Integer(_)) => Some(Ordering::Greater),
            (Scalar::Huge(field), Literal::Huge(value)) => Some(field.cmp(value)),
            (Scalar::Huge(field), Literal::Float(value)) => {
                compare_float_with_huge(*value, field).map(Ordering::reverse)
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

    /// Returns true if a comparison holds for a scalar.
    fn is_met(operator: Operator, field: Option<Scalar<'_>>, value: &Literal) -> bool {
        let ordering = field.and_then(|field| compare(field, value));
        match operator {
            Operator::Equal => ordering == Some(Ordering::Equal),
            Operator::Unequal => ordering != Some(Ordering::Equal),
            Operator::Less => ordering == Some(Ordering::Less),
            Operator::AtMost => matches!(ordering, Some(Ordering::Less | Ordering::Equal)),
            Operator::Greater => ordering == Some(Ordering::Greater),
            Operator::AtLeast => matches!(ordering, Some(Ordering::Greater | Ordering::Equal)),
            Operator::Contains => match (field, value) {
                (Some(Scalar::Text(field)), Literal::Text(part)) => {
                    field.to_lowercase().contains(&part.to_lowercase())
                }
                _ => false,
            },
        }
    }

    const OPERATORS: [Operator; 7] = [
        Operator::Equal,
        Operator::Unequal,
        Operator::Less,
        Operator::AtMost,
        Operator::Greater,
        Operator::AtLeast,
        Operator::Contains,
    ];

    fn agrees(field: Option<Scalar<'_>>, value: &Literal) {
        for operator in OPERATORS {
            if operator == Operator::Contains && !matches!(value, Literal::Text(_)) {
                continue;
            }
            let shown = field.map(Scalar::to_value);
            assert_eq!(
                comparison(operator, value).is_met(field),
                is_met(operator, field, value),
                "{shown:?} {operator} {value}"
            );
        }
    }

    /// An entity with the same bits, if there is one.
    fn entity(bits: u64) -> Option<Entity> {
        Entity::from_bits(bits)
    }

    #[test]
    fn scalars_of_all_kinds_compare_with_values_of_all_kinds() {
        let (one, other) = (entity(1 << 42 | 1), entity(1 << 42 | 2));
        let (one, other) = (one.unwrap(), other.unwrap());
        let id = one.to_string();
        let wholes = [
            i128::MIN,
            i128::MAX,
            i64::MIN.into(),
            i64::MAX.into(),
            1 << 64,
            -2,
            0,
            1,
            2,
        ];
        let huge = [1 << 127, (1 << 127) + 1, u128::MAX - 1, u128::MAX];
        let floats = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            INTEGERS_END,
            INTEGERS_END.next_down(),
            INTEGERS_END.next_up(),
            HUGE_END,
            HUGE_END.next_down(),
            -INTEGERS_END,
            (-INTEGERS_END).next_down(),
            1e39,
            -1e39,
            0.5,
            -0.0,
            1.0,
        ];
        let texts = ["", "a", "B", "ab", "Big", &id];
        let mut fields = vec![None, Some(Scalar::Null)];
        fields.extend([false, true].map(|value| Some(Scalar::Bool(value))));
        fields.extend([one, other].map(|value| Some(Scalar::Entity(value))));
        fields.extend(texts.map(|value| Some(Scalar::Text(value))));
        fields.extend(wholes.map(|value| Some(Scalar::Wide(value))));
        fields.extend(huge.map(|value| Some(Scalar::Huge(value))));
        let short = wholes.iter().filter_map(|&value| i64::try_from(value).ok());
        fields.extend(short.map(|value| Some(Scalar::Int(value))));
        fields.extend(floats.map(|value| Some(Scalar::Float(value))));
        fields.extend(floats.map(|value| Some(Scalar::Short(value as f32))));
        let mut values = vec![Literal::None, Literal::Entity(one), Literal::Entity(other)];
        values.extend([false, true].map(Literal::Bool));
        values.extend(texts.map(|value| Literal::Text(value.to_owned())));
        values.extend(wholes.map(Literal::Integer));
        values.extend(huge.map(Literal::Huge));
        values.extend(floats.map(Literal::Float));
        for value in &values {
            fields.iter().for_each(|&field| agrees(field, value));
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
        fn spans_have_the_numbers_that_compare(
            field in short(),
            other in short(),
            near in -3i64..=3,
            integer in any::<i128>(),
            float in any::<u64>().prop_map(f64::from_bits),
            whole in any::<i64>(),
            huge in 1u128 << 127..,
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
                whole as f64 + 0.5, near as f64 / 2.0, huge as f64,
            ];
            let floats = floats.into_iter().filter(|float| !float.is_nan()).map(Literal::Float);
            let values = floats.chain(integers.map(Literal::Integer));
            let values = values.chain([Literal::Huge(huge)]);
            let wholes = [whole, i64::MIN, i64::MAX, near, field as i64];
            let fields = [float, float.next_up(), wide, beside, f64::from(field), whole as f64, huge as f64, f64::NAN, -0.0];
            for value in values {
                let wholes = wholes.map(Scalar::Int).into_iter();
                let wides = integers.map(Scalar::Wide).into_iter();
                let fields = fields.map(Scalar::Float).into_iter();
                let fields = fields.chain(wholes).chain(wides).chain([Scalar::Short(field), Scalar::Huge(huge)]);
                fields.for_each(|field| agrees(Some(field), &value));
            }
        }
    }
}

//! Comparisons of scalars with one value, which is prepared once.

use ecs_engine::Entity;

use super::scalar::Scalar;
use super::text_part::TextPart;
use crate::value::is_same_text;

/// A comparison with one value: which scalars of each kind pass.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ScalarComparison {
    /// The result for numbers inside the spans; numbers outside get the opposite.
    pub(crate) inside: bool,
    pub(crate) integers: NumberSpan<i64>,
    /// For integers of more than 64 bits.
    pub(crate) wide: NumberSpan<i128>,
    /// For those that only a `u128` can be.
    pub(crate) huge: NumberSpan<u128>,
    pub(crate) floats: NumberSpan<f64>,
    /// For an `f32`, which is compared as the number that its digits spell.
    pub(crate) shorts: NumberSpan<f32>,
    /// The results for `false` and `true`.
    pub(crate) bools: [bool; 2],
    /// The result for `none`.
    pub(crate) null: bool,
    pub(crate) text: TextComparison,
    /// The entity that is equal.
    pub(crate) entity: Option<Entity>,
    /// The result for what is equal.
    pub(crate) equal: bool,
    /// The result for values that are neither equal nor ordered, and for a missing part.
    pub(crate) others: bool,
}

/// The numbers from one to another, which is included; none if the first is greater.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NumberSpan<T> {
    pub(crate) from: T,
    pub(crate) to: T,
}

/// The texts that pass. It has a tag of its own, which takes fewer instructions to read than a niche inside a text.
#[derive(Clone, Debug, PartialEq)]
#[repr(u8)]
pub(crate) enum TextComparison {
    /// They are not comparable.
    None,
    /// Only equality counts.
    Equal(String),
    /// The results if a text is less, equal or greater.
    Order(String, [bool; 3]),
    /// Those with this part.
    Contain(TextPart),
}

impl<T: PartialOrd + Copy> NumberSpan<T> {
    /// Not short-circuited: one more comparison is cheaper than a branch that is hard to predict.
    #[inline]
    fn has(self, number: T) -> bool {
        (self.from <= number) & (number <= self.to)
    }
}

impl ScalarComparison {
    /// Returns the result for a scalar, or for no scalar. The kind of the scalar is known where this is inlined.
    #[inline(always)]
    pub(crate) fn is_met(&self, scalar: Option<Scalar<'_>>) -> bool {
        match scalar {
            None => self.others,
            Some(Scalar::Null) => self.null,
            Some(Scalar::Bool(value)) => self.bools[usize::from(value)],
            Some(Scalar::Int(number)) => self.integers.has(number) == self.inside,
            Some(Scalar::Wide(number)) => self.wide.has(number) == self.inside,
            Some(Scalar::Huge(number)) => self.huge.has(number) == self.inside,
            Some(Scalar::Short(number)) => self.shorts.has(number) == self.inside,
            Some(Scalar::Float(number)) => self.floats.has(number) == self.inside,
            Some(Scalar::Text(text)) => self.is_met_by_text(text),
            Some(Scalar::Entity(entity)) => self.of(self.entity == Some(entity)),
        }
    }

    #[inline]
    fn of(&self, is_equal: bool) -> bool {
        match is_equal {
            true => self.equal,
            false => self.others,
        }
    }

    // A call takes seven instructions more, for each text.
    #[inline(always)]
    fn is_met_by_text(&self, text: &str) -> bool {
        match &self.text {
            TextComparison::None => self.others,
            TextComparison::Equal(other) => self.of(is_same_text(text, other)),
            TextComparison::Order(other, met) => met[(text.cmp(other) as i8 + 1) as usize],
            TextComparison::Contain(part) => part.is_in(text),
        }
    }
}

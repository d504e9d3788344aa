//! Floats as texts, and floats of another size with the same digits.

use std::fmt::{self, Write};

/// Returns the `f64` with the same digits, such as 0.1 for `0.1_f32`. It isn't the `f64` nearest to that `f32`.
///
/// Formats write the fewest digits that identify a float of its type, so they read back the same value.
pub(crate) fn widen_float(value: f32) -> f64 {
    if value.is_nan() {
        return widen_nan(value);
    }
    if let Some(wide) = widen_short(value) {
        return wide;
    }
    let mut digits = Digits {
        bytes: [0; 64],
        len: 0,
    };
    let wide = match write!(digits, "{value:e}") {
        Ok(()) => digits.text().parse().unwrap_or(f64::from(value)),
        Err(fmt::Error) => f64::from(value),
    };
    // A few decimals, such as 7.038531e-26, are rounded to another float if they are rounded twice.
    if wide as f32 == value {
        wide
    } else {
        f64::from(value)
    }
}

/// The powers of ten whose product with an `f32` is exact: 24 bits, and the bits of 5^12.
const POWERS: [f64; 13] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
];

/// Does the same for floats of common size, in a quarter of the time.
fn widen_short(value: f32) -> Option<f64> {
    // With at most six digits, three of them after the point, it is this decimal exactly, and no other one is as short.
    let thousands = f64::from(value) * 1e3;
    if thousands.abs() < 1e6 && f64::from(thousands as i32) == thousands {
        return Some(value.into());
    }
    if !(1e-4..1e6).contains(&value.abs()) {
        return None;
    }
    // With more digits after the point the nearest decimal is nearer, so this searches for the least number of digits.
    let (mut low, mut high) = (0, POWERS.len());
    let mut found = None;
    while low < high {
        let middle = (low + high) / 2;
        let scaled = f64::from(value) * POWERS[middle];
        let whole = round(scaled);
        // The quotient of two exact integers is the nearest float, which a parser returns, too.
        let wide = whole / POWERS[middle];
        if wide as f32 == value {
            // If two decimals are equally near, formats choose.
            found = ((scaled - whole).abs() != 0.5).then_some(wide);
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    found
}

/// The same as [`f64::round`], which is a call on processors without an instruction for it.
fn round(value: f64) -> f64 {
    /// Floats from here on are whole.
    const WHOLE: f64 = (1u64 << (f64::MANTISSA_DIGITS - 1)) as f64;
    let size = value.abs();
    if size >= WHOLE || value.is_nan() {
        return value;
    }
    // The sum has no bits for a fraction, so it is rounded, and half a unit to an even number.
    let mut rounded = size + WHOLE - WHOLE;
    if size - rounded == 0.5 {
        rounded += 1.0;
    }
    rounded.copysign(value)
}

/// Returns the `f32` with the same digits, or `None` if it would be infinite.
pub(crate) fn narrow_float(value: f64) -> Option<f32> {
    if value.is_nan() {
        return Some(narrow_nan(value));
    }
    let narrow = value as f32;
    (narrow.is_finite() || value.is_infinite()).then_some(narrow)
}

/// The additional bits in the fraction of an `f64`.
const SHIFT: u32 = f64::MANTISSA_DIGITS - f32::MANTISSA_DIGITS;

// A cast may change sign and bits of a `NaN`.
fn widen_nan(value: f32) -> f64 {
    let bits = u64::from(value.to_bits());
    let sign = (bits >> 31) << 63;
    let fraction = (bits & ((1 << (f32::MANTISSA_DIGITS - 1)) - 1)) << SHIFT;
    f64::from_bits(sign | f64::INFINITY.to_bits() | fraction)
}

fn narrow_nan(value: f64) -> f32 {
    let bits = value.to_bits();
    let sign = ((bits >> 63) as u32) << 31;
    let fraction = (bits >> SHIFT) as u32 & ((1 << (f32::MANTISSA_DIGITS - 1)) - 1);
    // Without a bit of the fraction it would be infinity.
    let fraction = if fraction == 0 {
        1 << (f32::MANTISSA_DIGITS - 2)
    } else {
        fraction
    };
    f32::from_bits(sign | f32::INFINITY.to_bits() | fraction)
}

/// Returns the text for a float that is not finite: most formats can't write one.
pub(crate) struct Special(pub(crate) f64);

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0;
        if value.is_infinite() {
            write!(f, "float({value})")
        } else if value.to_bits() == f64::NAN.to_bits() {
            f.write_str("float(NaN)")
        } else {
            write!(f, "float({:#018x})", value.to_bits())
        }
    }
}

/// Returns the float for such a text.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    let inner = text.strip_prefix("float(")?.strip_suffix(')')?;
    match inner {
        "inf" => return Some(f64::INFINITY),
        "-inf" => return Some(f64::NEG_INFINITY),
        "NaN" => return Some(f64::NAN),
        _ => {}
    }
    let digits = inner.strip_prefix("0x")?;
    let bits = (digits.len() == 16 && !digits.starts_with('+'))
        .then(|| u64::from_str_radix(digits, 16))?
        .ok()?;
    let value = f64::from_bits(bits);
    (value.is_nan() && bits != f64::NAN.to_bits()).then_some(value)
}

/// The digits of a float, on the stack.
struct Digits {
    bytes: [u8; 64],
    len: usize,
}

impl Digits {
    fn text(&self) -> &str {
        str::from_utf8(&self.bytes[..self.len]).unwrap_or("")
    }
}

impl Write for Digits {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes
            .get_mut(self.len..end)
            .ok_or(fmt::Error)?
            .copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_rounded_as_by_the_standard_library() {
        let mut value = 0.1f64;
        for step in 0..100_000 {
            value = value * 1.000_37 + f64::from(step % 7);
            let half = value.floor() + 0.5;
            for value in [value, half, half.next_up(), half.next_down(), value * 1e13] {
                assert_eq!(round(value).to_bits(), value.round().to_bits(), "{value}");
                assert_eq!(
                    round(-value).to_bits(),
                    (-value).round().to_bits(),
                    "-{value}"
                );
            }
        }
        for value in [
            0.0,
            0.5,
            1.5,
            2.5,
            0.499_999_999_999_999_94,
            f64::INFINITY,
            5e-324,
        ] {
            assert_eq!(round(value).to_bits(), value.round().to_bits(), "{value}");
        }
    }

    #[test]
    fn floats_keep_their_digits_and_bits() {
        for (value, wide) in [
            (0.1, 0.1),
            (1.0, 1.0),
            (-0.0, -0.0),
            (16_777_216.0, 16_777_216.0),
            (3.3e7, 3.3e7),
            (1.5e-40, 1.5e-40),
            (7.038531e-26, f64::from(7.038531e-26_f32)),
        ] {
            assert_eq!(widen_float(value).to_bits(), f64::to_bits(wide), "{value}");
        }
        // A sample of all floats; `every_float` has all of them.
        for bits in (0..=u32::MAX).step_by(70_001) {
            round_trip(bits);
        }
    }

    fn round_trip(bits: u32) {
        let value = f32::from_bits(bits);
        assert_eq!(
            narrow_float(widen_float(value)).map(f32::to_bits),
            Some(bits),
            "{value:?} {bits:#x}"
        );
    }

    #[test]
    #[ignore = "takes minutes: all 2^32 floats"]
    fn every_float() {
        (0..=u32::MAX).for_each(round_trip);
    }

    #[test]
    fn the_digits_are_those_that_a_format_reads() {
        let sample = (0..=u32::MAX).step_by(70_001).map(f32::from_bits);
        let short = (0..200_000).map(|number| number as f32 / 1000.0);
        for value in sample.chain(short).filter(|value| value.is_finite()) {
            assert_eq!(
                value.to_string().parse(),
                Ok(widen_float(value)),
                "{value:?}"
            );
        }
    }

    #[test]
    fn special_floats_have_one_text_each() {
        let quiet = f64::NAN.to_bits();
        for value in [
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            -f64::NAN,
            f64::from_bits(quiet | 5),
        ] {
            let text = Special(value).to_string();
            assert_eq!(
                parse_float(&text).map(f64::to_bits),
                Some(value.to_bits()),
                "{text}"
            );
        }
        assert_eq!(Special(f64::NAN).to_string(), "float(NaN)");
        for text in [
            "float(1)",
            "float(0x7ff8000000000000)",
            "float(0x+ff8000000000001)",
            "float(0x1)",
            "inf",
            "float(inf",
        ] {
            assert_eq!(parse_float(text), None, "{text}");
        }
    }

    #[test]
    fn large_floats_are_refused_and_infinity_is_not() {
        assert_eq!(narrow_float(1e300), None);
        assert_eq!(narrow_float(f64::INFINITY), Some(f32::INFINITY));
    }
}

//! Sources of values other than bytes: from a tree, or made up.
//!
//! It is compiled once. The functions return an error if the source is bytes, of which there are too few then.

use std::borrow::Cow;

use serde_core::de::{Error, Expected, Unexpected};

use super::decoder::{Decoder, Source, Step};
use super::error::DecodeError;
use crate::Value;
use crate::value::{narrow_float, parse_float};

/// The source of a value.
pub(super) enum Other<'a> {
    Tree(&'a Value),
    Made,
}

impl<'a> Decoder<'a> {
    /// Returns the next value of a tree.
    pub(super) fn other(&mut self) -> Result<Other<'a>, DecodeError> {
        match &mut self.source {
            Source::Bytes => Err(DecodeError::end()),
            Source::Tree(value) => match value.take() {
                Some(value) => Ok(Other::Tree(value)),
                None => Err(DecodeError::new("a value is read twice")),
            },
            Source::Trace(_) => Ok(Other::Made),
        }
    }

    #[cold]
    pub(super) fn other_int(
        &mut self,
        name: &'static str,
        min: i128,
        max: i128,
    ) -> Result<i128, DecodeError> {
        let value = match self.other()? {
            Other::Tree(value) => value,
            Other::Made => return Ok(1),
        };
        let int = match value {
            Value::Int(int) => *int,
            Value::String(text) => match self.parse_int(text) {
                Some(int) => int,
                None => return Err(wrong(value, &name)),
            },
            _ => return Err(wrong(value, &name)),
        };
        if int < min || int > max {
            return Err(DecodeError::new(format_args!(
                "{int} is out of range for {} {name}",
                article(name)
            )));
        }
        Ok(int)
    }

    #[cold]
    pub(super) fn other_u128(&mut self) -> Result<u128, DecodeError> {
        let value = match self.other()? {
            Other::Tree(value) => value,
            Other::Made => return Ok(1),
        };
        let int = match value {
            Value::Int(int) => u128::try_from(*int).ok(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        };
        int.ok_or_else(|| wrong(value, &"u128"))
    }

    /// Parses an integer that a format has made a text: a key, or one of more than 64 bits.
    fn parse_int(&self, text: &str) -> Option<i128> {
        let int = text.parse().ok()?;
        let is_large = i64::try_from(int).is_err() && u64::try_from(int).is_err();
        (self.in_key || is_large).then_some(int)
    }

    #[cold]
    pub(super) fn other_f32(&mut self) -> Result<f32, DecodeError> {
        let float = self.other_f64()?;
        narrow_float(float)
            .ok_or_else(|| DecodeError::new(format_args!("{float:?} is out of range for an f32")))
    }

    #[cold]
    pub(super) fn other_f64(&mut self) -> Result<f64, DecodeError> {
        let value = match self.other()? {
            Other::Tree(value) => value,
            Other::Made => return Ok(1.0),
        };
        let float = match value {
            Value::Float(float) => Some(*float),
            Value::Int(int) => Some(*int as f64),
            Value::String(text) => match text.as_str() {
                // As one would write them by hand.
                "NaN" => Some(f64::NAN),
                "inf" => Some(f64::INFINITY),
                "-inf" => Some(f64::NEG_INFINITY),
                text if self.in_key => text.parse().ok(),
                text => parse_float(text),
            },
            _ => None,
        };
        float.ok_or_else(|| wrong(value, &"a float"))
    }

    #[cold]
    pub(super) fn other_bool(&mut self) -> Result<bool, DecodeError> {
        match self.other()? {
            Other::Made | Other::Tree(Value::Bool(false)) => Ok(false),
            Other::Tree(Value::Bool(true)) => Ok(true),
            Other::Tree(Value::String(text)) if self.in_key && text == "true" => Ok(true),
            Other::Tree(Value::String(text)) if self.in_key && text == "false" => Ok(false),
            Other::Tree(value) => Err(wrong(value, &"a bool")),
        }
    }

    #[cold]
    pub(super) fn other_char(&mut self) -> Result<char, DecodeError> {
        let value = match self.other()? {
            Other::Tree(value) => value,
            Other::Made => return Ok('a'),
        };
        let mut chars = value.as_str().unwrap_or("").chars();
        match (chars.next(), chars.next()) {
            (Some(char), None) => Ok(char),
            _ => Err(wrong(value, &"a char")),
        }
    }

    #[cold]
    pub(super) fn other_str(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        match self.other()? {
            Other::Tree(Value::String(text)) => Ok(Cow::Borrowed(text)),
            // A text that looks like one of these floats.
            Other::Tree(value @ Value::Float(float)) if !float.is_finite() => {
                Ok(Cow::Owned(value.float_text().unwrap_or_default()))
            }
            Other::Tree(value) => Err(wrong(value, &"a string")),
            Other::Made => Ok(Cow::Borrowed("a")),
        }
    }

    #[cold]
    pub(super) fn other_bytes(&mut self) -> Result<Cow<'a, [u8]>, DecodeError> {
        let value = match self.other()? {
            Other::Tree(value) => value,
            Other::Made => return Ok(Cow::Borrowed(&[])),
        };
        let bytes = match value {
            Value::Bytes(bytes) => Some(Cow::Borrowed(bytes.as_slice())),
            Value::String(text) => Some(Cow::Borrowed(text.as_bytes())),
            // As formats without bytes write them.
            Value::List(values) => {
                let byte = |value: &Value| u8::try_from(value.as_int()?).ok();
                values
                    .iter()
                    .map(byte)
                    .collect::<Option<Vec<u8>>>()
                    .map(Cow::Owned)
            }
            _ => None,
        };
        bytes.ok_or_else(|| wrong(value, &"bytes"))
    }

    /// Reads whether an option has a value, which is the next one then.
    #[cold]
    pub(super) fn other_option(&mut self) -> Result<bool, DecodeError> {
        let value = match self.other()? {
            Other::Tree(value) => value,
            Other::Made => {
                self.enter()?;
                return Ok(!self.is_deep());
            }
        };
        match value.option() {
            None => Ok(false),
            Some(inner) if std::ptr::eq(inner, value) => {
                self.source = Source::Tree(Some(value));
                Ok(true)
            }
            Some(inner) => {
                if let Value::Map(entries) = value {
                    self.step_into(self.mark(), inner, Step::Key(&entries[0].0))?;
                }
                Ok(true)
            }
        }
    }

    #[cold]
    pub(super) fn other_unit(&mut self) -> Result<(), DecodeError> {
        match self.other()? {
            Other::Tree(Value::Null) | Other::Made => Ok(()),
            Other::Tree(value) => Err(wrong(value, &"null")),
        }
    }
}

/// Returns the error that a value is not what was expected.
#[cold]
pub(super) fn wrong(value: &Value, expected: &dyn Expected) -> DecodeError {
    DecodeError::invalid_type(unexpected(value), expected)
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Other("null"),
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Int(value) => match (i64::try_from(*value), u64::try_from(*value)) {
            (Ok(value), _) => Unexpected::Signed(value),
            (_, Ok(value)) => Unexpected::Unsigned(value),
            _ => Unexpected::Other("an integer of more than 64 bits"),
        },
        Value::Float(value) => Unexpected::Float(*value),
        Value::String(value) => Unexpected::Str(value),
        Value::Bytes(value) => Unexpected::Bytes(value),
        Value::List(_) => Unexpected::Other("a list"),
        Value::Map(_) => Unexpected::Other("a map"),
    }
}

fn article(name: &str) -> &'static str {
    if name.starts_with('i') { "an" } else { "a" }
}

//! Values as text.

use std::fmt::{self, Debug, Display, Write as _};

use super::Value;
use super::float::Special;
use super::nested::PartsLeft;

/// The levels that have lines of their own. Deeper parts are written on one line, because the indentation would be most of the
/// text.
const MAX_LINES: usize = 64;

/// Returns true if two texts are equal. Names of one length often differ at their ends, and a comparison of all bytes is a call.
#[inline(always)]
pub(crate) fn is_same_text(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    one.len() == other.len() && one.last() == other.last() && one == other
}

/// Writes the value much like JSON; `{:#}` writes it on several lines.
///
/// ```
/// use ecs_core::data::Value;
///
/// let value: Value = [("hp", Value::from(3)), ("tags", ["a", "b"].into())].into_iter().collect();
/// assert_eq!(value.to_string(), r#"{"hp": 3, "tags": ["a", "b"]}"#);
/// ```
impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut outer: Vec<OpenText<'_>> = Vec::new();
        let mut value = self;
        loop {
            let is_in_lines = f.alternate() && outer.len() < MAX_LINES;
            match value {
                Self::Null => f.write_str("null")?,
                Self::Bool(value) => Display::fmt(value, f)?,
                Self::Int(value) => Display::fmt(value, f)?,
                Self::Float(value) => Debug::fmt(value, f)?,
                Self::String(value) => Debug::fmt(value, f)?,
                Self::Entity(value) => write!(f, "\"{value}\"")?,
                Self::Bytes(value) => write!(f, "b\"{}\"", value.escape_ascii())?,
                Self::List(_) => f.write_char('[')?,
                Self::Map(_) => f.write_char('{')?,
            }
            outer.extend(PartsLeft::of(value).map(|parts| OpenText {
                parts,
                end: if matches!(value, Self::List(_)) {
                    ']'
                } else {
                    '}'
                },
                is_empty: true,
                is_in_lines,
            }));
            value = loop {
                let depth = outer.len();
                let Some(open) = outer.last_mut() else {
                    return Ok(());
                };
                let is_behind_key = open.parts.is_behind_key();
                let Some(next) = open.parts.next() else {
                    if open.is_in_lines && !open.is_empty {
                        f.write_char(',')?;
                        new_line(f, depth - 1)?;
                    }
                    f.write_char(open.end)?;
                    outer.pop();
                    continue;
                };
                match (is_behind_key, open.is_in_lines) {
                    (true, _) => f.write_str(": ")?,
                    (false, true) => {
                        f.write_str(if open.is_empty { "" } else { "," })?;
                        new_line(f, depth)?;
                    }
                    (false, false) => f.write_str(if open.is_empty { "" } else { ", " })?,
                }
                open.is_empty = false;
                break next;
            };
        }
    }
}

/// A list or a map that is not written to its end.
struct OpenText<'a> {
    parts: PartsLeft<'a>,
    end: char,
    /// True if none of its parts was written so far.
    is_empty: bool,
    is_in_lines: bool,
}

fn new_line(f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
    f.write_char('\n')?;
    (0..depth).try_for_each(|_| f.write_str("    "))
}

impl Value {
    /// Returns the text of a float that is not finite.
    pub(crate) fn float_text(&self) -> Option<String> {
        match self {
            Self::Float(value) if !value.is_finite() => Some(Special(*value).to_string()),
            _ => None,
        }
    }
}

/// The same as `Display`.
impl Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::is_same_text;

    #[test]
    fn texts_that_differ_in_one_byte_are_not_the_same() {
        for len in 0..40 {
            let text = "a".repeat(len);
            assert!(is_same_text(&text, &text.clone()), "{text}");
            assert!(!is_same_text(&text, &format!("{text}a")), "{text}");
            for at in 0..len {
                let mut other = text.clone();
                other.replace_range(at..=at, "b");
                assert!(!is_same_text(&text, &other), "{text} and {other}");
            }
        }
    }
}

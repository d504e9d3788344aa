//! Strings in options.

use std::str::Chars;

use proc_macro2::{Literal, TokenStream};
use quote::ToTokens;

/// A string as written, and what it means.
#[derive(Clone)]
pub(crate) struct Text {
    literal: Literal,
    value: String,
}

impl Text {
    /// `None` for a literal that is no string.
    pub(crate) fn new(literal: Literal) -> Option<Self> {
        let written = literal.to_string();
        let value = match written.strip_prefix('r') {
            Some(raw) => raw
                .trim_matches('#')
                .strip_prefix('"')?
                .strip_suffix('"')?
                .to_owned(),
            None => unescaped(written.strip_prefix('"')?.strip_suffix('"')?)?,
        };
        Some(Self { literal, value })
    }

    pub(crate) fn value(&self) -> &str {
        &self.value
    }

    pub(crate) fn literal(&self) -> &Literal {
        &self.literal
    }
}

impl ToTokens for Text {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.literal.to_tokens(tokens);
    }
}

fn unescaped(written: &str) -> Option<String> {
    let mut value = String::new();
    let mut rest = written.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            value.push(c);
            continue;
        }
        match rest.next()? {
            'n' => value.push('\n'),
            'r' => value.push('\r'),
            't' => value.push('\t'),
            '0' => value.push('\0'),
            'x' => value.push(number(&rest.by_ref().take(2).collect::<String>())?),
            'u' => {
                let digits: String = rest.by_ref().take_while(|&c| c != '}').collect();
                value.push(number(&digits.replace(['{', '_'], ""))?);
            }
            '\n' => rest = after_space(&rest),
            quoted => value.push(quoted),
        }
    }
    Some(value)
}

fn number(digits: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

/// What follows the end of a line that continues below.
fn after_space<'a>(rest: &Chars<'a>) -> Chars<'a> {
    rest.as_str().trim_start().chars()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_of_the_compiler() {
        for (written, value) in [
            (r#""game.stunned""#, "game.stunned"),
            (r#""a\n\t\"\\\x41\u{1F600}""#, "a\n\t\"\\A\u{1F600}"),
            ("\"a\\\n   b\"", "ab"),
            ("r#\"a\\n\"#", "a\\n"),
        ] {
            let literal: Literal = written.parse().unwrap();
            assert_eq!(Text::new(literal).unwrap().value(), value, "{written}");
        }
    }

    #[test]
    fn numbers_and_bytes_are_no_strings() {
        for written in ["1", "'a'", "b\"a\""] {
            let literal: Literal = written.parse().unwrap();
            assert!(Text::new(literal).is_none(), "{written}");
        }
    }
}

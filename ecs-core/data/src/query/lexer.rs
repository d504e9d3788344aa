//! The words of a text query.

use std::ops::Range;

use ecs_engine::Entity;

use super::ast::{Literal, Operator};
use super::error::TextProblem;

/// A word, and the bytes that it takes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    pub(super) token: Token,
    pub(super) at: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name; true if it was in backticks, where dots do not begin fields.
    Name(String, bool),
    /// A value that is not a name.
    Literal(Literal),
    /// A variable, such as `$food`, without the `$`.
    Variable(String),
    Operator(Operator),
    And,
    Or,
    Not,
    Optional,
    Comma,
    Open,
    Close,
    Star,
    Plus,
    Colon,
}

impl Token {
    /// Returns the word as messages show it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Name(name, _) => format!("the name `{name}`"),
            Self::Literal(literal) => format!("the value `{literal}`"),
            Self::Variable(name) => format!("the variable `${name}`"),
            Self::Operator(operator) => format!("`{operator}`"),
            Self::And => "`&&`".to_owned(),
            Self::Or => "`||`".to_owned(),
            Self::Not => "`!`".to_owned(),
            Self::Optional => "`?`".to_owned(),
            Self::Comma => "`,`".to_owned(),
            Self::Open => "`(`".to_owned(),
            Self::Close => "`)`".to_owned(),
            Self::Star => "`*`".to_owned(),
            Self::Plus => "`+`".to_owned(),
            Self::Colon => "`:`".to_owned(),
        }
    }
}

/// Splits a text into words.
pub(super) fn words(text: &str) -> Result<Vec<Word>, TextProblem> {
    let mut words = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        if first.is_whitespace() {
            start += first.len_utf8();
            continue;
        }
        let (token, len) = word(text, start, first)?;
        let at = start..start + len;
        start = at.end;
        words.push(Word { token, at });
    }
    Ok(words)
}

/// Returns the word that begins with the character at `start`, and the number of its bytes.
fn word(text: &str, start: usize, first: char) -> Result<(Token, usize), TextProblem> {
    let rest = &text[start..];
    let symbols = [
        ("&&", Token::And),
        ("||", Token::Or),
        ("==", Token::Operator(Operator::Equal)),
        ("!=", Token::Operator(Operator::Unequal)),
        ("<=", Token::Operator(Operator::AtMost)),
        (">=", Token::Operator(Operator::AtLeast)),
        ("<", Token::Operator(Operator::Less)),
        (">", Token::Operator(Operator::Greater)),
        ("~", Token::Operator(Operator::Contains)),
        ("!", Token::Not),
        ("?", Token::Optional),
        (",", Token::Comma),
        ("(", Token::Open),
        (")", Token::Close),
        ("*", Token::Star),
        (":", Token::Colon),
    ];
    for (symbol, token) in symbols {
        if rest.starts_with(symbol) {
            return Ok((token, symbol.len()));
        }
    }
    match first {
        '"' => return quoted_text(rest, start),
        '`' => {
            let Some(len) = rest[1..].find('`') else {
                return Err(TextProblem::new(
                    start..text.len(),
                    "a name in backticks has no end",
                    "write another backtick after it",
                ));
            };
            let name = rest[1..=len].to_owned();
            return Ok((Token::Name(name, true), len + 2));
        }
        '+' if !rest[1..].starts_with(|c: char| c.is_ascii_digit()) => return Ok((Token::Plus, 1)),
        '0'..='9' | '-' | '+' => return number(rest, start),
        '$' => {
            let name = &rest[1..];
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            let name = &name[..name.find(|c| !is_name(c)).unwrap_or(name.len())];
            if name.is_empty() {
                return Err(TextProblem::new(
                    start..start + 1,
                    "a `$` without a name",
                    "name the variable, such as `$food`",
                ));
            }
            return Ok((Token::Variable(name.to_owned()), 1 + name.len()));
        }
        _ => {}
    }
    if first.is_alphabetic() || first == '_' {
        let is_name = |c: char| c.is_alphanumeric() || "_.:-".contains(c);
        let mut len = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        while rest[len..].starts_with('[') {
            let Some(end) = bracket(&rest[len..]) else {
                return Err(TextProblem::new(
                    start + len..text.len(),
                    "a bracket has no end",
                    "write the number of an element, such as `[0]`, or a key, such as `[\"key\"]`",
                ));
            };
            len += end;
            len += rest[len..]
                .find(|c| !is_name(c))
                .unwrap_or(rest.len() - len);
        }
        let token = match &rest[..len] {
            "true" => Token::Literal(Literal::Bool(true)),
            "false" => Token::Literal(Literal::Bool(false)),
            "none" => Token::Literal(Literal::None),
            name => Token::Name(name.to_owned(), false),
        };
        return Ok((token, len));
    }
    let help = match first {
        '=' => "compare with `==`",
        '&' => "write `&&`, or a comma between terms",
        '|' => "write `||`",
        '\'' => "put texts into double quotes, and unusual names into backticks",
        _ => "put unusual names into backticks, and texts into double quotes",
    };
    let message = format!("unexpected character `{}`", first.escape_debug());
    Err(TextProblem::new(
        start..start + first.len_utf8(),
        message,
        help,
    ))
}

/// Returns the length of a step in brackets: `[0]` or `["key"]`.
fn bracket(rest: &str) -> Option<usize> {
    let Some(key) = rest.strip_prefix("[\"") else {
        return rest.find(']').map(|end| end + 1);
    };
    let mut chars = key.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => _ = chars.next(),
            '"' => return key[at..].starts_with("\"]").then_some(at + 4),
            _ => {}
        }
    }
    None
}

/// Reads a text in quotes; `\"`, `\\`, `\n` and `\t` are escapes.
fn quoted_text(rest: &str, start: usize) -> Result<(Token, usize), TextProblem> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((index, c)) = chars.next() {
        match c {
            '"' => return Ok((Token::Literal(Literal::Text(text)), index + 1)),
            '\\' => match chars.next() {
                Some((_, c @ ('"' | '\\'))) => text.push(c),
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((end, c)) => {
                    return Err(TextProblem::new(
                        start + index..start + end + c.len_utf8(),
                        format!("unknown escape `\\{}` in a text", c.escape_debug()),
                        "there are `\\\"`, `\\\\`, `\\n` and `\\t`",
                    ));
                }
                None => break,
            },
            c => text.push(c),
        }
    }
    Err(TextProblem::new(
        start..start + rest.len(),
        "a text has no end",
        "write another `\"` after it",
    ))
}

/// Reads a number, or an entity such as `3v1`.
fn number(rest: &str, start: usize) -> Result<(Token, usize), TextProblem> {
    let is_part = |(index, c): (usize, char)| {
        let after_exponent = || rest[..index].ends_with(['e', 'E']);
        c.is_alphanumeric()
            || c == '.'
            || (matches!(c, '-' | '+') && (index == 0 || after_exponent()))
    };
    let end = rest.char_indices().find(|&part| !is_part(part));
    let text = &rest[..end.map_or(rest.len(), |(index, _)| index)];
    let literal = if let Ok(entity) = text.parse::<Entity>() {
        Some(Literal::Entity(entity))
    } else if let Ok(number) = text.parse::<i128>() {
        Some(Literal::Integer(number))
    } else if let Ok(number) = text.parse::<u128>() {
        Some(Literal::Huge(number))
    } else {
        // Not `inf` and `nan`, which would be names.
        let digits = text.trim_start_matches(['-', '+']);
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit());
        let number = text.parse::<f64>().ok();
        number.filter(|_| is_number).map(Literal::Float)
    };
    match literal {
        Some(literal) => Ok((Token::Literal(literal), text.len())),
        None => Err(TextProblem::new(
            start..start + text.len().max(1),
            format!("`{text}` is not a number"),
            "write numbers like `10`, `-2.5` and `1e6`, and entities like `3v1`",
        )),
    }
}

//! Conditions: systems that return `bool`, and combinations of them.

use super::expand::Code;
use super::parse::{end, path};
use crate::prelude::*;

pub(super) enum Condition {
    /// The path of a system.
    One(TokenStream),
    /// The path of the function `not`, and its argument.
    Not(TokenStream, Box<Condition>),
    /// The method is `and` or `or`.
    Combined(Box<Condition>, Ident, Box<Condition>),
}

/// Parses `a`, `not(a)`, `a.and(b)` or `a.or(b)`, where `a` and `b` are conditions again.
pub(super) fn parse(input: ParseStream<'_>) -> Result<Condition> {
    let mut condition = operand(input)?;
    while input.parse::<Option<Token![.]>>()?.is_some() {
        let word: Ident = input.parse()?;
        if word != "and" && word != "or" {
            fail!(&word => "`{word}` is not a method of a condition\nhelp: use `and`, `or` or `not(..)`");
        }
        let other = inside(input)?;
        condition = Condition::Combined(Box::new(condition), word, Box::new(other));
    }
    Ok(condition)
}

fn operand(input: ParseStream<'_>) -> Result<Condition> {
    if input.peek(token::Paren) {
        return inside(input);
    }
    let path = path(input)?;
    if !input.peek(token::Paren) {
        return Ok(Condition::One(path));
    }
    let text = pretty::line(&path);
    if text == "not" || text.ends_with("::not") {
        return Ok(Condition::Not(path, Box::new(inside(input)?)));
    }
    fail!(&path =>
        "`{text}(..)` makes a condition at run time, which is unknown at compile time\nhelp: write a `#[system]` function that returns `bool`, or add the systems to a `Schedule`")
}

/// Parses one condition in parentheses.
fn inside(input: ParseStream<'_>) -> Result<Condition> {
    let list;
    parenthesized!(list in input);
    let condition = parse(&list)?;
    let expected = "expected one condition\nhelp: write `one.and(other)`";
    end(&list, expected)?;
    Ok(condition)
}

impl Condition {
    /// Adds the paths of the systems to `all`.
    pub(super) fn collect<'a>(&'a self, all: &mut Vec<&'a TokenStream>) {
        match self {
            Self::One(path) => all.push(path),
            Self::Not(_, of) => of.collect(all),
            Self::Combined(one, _, other) => {
                one.collect(all);
                other.collect(all);
            }
        }
    }

    /// Returns the expression of the condition.
    pub(super) fn expression(&self, code: &Code<'_>) -> TokenStream {
        let private = code.private;
        match self {
            Self::One(path) => {
                let condition = code.condition(path);
                quote!(#condition.source())
            }
            Self::Not(not, of) => {
                let of = of.expression(code);
                quote!(#not(#of))
            }
            Self::Combined(one, word, other) => {
                let (one, other) = (one.expression(code), other.expression(code));
                let method = hidden(&word.to_string());
                quote!(#private::IntoCondition::#method(#one, #other))
            }
        }
    }

    /// Returns the condition as text, in parentheses if it is a part of another one.
    pub(super) fn text(&self, is_part: bool) -> String {
        match self {
            Self::One(path) => format!("`{}`", pretty::line(path)),
            Self::Not(_, of) => format!("not {}", of.text(true)),
            Self::Combined(one, word, other) => {
                let text = format!("{} {word} {}", one.text(true), other.text(true));
                if is_part { format!("({text})") } else { text }
            }
        }
    }
}

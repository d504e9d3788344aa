//! The input of `schedule!`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{Attribute, Result, Token, Visibility, bracketed, parenthesized, token};

use crate::errors::Errors;
use crate::paths::Root;

/// A schedule.
pub(super) struct Schedule {
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    pub(super) name: Ident,
    pub(super) entries: Vec<Entry>,
}

/// An entry of the list.
pub(super) enum Entry {
    Systems(Systems, Vec<Modifier>),
    /// `unordered(a, b)`.
    Unordered(TokenStream, TokenStream),
}

pub(super) enum Systems {
    /// The path of a system.
    One(TokenStream),
    Tuple(Vec<Entry>),
}

/// A method call on a system or a tuple.
pub(super) enum Modifier {
    /// The method is `after` or `before`.
    Ordered(Ident, TokenStream),
    RunIf(TokenStream),
    Chain,
}

const EXAMPLE: &str =
    "write `schedule! { pub static FRAME = [input, movement.after(input), render] }`";

const ONE_PATH: &str = "expected the path of one `#[system]` function\nhelp: add closures, sets and combined conditions to a `Schedule` instead";

/// Parses the path of the crate and all lists. Errors after which parsing can go on are added to `errors`.
pub(super) fn schedules(
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> Result<(Root, Vec<Schedule>)> {
    let root = Root::parse(input)?;
    if input.is_empty() {
        return Err(input.error(format!("expected a schedule\nhelp: {EXAMPLE}")));
    }
    let mut schedules = Vec::new();
    while !input.is_empty() {
        schedules.push(schedule(input, errors)?);
        input.parse::<Option<Token![;]>>()?;
    }
    Ok((root, schedules))
}

fn schedule(input: ParseStream<'_>, errors: &mut Errors) -> Result<Schedule> {
    let attrs = input.call(Attribute::parse_outer)?;
    let vis = input.parse()?;
    if !input.peek(Token![static]) {
        return Err(input.error(format!("expected `static`\nhelp: {EXAMPLE}")));
    }
    input.parse::<Token![static]>()?;
    let name = input.parse()?;
    if input.peek(Token![:]) {
        return Err(input.error(format!("unexpected type annotation\nhelp: {EXAMPLE}")));
    }
    input.parse::<Token![=]>()?;
    if !input.peek(token::Bracket) {
        return Err(input.error(format!("expected a list of systems\nhelp: {EXAMPLE}")));
    }
    let list;
    bracketed!(list in input);
    let entries = entries(&list, true, errors)?;
    Ok(Schedule {
        attrs,
        vis,
        name,
        entries,
    })
}

fn entries(list: ParseStream<'_>, outermost: bool, errors: &mut Errors) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    while !list.is_empty() {
        for attribute in list.call(Attribute::parse_outer)? {
            if !attribute.path().is_ident("doc") {
                errors.push(
                    &attribute,
                    "attributes cannot be used in the list of a schedule\nhelp: put `#[cfg(..)]` on the whole `static`",
                );
            }
        }
        if list.peek(syn::Ident) && list.peek2(token::Paren) {
            entries.push(unordered(list, outermost)?);
        } else {
            entries.push(systems(list, errors)?);
        }
        if !list.is_empty() {
            list.parse::<Token![,]>()?;
        }
    }
    Ok(entries)
}

fn unordered(list: ParseStream<'_>, outermost: bool) -> Result<Entry> {
    let word: Ident = list.parse()?;
    let pair;
    parenthesized!(pair in list);
    if word != "unordered" {
        return Err(syn::Error::new_spanned(
            &word,
            format!(
                "a system is listed by its path, not called\nhelp: write `{word}`; only `unordered(one, other)` has parentheses"
            ),
        ));
    }
    if !outermost {
        return Err(syn::Error::new_spanned(
            word,
            "`unordered(..)` cannot be a member of a tuple\nhelp: write it at the end of the list",
        ));
    }
    let one = path(&pair)?;
    pair.parse::<Token![,]>()?;
    let other = path(&pair)?;
    pair.parse::<Option<Token![,]>>()?;
    if !pair.is_empty() {
        return Err(
            pair.error("`unordered` takes two systems\nhelp: write `unordered(one, other)`")
        );
    }
    Ok(Entry::Unordered(one, other))
}

fn systems(list: ParseStream<'_>, errors: &mut Errors) -> Result<Entry> {
    let systems = if list.peek(token::Paren) {
        let members;
        parenthesized!(members in list);
        Systems::Tuple(entries(&members, false, errors)?)
    } else {
        Systems::One(path(list)?)
    };
    let mut modifiers = Vec::new();
    while list.parse::<Option<Token![.]>>()?.is_some() {
        let word = list.call(Ident::parse_any)?;
        let inside;
        parenthesized!(inside in list);
        modifiers.push(match word.to_string().as_str() {
            "after" | "before" => Modifier::Ordered(word, last(&inside)?),
            "run_if" => Modifier::RunIf(last(&inside)?),
            "chain" => {
                if !inside.is_empty() {
                    return Err(inside.error("`chain` takes no arguments\nhelp: write `.chain()`"));
                }
                Modifier::Chain
            }
            _ => {
                errors.push(
                    &word,
                    format!("`{word}` is not available at compile time\nhelp: use `after`, `before`, `chain` or `run_if`, or add the systems to a `Schedule`"),
                );
                inside.parse::<TokenStream>()?;
                continue;
            }
        });
    }
    Ok(Entry::Systems(systems, modifiers))
}

/// Parses a path, and nothing after it but a comma.
fn last(input: ParseStream<'_>) -> Result<TokenStream> {
    let path = path(input)?;
    input.parse::<Option<Token![,]>>()?;
    if input.is_empty() {
        Ok(path)
    } else {
        Err(input.error(ONE_PATH))
    }
}

/// Parses the path of a function, with its generic arguments.
fn path(input: ParseStream<'_>) -> Result<TokenStream> {
    let mut path = TokenStream::new();
    let mut depth = 0_usize;
    let mut arrow = false;
    let mut after_name = false;
    while !input.is_empty() {
        let outside = depth == 0;
        if outside && (input.peek(Token![,]) || input.peek(Token![.]) || input.peek(token::Paren)) {
            break;
        }
        let token: TokenTree = input.parse()?;
        if outside
            && core::mem::replace(&mut after_name, matches!(token, TokenTree::Ident(_)))
            && after_name
        {
            return Err(syn::Error::new_spanned(
                token,
                "expected `,` between systems",
            ));
        }
        let fits = match &token {
            TokenTree::Punct(mark) => {
                match mark.as_char() {
                    '<' => depth += 1,
                    '>' if !arrow => depth = depth.saturating_sub(1),
                    _ => {}
                }
                arrow = mark.as_char() == '-';
                !outside || matches!(mark.as_char(), ':' | '<')
            }
            TokenTree::Ident(_) => true,
            TokenTree::Group(group) => {
                !outside || group.delimiter() == proc_macro2::Delimiter::None
            }
            TokenTree::Literal(_) => !outside,
        };
        if !fits {
            return Err(syn::Error::new_spanned(token, ONE_PATH));
        }
        path.extend([token]);
    }
    if path.is_empty() {
        return Err(input.error(ONE_PATH));
    }
    Ok(path.to_token_stream())
}

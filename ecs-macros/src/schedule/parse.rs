//! What is written in `schedule!`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{Attribute, Result, Token, Visibility, bracketed, parenthesized, token};

use crate::errors::Errors;
use crate::paths::Root;

/// A list.
pub(super) struct Schedule {
    pub(super) attrs: Vec<Attribute>,
    pub(super) vis: Visibility,
    pub(super) name: Ident,
    pub(super) entries: Vec<Entry>,
}

/// A place of the list.
pub(super) enum Entry {
    /// One or more systems, and what is said about them.
    Systems { what: What, said: Vec<Said> },
    /// `unordered(a, b)`.
    Unordered(TokenStream, TokenStream),
}

pub(super) enum What {
    /// The path of a system.
    One(TokenStream),
    /// A tuple.
    Several(Vec<Entry>),
}

/// What is said about a system or a tuple.
pub(super) enum Said {
    /// The word is `after` or `before`.
    Placed(Ident, TokenStream),
    RunIf(TokenStream),
    Chain,
}

const FORM: &str = "`schedule! { pub static FRAME = [input, movement.after(input), render] }`";

/// Reads the path of the crate and all lists. Mistakes after which one can go on are added to `errors`.
pub(super) fn schedules(
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> Result<(Root, Vec<Schedule>)> {
    let root = crate::root::parse(input)?;
    if input.is_empty() {
        return Err(input.error(format!("a schedule has a name and a list: {FORM}")));
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
        return Err(input.error(format!("a schedule is a `static`: {FORM}")));
    }
    input.parse::<Token![static]>()?;
    let name = input.parse()?;
    if input.peek(Token![:]) {
        return Err(input.error(format!("the type is not written: {FORM}")));
    }
    input.parse::<Token![=]>()?;
    if !input.peek(token::Bracket) {
        return Err(input.error(format!("here comes the list of systems: {FORM}")));
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
                    "places of the list have no attributes; put `#[cfg(..)]` on the whole `static`",
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
            word,
            "a system is named, not called; only `unordered(one, other)` is written like this",
        ));
    }
    if !outermost {
        return Err(syn::Error::new_spanned(
            word,
            "`unordered(..)` is no member of a tuple; write it at the end of the list",
        ));
    }
    let one = path(&pair)?;
    pair.parse::<Token![,]>()?;
    let other = path(&pair)?;
    pair.parse::<Option<Token![,]>>()?;
    if !pair.is_empty() {
        return Err(pair.error("two systems: `unordered(one, other)`"));
    }
    Ok(Entry::Unordered(one, other))
}

fn systems(list: ParseStream<'_>, errors: &mut Errors) -> Result<Entry> {
    let what = if list.peek(token::Paren) {
        let members;
        parenthesized!(members in list);
        What::Several(entries(&members, false, errors)?)
    } else {
        What::One(path(list)?)
    };
    let mut said = Vec::new();
    while list.parse::<Option<Token![.]>>()?.is_some() {
        let word = list.call(Ident::parse_any)?;
        let inside;
        parenthesized!(inside in list);
        said.push(match word.to_string().as_str() {
            "after" | "before" => Said::Placed(word, last(&inside)?),
            "run_if" => Said::RunIf(last(&inside)?),
            "chain" => {
                if !inside.is_empty() {
                    return Err(inside.error("`chain` takes nothing"));
                }
                Said::Chain
            }
            _ => {
                errors.push(
                    &word,
                    format!("`{word}` is not known while compiling: in a `schedule!` there are `after`, `before`, `chain` and `run_if`; a `Schedule` has more"),
                );
                inside.parse::<TokenStream>()?;
                continue;
            }
        });
    }
    Ok(Entry::Systems { what, said })
}

/// A path, and nothing after it but a comma.
fn last(input: ParseStream<'_>) -> Result<TokenStream> {
    let path = path(input)?;
    input.parse::<Option<Token![,]>>()?;
    if input.is_empty() {
        Ok(path)
    } else {
        Err(input.error("in a `schedule!` this is the path of a `#[system]` function"))
    }
}

/// The path of a function, with its generic arguments.
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
            return Err(syn::Error::new_spanned(token, "systems are divided by `,`"));
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
            return Err(syn::Error::new_spanned(
                token,
                "in a `schedule!` a system is the path of a `#[system]` function",
            ));
        }
        path.extend([token]);
    }
    if path.is_empty() {
        return Err(input.error("here comes the path of a `#[system]` function"));
    }
    Ok(path.to_token_stream())
}

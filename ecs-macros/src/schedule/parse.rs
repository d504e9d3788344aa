//! What is written in `schedule!`.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

use crate::errors::{Error, Errors, Result};
use crate::paths::Root;
use crate::syntax::{Attribute, Input, Visibility};

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
pub(super) fn schedules(input: &mut Input, errors: &mut Errors) -> Result<(Root, Vec<Schedule>)> {
    let root = crate::root::read(input)?;
    if input.is_empty() {
        return Err(input.error(format!("a schedule has a name and a list: {FORM}")));
    }
    let mut schedules = Vec::new();
    while !input.is_empty() {
        schedules.push(schedule(input, errors)?);
        input.eat(";");
    }
    Ok((root, schedules))
}

fn schedule(input: &mut Input, errors: &mut Errors) -> Result<Schedule> {
    let attrs = Attribute::read_all(input)?;
    let vis = Visibility::read(input)?;
    if !input.peek("static") {
        return Err(input.error(format!("a schedule is a `static`: {FORM}")));
    }
    input.expect("static")?;
    let name = input.name()?;
    if input.peek(":") {
        return Err(input.error(format!("the type is not written: {FORM}")));
    }
    input.expect("=")?;
    if !input.peek_group(Delimiter::Bracket) {
        return Err(input.error(format!("here comes the list of systems: {FORM}")));
    }
    let mut list = Input::inside(&input.group(Delimiter::Bracket)?);
    let entries = entries(&mut list, true, errors)?;
    Ok(Schedule {
        attrs,
        vis,
        name,
        entries,
    })
}

fn entries(list: &mut Input, outermost: bool, errors: &mut Errors) -> Result<Vec<Entry>> {
    let mut entries = Vec::new();
    while !list.is_empty() {
        for attribute in Attribute::read_all(list)? {
            if !attribute.is("doc") {
                errors.push(
                    &attribute,
                    "places of the list have no attributes; put `#[cfg(..)]` on the whole `static`",
                );
            }
        }
        if list.peek_word() && list.peek_second_group(Delimiter::Parenthesis) {
            entries.push(unordered(list, outermost)?);
        } else {
            entries.push(systems(list, errors)?);
        }
        if !list.is_empty() {
            list.expect(",")?;
        }
    }
    Ok(entries)
}

fn unordered(list: &mut Input, outermost: bool) -> Result<Entry> {
    let word = list.name()?;
    let mut pair = list.parentheses()?;
    if word != "unordered" {
        return Err(Error::spanned(
            word,
            "a system is named, not called; only `unordered(one, other)` is written like this",
        ));
    }
    if !outermost {
        return Err(Error::spanned(
            word,
            "`unordered(..)` is no member of a tuple; write it at the end of the list",
        ));
    }
    let one = path(&mut pair)?;
    pair.expect(",")?;
    let other = path(&mut pair)?;
    pair.eat(",");
    if !pair.is_empty() {
        return Err(pair.error("two systems: `unordered(one, other)`"));
    }
    Ok(Entry::Unordered(one, other))
}

fn systems(list: &mut Input, errors: &mut Errors) -> Result<Entry> {
    let what = if list.peek_group(Delimiter::Parenthesis) {
        What::Several(entries(&mut list.parentheses()?, false, errors)?)
    } else {
        What::One(path(list)?)
    };
    let mut said = Vec::new();
    while list.eat(".").is_some() {
        let word = list.word()?;
        let mut inside = list.parentheses()?;
        said.push(match word.to_string().as_str() {
            "after" | "before" => Said::Placed(word, last(&mut inside)?),
            "run_if" => Said::RunIf(last(&mut inside)?),
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
                continue;
            }
        });
    }
    Ok(Entry::Systems { what, said })
}

/// A path, and nothing after it but a comma.
fn last(input: &mut Input) -> Result<TokenStream> {
    let path = path(input)?;
    input.eat(",");
    if input.is_empty() {
        Ok(path)
    } else {
        Err(input.error("in a `schedule!` this is the path of a `#[system]` function"))
    }
}

/// The path of a function, with its generic arguments.
fn path(input: &mut Input) -> Result<TokenStream> {
    let mut path = TokenStream::new();
    let mut depth = 0_usize;
    let mut arrow = false;
    while !input.is_empty() {
        let outside = depth == 0;
        if outside
            && (input.peek(",") || input.peek(".") || input.peek_group(Delimiter::Parenthesis))
        {
            break;
        }
        let token = input.token()?;
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
            TokenTree::Group(group) => !outside || group.delimiter() == Delimiter::None,
            TokenTree::Literal(_) => !outside,
        };
        if !fits {
            return Err(Error::spanned(
                token,
                "in a `schedule!` a system is the path of a `#[system]` function",
            ));
        }
        path.extend([token]);
    }
    if path.is_empty() {
        return Err(input.error("here comes the path of a `#[system]` function"));
    }
    Ok(path)
}

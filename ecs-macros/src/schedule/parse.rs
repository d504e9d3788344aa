//! The input of `schedule!`.

use syn::Lit;

use super::condition::{self, Condition};
use crate::attributes::{self, is_any};
use crate::prelude::*;

pub(super) struct ParsedSchedule {
    pub(super) attrs: Vec<Attribute>,
    /// True if it is declared `deterministic`.
    pub(super) is_deterministic: bool,
    pub(super) vis: Visibility,
    pub(super) name: Ident,
    pub(super) entries: Vec<ListEntry>,
}

/// An entry of the list.
pub(super) enum ListEntry {
    Systems(Systems, Vec<Modifier>),
    /// `unordered(a, b)`.
    Unordered(TokenStream, TokenStream),
    /// `configure(Set, |set| set.after(a))`.
    Configure(TokenStream, Vec<Modifier>),
    /// `chain_sets([A, B])`.
    ChainSets(Vec<TokenStream>),
}

pub(super) enum Systems {
    /// The path of a system.
    One(TokenStream),
    Tuple(Vec<ListEntry>),
}

/// A method call on a system, a tuple or a set.
pub(super) enum Modifier {
    /// The method is `after` or `before`; its argument is a system or a set.
    Ordered(Ident, TokenStream),
    RunIf(Condition),
    InSet(TokenStream),
    Chain,
}

syn::custom_keyword!(deterministic);

const EXAMPLE: &str =
    "write `schedule! { pub static FRAME = [input, movement.after(input), render] }`";

/// The methods of a system.
pub(crate) const METHODS: &str = "`after`, `before`, `chain`, `in_set` or `run_if`";

const ONE_PATH: &str =
    "expected the path of one `#[system]` function\nhelp: add closures to a `Schedule` instead";
const ONE_SET: &str = "expected one set\nhelp: write `in_set` once for each set";
const NO_ARGUMENTS: &str = "`chain` takes no arguments\nhelp: write `.chain()`";
const ONE_CONDITION: &str = "expected one condition\nhelp: write `run_if(one.and(other))`";

/// Parses the path of the crate and all lists. Errors that do not stop the parser are added to `errors`.
pub(super) fn schedules(
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> Result<(Root, Vec<ParsedSchedule>)> {
    let root = Root::parse(input)?;
    demand!(!input.is_empty(), input => "expected a schedule\nhelp: {EXAMPLE}");
    let mut schedules = Vec::new();
    while !input.is_empty() {
        schedule(input, &mut schedules, errors)?;
        input.parse::<Option<Token![;]>>()?;
    }
    Ok((root, schedules))
}

/// Parses a schedule, and adds it once for each combination of its configured entries.
fn schedule(
    input: ParseStream<'_>,
    schedules: &mut Vec<ParsedSchedule>,
    errors: &mut Errors,
) -> Result<()> {
    let attrs = input.call(Attribute::parse_outer)?;
    let is_deterministic = input.parse::<Option<deterministic>>()?.is_some();
    let vis = input.parse()?;
    demand!(input.peek(Token![static]), input => "expected `static`\nhelp: {EXAMPLE}");
    input.parse::<Token![static]>()?;
    let name = input.parse()?;
    demand!(!input.peek(Token![:]), input => "unexpected type annotation\nhelp: {EXAMPLE}");
    input.parse::<Token![=]>()?;
    demand!(input.peek(token::Bracket), input => "expected a list of systems\nhelp: {EXAMPLE}");
    let list;
    bracketed!(list in input);
    let mut configured = Configured::default();
    entries(&list.fork(), true, &mut configured, &mut Errors::default())?;
    for (holding, cfgs) in attributes::combinations(&configured.found) {
        configured.holding = Some(holding);
        let entries = entries(&list.fork(), true, &mut configured, errors)?;
        let mut attrs = attrs.clone();
        attrs.extend(cfgs);
        schedules.push(ParsedSchedule {
            attrs,
            is_deterministic,
            vis: Visibility::clone(&vis),
            name: Ident::clone(&name),
            entries,
        });
    }
    list.parse::<TokenStream>()?;
    Ok(())
}

impl ParsedSchedule {
    pub(super) fn cfgs(&self) -> TokenStream {
        attributes::cfgs(&self.attrs)
    }
}

/// The conditions in the `#[cfg]`s of entries.
#[derive(Default)]
struct Configured {
    found: Vec<TokenStream>,
    /// The texts of those that hold; of all if it is none.
    holding: Option<Vec<String>>,
}

impl Configured {
    fn is_there(&mut self, condition: TokenStream) -> bool {
        let text = condition.to_string();
        self.found.push(condition);
        (self.holding.as_ref()).is_none_or(|holding| holding.contains(&text))
    }
}

fn entries(
    list: ParseStream<'_>,
    outermost: bool,
    configured: &mut Configured,
    errors: &mut Errors,
) -> Result<Vec<ListEntry>> {
    let mut entries = Vec::new();
    while !list.is_empty() {
        let attributes = list.call(Attribute::parse_outer)?;
        for attribute in &attributes {
            if !is_any(attribute, &["doc", "cfg", "cfg_attr"]) {
                reject!(errors, attribute =>
                    "an entry of a schedule cannot have this attribute\nhelp: remove it; `#[cfg(..)]` and documentation are allowed");
            }
        }
        let condition = attributes::condition(&attributes);
        let is_there = condition.is_none_or(|condition| configured.is_there(condition));
        let entry = if list.peek(syn::Ident) && list.peek2(token::Paren) {
            called(list, outermost, errors)?
        } else {
            systems(list, configured, errors)?
        };
        if is_there {
            entries.push(entry);
        }
        demand!(!list.peek(token::Paren), list =>
            "a system is listed by its path, not called\nhelp: remove the parentheses");
        if !list.is_empty() {
            list.parse::<Token![,]>()?;
        }
    }
    Ok(entries)
}

/// Parses an entry that is written like a call.
fn called(list: ParseStream<'_>, outermost: bool, errors: &mut Errors) -> Result<ListEntry> {
    let word: Ident = list.parse()?;
    let inside;
    parenthesized!(inside in list);
    let entry = match word.to_string().as_str() {
        "unordered" => unordered(&inside)?,
        "configure" => configure(&inside, errors)?,
        "chain_sets" => chain_sets(&inside)?,
        "chain" => {
            fail!(&word => "`chain` is a method of a tuple\nhelp: write `(one, other).chain()`")
        }
        _ => fail!(&word =>
            "a system is listed by its path, not called\nhelp: write `{word}`; only `unordered(one, other)`, `configure(Set, |set| ..)` and `chain_sets([Set, Other])` have parentheses"),
    };
    if !outermost {
        fail!(&word =>
            "`{word}(..)` cannot be a member of a tuple\nhelp: write it at the end of the list");
    }
    Ok(entry)
}

fn unordered(pair: ParseStream<'_>) -> Result<ListEntry> {
    const EXAMPLE: &str =
        "`unordered` takes two systems or sets\nhelp: write `unordered(one, other)`";
    let one = target(pair)?;
    pair.parse::<Token![,]>()?;
    let other = target(pair)?;
    end(pair, EXAMPLE)?;
    Ok(ListEntry::Unordered(one, other))
}

fn configure(input: ParseStream<'_>, errors: &mut Errors) -> Result<ListEntry> {
    const EXAMPLE: &str = "expected a set and its configuration\nhelp: write `configure(Set, |set| set.after(other).run_if(condition))`";
    let set = target(input)?;
    let expected = |_| input.error(EXAMPLE);
    input.parse::<Token![,]>().map_err(expected)?;
    input.parse::<Token![|]>().map_err(expected)?;
    let name: Ident = input.parse().map_err(expected)?;
    input.parse::<Token![|]>().map_err(expected)?;
    let same: Ident = input.parse().map_err(expected)?;
    if same != name {
        return Err(syn::Error::new_spanned(same, EXAMPLE));
    }
    let known = "`after`, `before`, `in_set` or `run_if`";
    let modifiers = modifiers(input, known, errors)?;
    end(input, EXAMPLE)?;
    Ok(ListEntry::Configure(set, modifiers))
}

fn chain_sets(input: ParseStream<'_>) -> Result<ListEntry> {
    const EXAMPLE: &str =
        "expected a list of sets\nhelp: write `chain_sets([First, Second, Third])`";
    demand!(input.peek(token::Bracket), input => "{EXAMPLE}");
    let list;
    bracketed!(list in input);
    let sets = list.parse_terminated(target, Token![,])?;
    end(input, EXAMPLE)?;
    Ok(ListEntry::ChainSets(to_vec(sets)))
}

fn systems(
    list: ParseStream<'_>,
    configured: &mut Configured,
    errors: &mut Errors,
) -> Result<ListEntry> {
    let systems = if list.peek(token::Paren) {
        let members;
        parenthesized!(members in list);
        Systems::Tuple(entries(&members, false, configured, errors)?)
    } else {
        Systems::One(path(list)?)
    };
    let modifiers = modifiers(list, METHODS, errors)?;
    Ok(ListEntry::Systems(systems, modifiers))
}

/// Parses calls of the methods in `known`.
fn modifiers(list: ParseStream<'_>, known: &str, errors: &mut Errors) -> Result<Vec<Modifier>> {
    let mut modifiers = Vec::new();
    while list.parse::<Option<Token![.]>>()?.is_some() {
        let word = list.call(Ident::parse_any)?;
        let name = word.to_string();
        if !list.peek(token::Paren) {
            errors.offer("schedule", &word);
            reject!(errors, &word => "expected the arguments of `{name}`\nhelp: write `.{name}(..)`");
            continue;
        }
        let inside;
        parenthesized!(inside in list);
        if !known.contains(&format!("`{name}`")) {
            errors.offer("schedule", &word);
            reject!(errors, &word => "`{word}` is not available at compile time\nhelp: use {known}, or a `Schedule`");
            inside.parse::<TokenStream>()?;
            continue;
        }
        let (modifier, expected) = match name.as_str() {
            "after" | "before" => (Modifier::Ordered(word, target(&inside)?), ONE_PATH),
            "in_set" => (Modifier::InSet(target(&inside)?), ONE_SET),
            "run_if" => (Modifier::RunIf(condition::parse(&inside)?), ONE_CONDITION),
            _ => (Modifier::Chain, NO_ARGUMENTS),
        };
        end(&inside, expected)?;
        modifiers.push(modifier);
    }
    Ok(modifiers)
}

/// Parses an optional comma, and checks that nothing follows it.
pub(super) fn end(input: ParseStream<'_>, message: &str) -> Result<()> {
    input.parse::<Option<Token![,]>>()?;
    demand!(input.is_empty(), input => "{message}");
    Ok(())
}

/// Parses the path of a system, or a set: a path, a path with arguments such as `Stage(3)`, or a literal.
fn target(input: ParseStream<'_>) -> Result<TokenStream> {
    if input.peek(Lit) {
        return Ok(input.parse::<Lit>()?.into_token_stream());
    }
    let mut path = path(input)?;
    if input.peek(token::Paren) {
        path.extend([input.parse::<TokenTree>()?]);
    }
    Ok(path)
}

/// Parses the path of a function, with its generic arguments.
pub(super) fn path(input: ParseStream<'_>) -> Result<TokenStream> {
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
        let is_name = matches!(token, TokenTree::Ident(_));
        if outside && core::mem::replace(&mut after_name, is_name) && is_name {
            fail!(token => "expected `,` between systems");
        }
        let fits_outside = match &token {
            TokenTree::Punct(mark) => {
                match mark.as_char() {
                    '<' => depth += 1,
                    '>' if !arrow => depth = depth.saturating_sub(1),
                    _ => {}
                }
                arrow = mark.as_char() == '-';
                matches!(mark.as_char(), ':' | '<')
            }
            TokenTree::Ident(_) => true,
            TokenTree::Group(group) => group.delimiter() == Delimiter::None,
            TokenTree::Literal(_) => false,
        };
        if outside && !fits_outside {
            return Err(syn::Error::new_spanned(token, ONE_PATH));
        }
        path.extend([token]);
    }
    demand!(!path.is_empty(), input => "{ONE_PATH}");
    Ok(path)
}

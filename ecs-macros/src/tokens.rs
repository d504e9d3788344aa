//! Tokens and their spans.
//!
//! Make lists with [`to_vec`], not `collect`: each use of `collect` compiles a dozen functions.

use core::cell::Cell;

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote_spanned};

use crate::paths::Root;

/// Makes tokens that have the [site] as their span.
///
/// The whole crate uses this `quote!`, so that no generated token depends on the position of the user's items.
macro_rules! quote {
    ($($tokens:tt)*) => { ::quote::quote_spanned!(crate::tokens::site()=> $($tokens)*) };
}

/// Makes a part of the syntax from such tokens.
macro_rules! parse_quote {
    ($($tokens:tt)*) => { ::syn::parse_quote_spanned!(crate::tokens::site()=> $($tokens)*) };
}

/// Makes tokens around the functions and constants of an expansion; the compiler's lints ignore them.
macro_rules! frame {
    ($($tokens:tt)*) => { ::quote::quote_spanned!(crate::tokens::frame_site()=> $($tokens)*) };
}

/// Reports an error at tokens: `reject!(errors, at => "the problem\nhelp: the fix")`, with arguments as in `format!`.
macro_rules! reject {
    ($errors:expr, $at:expr => $($message:tt)+) => { $errors.push($at, ::std::format!($($message)+)) };
}

/// Makes such an error; with `at`, at a span.
macro_rules! wrong {
    (at $span:expr => $($message:tt)+) => { ::syn::Error::new($span, ::std::format!($($message)+)) };
    ($at:expr => $($message:tt)+) => { ::syn::Error::new_spanned($at, ::std::format!($($message)+)) };
}

/// Returns such an error from the function.
macro_rules! fail {
    ($($error:tt)+) => { return Err(wrong!($($error)+)) };
}

/// Returns an error at the next token of an input from the function, unless a condition holds.
macro_rules! demand {
    ($holds:expr, $input:expr => $($message:tt)+) => {
        if !$holds {
            return Err($input.error(::std::format!($($message)+)));
        }
    };
}

pub(crate) fn to_vec<T>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut list = Vec::new();
    for item in items {
        list.push(item);
    }
    list
}

/// Returns whether `wanted` holds for a token, inside of groups too.
pub(crate) fn any(tokens: TokenStream, wanted: &mut dyn FnMut(&TokenTree) -> bool) -> bool {
    for token in tokens {
        if wanted(&token) {
            return true;
        }
        if let TokenTree::Group(group) = token
            && any(group.stream(), wanted)
        {
            return true;
        }
    }
    false
}

/// Returns whether a name for which `wanted` holds occurs in tokens.
pub(crate) fn names(tokens: &dyn ToTokens, wanted: &dyn Fn(&Ident) -> bool) -> bool {
    let tokens = tokens.to_token_stream();
    let is_wanted = |token: &TokenTree| matches!(token, TokenTree::Ident(name) if wanted(name));
    any(tokens, &mut { is_wanted })
}

pub(crate) fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(name) if name == word)
}

pub(crate) fn is_mark(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// Maps the span of each token, inside of groups too.
fn map_spans(tokens: TokenStream, to: &dyn Fn(Span) -> Span) -> TokenStream {
    let mapped = to_vec(tokens.into_iter().map(|mut token| {
        let span = to(token.span());
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), map_spans(group.stream(), to)).into();
        }
        token.set_span(span);
        token
    }));
    mapped.into_iter().collect()
}

/// Moves tokens to `span` without changing the resolution of their names (`$crate` stays that crate).
pub(crate) fn located_at(tokens: TokenStream, span: Span) -> TokenStream {
    map_spans(tokens, &|own| span.resolved_at(own))
}

thread_local! {
    static SITE: Cell<Option<Span>> = const { Cell::new(None) };
}

/// While this exists, generated tokens have the site of an item.
pub(crate) struct Site(());

impl Site {
    /// Uses the site of `input`.
    pub(crate) fn of(input: &TokenStream) -> Self {
        let (mut found, mut is_wrapped) = (None, false);
        any(input.clone(), &mut |token| {
            if let TokenTree::Ident(name) = token {
                if name == "$crate" {
                    is_wrapped = true;
                } else {
                    found = Some(name.span());
                }
            }
            found.is_some()
        });
        SITE.set(found.map(|user| match is_wrapped {
            // A `macro_rules!` calls a function-like macro, and its call is not a place in the user's file.
            true => user,
            false => Span::call_site().resolved_at(user),
        }));
        Self(())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        SITE.set(None);
    }
}

/// Returns the span of generated tokens: they are shown at the call of the macro, and resolved like the first name of the item.
///
/// The compiler reuses its results about a function as long as the spans in it stay. A span of the macro's own
/// (`call_site`, `mixed_site`) contains the position of the call in its module, which changes with each edit above it;
/// positions of the user's tokens are relative to the item.
pub(crate) fn site() -> Span {
    SITE.get().unwrap_or_else(Span::mixed_site)
}

/// Calls `expand`, whose generated tokens are shown in front of `place`.
///
/// For a function that has tokens of the user's: the position of the macro's call is relative to the file there.
pub(crate) fn with_site_before<T>(place: Span, expand: impl FnOnce() -> T) -> T {
    let outside = SITE.replace(Some(site().located_at(before(place))));
    let expanded = expand();
    SITE.set(outside);
    expanded
}

/// Returns the span of the tokens around functions and constants: lints attribute it to the macro.
pub(crate) fn frame_site() -> Span {
    Span::mixed_site()
}

/// Makes the keyword `unsafe`. What it begins has the span of the macro, so the user's `forbid(unsafe_code)` does not concern
/// it.
pub(crate) fn word_unsafe() -> TokenStream {
    frame!(unsafe)
}

/// Imports a trait only for its items; the import may be unused, and errors are shown at `span`.
pub(crate) fn import(root: &Root, name: &str, span: Span) -> TokenStream {
    let span = frame_site().located_at(span);
    let (private, name) = (root.private(span), Ident::new(name, span));
    quote_spanned!(span=> use #private::#name as _;)
}

/// Returns `MovePlayer` for `move_player`: a name of a type that lints accept at every span.
pub(crate) fn camel_case(name: &str) -> String {
    let mut camel = String::new();
    for word in name.split('_') {
        let mut letters = word.chars();
        camel.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        camel.push_str(letters.as_str());
    }
    camel
}

/// Makes a string literal with the span of generated tokens.
pub(crate) fn text(text: &str) -> Literal {
    located(Literal::string(text))
}

/// Makes a number with the span of generated tokens.
pub(crate) fn number(number: usize) -> Literal {
    located(Literal::usize_suffixed(number))
}

/// Gives a literal the span of generated tokens.
pub(crate) fn located(mut literal: Literal) -> Literal {
    literal.set_span(site());
    literal
}

/// Gives tokens a span that lints attribute to the macro.
pub(crate) fn hide(tokens: TokenStream) -> TokenStream {
    map_spans(tokens, &|_| frame_site())
}

/// Makes a group whose delimiters have this span.
pub(crate) fn group(delimiter: Delimiter, span: Span, content: TokenStream) -> Group {
    let mut group = Group::new(delimiter, content);
    group.set_span(span);
    group
}

pub(crate) fn mark(mark: char, spacing: Spacing, span: Span) -> Punct {
    let mut mark = Punct::new(mark, spacing);
    mark.set_span(span);
    mark
}

/// Makes a path without a leading `::`.
pub(crate) fn path(path: &str) -> TokenList {
    let mut tokens = Vec::new();
    for name in path.split("::") {
        if !tokens.is_empty() {
            let colons = [Spacing::Joint, Spacing::Alone];
            tokens.extend(colons.map(|spacing| mark(':', spacing, site()).into()));
        }
        tokens.push(hidden(name).into());
    }
    TokenList(tokens)
}

pub(crate) fn hidden(name: &str) -> Ident {
    Ident::new(name, site())
}

/// Makes the name of a local variable or a generic parameter that cannot collide with a name of the user.
pub(crate) fn local(name: &str) -> Ident {
    hidden(&format!("__{name}"))
}

/// Makes a name; errors about it are shown at `span`.
pub(crate) fn hidden_at(name: &str, span: Span) -> Ident {
    Ident::new(name, site().located_at(span))
}

/// Makes the name of a local variable; errors about it are shown at `span`.
pub(crate) fn local_at(name: &str, span: Span) -> Ident {
    hidden_at(&format!("__{name}"), span)
}

/// Returns the spans of the first and the last token.
pub(crate) fn ends(tokens: &impl ToTokens) -> (Span, Span) {
    let tokens = tokens.to_token_stream().into_iter();
    let mut spans = tokens.map(|token| token.span());
    let first = spans.next().unwrap_or_else(Span::call_site);
    (first, spans.last().unwrap_or(first))
}

/// Returns the empty place before `span`; outside of a compiler, `span` itself.
///
/// Use it for keywords at the start of code that an error shows: an editor does not explain them at the user's token.
pub(crate) fn before(span: Span) -> Span {
    if proc_macro::is_available() {
        return span.unwrap().start().into();
    }
    span
}

/// Returns the empty place after `span`; outside of a compiler, `span` itself.
pub(crate) fn after(span: Span) -> Span {
    if proc_macro::is_available() {
        return span.unwrap().end().into();
    }
    span
}

/// Returns a tuple; nested if it has more members than a tuple of the library can have.
pub(crate) fn nested_tuple(members: &[TokenStream]) -> TokenStream {
    const MOST: usize = 16;
    if members.len() <= MOST {
        return quote!((#(#members,)*));
    }
    let groups: Vec<TokenStream> = to_vec(members.chunks(MOST).map(nested_tuple));
    nested_tuple(&groups)
}

/// Tokens that are inserted several times.
///
/// A stream is a handle to the compiler, and each insertion of it is a call there; single tokens are handed over with the rest.
#[derive(Clone)]
pub(crate) struct TokenList(pub(crate) Vec<TokenTree>);

impl TokenList {
    pub(crate) fn new(tokens: TokenStream) -> Self {
        Self(to_vec(tokens))
    }

    /// Returns the spans of the first and the last token.
    pub(crate) fn ends(&self) -> (Span, Span) {
        let span = |token: Option<&TokenTree>| token.map_or_else(Span::call_site, TokenTree::span);
        (span(self.0.first()), span(self.0.last()))
    }
}

impl ToTokens for TokenList {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.0.iter().cloned());
    }
}

/// Parses the tokens of a test.
#[cfg(test)]
pub(crate) fn parsed(text: &str) -> TokenStream {
    text.parse().unwrap()
}

/// Checks that generated code contains a part.
#[cfg(test)]
#[track_caller]
pub(crate) fn has(code: &str, part: &str) {
    assert!(code.contains(part), "{part}: {code}");
}

/// Checks the code that `expand` makes of each item in a table. The indented lines below an item are parts of its code; a part
/// after `! ` must be missing, and a part after `=2 ` must occur twice.
#[cfg(test)]
#[track_caller]
pub(crate) fn check(expand: impl Fn(&str) -> String, table: &str) {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let lines = table.lines().filter(|line| !line.trim().is_empty());
    let mut lines = lines.peekable();
    let outermost = lines.peek().map_or(0, |line| depth(line));
    let mut code = String::new();
    for line in lines {
        let text = line.trim();
        let counted = text.strip_prefix('=').and_then(|text| text.split_once(' '));
        let counted = counted.and_then(|(count, part)| Some((count.parse::<usize>().ok()?, part)));
        if depth(line) == outermost {
            code = expand(text);
        } else if let Some(part) = text.strip_prefix("! ") {
            assert!(!code.contains(part), "{part}: {code}");
        } else if let Some((count, part)) = counted {
            assert_eq!(code.matches(part).count(), count, "{part}: {code}");
        } else {
            has(&code, text);
        }
    }
}

/// Returns the code that a derive makes of an item, or its error.
#[cfg(test)]
pub(crate) fn code_of(
    expand: fn(TokenStream) -> syn::Result<TokenStream>,
) -> impl Fn(&str) -> String {
    move |item| {
        let code = expand(parsed(item)).unwrap_or_else(syn::Error::into_compile_error);
        code.to_string()
    }
}

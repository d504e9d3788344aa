//! Tokens and their spans.
//!
//! Lists are made by [`to_vec`] and not by `collect`, each use of which compiles a dozen functions.

use core::cell::Cell;

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// Collects the items in a list.
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

/// Maps the span of each token, inside of groups too.
fn map_spans(tokens: TokenStream, to: &dyn Fn(Span) -> Span) -> TokenStream {
    let mut mapped = Vec::new();
    for mut token in tokens {
        let span = to(token.span());
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), map_spans(group.stream(), to)).into();
        }
        token.set_span(span);
        mapped.push(token);
    }
    mapped.into_iter().collect()
}

/// Moves tokens to `span` without changing the resolution of their names (`$crate` stays that crate).
pub(crate) fn located_at(tokens: TokenStream, span: Span) -> TokenStream {
    map_spans(tokens, &|own| span.resolved_at(own))
}

thread_local! {
    static SITE: Cell<Option<Span>> = const { Cell::new(None) };
}

/// Generated tokens have the site of an item, until this is dropped.
pub(crate) struct Site(());

impl Site {
    /// Uses the site of `item`.
    pub(crate) fn of(item: &TokenStream) -> Self {
        let mut found = None;
        any(item.clone(), &mut |token| {
            if let TokenTree::Ident(name) = token {
                found = Some(name.span());
            }
            found.is_some()
        });
        SITE.set(found.map(|user| Span::call_site().resolved_at(user)));
        Self(())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        SITE.set(None);
    }
}

/// Returns the span of generated tokens: they are shown where the macro is called, and resolved like the first name of the
/// item.
///
/// The compiler keeps what it knows of a function as long as the spans in it stay. A span of the macro's own
/// (`call_site`, `mixed_site`) contains the position of the call in its module, which changes with each edit above it;
/// positions of the user's tokens are relative to the item.
pub(crate) fn site() -> Span {
    SITE.get().unwrap_or_else(Span::call_site)
}

/// Returns the span of generated names.
pub(crate) fn name_site() -> Span {
    SITE.get().unwrap_or_else(Span::mixed_site)
}

/// Makes a string literal with the span of generated tokens.
pub(crate) fn text(text: &str) -> Literal {
    located(Literal::string(text))
}

/// Makes a number with the span of generated tokens.
pub(crate) fn number(number: usize) -> Literal {
    located(Literal::usize_suffixed(number))
}

fn located(mut literal: Literal) -> Literal {
    literal.set_span(site());
    literal
}

/// Gives tokens a span that lints attribute to the macro.
pub(crate) fn hide(tokens: TokenStream) -> TokenStream {
    map_spans(tokens, &|_| Span::mixed_site())
}

/// Makes a name.
pub(crate) fn hidden(name: &str) -> Ident {
    Ident::new(name, name_site())
}

/// Makes the name of a local variable or a generic parameter, which no name of the user is.
pub(crate) fn local(name: &str) -> Ident {
    hidden(&format!("__{name}"))
}

/// Makes a name; errors about it are shown at `span`.
pub(crate) fn hidden_at(name: &str, span: Span) -> Ident {
    Ident::new(name, name_site().located_at(span))
}

/// Makes the name of a local variable; errors about it are shown at `span`.
pub(crate) fn local_at(name: &str, span: Span) -> Ident {
    let mut name = local(name);
    name.set_span(name.span().located_at(span));
    name
}

/// Returns the spans of the first and the last token.
pub(crate) fn ends(tokens: &impl ToTokens) -> (Span, Span) {
    let mut tokens = tokens.to_token_stream().into_iter();
    let first = tokens
        .next()
        .map_or_else(Span::call_site, |token| token.span());
    (first, tokens.last().map_or(first, |token| token.span()))
}

/// Returns the empty place before `span`; outside of a compiler `span` itself.
///
/// For keywords with which the code that an error shows has to begin: an editor does not explain them at the user's token.
pub(crate) fn before(span: Span) -> Span {
    if proc_macro::is_available() {
        return span.unwrap().start().into();
    }
    span
}

/// Returns the empty place after `span`; outside of a compiler `span` itself.
pub(crate) fn after(span: Span) -> Span {
    if proc_macro::is_available() {
        return span.unwrap().end().into();
    }
    span
}

/// Returns a tuple; nested where there are more members than a tuple of the library can have.
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
/// A stream is a handle to the compiler, and inserting it is a call there; single tokens are handed over with the rest.
#[derive(Clone)]
pub(crate) struct TokenList(pub(crate) Vec<TokenTree>);

impl TokenList {
    pub(crate) fn new(tokens: TokenStream) -> Self {
        Self(to_vec(tokens))
    }
}

impl ToTokens for TokenList {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.0.iter().cloned());
    }
}

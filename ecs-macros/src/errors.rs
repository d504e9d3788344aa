//! Mistakes of the user, which are collected, so that all of them are shown at once.

use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

use crate::syntax::ends;

/// What reading gives.
pub(crate) type Result<T, E = Error> = core::result::Result<T, E>;

/// A mistake and its place.
#[derive(Debug)]
pub(crate) struct Error {
    first: Span,
    last: Span,
    message: String,
}

impl Error {
    pub(crate) fn new(place: Span, message: impl Into<String>) -> Self {
        Self::between(place, place, message)
    }

    /// The mistake that these `tokens` are.
    pub(crate) fn spanned(tokens: impl ToTokens, message: impl Into<String>) -> Self {
        let (first, last) = ends(&tokens);
        Self::between(first, last, message)
    }

    /// The mistake from the token at `first` to the one at `last`.
    pub(crate) fn between(first: Span, last: Span, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            first,
            last,
            message,
        }
    }

    /// A `compile_error!`, of which the compiler underlines all from the first to the last token.
    pub(crate) fn to_compile_error(&self) -> TokenStream {
        let name = Ident::new("compile_error", self.first);
        let mut message = Literal::string(&self.message);
        message.set_span(self.last);
        let mut argument = Group::new(Delimiter::Brace, TokenTree::from(message).into());
        argument.set_span(self.last);
        quote_spanned!(self.first=> ::core::#name! #argument)
    }
}

/// The mistakes found so far.
#[derive(Default)]
pub(crate) struct Errors(Vec<Error>);

impl Errors {
    /// Adds a mistake that is shown under `tokens`.
    pub(crate) fn push(&mut self, tokens: impl ToTokens, message: impl Into<String>) {
        self.0.push(Error::spanned(tokens, message));
    }

    pub(crate) fn add(&mut self, error: Error) {
        self.0.push(error);
    }

    /// Adds the mistakes of `other`.
    pub(crate) fn append(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// One `compile_error!` per mistake; nothing if there is none.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.iter().map(Error::to_compile_error).collect()
    }

    /// The same where an expression is expected.
    pub(crate) fn into_tokens_as_expression(self) -> TokenStream {
        let errors = self.into_tokens();
        quote!({ #errors })
    }
}

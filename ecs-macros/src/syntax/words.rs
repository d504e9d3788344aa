//! Tokens that were read or are written many times.

use proc_macro2::{Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;

/// Tokens that are written many times.
///
/// A stream is kept by the compiler, which must be asked to put it into another one; single tokens are only handed over
/// with the rest.
#[derive(Clone, Default)]
pub(crate) struct Words(Vec<TokenTree>);

impl Words {
    pub(crate) fn new(tokens: TokenStream) -> Self {
        Self(tokens.into_iter().collect())
    }

    /// The places of the first and the last token.
    pub(crate) fn ends(&self) -> (Span, Span) {
        let first = self.0.first().map_or_else(Span::call_site, TokenTree::span);
        (first, self.0.last().map_or(first, TokenTree::span))
    }

    /// Whether this is the one word.
    pub(crate) fn is(&self, name: &str) -> bool {
        matches!(self.tokens(), [TokenTree::Ident(word)] if word == name)
    }

    pub(crate) fn tokens(&self) -> &[TokenTree] {
        &self.0
    }

    pub(super) fn push(&mut self, token: impl Into<TokenTree>) {
        self.0.push(token.into());
    }

    pub(super) fn mark(&mut self, mark: char) {
        self.push(Punct::new(mark, Spacing::Alone));
    }

    pub(super) fn extend(&mut self, words: &Self) {
        self.0.extend_from_slice(&words.0);
    }

    /// The words with `divider`s between them.
    pub(super) fn extend_list(&mut self, list: &[Self], divider: char) {
        for (index, words) in list.iter().enumerate() {
            if index > 0 {
                self.mark(divider);
            }
            self.extend(words);
        }
    }
}

/// The places of the first and the last token.
pub(crate) fn ends(tokens: &dyn ToTokens) -> (Span, Span) {
    Words::new(tokens.to_token_stream()).ends()
}

/// The name without `r#`.
pub(crate) fn unraw(name: &Ident) -> String {
    let name = name.to_string();
    match name.strip_prefix("r#") {
        Some(name) => name.to_owned(),
        None => name,
    }
}

impl From<Vec<TokenTree>> for Words {
    fn from(tokens: Vec<TokenTree>) -> Self {
        Self(tokens)
    }
}

impl ToTokens for Words {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        tokens.extend(self.0.iter().cloned());
    }
}

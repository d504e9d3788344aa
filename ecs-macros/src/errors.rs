//! Collects mistakes, so that all of them are shown at once.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The mistakes found so far.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds a mistake that is shown under `tokens`.
    pub(crate) fn push(&mut self, tokens: impl ToTokens, message: impl Into<String>) {
        self.push_at(tokens.to_token_stream(), message.into());
    }

    fn push_at(&mut self, tokens: TokenStream, message: String) {
        self.add(syn::Error::new_spanned(tokens, message));
    }

    pub(crate) fn add(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            none => *none = Some(error),
        }
    }

    /// Adds the mistakes of `other`.
    pub(crate) fn append(&mut self, other: Self) {
        if let Some(error) = other.0 {
            self.add(error);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// One `compile_error!` per mistake; nothing if there is none.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0
            .map_or_else(TokenStream::new, |error| error.to_compile_error())
    }

    /// The same where an expression is expected.
    #[cfg(feature = "statics")]
    pub(crate) fn into_tokens_as_expression(self) -> TokenStream {
        let errors = self.into_tokens();
        quote::quote!({ #errors })
    }
}

//! Collects errors, so that all of them are reported at once.
//!
//! A message is written like one of rustc: what is wrong, in lower case and without a full stop, and on a line of its own
//! `help: ` and the fix, if there is one.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The errors found so far.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds an error that is shown at `tokens`.
    pub(crate) fn push(&mut self, tokens: impl ToTokens, message: impl Into<String>) {
        self.add(syn::Error::new_spanned(tokens, message.into()));
    }

    pub(crate) fn add(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(first) => first.combine(error),
            none => *none = Some(error),
        }
    }

    /// Adds the errors of `other`.
    pub(crate) fn append(&mut self, other: Self) {
        if let Some(error) = other.0 {
            self.add(error);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the errors, or `value` if there are none.
    pub(crate) fn or<T>(self, value: T) -> syn::Result<T> {
        self.0.map_or(Ok(value), Err)
    }

    /// Returns one `compile_error!` per error.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0
            .map_or_else(TokenStream::new, syn::Error::into_compile_error)
    }
}

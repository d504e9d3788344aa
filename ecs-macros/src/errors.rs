//! Collects errors, so that the user sees all of them at once.
//!
//! Messages are written like rustc's. The first line states the error, in lower case and without a full stop. If there is
//! a fix, a second line gives it after `help: `.

use crate::prelude::*;

#[derive(Clone, Default)]
pub(crate) struct Errors {
    first: Option<syn::Error>,
    /// The code that editors use for completion, and warnings.
    offers: TokenStream,
}

impl Errors {
    /// Adds an error that is shown at `tokens`.
    pub(crate) fn push(&mut self, tokens: impl ToTokens, message: impl Into<String>) {
        self.add(syn::Error::new_spanned(tokens, message.into()));
    }

    pub(crate) fn add(&mut self, error: syn::Error) {
        match &mut self.first {
            Some(first) => first.combine(error),
            none => *none = Some(error),
        }
    }

    pub(crate) fn append(&mut self, other: Self) {
        self.offers.extend(other.offers);
        self.extend(other.first);
    }

    pub(crate) fn extend(&mut self, error: Option<syn::Error>) {
        error.into_iter().for_each(|error| self.add(error));
    }

    /// Adds code that is not an error.
    pub(crate) fn attach(&mut self, code: TokenStream) {
        self.offers.extend(code);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }

    /// Makes editors offer the options of `#[of(..)]` at an unknown option: it becomes the end of a path into a module
    /// that contains them.
    ///
    /// Only rust-analyzer sees the path, so that the unknown option is one error. A correct list of options costs nothing.
    pub(crate) fn offer(&mut self, of: &str, option: &impl ToTokens) {
        if let Ok(option) = syn::parse2::<Ident>(option.to_token_stream()) {
            let private = Root::new(None).private(site());
            let of = format_ident!("{of}");
            self.offers.extend(quote! {
                #[allow(unexpected_cfgs)]
                const _: () = {
                    #[cfg(rust_analyzer)]
                    use #private::options::#of::#option as _;
                };
            });
        }
    }

    /// Returns the code for editors, and one `compile_error!` per error.
    pub(crate) fn into_parts(self) -> (TokenStream, Option<TokenStream>) {
        (self.offers, self.first.map(syn::Error::into_compile_error))
    }

    /// Returns both parts, and each error with these attributes.
    pub(crate) fn into_tokens_if(self, attrs: &TokenStream) -> TokenStream {
        // The offers come first: editors ask about the first token at a place, and errors have tokens there too.
        let mut code = self.offers;
        for error in self.first.into_iter().flatten() {
            let error = error.into_compile_error();
            code.extend(quote!(#attrs #error));
        }
        code
    }

    /// Returns both parts.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.into_tokens_if(&TokenStream::new())
    }
}

#[cfg(test)]
#[path = "errors_tests.rs"]
mod tests;

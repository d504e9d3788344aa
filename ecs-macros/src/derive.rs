//! What the derives share.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::meta::ParseNestedMeta;
use syn::{DeriveInput, LitStr, Result, WhereClause, parse_quote_spanned};

use crate::errors::Errors;
use crate::lints;
use crate::lists::any;
use crate::paths::{self, Root};

/// A type with a derive, parsed.
pub(crate) struct Derived {
    pub(crate) input: DeriveInput,
    pub(crate) root: Root,
    pub(crate) errors: Errors,
}

impl Derived {
    /// Parses the type and the options in `#[name(..)]` and `#[ecs(..)]`; `option` reads those of this derive and
    /// returns whether it knows them, `known` lists them.
    ///
    /// # Errors
    /// With the tokens to return, if the type itself cannot be parsed.
    pub(crate) fn parse(
        input: TokenStream,
        name: &str,
        known: &str,
        option: &mut dyn FnMut(&ParseNestedMeta<'_>, &mut Errors) -> Result<bool>,
    ) -> core::result::Result<Self, TokenStream> {
        let input: DeriveInput = syn::parse2(input).map_err(|error| error.to_compile_error())?;
        let mut errors = Errors::default();
        let mut path = None;
        for attribute in &input.attrs {
            let own = attribute.path().is_ident(name);
            if !own && !attribute.path().is_ident("ecs") {
                continue;
            }
            let result = attribute.parse_nested_meta(|meta| {
                if paths::parse_crate(&meta, &mut path)? || (own && option(&meta, &mut errors)?) {
                    return Ok(());
                }
                let options = if own { known } else { "`crate = path`" };
                let unknown = meta.path.to_token_stream();
                Err(meta.error(format!("unknown option `{unknown}`; known here: {options}")))
            });
            if let Err(error) = result {
                errors.add(error);
            }
        }
        Ok(Self {
            root: Root::new(path.as_ref()),
            input,
            errors,
        })
    }

    /// The code that was made of the type, and the mistakes in it.
    pub(crate) fn finish(self, implementation: &TokenStream) -> TokenStream {
        let levels = lints::of_derive(&self.input.attrs);
        let errors = self.errors.into_tokens();
        if levels.is_empty() {
            quote!(#implementation #errors)
        } else {
            quote!(#levels const _: () = { #implementation }; #errors)
        }
    }

    /// The type must own its data.
    pub(crate) fn refuse_lifetimes(&mut self, what: &str) {
        for lifetime in self.input.generics.lifetimes() {
            self.errors.push(
                &lifetime.lifetime,
                format!(
                    "a {what} owns its data and cannot have the lifetime `{}`; store owned values (`String`, `Arc<..>`) or an `Entity` instead of a reference",
                    lifetime.lifetime
                ),
            );
        }
    }

    /// Whether a type or const parameter of the type occurs in `tokens`.
    pub(crate) fn mentions_parameters(&self, tokens: TokenStream) -> bool {
        let generics = &self.input.generics;
        any(tokens, &mut |token| match token {
            TokenTree::Ident(name) => {
                generics.type_params().any(|param| param.ident == name)
                    || generics.const_params().any(|param| param.ident == name)
            }
            TokenTree::Group(group) => self.mentions_parameters(group.stream()),
            _ => false,
        })
    }

    /// The constant identity: where the type was written, or for a generic type where its head was. Messages use the path,
    /// or the name that was given.
    pub(crate) fn identity(&self, given: Option<&LitStr>) -> TokenStream {
        let private = self.root.private(Span::mixed_site());
        let name = self.input.ident.unraw().to_string();
        let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
        let (path, after) = (format!("::{name}"), format!(";{version}"));
        let kind = if self.input.generics.params.is_empty() {
            quote!(exact)
        } else {
            quote!(generic)
        };
        let called = given.map(|name| quote!(.called(#name)));
        // Module path and name alone collide for types inside functions, the place alone for types made by one macro.
        quote! {
            const IDENTITY: #private::Identity<Self> = #private::Identity::#kind(
                #private::concat!("@", #private::line!(), ":", #private::column!(), #after),
                #private::concat!(#private::module_path!(), #path),
            ) #called;
        }
    }

    /// `where Self: Send + Sync + 'static` beside the type's own bounds; nothing new for a type that is not generic,
    /// for which the compiler says it better.
    pub(crate) fn where_threads_may_share(&self) -> Option<WhereClause> {
        let mut generics = self.input.generics.clone();
        if !generics.params.is_empty() {
            let private = self.root.private(Span::mixed_site());
            generics
                .make_where_clause()
                .predicates
                .push(parse_quote_spanned!(Span::mixed_site()=> Self: #private::Send + #private::Sync + 'static));
        }
        generics.where_clause
    }
}

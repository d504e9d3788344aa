//! What the derives share.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote, quote_spanned};

use crate::errors::{Errors, Result};
use crate::paths::{self, Root};
use crate::syntax::{Generics, Input, Item, Setting, Text, unraw};

/// A type with a derive, parsed.
pub(crate) struct Derived {
    pub(crate) input: Item,
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
        option: &mut dyn FnMut(&mut Setting<'_>, &mut Errors) -> Result<bool>,
    ) -> Result<Self, TokenStream> {
        let input = Input::read(input, Item::read).map_err(|error| error.to_compile_error())?;
        let mut errors = Errors::default();
        let mut path = None;
        for attribute in &input.attributes {
            let own = attribute.is(name);
            if !own && !attribute.is("ecs") {
                continue;
            }
            let result = attribute.settings(&mut |setting| {
                if paths::read_crate(setting, &mut path)? || (own && option(setting, &mut errors)?)
                {
                    return Ok(());
                }
                let options = if own { known } else { "`crate = path`" };
                let unknown = setting.name().to_token_stream();
                Err(setting.error(format!("unknown option `{unknown}`; known here: {options}")))
            });
            if let Err(error) = result {
                errors.add(error);
            }
        }
        Ok(Self {
            root: Root::new(path),
            input,
            errors,
        })
    }

    /// The type must own its data.
    pub(crate) fn refuse_lifetimes(&mut self, what: &str) {
        for lifetime in self.input.generics.lifetimes() {
            let name = lifetime.argument();
            let message = format!(
                "a {what} owns its data and cannot have the lifetime `'{}`; store owned values (`String`, `Arc<..>`) or an `Entity` instead of a reference",
                lifetime.name
            );
            self.errors.push(name, message);
        }
    }

    /// Whether a type or const parameter of the type occurs in `tokens`.
    pub(crate) fn mentions_parameters(&self, tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Ident(name) => self.input.generics.has(&name),
            TokenTree::Group(group) => self.mentions_parameters(group.stream()),
            _ => false,
        })
    }

    /// The constant identity: where the type was written, or for a generic type where its head was. Messages use the path,
    /// or the name that was given.
    pub(crate) fn identity(&self, given: Option<&Text>) -> TokenStream {
        let private = self.root.private(Span::mixed_site());
        let name = unraw(&self.input.name);
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

    /// The generics with `where Self: Send + Sync + 'static` beside the type's own bounds; nothing new for a type that is
    /// not generic, for which the compiler says it better.
    pub(crate) fn where_threads_may_share(&self) -> Generics {
        let mut generics = self.input.generics.clone();
        if !generics.params.is_empty() {
            let site = Span::mixed_site();
            let private = self.root.private(site);
            generics
                .require(quote_spanned!(site=> Self: #private::Send + #private::Sync + 'static));
        }
        generics
    }
}

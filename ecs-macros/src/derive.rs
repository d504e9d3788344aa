//! The common part of the derives.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt as _;
use syn::meta::ParseNestedMeta;
use syn::token::Paren;
use syn::{Attribute, Data, DeriveInput, Error, Fields, LitStr, Path, Result, Token, WhereClause};

use crate::attributes;
use crate::errors::Errors;
use crate::lifetimes;
use crate::paths::{self, Root};
use crate::tokens::{import, site, text as literal};
use crate::types::mentions_parameters;

/// A type with a derive, parsed.
pub(crate) struct Derived {
    pub(crate) input: DeriveInput,
    pub(crate) root: Root,
    pub(crate) errors: Errors,
}

impl Derived {
    /// Parses the type and the options in `#[name(..)]` and `#[ecs(..)]`. `option` parses those of this derive and
    /// returns whether it knows them; `known` lists them, each with a comma after it. Each can be given once, apart
    /// from `require`.
    ///
    /// # Errors
    /// If the type itself cannot be parsed.
    pub(crate) fn parse(
        input: TokenStream,
        name: &str,
        known: &str,
        option: &mut dyn FnMut(&ParseNestedMeta<'_>, &mut Errors) -> Result<bool>,
    ) -> Result<Self> {
        let input: DeriveInput = syn::parse2(input)?;
        let mut errors = Errors::default();
        let mut path = None;
        let mut given: Vec<String> = Vec::new();
        for attribute in &input.attrs {
            let own = attribute.path().is_ident(name);
            if !own && !attribute.path().is_ident("ecs") {
                continue;
            }
            let result = attribute.parse_nested_meta(|meta| {
                if paths::parse_crate(&meta, &mut path)? || (own && option(&meta, &mut errors)?) {
                    let name = meta.path.to_token_stream().to_string();
                    if given.contains(&name) && name != "require" {
                        reject_duplicate(&meta.path, &mut errors);
                    }
                    given.push(name);
                    return reject_value(&meta);
                }
                let known = if own { known } else { "" };
                errors.offer(name, &meta.path);
                let unknown = meta.path.to_token_stream();
                Err(meta.error(format!(
                    "unknown option `{unknown}`\nhelp: valid options: {known}`crate = path`"
                )))
            });
            if let Err(error) = result {
                errors.add(error);
            }
        }
        reject_misplaced(&input.data, name, &mut errors);
        let root = Root::new(path.as_ref());
        // Alone: nothing else can be said about it.
        if let Some(error) = root.reject_unknown() {
            return Err(error);
        }
        Ok(Self {
            root,
            input,
            errors,
        })
    }

    /// Returns the code for the type, and its errors.
    pub(crate) fn finish(self, implementation: &TokenStream) -> TokenStream {
        let levels = attributes::levels_of_derive(&self.input.attrs);
        let errors = self.errors.into_tokens();
        if levels.is_empty() {
            quote!(#implementation #errors)
        } else {
            quote!(#levels const _: () = { #implementation }; #errors)
        }
    }

    /// Rejects lifetime parameters that are not `'static`: the type must own its data.
    pub(crate) fn reject_lifetimes(&mut self, what: &str) {
        for lifetime in self.input.generics.lifetimes() {
            let name = &lifetime.lifetime;
            if lifetimes::is_static(&self.input.generics, lifetime) {
                continue;
            }
            self.errors.push(
                name,
                format!("{} {what} cannot have the lifetime `{name}`, as it owns its data\nhelp: store owned values (`String`, `Arc<..>`) or an `Entity` instead of a reference", article(what)),
            );
        }
    }

    /// Returns the fields of the struct. Reports an error and returns none for anything else.
    pub(crate) fn fields(&mut self, of: &str, help: &str) -> Fields {
        let (word, kind) = match &self.input.data {
            Data::Struct(data) => return data.fields.clone(),
            Data::Enum(data) => (data.enum_token.to_token_stream(), "an enum"),
            Data::Union(data) => (data.union_token.to_token_stream(), "a union"),
        };
        let message = format!("`{of}` cannot be derived for {kind}\nhelp: {help}");
        self.errors.push(word, message);
        Fields::Unit
    }

    /// Returns whether a type or const parameter of the type occurs in `tokens`.
    pub(crate) fn mentions_parameters(&self, tokens: TokenStream) -> bool {
        mentions_parameters(&self.input.generics, tokens)
    }

    /// Returns the generics, the type and the bounds of an impl for a type that threads share.
    pub(crate) fn header(&self) -> (TokenStream, TokenStream, Option<WhereClause>) {
        let (generics, arguments, _) = self.input.generics.split_for_impl();
        let name = &self.input.ident;
        let ty = quote!(#name #arguments);
        (quote!(#generics), ty, self.where_send_sync())
    }

    /// Returns the type's own bounds with `Self: Send + Sync + 'static`. Adds nothing for a type that is not generic,
    /// for which the compiler's own message is better.
    pub(crate) fn where_send_sync(&self) -> Option<WhereClause> {
        let mut generics = self.input.generics.clone();
        if !generics.params.is_empty() {
            let private = self.root.private(site());
            generics
                .make_where_clause()
                .predicates
                .push(parse_quote!(Self: #private::Send + #private::Sync + 'static));
        }
        generics.where_clause
    }

    /// Returns the constant with the [identity](Self::identity_of).
    pub(crate) fn identity(
        &self,
        given: Option<&LitStr>,
        data: Option<&TokenStream>,
    ) -> TokenStream {
        let private = self.root.private(site());
        let (import, value) = self.identity_of();
        let called = given.map(|name| quote!(.called(#name)));
        let data = data.map(|data| quote!(.with_data(#data)));
        let value = quote!(#value #called #data);
        let value = import.map_or(value.clone(), |import| quote!({ #import #value }));
        quote!(const IDENTITY: #private::ConstTypeIdOf<Self> = #value;)
    }

    /// Returns the identity: the location of the type, and the arguments of a generic one. Messages use the path, or the name
    /// that was given. Before it comes the import that it needs.
    pub(crate) fn identity_of(&self) -> (Option<TokenStream>, TokenStream) {
        let private = self.root.private(site());
        let name = self.input.ident.unraw().to_string();
        let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
        let (path, after) = (
            literal(&format!("::{name}")),
            literal(&format!(";{version}")),
        );
        let generics = &self.input.generics;
        let types = generics.type_params().map(|param| {
            let name = &param.ident;
            quote!(#private::ArgumentOf::<#name>::ARGUMENT)
        });
        let values = generics.const_params().map(|param| {
            let name = &param.ident;
            quote!(#private::Argument::value(#name as u128))
        });
        let arguments = types.chain(values);
        let import = generics
            .type_params()
            .next()
            .map(|_| import(&self.root, "Undecided", site()));
        // Module path and name alone collide for types inside functions, line and column alone for types generated by
        // one macro.
        let value = quote! {
            #private::ConstTypeIdOf::exact(
                #private::concat!("@", #private::line!(), ":", #private::column!(), #after),
                #private::concat!(#private::module_path!(), #path),
            ) #(.with_argument(#arguments))*
        };
        (import, value)
    }

    /// Returns a function of this name that returns a static of the type `of`. Returns nothing for a generic type, as a
    /// static inside a generic function is shared by all its instances.
    pub(crate) fn slot(&self, function: &str, of: &TokenStream) -> Option<TokenStream> {
        let private = self.root.private(site());
        let (name, function) = (&self.input.ident, Ident::new(function, site()));
        self.input.generics.params.is_empty().then(|| {
            quote! {
                #[inline]
                fn #function() -> #private::Option<&'static #private::#of<Self>> {
                    static SLOT: #private::#of<#name> = #private::#of::new();
                    #private::Option::Some(&SLOT)
                }
            }
        })
    }
}

/// Parses the text in `option = "text"`; `help` says what can be written.
///
/// # Errors
/// If something else follows the option.
pub(crate) fn text(meta: &ParseNestedMeta<'_>, help: &str) -> Result<LitStr> {
    let name = meta.path.to_token_stream();
    let wrong = |at: &dyn ToTokens| {
        let message = format!("expected a text as the value of `{name}`\nhelp: {help}");
        Error::new_spanned(at.to_token_stream(), message)
    };
    if !meta.input.peek(Token![=]) {
        return Err(wrong(&meta.path));
    }
    let value = meta.value()?;
    if value.peek(LitStr) {
        return value.parse();
    }
    Err(wrong(&value.parse::<TokenTree>()?))
}

/// Returns the article of the word for a kind of type.
pub(crate) fn article(what: &str) -> &'static str {
    if what == "event" { "an" } else { "a" }
}

/// Checks a name, which is written to files, and in messages between backticks; `what` is the kind of type.
pub(crate) fn check_name(name: &str, what: &str) -> core::result::Result<(), String> {
    let is_invalid = |c: char| c.is_whitespace() || c.is_control() || c == '`';
    let problem = if name.is_empty() {
        "cannot be empty"
    } else if name.contains(is_invalid) {
        "cannot contain whitespace, control characters or backticks"
    } else {
        return Ok(());
    };
    Err(format!(
        "{} {what} name {problem}\nhelp: write for example `\"game.position\"`",
        article(what)
    ))
}

/// Reports a value of an option that has none.
fn reject_value(meta: &ParseNestedMeta<'_>) -> Result<()> {
    if !meta.input.peek(Token![=]) && !meta.input.peek(Paren) {
        return Ok(());
    }
    let (name, value) = (
        meta.path.to_token_stream(),
        meta.input.parse::<TokenTree>()?,
    );
    let message = format!("`{name}` takes no value\nhelp: write `{name}`");
    Err(Error::new_spanned(value, message))
}

fn reject_duplicate(option: &Path, errors: &mut Errors) {
    let name = option.to_token_stream();
    let help = if name.to_string().starts_with("on_") {
        "call both functions from one"
    } else {
        "remove one"
    };
    errors.push(option, format!("duplicate option `{name}`\nhelp: {help}"));
}

/// Reports options on fields and variants, where they have no meaning.
fn reject_misplaced(data: &Data, name: &str, errors: &mut Errors) {
    let mut reject = |attrs: &[Attribute]| {
        for attribute in attrs {
            if attribute.path().is_ident(name) || attribute.path().is_ident("ecs") {
                let written = attribute.path().to_token_stream();
                errors.push(
                    attribute,
                    format!(
                        "`#[{written}(..)]` has no meaning here\nhelp: write it above the type"
                    ),
                );
            }
        }
    };
    match data {
        Data::Struct(data) => data.fields.iter().for_each(|field| reject(&field.attrs)),
        Data::Union(data) => data
            .fields
            .named
            .iter()
            .for_each(|field| reject(&field.attrs)),
        Data::Enum(data) => {
            for variant in &data.variants {
                reject(&variant.attrs);
                variant.fields.iter().for_each(|field| reject(&field.attrs));
            }
        }
    }
}

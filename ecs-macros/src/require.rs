//! `#[component(require(..))]`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens as _, quote_spanned};
use syn::ext::IdentExt as _;
use syn::meta::ParseNestedMeta;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::token::{Brace, Bracket, Paren};
use syn::{Error, Expr, Result, Token, Type, parenthesized};

use crate::derive::Derived;
use crate::errors::Errors;
use crate::pretty;
use crate::tokens::site;

/// `Component`, or `Component = expression`.
pub(crate) struct Requirement {
    pub(crate) component: Type,
    pub(crate) value: Option<TokenStream>,
}

impl Parse for Requirement {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let component: Type = input.parse()?;
        if !matches!(component, Type::Path(_)) {
            return Err(Error::new_spanned(
                &component,
                "expected the path of a component type\nhelp: write `require(Component)` or `require(Component = expression)`",
            ));
        }
        if input.peek(Paren) || input.peek(Brace) {
            let value = input.parse::<TokenTree>()?;
            let (name, value) = (owner(&component), quote!(#component #value));
            let (name, value) = (pretty::line(name), pretty::line(value));
            return Err(Error::new_spanned(
                &component,
                format!(
                    "expected the value of a required component after its type\nhelp: write `{name} = {value}`"
                ),
            ));
        }
        let has_value = input.parse::<Option<Token![=]>>()?.is_some();
        let value = has_value.then(|| value(input)).transpose()?;
        Ok(Self { component, value })
    }
}

/// Returns the type that a path is of, or probably has an associated function of the path's name: `A` of `A::new`.
fn owner(component: &Type) -> TokenStream {
    let mut path = match component {
        Type::Path(path) if path.qself.is_none() => path.path.clone(),
        other => return other.to_token_stream(),
    };
    let is_function = |name: &Ident| name.unraw().to_string().starts_with(char::is_lowercase);
    if path.segments.len() > 1
        && path
            .segments
            .last()
            .is_some_and(|last| is_function(&last.ident))
    {
        path.segments.pop();
        path.segments.pop_punct();
    }
    path.to_token_stream()
}

/// Parses an expression: one that `syn` knows without its feature `full`, or any in braces or brackets.
fn value(input: ParseStream<'_>) -> Result<TokenStream> {
    if input.peek(Brace) || input.peek(Bracket) {
        return Ok(input.parse::<TokenTree>()?.into_token_stream());
    }
    let span = input.span();
    let expression = input.parse::<Expr>().map_err(|_| {
        Error::new(
            span,
            "expected an expression\nhelp: put it in braces if it is more than a call, a value or a path: `Component = { .. }`",
        )
    })?;
    Ok(expression.into_token_stream())
}

/// Parses the parentheses and their content.
pub(crate) fn parse(
    meta: &ParseNestedMeta<'_>,
    required: &mut Vec<Requirement>,
    errors: &mut Errors,
) -> Result<()> {
    let list;
    parenthesized!(list in meta.input);
    for requirement in Punctuated::<Requirement, Token![,]>::parse_terminated(&list)? {
        let component = &requirement.component;
        let name = component.to_token_stream().to_string();
        let mut others = required.iter();
        if others.any(|other| other.component.to_token_stream().to_string() == name) {
            errors.push(
                component,
                format!("`{name}` is required twice, but an entity has one value of a component\nhelp: remove one"),
            );
        }
        required.push(requirement);
    }
    Ok(())
}

/// Returns the constant of the component, and code by which `cargo check` finds cycles of requirements; those of generic
/// components are found by `cargo build`. Returns nothing without requirements.
pub(crate) fn expand(
    derived: &Derived,
    required: &[Requirement],
) -> Option<(TokenStream, TokenStream)> {
    if required.is_empty() {
        return None;
    }
    let private = derived.root.private(site());
    let required = required.iter().map(|Requirement { component, value }| {
        // A missing `Default` or `Component` is shown at the type.
        let private = derived.root.private(component.span());
        let value = match value {
            Some(value) => quote!(|| #value),
            None => quote_spanned!(component.span()=> <#component as #private::Default>::default),
        };
        quote_spanned!(component.span()=> #private::Required::of::<#component>(#value))
    });
    let name = &derived.input.ident;
    // The compiler's message about a cycle points here, so this has the spans of the types' names.
    let constant = quote_spanned! {site().located_at(name.span())=>
        const REQUIRED: &'static [#private::Required] = &[#(#required),*];
    };
    let is_generic = !derived.input.generics.params.is_empty();
    let checked = (!is_generic).then(|| {
        quote! {
            const _: &[#private::Required] = <#name as #private::Component>::REQUIRED;
        }
    });
    Some((constant, checked.unwrap_or_default()))
}

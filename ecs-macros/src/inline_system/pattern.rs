//! The patterns of a `system!`'s parameters.

use proc_macro2::{Delimiter, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote_spanned};
use syn::spanned::Spanned as _;

use super::model::{Kind, Param, is_reference};
use super::parse::Inline;

/// What the closure calls its parameter, and what it does with it first.
///
/// A tracked component of a `World` comes as a `Mut`, which is written through only where it is `mut`: so everything that
/// is written is. In parts it is had as a `&mut`.
pub(super) fn given(param: &Param, system: &Inline) -> (TokenStream, TokenStream) {
    let site = Span::mixed_site();
    let (private, binding) = (system.root.private(site), &param.binding);
    let pattern = visible(&param.pattern);
    match (&param.kind, form(&pattern)) {
        (Kind::Old { ty }, _) => {
            let place = site.located_at(ty.span());
            let private = system.root.private(place);
            let copy = quote_spanned!(place=> <#ty as #private::Clone>::clone);
            (
                binding.to_token_stream(),
                quote_spanned!(site=> let #pattern: #ty = #copy(#binding);),
            )
        }
        (Kind::Borrowed { mutably: true, .. }, Form::Name) => (
            quote_spanned!(site=> mut #pattern),
            quote_spanned!(site=> #private::mutable(&mut #pattern);),
        ),
        (Kind::Borrowed { ty, mutably, .. }, Form::Parts) if is_reference(ty) => {
            let (binding, value) = if *mutably {
                (
                    quote_spanned!(site=> mut #binding),
                    quote_spanned!(site=> #private::through(&mut #binding)),
                )
            } else {
                (binding.to_token_stream(), binding.to_token_stream())
            };
            // With its type, so that the parts have theirs also where the component is not found.
            (binding, quote_spanned!(site=> let #pattern: #ty = #value;))
        }
        _ => (pattern, TokenStream::new()),
    }
}

/// What is done with a value that meets the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// It gets a name: `velocity`.
    Name,
    /// It is taken apart: `Velocity(x, y)`.
    Parts,
    /// It gets a name that is `mut`, or none.
    Other,
}

/// How a pattern is written.
fn form(pattern: &TokenStream) -> Form {
    let mut tokens = pattern.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Ident(word)), None) if word == "_" => Form::Other,
        (Some(TokenTree::Ident(_)), None) => Form::Name,
        (Some(TokenTree::Ident(word)), Some(_)) if word == "mut" => Form::Other,
        _ => Form::Parts,
    }
}

/// The pattern without the invisible parentheses around what a `macro_rules!` was given.
fn visible(pattern: &TokenStream) -> TokenStream {
    let mut tokens = pattern.clone().into_iter();
    match (tokens.next(), tokens.next()) {
        (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::None => {
            visible(&group.stream())
        }
        _ => pattern.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Group;
    use quote::quote;

    #[test]
    fn a_name_is_told_from_parts() {
        for (pattern, expected) in [
            (quote!(velocity), Form::Name),
            (quote!(r#type), Form::Name),
            (quote!(_velocity), Form::Name),
            (quote!(_), Form::Other),
            (quote!(mut velocity), Form::Other),
            (quote!(Velocity(x)), Form::Parts),
            (quote!((x, y)), Form::Parts),
            (quote!(&mut velocity), Form::Parts),
        ] {
            assert_eq!(form(&pattern), expected, "{pattern}");
            let given = Group::new(Delimiter::None, pattern.clone());
            assert_eq!(form(&visible(&quote!(#given))), expected, "{pattern}");
        }
    }
}

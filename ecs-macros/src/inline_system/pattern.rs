//! The patterns of a `system!`'s parameters.

use super::model::{InlineParam, ParamFetch, is_reference};
use super::parse::InlineSystem;
use crate::prelude::*;

/// Returns the pattern of the closure's parameter, and the statements that bring its value into the user's pattern.
///
/// A tracked component of a `World` arrives as a `Mut`, and only a `mut` binding can write it: so the bindings of
/// written components are `mut`. A pattern that destructures a component is matched against `&mut`.
pub(super) fn given(param: &InlineParam, system: &InlineSystem) -> (TokenStream, TokenStream) {
    let (private, binding) = (system.root.private(site()), &param.binding);
    let pattern = visible(&param.pattern);
    match (&param.fetch, shape(&pattern)) {
        (ParamFetch::Old(ty), _) => {
            let span = site().located_at(ty.span());
            let private = system.root.private(span);
            let copy = quote_spanned!(span=> <#ty as #private::Clone>::clone);
            let copied = quote!(let #pattern: #ty = #copy(#binding););
            (quote!(#binding), copied)
        }
        (ParamFetch::Borrowed { mutably: true, .. }, Shape::Name) => {
            let used = quote!(#private::mutable(&mut #pattern););
            (quote!(mut #pattern), used)
        }
        (ParamFetch::Borrowed { ty, mutably, .. }, Shape::Parts) if is_reference(ty) => {
            let (word, value) = match mutably {
                true => (Some(quote!(mut)), quote!(#private::through(&mut #binding))),
                false => (None, quote!(#binding)),
            };
            // With its type, so that the parts have their types even if the component is not found.
            (quote!(#word #binding), quote!(let #pattern: #ty = #value;))
        }
        _ => (pattern, TokenStream::new()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// A name: `velocity`.
    Name,
    /// A pattern that destructures: `Velocity(x, y)`.
    Parts,
    /// `mut velocity`, or `_`.
    Other,
}

fn shape(pattern: &TokenStream) -> Shape {
    match &*to_vec(pattern.clone()) {
        [TokenTree::Ident(word)] if word == "_" => Shape::Other,
        [TokenTree::Ident(_)] => Shape::Name,
        [TokenTree::Ident(word), _, ..] if word == "mut" => Shape::Other,
        _ => Shape::Parts,
    }
}

/// Strips the invisible parentheses around a fragment of a `macro_rules!`.
fn visible(pattern: &TokenStream) -> TokenStream {
    match &*to_vec(pattern.clone()) {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::None => {
            visible(&group.stream())
        }
        _ => pattern.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proc_macro2::Group;

    #[test]
    fn names_and_destructuring_patterns_are_distinguished() {
        for (expected, patterns) in [
            (Shape::Name, "velocity | r#type | _velocity"),
            (Shape::Other, "_ | mut velocity"),
            (Shape::Parts, "Velocity(x) | (x, y) | &mut velocity"),
        ] {
            for pattern in patterns.split(" | ") {
                assert_eq!(shape(&parsed(pattern)), expected, "{pattern}");
                let given = Group::new(Delimiter::None, parsed(pattern));
                assert_eq!(shape(&visible(&quote!(#given))), expected, "{pattern}");
            }
        }
    }
}

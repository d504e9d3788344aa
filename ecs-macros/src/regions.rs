//! Lifetimes in tokens, put in place of others.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Generics;

/// Whether `name` is one of the lifetime parameters.
fn declares(generics: &Generics, name: &Ident) -> bool {
    generics
        .lifetimes()
        .any(|declared| declared.lifetime.ident == *name)
}

/// Replaces each lifetime that `generics` declares by `'to`; others (`'static`, those of a `for<..>`) stay.
pub(crate) fn replace(tokens: impl ToTokens, generics: &Generics, to: &str) -> TokenStream {
    walk(tokens.to_token_stream(), generics, &|name| {
        Ident::new(to, name.span())
    })
}

/// Moves each lifetime that `generics` declares to where lints take it for the macro's.
pub(crate) fn hide(tokens: impl ToTokens, generics: &Generics) -> TokenStream {
    walk(tokens.to_token_stream(), generics, &|name| {
        Ident::new(&name.to_string(), Span::mixed_site())
    })
}

/// Whether the lifetime `'name` occurs in `tokens`.
pub(crate) fn mentions(tokens: impl ToTokens, name: &Ident) -> bool {
    let mut before = Vec::new();
    tokens.to_token_stream().into_iter().any(|token| {
        let found = match &token {
            TokenTree::Ident(word) => word == name && ends_in_quote(&before),
            TokenTree::Group(group) => mentions(group.stream(), name),
            _ => false,
        };
        before.push(token);
        found
    })
}

/// The generics with other tokens in them.
pub(crate) fn changed(
    mut generics: Generics,
    change: &dyn Fn(TokenStream) -> TokenStream,
) -> Generics {
    let clause = generics.where_clause.take();
    if let Ok(Generics { params, .. }) = syn::parse2(change(generics.to_token_stream())) {
        generics.params = params;
    }
    generics.where_clause =
        clause.and_then(|clause| syn::parse2(change(clause.to_token_stream())).ok());
    generics
}

fn walk(tokens: TokenStream, generics: &Generics, to: &dyn Fn(&Ident) -> Ident) -> TokenStream {
    let mut changed = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(name) if declares(generics, &name) && ends_in_quote(&changed) => {
                let name = to(&name);
                if let Some(quote) = changed.last_mut() {
                    quote.set_span(name.span());
                }
                changed.push(name.into());
            }
            TokenTree::Group(group) => {
                let inside = walk(group.stream(), generics, to);
                let mut same = Group::new(group.delimiter(), inside);
                same.set_span(group.span());
                changed.push(same.into());
            }
            other => changed.push(other),
        }
    }
    changed.into_iter().collect()
}

fn ends_in_quote(tokens: &[TokenTree]) -> bool {
    matches!(tokens.last(), Some(TokenTree::Punct(punct)) if punct.as_char() == '\'')
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;
    use syn::parse_quote;

    #[test]
    fn only_declared_lifetimes_are_replaced() {
        let generics: Generics = parse_quote!(<'a, 'b, T>);
        let tokens = quote!((Comp<'a, T>, &'b str, &'static u8, for<'c> fn(&'c a)));
        assert_eq!(
            replace(tokens, &generics, "g").to_string(),
            quote!((Comp<'g, T>, &'g str, &'static u8, for<'c> fn(&'c a))).to_string()
        );
    }
}

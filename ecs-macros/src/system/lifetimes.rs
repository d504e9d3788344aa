//! Named lifetimes in tokens.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;

use crate::lists::{any, changed};

/// Replaces each lifetime for which `named` holds by `'_`.
pub(super) fn erase(tokens: TokenStream, named: &dyn Fn(&Ident) -> bool) -> TokenStream {
    let mut after_quote = false;
    changed(tokens, &mut |token| {
        let is_name = core::mem::replace(&mut after_quote, is_quote(&token));
        match token {
            TokenTree::Ident(name) if is_name && named(&name) => {
                Ident::new("_", name.span()).into()
            }
            TokenTree::Group(group) => {
                let mut erased = Group::new(group.delimiter(), erase(group.stream(), named));
                erased.set_span(group.span());
                erased.into()
            }
            other => other,
        }
    })
}

/// Whether a lifetime for which `wanted` holds occurs in `tokens`.
pub(super) fn mentions(tokens: &impl ToTokens, wanted: &dyn Fn(&Ident) -> bool) -> bool {
    occurs(tokens.to_token_stream(), wanted)
}

fn occurs(tokens: TokenStream, wanted: &dyn Fn(&Ident) -> bool) -> bool {
    let mut after_quote = false;
    any(tokens, &mut |token| {
        let is_name = core::mem::replace(&mut after_quote, is_quote(&token));
        match token {
            TokenTree::Ident(name) => is_name && wanted(&name),
            TokenTree::Group(group) => occurs(group.stream(), wanted),
            _ => false,
        }
    })
}

fn is_quote(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == '\'')
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    #[test]
    fn only_the_named_lifetimes_are_erased() {
        let erased = erase(quote!((Comp<'a, T>, &'static str, a)), &|name| name == "a");
        assert_eq!(
            erased.to_string(),
            quote!((Comp<'_, T>, &'static str, a)).to_string()
        );
    }
}

//! The lint levels that users set on what they wrote, for the code that is made of it.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote};
use syn::{Attribute, Meta, Path};

/// The attributes that set levels.
pub(crate) const LEVELS: [&str; 4] = ["allow", "warn", "deny", "forbid"];

/// Makes `expect` an `allow`.
///
/// A function under `#[system]` becomes several pieces of code, of which one at most meets the expectation.
pub(crate) fn allow_expected(attrs: &mut [Attribute]) {
    for attribute in attrs {
        if let Meta::List(list) = &mut attribute.meta
            && list.path.is_ident("expect")
        {
            list.path = hidden("allow");
        }
    }
}

/// The levels for the code that a derive makes of a type with these attributes.
pub(crate) fn of_derive(attrs: &[Attribute]) -> TokenStream {
    let mut attrs = attrs.to_vec();
    allow_expected(&mut attrs);
    let is_level = |attribute: &&Attribute| LEVELS.iter().any(|l| attribute.path().is_ident(l));
    let mut levels = TokenStream::new();
    for attribute in attrs.iter().filter(is_level) {
        attribute.to_tokens(&mut levels);
    }
    if attrs.iter().any(|a| a.path().is_ident("deprecated")) {
        // The type names itself, which is no use of it.
        let allow = hidden("allow");
        levels.extend(quote!(#[#allow(deprecated)]));
    }
    levels
}

/// A word where lints take it for the macro's.
fn hidden(word: &str) -> Path {
    syn::Ident::new(word, Span::mixed_site()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    #[test]
    fn levels_are_kept_and_expectations_allowed() {
        let attrs: Vec<Attribute> = vec![
            parse_quote!(#[derive(Clone)]),
            parse_quote!(#[expect(dead_code, reason = "why")]),
            parse_quote!(#[deny(unused)]),
            parse_quote!(#[deprecated]),
        ];
        let expected = quote!(
            #[allow(dead_code, reason = "why")]
            #[deny(unused)]
            #[allow(deprecated)]
        );
        assert_eq!(of_derive(&attrs).to_string(), expected.to_string());
    }
}

//! Lints about signatures.
//!
//! A system has many parameters and a query many parts. That is no problem for callers and readers, so the macro allows
//! these lints, but only where they may warn: `allow` is an error under the user's `forbid`.

use crate::prelude::*;

/// Clippy's default limit for the number of parameters.
const PARAMETERS: usize = 7;

/// The number of names in the shortest type that can be beyond Clippy's default limit for complexity.
const NAMES: usize = 7;

/// Returns the attributes that a function needs if it has this number of parameters, of these types.
pub(super) fn allowances(count: usize, types: &[&Type]) -> TokenStream {
    let many = (count > PARAMETERS).then(|| quote!(#[allow(clippy::too_many_arguments)]));
    let is_complex = types.iter().any(|ty| {
        let mut names = 0;
        any(ty.to_token_stream(), &mut |token| {
            names += usize::from(matches!(token, TokenTree::Ident(name) if name != "mut"));
            names == NAMES
        })
    });
    let complex = is_complex.then(|| quote!(#[allow(clippy::type_complexity)]));
    quote!(#many #complex)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_of_some_members_and_filters_is_complex() {
        let simple = parse_quote!(Query<(&mut A, &B), With<C>>);
        assert!(allowances(2, &[&simple]).is_empty());
        let complex = parse_quote!(Query<(&mut A, &B, Option<&C>), (With<D>, Without<E>)>);
        has(&allowances(2, &[&complex]).to_string(), "type_complexity");
    }
}

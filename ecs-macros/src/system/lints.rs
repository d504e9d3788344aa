//! Lints about signatures.
//!
//! A system has many parameters and a query many parts. That is no problem for callers and readers, so the macro allows
//! these lints, but only where they would warn: `allow` is an error under the user's `forbid`.

use crate::prelude::*;

/// Clippy's default limits for the number of parameters and for the complexity of a type.
const PARAMETERS: usize = 7;
const COMPLEXITY: u64 = 250;

/// Returns the attributes that a function needs if it has this number of parameters, of these types.
pub(super) fn allowances(count: usize, types: &[&Type]) -> TokenStream {
    let many = (count > PARAMETERS).then(|| quote!(#[allow(clippy::too_many_arguments)]));
    let is_complex = |ty: &&Type| score(ty.to_token_stream(), 1) > COMPLEXITY;
    let is_complex = types.iter().any(is_complex);
    let complex = is_complex.then(|| quote!(#[allow(clippy::type_complexity)]));
    quote!(#many #complex)
}

/// Scores a type as clippy does: each part by its depth.
fn score(tokens: TokenStream, mut nest: u64) -> u64 {
    let (mut all, mut before) = (0, ' ');
    for token in tokens {
        let mark = match &token {
            TokenTree::Punct(mark) => mark.as_char(),
            _ => ' ',
        };
        match &token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                all += score(group.stream(), nest);
            }
            TokenTree::Group(group) => all += 10 * nest + score(group.stream(), nest + 1),
            // A path is one part, represented by its first name.
            TokenTree::Ident(_) if before == ':' || before == '\'' => {}
            TokenTree::Ident(word) if word == "mut" || word == "dyn" => {}
            TokenTree::Ident(_) => all += 10 * nest,
            _ => match mark {
                '&' | '*' => all += nest,
                '<' => nest += 1,
                '>' if before != '-' => nest -= 1,
                _ => {}
            },
        }
        before = mark;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count_by_their_depth() {
        let ty = quote!(Query<'w, (&'a mut A, &a::B), With<C>>);
        assert_eq!(score(ty, 1), 10 + 20 + (3 + 30) + (3 + 30) + 20 + 30);
        let ty = quote!(Query<(&mut A, &B, Option<&C>), (With<D>, Without<E>)>);
        assert!(score(ty, 1) > COMPLEXITY, "some members and filters");
    }
}

//! Lints about signatures.
//!
//! A system has many parameters and a query many parts. That is no problem for callers and readers, so the macro allows
//! these lints, but only where they would warn: `allow` is an error under the user's `forbid`.

use crate::prelude::*;
use crate::types::{inside, parts, strip};

/// Clippy's default limits for the number of parameters and for the complexity of a type.
const PARAMETERS: usize = 7;
const COMPLEXITY: u64 = 250;

/// Returns the attributes that a function needs if it has this number of parameters, of these types.
pub(super) fn allowances(count: usize, types: &[&Type]) -> TokenStream {
    let many = (count > PARAMETERS).then(|| quote!(#[allow(clippy::too_many_arguments)]));
    let mut scores = types.iter().map(|ty| score(ty.to_token_stream(), 1));
    let is_complex = scores.any(|score| score > COMPLEXITY);
    let complex = is_complex.then(|| quote!(#[allow(clippy::type_complexity)]));
    quote!(#many #complex)
}

/// Returns whether a type has so few parts that no nesting makes it complex, not even one more around it.
pub(super) fn is_small(ty: &Type) -> bool {
    const MOST: usize = 5;
    fn fits(ty: &Type, left: &mut usize) -> bool {
        let parts = match strip(ty) {
            Type::Reference(reference) => return fits(&reference.elem, left),
            Type::Tuple(_) => parts(ty),
            Type::Path(path) if path.qself.is_none() => inside(ty),
            _ => return false,
        };
        *left = left.saturating_sub(1);
        *left > 0 && parts.into_iter().all(|ty| fits(ty, left))
    }
    fits(ty, &mut (MOST + 1))
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
#[path = "lints_tests.rs"]
mod tests;

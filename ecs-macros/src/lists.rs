//! Lists, made in ways that take less to compile than `collect`: each use of that is a dozen functions of its own.

use proc_macro2::{TokenStream, TokenTree};

/// The items as a list.
pub(crate) fn listed<T>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut list = Vec::new();
    for item in items {
        list.push(item);
    }
    list
}

/// The tokens, each changed.
pub(crate) fn changed(
    tokens: TokenStream,
    change: &mut dyn FnMut(TokenTree) -> TokenTree,
) -> TokenStream {
    let mut changed = Vec::new();
    for token in tokens {
        changed.push(change(token));
    }
    changed.into_iter().collect()
}

/// Whether there is such a token.
pub(crate) fn any(tokens: TokenStream, wanted: &mut dyn FnMut(TokenTree) -> bool) -> bool {
    for token in tokens {
        if wanted(token) {
            return true;
        }
    }
    false
}

//! What the function-like macros are given first: where `ecs-core` is.

use proc_macro2::TokenStream;
use syn::bracketed;
use syn::parse::{ParseStream, Result};

use crate::paths::Root;

/// Reads `[$crate]`, which the `macro_rules!` around each function-like macro puts before what the user wrote: the one
/// path that is right under every name and through every re-export.
pub(crate) fn parse(input: ParseStream<'_>) -> Result<Root> {
    let path;
    bracketed!(path in input);
    Ok(Root::Chosen(path.parse::<TokenStream>()?))
}

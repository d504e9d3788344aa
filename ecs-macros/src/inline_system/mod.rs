//! `system!`.

mod check;
mod expand;
mod model;
mod parse;
mod pattern;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use syn::parse::Parser as _;

use crate::errors::Errors;
use model::Param;

/// Expands `[$crate] world, |entity, velocity: &mut Velocity| { .. }`.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut system = match parse::inline.parse2(input) {
        Ok(system) => system,
        Err(error) => return error.to_compile_error(),
    };
    let inputs = core::mem::take(&mut system.inputs);
    let mut params: Vec<Param> = Vec::new();
    for input in inputs {
        params.push(Param::new(params.len(), input));
    }
    let mut errors = Errors::default();
    check::check(&system, &params, &mut errors);
    if errors.is_empty() {
        expand::expand(&system, &params)
    } else {
        errors.into_tokens_as_expression()
    }
}

//! `system!`.

mod check;
mod expand;
mod model;
mod parse;
mod pattern;
#[cfg(test)]
mod tests;

use crate::prelude::*;
use model::InlineParam;

/// Expands `[$crate] world, |entity, velocity: &mut Velocity| { .. }`.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    match parse::inline.parse2(input) {
        Ok(mut system) => {
            let inputs = core::mem::take(&mut system.inputs).into_iter().enumerate();
            let params = to_vec(inputs.map(|(index, input)| InlineParam::new(index, input)));
            check::check(&system, &params, &mut errors);
            if errors.is_empty() {
                return expand::expand(&system, &params);
            }
        }
        Err(error) => errors.add(error),
    }
    // An expression.
    let errors = errors.into_tokens();
    quote!({ #errors })
}

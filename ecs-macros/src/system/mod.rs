//! `#[system]`.

mod check;
mod classify;
mod complexity;
mod conflict;
mod docs;
mod each;
mod expand;
mod impls;
mod lifetimes;
mod methods;
mod model;
mod options;
mod param;
mod parse;
mod parts;
mod probe;
mod wrapper;

use proc_macro2::TokenStream;
use quote::quote;

pub(crate) use classify::{has_one_lifetime, is_world_parameter};
pub(crate) use impls::hide;
pub(crate) use methods::expand as expand_methods;
#[cfg(feature = "statics")]
pub(crate) use param::ends;

use crate::errors::Errors;
use model::System;

/// Expands the attribute with `options` on `item`.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = options::parse(options, &mut errors);
    let function = match parse::function(item.clone()) {
        Ok(function) => function,
        // Not a function: the item stays, so that this is the only error about it.
        Err(error) => {
            errors.add(error);
            let errors = errors.into_tokens();
            return quote!(#item #errors);
        }
    };
    if let Some(receiver) = function.receiver() {
        errors.push(
            receiver,
            "a method is a system only in a block of systems; write `#[systems]` on its `impl`",
        );
        let errors = errors.into_tokens();
        return quote!(#item #errors);
    }
    let system = System::new(function, options);
    check::check(&system, &mut errors);
    check::refuse_borrow(&system, &mut errors);
    if errors.is_empty() {
        expand::expand(&system)
    } else {
        // Callers and schedules see a system as usual, and nobody errs but the one who wrote it.
        let stub = expand::stub(&system);
        let errors = errors.into_tokens();
        quote!(#stub #errors)
    }
}

#[cfg(test)]
mod tests;

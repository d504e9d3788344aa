//! `#[system]`.

mod check;
mod classify;
mod docs;
mod expand;
mod lifetimes;
mod model;
mod parse;
mod parts;

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::Errors;
use model::System;

/// Expands the attribute with `options` on `item`.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let root = parse::options(options, &mut errors);
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
            "a method cannot be a system; write a free function that takes what it needs as parameters, for example `ResMut<Self>` as `ResMut<Shop>`",
        );
        let errors = errors.into_tokens();
        return quote!(#item #errors);
    }
    let system = System::new(function, root);
    check::check(&system, &mut errors);
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

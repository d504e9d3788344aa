//! `#[system]` and `#[systems]`.

mod body;
mod check;
mod conflict;
mod docs;
mod each;
mod expand;
mod expansion;
mod impls;
mod item;
mod lints;
mod methods;
mod model;
mod options;
mod param;
mod parse;
mod probe;
mod query;
mod wrapper;

use proc_macro2::TokenStream;
use quote::quote;

pub(crate) use methods::expand as expand_methods;

use crate::errors::Errors;
use model::System;

/// Expands `#[system]` with `options` on `item`.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let options = options::parse(options, &mut errors);
    if let Some(error) = options.root.reject_unknown() {
        let error = error.into_compile_error();
        return quote!(#item #error);
    }
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
            "a method is a system only in a `#[systems]` block\nhelp: write `#[systems]` on its `impl`",
        );
        let errors = errors.into_tokens();
        return quote!(#item #errors);
    }
    let system = System::new(function, options);
    check::check(&system, &mut errors);
    check::reject_borrow(&system, &mut errors);
    if errors.is_empty() {
        expand::expand(&system)
    } else {
        // The stub can be called and scheduled, so that there are no errors at its uses.
        let stub = expand::stub(&system);
        let errors = errors.into_tokens();
        quote!(#stub #errors)
    }
}

#[cfg(test)]
mod tests;

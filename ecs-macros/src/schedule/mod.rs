//! `schedule!`.

mod expand;
mod model;
mod parse;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser as _;

use crate::errors::Errors;

/// Expands `[$crate] pub static FRAME = [input, movement.after(input)]`, once or several times.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let parser = |input: syn::parse::ParseStream<'_>| parse::schedules(input, &mut errors);
    let (root, schedules) = match parser.parse2(input) {
        Ok(parsed) => parsed,
        Err(error) => return error.to_compile_error(),
    };
    if !errors.is_empty() {
        return errors.into_tokens();
    }
    let schedules = schedules.iter().map(|schedule| {
        let list = model::List::new(&schedule.entries);
        expand::expand(schedule, &list, &root)
    });
    quote!(#(#schedules)*)
}

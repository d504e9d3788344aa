//! `schedule!`.

mod expand;
mod model;
mod parse;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream;
use quote::quote;
use syn::Result;
use syn::parse::Parser as _;

use crate::errors::Errors;

/// Expands `[$crate] pub static FRAME = [input, movement.after(input)]`, once or several times.
pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut errors = Errors::default();
    let parser = |input: syn::parse::ParseStream<'_>| parse::schedules(input, &mut errors);
    let (root, schedules) = parser.parse2(input)?;
    let schedules = schedules.iter().map(|schedule| {
        let list = model::FlatList::new(&schedule.entries);
        expand::expand(schedule, &list, &root)
    });
    errors.or(quote!(#(#schedules)*))
}

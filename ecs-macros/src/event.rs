//! `#[derive(Event)]`.

use proc_macro2::TokenStream;
use syn::Result;

use crate::data::{self, DataOptions};
use crate::derive::Derived;
use crate::tokens::site;

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut data = DataOptions::default();
    let mut derived = Derived::parse(input, "event", data::KNOWN, &mut |meta, errors| {
        data.parse(meta, errors)
    })?;
    derived.reject_lifetimes("event");
    if !data.is_given() {
        derived.errors.push(
            &derived.input.ident,
            "any type can be an event, and the derive is for those that are `data`\nhelp: add `#[event(data = \"game.hit\")]`, or remove `Event` from the derives",
        );
    }
    let data = data.expand("event", &mut derived);
    let data = data.unwrap_or_else(|| quote!(&[]));

    let private = derived.root.private(site());
    let (generics, ty, bounds) = derived.header();
    let implementation = quote! {
        impl #generics #private::DataEvent for #ty #bounds {
            const DATA: &'static [#private::DataType] = #data;
        }
    };
    Ok(derived.finish(&implementation))
}

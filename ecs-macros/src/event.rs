//! `#[derive(Event)]`.

use proc_macro2::TokenStream;
use syn::Result;

use crate::data::{self, Described};
use crate::derive::Derived;
use crate::options::Table;
use crate::tokens::site;

pub(crate) const OPTIONS: Table = &[&data::OPTIONS];

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut derived = Derived::parse(input, "event", OPTIONS)?;
    derived.reject_lifetimes("event");
    if !data::is_given(&derived) {
        derived.errors.push(
            &derived.input.ident,
            "any type can be an event, and the derive is for those that are `data`\nhelp: add `#[event(data = \"game.hit\")]`, or remove `Event` from the derives",
        );
    }
    let data = Described::of("event", &mut derived);
    let private = derived.root.private(site());
    let data = data.map_or_else(|| quote!(&[]), |data| data.expand(&derived));
    let (generics, ty, bounds) = derived.header();
    let implementation = quote! {
        impl #generics #private::DataEvent for #ty #bounds {
            const DATA: &'static [#private::DataType] = #data;
        }
    };
    Ok(derived.finish(&implementation))
}

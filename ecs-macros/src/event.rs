//! `#[derive(Event)]`.

use crate::attributes::is_any;
use crate::data::{self, Described};
use crate::derive::Derived;
use crate::options::Table;
use crate::prelude::*;

pub(crate) const OPTIONS: Table = &[&data::OPTIONS];

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut derived = Derived::parse(input, "event", OPTIONS)?;
    derived.reject_lifetimes("event");
    if !data::is_given(&derived) {
        // The derive declares them for this error only.
        let is_other =
            |attribute: &&Attribute| is_any(attribute, &["component", "resource", "relation"]);
        let (at, help) = match derived.input.attrs.iter().find(is_other) {
            Some(other) => (
                other.path().to_token_stream(),
                "write `#[event(data = \"game.hit\")]` in its place",
            ),
            None => (
                derived.input.ident.to_token_stream(),
                "add `#[event(data = \"game.hit\")]`",
            ),
        };
        derived.errors.push(
            at,
            format!("any type can be an event, and the derive is for those that are `data`\nhelp: {help}, or remove `Event` from the derives"),
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

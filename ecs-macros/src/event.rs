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
        let mut attributes = derived.input.attrs.iter();
        let other = attributes.find(|it| is_any(it, &["component", "resource", "relation"]));
        let (at, word, place) = match other {
            Some(other) => (other.path().to_token_stream(), "write", " in its place"),
            None => (derived.input.ident.to_token_stream(), "add", ""),
        };
        reject!(derived.errors, at =>
            "any type can be an event, and the derive is for those that are `data`\nhelp: {word} `#[event(data = \"game.hit\")]`{place}, or remove `Event` from the derives");
    }
    let data = Described::of("event", &mut derived);
    let private = derived.private();
    let data = data.map_or_else(|| quote!(&[]), |data| data.expand(&derived));
    let data = quote!(const DATA: &'static [#private::DataType] = #data;);
    let implementation = derived.implement("DataEvent", &data);
    Ok(derived.finish(&implementation))
}

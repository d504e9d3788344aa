//! `#[derive(Resource)]`.

use crate::data::{self, Described};
use crate::derive::Derived;
use crate::options::Table;
use crate::prelude::*;

pub(crate) const OPTIONS: Table = &[&data::OPTIONS];

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut derived = Derived::parse(input, "resource", OPTIONS)?;
    derived.reject_lifetimes("resource");
    derived.reject_rc("resource");
    let data = Described::of("resource", &mut derived);
    let data = data.map(|data| data.expand(&derived));
    let private = derived.root.private(site());
    let (identity, place) = derived.identity("IDENTITY", derived.text("data"), data.as_ref());
    let (generics, ty, bounds) = derived.header();
    let implementation = quote! {
        #place

        impl #generics #private::Resource for #ty #bounds {
            #identity
        }
    };
    Ok(derived.finish(&implementation))
}

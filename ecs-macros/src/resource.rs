//! `#[derive(Resource)]`.

use proc_macro2::TokenStream;
use syn::Result;

use crate::data::{self, DataOptions};
use crate::derive::Derived;
use crate::tokens::site;

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut data = DataOptions::default();
    let mut derived = Derived::parse(input, "resource", data::KNOWN, &mut |meta, errors| {
        data.parse(meta, errors)
    })?;
    derived.reject_lifetimes("resource");
    let name = data.name.clone();
    let data = data.expand("resource", &mut derived);

    let private = derived.root.private(site());
    let identity = derived.identity(name.as_ref(), data.as_ref());
    let (generics, ty, bounds) = derived.header();
    let implementation = quote! {
        impl #generics #private::Resource for #ty #bounds {
            #identity
        }
    };
    Ok(derived.finish(&implementation))
}

//! `#[derive(Resource)]`.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Result;

use crate::derive::Derived;

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut derived = Derived::parse(input, "resource", "", &mut |_, _| Ok(false))?;
    derived.reject_lifetimes("resource");

    let private = derived.root.private(Span::mixed_site());
    let identity = derived.identity(None);
    let (generics, ty, bounds) = derived.header();
    let implementation = quote! {
        impl #generics #private::Resource for #ty #bounds {
            #identity
        }
    };
    Ok(derived.finish(&implementation))
}

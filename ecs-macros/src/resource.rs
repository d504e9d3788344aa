//! `#[derive(Resource)]`.

use proc_macro2::{Span, TokenStream};
use quote::quote;

use crate::derive::Derived;

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let derived = Derived::parse(input, "resource", "`crate = path`", &mut |_, _| Ok(false));
    let mut derived = match derived {
        Ok(derived) => derived,
        Err(error) => return error,
    };
    derived.refuse_lifetimes("resource");

    let private = derived.root.private(Span::mixed_site());
    let name = &derived.input.ident;
    let identity = derived.identity(None);
    let (generics, arguments, _) = derived.input.generics.split_for_impl();
    let bounds = derived.where_threads_may_share();
    let implementation = quote! {
        impl #generics #private::Resource for #name #arguments #bounds {
            #identity
        }
    };
    derived.finish(&implementation)
}

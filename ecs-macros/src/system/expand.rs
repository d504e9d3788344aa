//! The code of a system.
//!
//! There are few bodies, as each one costs compile time: the function that callers see, the function as written, the
//! metadata, the list of parameters with a closure that calls it, and a small constant per parameter that reports
//! conflicts.

use proc_macro2::TokenStream;

use super::expansion::Expansion;
use super::model::System;

/// Returns the code of a correct system; `with_inner` says whether it contains the function as written.
pub(super) fn expand(system: &System, with_inner: bool) -> TokenStream {
    let code = Expansion::new(system);
    let body = if system.is_exclusive() {
        code.exclusive_body()
    } else {
        code.shared_body()
    };
    let wrapper = code.wrapper(&body);
    let hidden_type = code.declaration();
    let inner = with_inner.then(|| code.inner());
    let (name, meta) = (code.name_constant(), code.meta());
    let call = code.call();
    let observer = code.observer(&code.observer_body());
    let has_inner = code.has_inner();
    let probes = code.probes();
    let conflicts = code.conflicts();
    // The metadata first: an error in a parameter precedes those in the body that follow from it.
    quote!(#wrapper #hidden_type #name #meta #inner #call #observer #has_inner #probes #conflicts)
}

/// Returns the code of a system with errors: it can be called and scheduled, so that its uses are no further errors.
///
/// `with_inner` says whether it contains the function as written; a method has that in its block.
pub(super) fn stub(system: &System, with_inner: bool) -> TokenStream {
    let code = Expansion::new(system);
    let inner = with_inner.then(|| code.uncalled_inner());
    let private = &code.private;
    let broken = quote!(#private::broken());
    let arguments = system.arguments().map(|param| {
        let name = &param.binding;
        quote!(let _ = #name;)
    });
    let world = system.world();
    let wrapper = code.wrapper(&quote!(#(#arguments)* let _ = #world; #broken));
    let hidden_type = code.declaration();
    let (generics, ty, bounds) = (&code.generics, &code.ty, &code.bounds);
    let attrs = &code.attrs;
    let call = code.broken_visit();
    let observer = code.observer(&broken);
    quote! {
        #wrapper
        #hidden_type
        #inner
        #(#attrs)*
        impl #generics #private::System for #ty #bounds {
            const META: #private::SystemMeta = #private::SystemMeta::new("", &[]);
        }
        #call
        #observer
    }
}

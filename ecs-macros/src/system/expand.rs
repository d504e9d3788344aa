//! The code of a system.
//!
//! A system has few bodies, because each one costs compile time: the function that callers see, the original function, the
//! metadata, the list of parameters with a closure that calls it, and a small constant per parameter that reports conflicts.

use super::expansion::{Expansion, attributes};
use super::model::SystemModel;
use crate::attributes::cfgs;
use crate::prelude::*;

/// Returns the code of a correct system; `with_inner` says whether it contains the function as written.
pub(super) fn expand(system: &SystemModel, with_inner: bool) -> TokenStream {
    let code = Expansion::new(system);
    let wrapper = with_site_before(system.function.fn_token.span, || {
        let code = Expansion::new(system);
        code.wrapper(&match system.is_exclusive() {
            true => code.exclusive_body(),
            false => code.shared_body(),
        })
    });
    let hidden_type = code.declaration();
    let (inner, name) = (with_inner.then(|| code.inner()), code.constants());
    let (meta, call, observer) = (code.meta(), code.call(), code.observer());
    let (has_inner, probes, conflicts) = (code.has_inner(), code.probes(), code.conflicts());
    let (outside, inside) = match code.checks_instances() {
        true => (Some(meta), None),
        false => (None, Some(meta)),
    };
    let items = quote!(#inside #call #observer #has_inner #probes #conflicts);
    let (scope, attrs) = (system.root.in_scope(&items), &code.attrs);
    // The metadata first: an error in a parameter precedes the errors that it causes in the body.
    // Of a loop, whose items are checked elsewhere, the function: an editor completes a type at the first place that has it.
    let mut parts = [Some(quote!(#(#attrs)* #scope)), inner];
    if system.for_each {
        parts.reverse();
    }
    quote!(#wrapper #hidden_type #name #outside #(#parts)*)
}

/// Returns the code of a system with errors, which contains them.
///
/// Uses of the system cause no further errors: it becomes a constant whose type contains the errors, and is unknown
/// because of them. A generic system, which is named with its arguments, becomes a function of the world.
///
/// Returns the tokens that precede it, outside of a block, and the code itself.
pub(super) fn stub(system: &SystemModel, errors: Errors) -> (TokenStream, TokenStream) {
    let function = &system.function;
    let (vis, name) = (&function.vis, &function.ident);
    let attrs = attributes(system, &["doc", "deprecated", "cfg"]);
    let generics = system.without_lifetimes();
    if generics.params.is_empty() {
        let (offers, errors) = errors.into_parts();
        let constant = quote! {
            #(#attrs)*
            #[allow(non_upper_case_globals, unused_braces)]
            #vis const #name: [(); { #errors }] = [];
        };
        return (offers, constant);
    }
    let code = Expansion::new(system);
    let private = &code.private;
    let generics = system.with_static_types(generics);
    let (params, _, bounds) = generics.split_for_impl();
    let output = code.output();
    let world = code.world(&quote!(#private::Broken));
    let cfgs = cfgs(&function.attrs);
    let function = quote! {
        #(#attrs)*
        #vis fn #name #params(_: #world) #output #bounds { #private::broken() }
    };
    (errors.into_tokens_if(&cfgs), function)
}

//! What a system does with its parameters: the list of them, and a closure that calls the function.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};

use super::each;
use super::expand::Expansion;
use super::model::System;
use super::param::{Kind, Param, hidden};
use crate::lists::listed;

/// The longest list that is a tuple.
const TUPLE: usize = 8;

/// The list of parameters brought together with the function by a method of the list whose name starts with `prefix` and
/// which is applied to `generics` and given `first` before the function.
///
/// Most lists are tuples, which compile fastest. A `cfg` on a parameter can be repeated on a statement, but not on a part
/// of a pattern: there, and where there are more parameters than a tuple has, the list grows and shrinks by statements.
pub(super) fn parts(
    code: &Expansion<'_>,
    prefix: &str,
    generics: &TokenStream,
    first: &TokenStream,
) -> TokenStream {
    let system = code.system;
    let private = system.root.private(Span::mixed_site());
    let params: Vec<&Param> = listed(system.borrowed());
    let is_tuple = params.len() <= TUPLE && params.iter().all(|param| param.cfg.is_empty());
    let types = params.iter().map(|param| param.supplied(system));
    let items = params.iter().find(|param| param.kind == Kind::Items);
    // The function itself compiles faster than a closure that calls it.
    if is_tuple
        && items.is_none()
        && system.arguments().next().is_none()
        && system.function.generics.lifetimes().next().is_none()
    {
        let function = code.function();
        return quote! {{
            use #private::BrokenList as _;
            <#private::List<(#(#types,)*)>>::plain(#first, #function)
        }};
    }
    let bindings = params.iter().map(|param| &param.binding);
    let (grown, pattern, unpack) = if is_tuple {
        let pattern = quote!((#(#bindings,)*));
        (quote!(#private::list::<(#(#types,)*)>()), pattern, None)
    } else {
        let list = hidden("list");
        let grow = params.iter().zip(types).map(|(param, ty)| {
            let cfg = param.cfgs();
            quote!(#cfg let #list = #list.and::<#ty>();)
        });
        let shrink = params.iter().zip(bindings).rev().map(|(param, binding)| {
            let cfg = param.cfgs();
            quote!(#cfg let (#list, #binding) = #list;)
        });
        (
            quote!({ let #list = #private::list::<()>(); #(#grow)* #list }),
            list.to_token_stream(),
            Some(quote!(#(#shrink)* let _ = #list;)),
        )
    };
    let call = code.function_call();
    let (how, run) = match items {
        Some(items) => ("each", each::run(system, &value(system, items), &call)),
        None => ("once", call),
    };
    let how = hidden(&format!("{prefix}{how}"));
    let checks = items.map(|_| {
        let checks = each::checks(system);
        quote!(use #private::Unknown as _; #checks)
    });
    quote! {{
        use #private::BrokenList as _;
        #checks
        #grown.#how #generics (#first, move |#pattern| { #unpack #run })
    }}
}

impl Expansion<'_> {
    /// The function as written.
    fn function(&self) -> TokenStream {
        let (ty, function) = (&self.path, &self.system.function.ident);
        quote!(#ty::#function)
    }

    /// The call of the function as written.
    fn function_call(&self) -> TokenStream {
        let system = self.system;
        let private = system.root.private(Span::mixed_site());
        let values = system.written().map(|param| {
            let cfg = param.cfgs();
            let value = match param.kind {
                Kind::Item => each::value(param, &private),
                Kind::Argument => param.binding.to_token_stream(),
                _ if system.for_each => value(system, param),
                _ => param.binding.to_token_stream(),
            };
            quote!(#cfg #value)
        });
        let function = self.function();
        quote!(#function(#(#values),*))
    }
}

/// What a function that is called for each entity is given: anew for each call.
fn value(system: &System, param: &Param) -> TokenStream {
    let guard = &param.binding;
    let last = param.span();
    if param.kind != Kind::Items && system.parallel.is_some() {
        let get = param.item_of(system, "SharedParam", "get_shared");
        let arguments = quote_spanned!(last=> (&*#guard));
        return quote!(#get #arguments);
    }
    let get = param.item(system, "get");
    let arguments = quote_spanned!(last=> (&mut *#guard));
    quote!(#get #arguments)
}

//! The loop of a system that is called for each entity.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::Type;

use super::item;
use super::model::System;
use super::param::{Param, ParamKind};
use crate::lifetimes;
use crate::tokens::{TokenList, ends, hidden};
use crate::types::mutable_reference;

/// Returns the loop, which makes `call` for each entity of `query`.
pub(super) fn run(system: &System, query: &TokenStream, call: &TokenStream) -> TokenStream {
    let items = system.params.iter().filter(|p| p.kind == ParamKind::Item);
    let items = items.map(|param| {
        let binding = &param.binding;
        match mutable_reference(&param.ty) {
            Some(_) => quote!(mut #binding),
            None => quote!(#binding),
        }
    });
    let items = quote!((#(#items,)*));
    let returned = system.function.returned();
    // Errors about the loop are errors in the items or the return type, and shown there.
    let span = returned.map_or_else(
        || {
            let mut params = system.params.iter();
            params.find(|p| p.kind == ParamKind::Items).map(Param::span)
        },
        |ty| Some(ends(ty).1),
    );
    let span = span.unwrap_or_else(Span::call_site);
    let f = quote_spanned!(span=> |#items| { #call });
    let is_unit = returned.is_none_or(is_unit);
    let private = system.root.private(span);
    let out = hidden("out");
    let run = match (system.parallel, is_unit) {
        (Some(option), true) => {
            // Without the feature there is no such function: that error is shown at the option.
            let private = system.root.private(option);
            let function = quote_spanned!(option=> #private::par_for_each);
            quote_spanned!(span=> #function(&mut #query, #f))
        }
        (Some(_), false) => quote_spanned!(span=> #private::try_par_for_each(&mut #query, #f)),
        (None, true) => {
            let for_each = quote_spanned!(span=> for_each(#f));
            quote!(#query.#for_each)
        }
        // `for_each` cannot stop at an error.
        (None, false) => quote_spanned!(span=> #private::until_failed(#query.iter_mut(), #f)),
    };
    // A statement each, so that the borrows of the query end first.
    if is_unit {
        return quote!(#run;);
    }
    quote!(let #out = #run; #out)
}

/// Returns checks of each item, each filter and each other parameter, at the span of its type.
///
/// They name functions without calling them. If one does not compile, the compiler reports no errors about the loop.
pub(super) fn checks(system: &System) -> TokenStream {
    let mut checks = TokenStream::new();
    let mut add = |cfg: TokenStream, check: &str, ty: &Type| {
        let ty = lifetimes::replace(ty, &system.function.generics, "_");
        let (first, last) = ends(&ty);
        let (private, check) = (system.root.private(first), Ident::new(check, last));
        let check = quote_spanned!(last=> #private::#check::<#ty>);
        checks.extend(quote!(#cfg let _ = #check;));
    };
    for param in &system.params {
        let check = match (param.kind, item::component(&param.ty)) {
            (ParamKind::Item, Some((component, tracked))) => {
                add(TokenStream::new(), is_component(tracked), component);
                continue;
            }
            (ParamKind::Item, None) if param.deciding.is_some() => "item",
            (ParamKind::Borrowed, _) if system.parallel.is_some() => "shared",
            (ParamKind::Borrowed, _) => "param",
            _ => continue,
        };
        add(param.cfgs(), check, &param.ty);
    }
    for (filter, ty) in &system.filters {
        let tracked = ["Changed", "Added", "Mutated"].contains(filter);
        add(TokenStream::new(), is_component(tracked), ty);
    }
    checks
}

fn is_component(tracked: bool) -> &'static str {
    if tracked { "tracked" } else { "component" }
}

/// Returns the argument for an item: the item of a tracked component has to be converted to `&mut`.
pub(super) fn value(param: &Param, private: &TokenList) -> TokenStream {
    let binding = &param.binding;
    match mutable_reference(&param.ty) {
        Some((_, false)) => quote!(#private::through(&mut #binding)),
        Some((_, true)) => quote!(#private::Option::as_deref_mut(&mut #binding)),
        None => binding.to_token_stream(),
    }
}

fn is_unit(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty())
}

//! Systems that are called for each entity: the loop that the macro writes.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::Type;

use super::classify::{self, Mutable};
use super::lifetimes;
use super::model::System;
use super::options::Each;
use super::param::{Cache, Kind, Param, ends, hidden, hidden_at};
use crate::lists::listed;
use crate::paths::{Root, Words};
use crate::pretty;

/// The query that fetches the items; `None` if there are none.
pub(super) fn query(each: &Each, params: &[Param], root: &Root) -> Option<Param> {
    let items: Vec<&Param> = listed(params.iter().filter(|p| p.kind == Kind::Item));
    // The query stands at the place of the items: what is wrong with one is shown there.
    let first = ends(&items.first()?.ty).0;
    let last = items.last()?.span();
    let private = root.private(first);
    let types: Vec<&Type> = listed(items.iter().map(|p| &p.ty));
    let data = quote_spanned!(last=> (#(#types,)*));
    let filter = filter(each, &private, last);
    let open = quote_spanned!(first=> #private::Query);
    let ty = Type::Verbatim(quote_spanned!(last=> #open<'_, #data, #filter>));
    let names: Vec<String> = listed(items.iter().map(|p| p.label.clone()));
    Some(Param {
        kind: Kind::Items,
        attrs: Vec::new(),
        cfg: Vec::new(),
        pattern: TokenStream::new(),
        binding: hidden_at("items", last),
        type_text: text(&types, &each.filters),
        label: names.join(", "),
        ty,
        decider: None,
        words: Cache::default(),
    })
}

fn filter(each: &Each, private: &Words, span: Span) -> TokenStream {
    let filters = each.filters.iter().map(|(name, ty)| {
        let name = Ident::new(name, span);
        quote_spanned!(span=> #private::#name<#ty>)
    });
    quote_spanned!(span=> (#(#filters,)*))
}

/// The query as people would write it.
fn text(types: &[&Type], filters: &[(&str, Type)]) -> String {
    let line = |ty: &Type| pretty::line(ty.to_token_stream());
    let group = |list: Vec<String>| match list.as_slice() {
        [one] => one.clone(),
        many => format!("({})", many.join(", ")),
    };
    let data = group(listed(types.iter().map(|ty| line(ty))));
    if filters.is_empty() {
        return format!("Query<{data}>");
    }
    let filters = filters
        .iter()
        .map(|(name, ty)| format!("{name}<{}>", line(ty)));
    format!("Query<{data}, {}>", group(listed(filters)))
}

/// The loop, which makes `call` for each entity of `query`.
pub(super) fn run(system: &System, query: &TokenStream, call: &TokenStream) -> TokenStream {
    let items = system.params.iter().filter(|p| p.kind == Kind::Item);
    let items = items.map(|param| {
        let binding = &param.binding;
        match classify::mutable(&param.ty) {
            Some(_) => quote!(mut #binding),
            None => quote!(#binding),
        }
    });
    let items = quote!((#(#items,)*));
    let returned = system.function.returned();
    // What is wrong with the loop is wrong with the items or with what is returned: it is shown there.
    let place = returned.map_or_else(
        || {
            let mut params = system.params.iter();
            params.find(|p| p.kind == Kind::Items).map(Param::span)
        },
        |ty| Some(ends(&ty).1),
    );
    let place = place.unwrap_or_else(Span::call_site);
    let f = quote_spanned!(place=> |#items| { #call });
    let is_unit = returned.is_none_or(is_unit);
    let at = system.root.private(place);
    let out = hidden("out");
    let run = match (system.parallel, is_unit) {
        (Some(option), true) => {
            // Without the feature there is no such function, which the compiler says at the place of the option.
            let at = system.root.private(option);
            let function = quote_spanned!(option=> #at::par_for_each);
            quote_spanned!(place=> #function(&mut #query, #f))
        }
        (Some(_), false) => quote_spanned!(place=> #at::try_par_for_each(&mut #query, #f)),
        (None, true) => {
            let for_each = quote_spanned!(place=> for_each(#f));
            quote!(#query.#for_each)
        }
        // `for_each` cannot stop at an error.
        (None, false) => quote_spanned!(place=> #at::until_failed(#query.iter_mut(), #f)),
    };
    // A statement each, so that the borrows of the query end first.
    if is_unit {
        return quote!(#run;);
    }
    quote!(let #out = #run; #out)
}

/// What must be true of each item, each filter and each other parameter, at the place of its type.
///
/// They are functions that are named and not called. Where one is wrong the compiler does not go on about the loop.
pub(super) fn checks(system: &System) -> TokenStream {
    let mut checks = TokenStream::new();
    let mut add = |cfg: TokenStream, check: &str, ty: &Type| {
        let ty = lifetimes::erase(ty.to_token_stream(), &|name| system.declares(name));
        let (first, last) = ends(&ty);
        let (private, check) = (system.root.private(first), Ident::new(check, last));
        let check = quote_spanned!(last=> #private::#check::<#ty>);
        checks.extend(quote!(#cfg let _ = #check;));
    };
    for param in &system.params {
        let check = match (param.kind, classify::component(&param.ty)) {
            (Kind::Item, Some((component, tracked))) => {
                add(TokenStream::new(), is_component(tracked), component);
                continue;
            }
            (Kind::Item, None) if param.decider.is_some() => "item",
            (Kind::Borrowed, _) if system.parallel.is_some() => "shared",
            (Kind::Borrowed, _) => "param",
            _ => continue,
        };
        add(param.cfgs(), check, &param.ty);
    }
    for (filter, ty) in &system.filters {
        let tracked = ["Changed", "Added"].contains(filter);
        add(TokenStream::new(), is_component(tracked), ty);
    }
    checks
}

fn is_component(tracked: bool) -> &'static str {
    if tracked { "tracked" } else { "component" }
}

/// What the function is called with for an item: the item of a tracked component is no `&mut` yet.
pub(super) fn value(param: &Param, private: &Words) -> TokenStream {
    let binding = &param.binding;
    match classify::mutable(&param.ty) {
        Some(Mutable::Always) => quote!(#private::through(&mut #binding)),
        Some(Mutable::Optional) => quote!(#private::Option::as_deref_mut(&mut #binding)),
        None => binding.to_token_stream(),
    }
}

fn is_unit(ty: &Type) -> bool {
    matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty())
}

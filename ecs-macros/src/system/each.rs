//! The loop of a system that is called for each entity, and the query over its items.

use super::item;
use super::model::SystemModel;
use super::options::ForEach;
use super::param::{Context, Param, ParamKind};
use crate::prelude::*;
use crate::types::from_item;

/// Returns the loop that makes `call` for each entity of `query`.
pub(super) fn run(system: &SystemModel, query: &TokenStream, call: &TokenStream) -> TokenStream {
    let items = system.items().map(|param| &param.binding);
    let items = quote!((#(#items,)*));
    // Errors about the loop come from the items or the return type, and are shown there. Names follow an item, so that no
    // editor takes them for the user's. A wrong return type is an error of the names.
    let item = || system.items().last().map_or_else(site, Param::span);
    let output = system.function.returned().map(|ty| ends(ty).1);
    let (span, names) = output.map_or_else(|| (item(), after(item())), |last| (last, last));
    let end = system.end();
    let f = quote_spanned!(span=> |#items| { #call #end });
    let is_unit = system.function.returns_unit();
    let private = system.root.private(names);
    let out = local("out");
    let run = match (system.parallel, is_unit) {
        (Some(option), true) => {
            // Without the feature the function does not exist: that error is shown at the option.
            let private = system.root.private(option);
            let function = quote_spanned!(option=> #private::par_for_each);
            quote_spanned!(names=> #function(&mut #query, #f))
        }
        (Some(_), false) => quote_spanned!(names=> #private::try_par_for_each(&mut #query, #f)),
        (None, true) => {
            let for_each = quote_spanned!(names=> for_each(#f));
            quote!(#query.#for_each)
        }
        // `for_each` cannot stop at an error.
        (None, false) => quote_spanned!(names=> #private::until_failed(#query.iter_mut(), #f)),
    };
    // A separate statement, so that the borrows of the query end first.
    match is_unit {
        true => quote!(#run;),
        // With a type, so that no lint asks to leave the variable out.
        false => quote!(let #out: _ = #run; #out),
    }
}

/// Returns checks of each item, each filter and each other parameter, at the span of its type.
///
/// They name functions without calling them. If one does not compile, the compiler reports no errors about the loop. The same is
/// true of a type that is unknown because the metadata do not compile.
pub(super) fn checks(system: &SystemModel) -> TokenStream {
    let private = system.root.private(site());
    let mut checks = TokenStream::new();
    let check = |check: &str, ty: &dyn ToTokens| {
        let ty = lifetimes::replace(ty, &system.function.generics, "_");
        let check = hidden(check);
        quote!(let _ = #private::#check::<#ty>;)
    };
    let kind = |tracked| if tracked { "tracked" } else { "component" };
    let of_component = |tracked, ty: &Type| check(kind(tracked), ty);
    for param in &system.params {
        match param.kind {
            ParamKind::Item => {
                for ty in item::members(&param.ty) {
                    checks.extend(match item::component(ty) {
                        Some((component, tracked)) => of_component(tracked, component),
                        None if param.deciding.is_empty() => continue,
                        None => check("item", ty),
                    });
                }
            }
            ParamKind::Borrowed if system.is_silenced(param) => {
                let alias = system.silencing_alias(site());
                checks.extend(quote!(let _: #alias<()>;));
            }
            ParamKind::Borrowed => {
                let of = system.parallel.map_or("param", |_| "shared");
                checks.extend(check(of, &param.placed));
            }
            _ => {}
        }
    }
    for (filter, ty) in &system.filters {
        let tracked = ["Changed", "Added", "Mutated"].contains(filter);
        checks.extend(of_component(tracked, ty));
    }
    checks
}

/// Returns a parameter, the query that fetches the items; none if the system has no items.
pub(super) fn query(for_each: &ForEach, params: &[Param], context: Context<'_>) -> Option<Param> {
    let items: Vec<&Param> = to_vec(params.iter().filter(|p| p.kind == ParamKind::Item));
    // The query has the spans of the items: an error in an item is shown there.
    let first = before(items.first()?.ends.0);
    let last = after(items.last()?.span());
    let private = context.root.private(first);
    let types: Vec<&Type> = to_vec(items.iter().map(|p| &p.ty));
    let filters = for_each.filters.iter().map(|(name, ty)| {
        let name = Ident::new(name, last);
        quote_spanned!(last=> #private::#name<#ty>)
    });
    let open = quote_spanned!(first=> #private::Query);
    let ty = quote_spanned!(last=> #open<'_, (#(#types,)*), (#(#filters,)*)>);
    let filters = for_each.filters.iter();
    let filters = filters.map(|(name, ty)| format!("{name}<{}>", pretty::line(ty)));
    let label = to_vec(items.iter().map(|p| p.label.clone())).join(", ");
    let text = text(to_vec(types.iter().map(pretty::line)), to_vec(filters));
    let (kind, binding, generics) = (ParamKind::Items, local_at("items", last), context.generics);
    Some(Param::generated(kind, (label, text), binding, ty, generics))
}

/// Returns a query as text.
pub(super) fn text(data: Vec<String>, filters: Vec<String>) -> String {
    match (tuple(data), filters.is_empty()) {
        (data, true) => format!("Query<{data}>"),
        (data, false) => format!("Query<{data}, {}>", tuple(filters)),
    }
}

/// Returns a tuple as text; one member alone.
pub(super) fn tuple(members: Vec<String>) -> String {
    match members.as_slice() {
        [one] => one.clone(),
        all => format!("({})", all.join(", ")),
    }
}

/// Returns the argument for an item.
pub(super) fn value(param: &Param, private: &TokenList) -> TokenStream {
    let item = param.binding.to_token_stream();
    from_item(&item, &param.ty, private).unwrap_or(item)
}

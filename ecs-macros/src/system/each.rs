//! The loop of a system that is called for each entity.

use super::item;
use super::model::SystemModel;
use super::param::{Param, ParamKind};
use crate::lifetimes;
use crate::prelude::*;
use crate::types::from_item;

/// Returns the loop that makes `call` for each entity of `query`.
pub(super) fn run(system: &SystemModel, query: &TokenStream, call: &TokenStream) -> TokenStream {
    let items = system.params.iter().filter(|p| p.kind == ParamKind::Item);
    let items = items.map(|param| &param.binding);
    let items = quote!((#(#items,)*));
    // Errors about the loop come from the items or the return type, and are shown there. Names follow an item, so that no
    // editor takes them for the user's. A wrong return type is an error of the names.
    let (span, names) = if let Some(ty) = system.function.returned() {
        let last = ends(ty).1;
        (last, last)
    } else {
        let mut params = system.params.iter().rev();
        let last = params.find(|p| p.kind == ParamKind::Item);
        let last = last.map_or_else(site, Param::span);
        (last, after(last))
    };
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
    if is_unit {
        return quote!(#run;);
    }
    quote!(let #out = #run; #out)
}

/// Returns checks of each item, each filter and each other parameter, at the span of its type.
///
/// They name functions without calling them. If one does not compile, the compiler reports no errors about the loop. The same is
/// true of a type that is unknown because the metadata do not compile.
pub(super) fn checks(system: &SystemModel) -> TokenStream {
    let private = system.root.private(site());
    let mut checks = TokenStream::new();
    let add = |checks: &mut TokenStream, check: &str, ty: &dyn ToTokens| {
        let ty = lifetimes::replace(ty, &system.function.generics, "_");
        let check = Ident::new(check, site());
        let check = quote!(#private::#check::<#ty>);
        checks.extend(quote!(let _ = #check;));
    };
    for param in &system.params {
        let check = match param.kind {
            ParamKind::Item => {
                for ty in item::members(&param.ty) {
                    if let Some((component, tracked)) = item::component(ty) {
                        add(&mut checks, is_component(tracked), component);
                    } else if !param.deciding.is_empty() {
                        add(&mut checks, "item", ty);
                    }
                }
                continue;
            }
            ParamKind::Borrowed if system.is_silenced(param) => {
                let alias = system.silencing_alias();
                checks.extend(quote!(let _: #alias<()>;));
                continue;
            }
            ParamKind::Borrowed if system.parallel.is_some() => "shared",
            ParamKind::Borrowed => "param",
            _ => continue,
        };
        add(&mut checks, check, &param.placed);
    }
    for (filter, ty) in &system.filters {
        let tracked = ["Changed", "Added", "Mutated"].contains(filter);
        add(&mut checks, is_component(tracked), ty);
    }
    checks
}

fn is_component(tracked: bool) -> &'static str {
    if tracked { "tracked" } else { "component" }
}

/// Returns the argument for an item.
pub(super) fn value(param: &Param, private: &TokenList) -> TokenStream {
    let item = param.binding.to_token_stream();
    from_item(&item, &param.ty, private).unwrap_or(item)
}

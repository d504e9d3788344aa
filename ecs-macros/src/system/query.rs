//! The query over the items of a system that is called for each entity.

use super::options::ForEach;
use super::param::{Context, Param, ParamKind};
use crate::prelude::*;

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
    let (kind, binding) = (ParamKind::Items, local_at("items", last));
    Some(Param::generated(
        kind,
        (label, text),
        binding,
        ty,
        context.generics,
    ))
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

//! The read-only variant of a struct that writes: the same fields with `&` for `&mut`.

use crate::attributes;
use crate::derive::Derived;
use crate::prelude::*;
use crate::structs::{FieldModel, Struct};
use crate::types::{inside, inside_mut, is_named, strip};

/// Returns whether the tokens of a field's type show that it only reads: a reference, an optional one, or an id.
pub(super) fn reads(ty: &Type) -> bool {
    match strip(ty) {
        Type::Reference(reference) => reference.mutability.is_none(),
        Type::Tuple(tuple) => tuple.elems.iter().all(reads),
        ty if is_named(ty, "Option") || is_named(ty, "Any") => inside(ty).into_iter().all(reads),
        ty => is_named(ty, "Entity"),
    }
}

pub(super) fn name(name: &Ident) -> Ident {
    let span = site().located_at(name.span());
    format_ident!("{}ReadOnly", name.unraw(), span = span)
}

/// Declares the variant, with the visibility and documentation of the struct itself.
pub(super) fn declaration(model: &Struct, variant: &Ident) -> TokenStream {
    let (input, fields) = (&model.derived.input, &model.fields);
    let generics = &input.generics;
    let (params, bounds) = (model.parameters(generics), &generics.where_clause);
    let (vis, levels) = (&input.vis, attributes::levels_of_derive(&input.attrs));
    let text = format!(
        "The read-only variant of [`{name}`]: the item of a `Query<{name}>` that is read.",
        name = input.ident
    );
    let declared = fields.iter().map(|field| {
        let (vis, ty) = (&field.vis, read_only(model, field));
        let text = format!("See [`{}::{}`].", input.ident, field.label());
        let name = match &field.member {
            Member::Named(name) => Some(quote!(#name:)),
            Member::Unnamed(_) => None,
        };
        quote!(#[doc = #text] #vis #name #ty,)
    });
    let body = match fields.first().map(|field| &field.member) {
        Some(Member::Unnamed(_)) => frame!((#(#declared)*) #bounds;),
        _ => frame!(#bounds { #(#declared)* }),
    };
    frame!(#levels #[doc = #text] #vis struct #variant #params #body)
}

/// Returns the type of a field in the variant.
fn read_only(model: &Struct, field: &FieldModel) -> TokenStream {
    let shared = shared(&field.ty);
    if reads(&shared) {
        return quote!(#shared);
    }
    // The compiler resolves other types.
    let last = ends(&field.ty).1;
    let private = model.derived.root.private(last);
    let lifetime = first_lifetime(&model.derived, &field.ty);
    let ty = model.fitting_or(field, import(&model.derived.root, "Unknown", site()));
    let data = lifetimes::replace(ty, &model.derived.input.generics, "static");
    quote_spanned!(frame_site().located_at(last)=> #private::ItemOf<#lifetime, <#data as #private::QueryData>::ReadOnly>)
}

/// Returns the value of a field in the variant.
pub(super) fn fitted(model: &Struct, field: &FieldModel) -> TokenStream {
    let (binding, shared) = (&field.binding, shared(&field.ty));
    if reads(&shared) {
        let ty = lifetimes::replace(shared, &model.derived.input.generics, "__a");
        return model.fitted(&ty, "fit", binding);
    }
    binding.to_token_stream()
}

/// Returns the type with shared references for `&mut T` and `Option<&mut T>`.
fn shared(ty: &Type) -> Type {
    let mut shared = ty.clone();
    share(&mut shared);
    shared
}

/// Makes `&mut T` and `Option<&mut T>` shared references.
fn share(ty: &mut Type) {
    if is_named(ty, "Option") {
        let types = inside_mut(ty).into_iter();
        let references = types.filter(|ty| matches!(ty, Type::Reference(_)));
        return references.for_each(share);
    }
    match ty {
        Type::Group(group) => share(&mut group.elem),
        Type::Paren(paren) => share(&mut paren.elem),
        Type::Reference(reference) => reference.mutability = None,
        _ => {}
    }
}

/// Returns the first of the struct's lifetimes that occurs in the type, or the first one of the struct.
fn first_lifetime(derived: &Derived, ty: &Type) -> Lifetime {
    let generics = &derived.input.generics;
    let all = || generics.lifetimes().map(|param| &param.lifetime);
    let found = all().find(|lifetime| lifetimes::mentions(ty, &|name| *name == lifetime.ident));
    let found = found.or_else(|| all().next()).cloned();
    found.unwrap_or_else(|| Lifetime::new("'static", frame_site()))
}

/// Returns code that uses all fields, so that unread fields of the variant cause no warning.
pub(super) fn uses(fields: &[FieldModel]) -> TokenStream {
    let members = fields.iter().map(|field| &field.member);
    quote!(let _ = |__made: &Self::Item<'__a>| { let _ = (#(&__made.#members,)*); };)
}

//! The read-only twin of a struct that writes: the same fields with `&mut` as `&`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{GenericArgument, Lifetime, Member, PathArguments, Type};

use crate::derive::Derived;
use crate::lints;
use crate::regions;
use crate::structs::{Field, ends};

/// Whether one can see that the field only reads: a reference, an optional one, or an id.
pub(super) fn only_reads(field: &Field) -> bool {
    reads(&field.ty)
}

fn reads(ty: &Type) -> bool {
    match ty {
        Type::Group(group) => reads(&group.elem),
        Type::Paren(paren) => reads(&paren.elem),
        Type::Reference(reference) => reference.mutability.is_none(),
        Type::Tuple(tuple) => tuple.elems.iter().all(reads),
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            last.ident == "Entity"
                || last.ident == "Option"
                    && matches!(&last.arguments, PathArguments::AngleBracketed(list)
                        if list.args.iter().all(|arg| matches!(arg, GenericArgument::Type(ty) if reads(ty))))
        }),
        _ => false,
    }
}

pub(super) fn name(derived: &Derived) -> Ident {
    let name = &derived.input.ident;
    format_ident!(
        "{}ReadOnly",
        name.unraw(),
        span = Span::mixed_site().located_at(name.span())
    )
}

/// The twin's declaration: as visible and as documented as the struct itself.
pub(super) fn declaration(derived: &Derived, twin: &Ident, fields: &[Field]) -> TokenStream {
    let site = Span::mixed_site();
    let input = &derived.input;
    let (params, _, bounds) = input.generics.split_for_impl();
    let (vis, levels) = (&input.vis, lints::of_derive(&input.attrs));
    let text = format!(
        "[`{name}`] with `&mut` as `&`: what reading a `Query<{name}>` gives.",
        name = input.ident
    );
    let declared = fields.iter().map(|field| {
        let (vis, ty) = (&field.vis, read_only(derived, &field.ty));
        match &field.member {
            Member::Named(name) => {
                let text = format!("See [`{}::{name}`].", input.ident);
                quote!(#[doc = #text] #vis #name: #ty,)
            }
            Member::Unnamed(index) => {
                let text = format!("See [`{}::{}`].", input.ident, index.index);
                quote!(#[doc = #text] #vis #ty,)
            }
        }
    });
    let is_tuple = matches!(
        fields.first().map(|field| &field.member),
        Some(Member::Unnamed(_))
    );
    if is_tuple {
        quote_spanned!(site=> #levels #[doc = #text] #vis struct #twin #params (#(#declared)*) #bounds;)
    } else {
        quote_spanned!(site=> #levels #[doc = #text] #vis struct #twin #params #bounds { #(#declared)* })
    }
}

/// The type of a field in the twin.
fn read_only(derived: &Derived, ty: &Type) -> TokenStream {
    let mut shared = ty.clone();
    share(&mut shared);
    if reads(&shared) {
        return quote!(#shared);
    }
    // What others fetch is known to the compiler alone.
    let last = ends(&ty.to_token_stream()).1;
    let private = derived.root.private(last);
    let lifetime = first_lifetime(derived, ty);
    let data = regions::replace(ty, &derived.input.generics, "static");
    quote_spanned!(last=> #private::ItemOf<#lifetime, <#data as #private::QueryData>::ReadOnly>)
}

/// Makes `&mut T` and `Option<&mut T>` shared references.
fn share(ty: &mut Type) {
    match ty {
        Type::Group(group) => share(&mut group.elem),
        Type::Paren(paren) => share(&mut paren.elem),
        Type::Reference(reference) => reference.mutability = None,
        Type::Path(path) => {
            let Some(last) = path.path.segments.last_mut() else {
                return;
            };
            if last.ident == "Option"
                && let PathArguments::AngleBracketed(list) = &mut last.arguments
            {
                for argument in &mut list.args {
                    if let GenericArgument::Type(ty @ Type::Reference(_)) = argument {
                        share(ty);
                    }
                }
            }
        }
        _ => {}
    }
}

/// The first of the struct's lifetimes that occurs in the type.
fn first_lifetime(derived: &Derived, ty: &Type) -> Lifetime {
    let generics = &derived.input.generics;
    let mut lifetimes = generics.lifetimes().map(|param| &param.lifetime);
    let found = lifetimes.find(|lifetime| regions::mentions(ty, &lifetime.ident));
    found
        .cloned()
        .unwrap_or_else(|| Lifetime::new("'static", Span::mixed_site()))
}

/// Code that uses all fields: that nobody reads the twin is no mistake of the user.
pub(super) fn fields_are_used(fields: &[Field]) -> TokenStream {
    let members = fields.iter().map(|field| &field.member);
    quote_spanned!(Span::mixed_site()=> let _ = |made: &Self::Item<'__a>| { #(let _ = &made.#members;)* };)
}

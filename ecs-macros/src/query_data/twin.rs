//! The read-only twin of a struct that writes: the same fields with `&mut` as `&`.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};

use crate::derive::Derived;
use crate::regions;
use crate::structs::Field;
use crate::syntax::{Argument, Member, Shape, Type, Words, is_static};

/// Whether one can see that the field only reads: a reference, an optional one, or an id.
pub(super) fn only_reads(field: &Field) -> bool {
    reads(&field.ty)
}

fn reads(ty: &Type) -> bool {
    match &ty.shape {
        Shape::Inside(inner) => reads(inner),
        Shape::Reference(reference) => !reference.is_mut,
        Shape::Tuple(types) => types.iter().all(reads),
        Shape::Path(path) => path.last().is_some_and(|last| {
            let is_read = |argument: &Argument| matches!(argument, Argument::Type(ty) if reads(ty));
            last.name == "Entity" || last.name == "Option" && path.arguments().iter().all(is_read)
        }),
        _ => false,
    }
}

pub(super) fn name(derived: &Derived) -> Ident {
    let name = &derived.input.name;
    format_ident!(
        "{name}ReadOnly",
        span = Span::mixed_site().located_at(name.span())
    )
}

/// The twin's declaration: as visible and as documented as the struct itself.
pub(super) fn declaration(derived: &Derived, twin: &Ident, fields: &[Field]) -> TokenStream {
    let site = Span::mixed_site();
    let input = &derived.input;
    let (params, _, bounds) = input.generics.split_for_impl();
    let vis = &input.visibility;
    let text = format!(
        "[`{name}`] with `&mut` as `&`: what reading a `Query<{name}>` gives.",
        name = input.name
    );
    let declared = fields.iter().map(|field| {
        let (vis, ty) = (&field.vis, read_only(derived, &field.ty));
        match &field.member {
            Member::Named(name) => {
                let text = format!("See [`{}::{name}`].", input.name);
                quote!(#[doc = #text] #vis #name: #ty,)
            }
            Member::Unnamed(index, _) => {
                let text = format!("See [`{}::{index}`].", input.name);
                quote!(#[doc = #text] #vis #ty,)
            }
        }
    });
    let is_tuple = matches!(
        fields.first().map(|field| &field.member),
        Some(Member::Unnamed(..))
    );
    if is_tuple {
        quote_spanned!(site=> #[doc = #text] #vis struct #twin #params (#(#declared)*) #bounds;)
    } else {
        quote_spanned!(site=> #[doc = #text] #vis struct #twin #params #bounds { #(#declared)* })
    }
}

/// The type of a field in the twin.
fn read_only(derived: &Derived, ty: &Type) -> TokenStream {
    let shared = share(ty);
    if reads(&shared) {
        return quote!(#shared);
    }
    // What others fetch is known to the compiler alone.
    let last = ty.ends().1;
    let private = derived.root.private(last);
    let lifetime = first_lifetime(derived, ty);
    let data = regions::replace(ty, &derived.input.generics, "static");
    quote_spanned!(last=> #private::ItemOf<#lifetime, <#data as #private::QueryData>::ReadOnly>)
}

/// The type with `&mut T` and `Option<&mut T>` as shared references.
fn share(ty: &Type) -> Type {
    if let Shape::Inside(inner) = &ty.shape {
        return share(inner);
    }
    if super::mutable(ty).is_none() {
        return ty.clone();
    }
    let mut before = true;
    let words = ty.to_token_stream().into_iter().filter(|token| {
        let is_first = before && matches!(token, TokenTree::Ident(word) if word == "mut");
        before &= !is_first;
        !is_first
    });
    Type::of_tokens(words.collect())
}

/// The first of the struct's lifetimes that occurs in the type.
fn first_lifetime(derived: &Derived, ty: &Type) -> Words {
    let mut lifetimes = derived.input.generics.lifetimes();
    let found = lifetimes.find(|lifetime| regions::mentions(ty, &lifetime.name));
    found.map_or_else(is_static, |lifetime| lifetime.argument())
}

/// Code that uses all fields: that nobody reads the twin is no mistake of the user.
pub(super) fn fields_are_used(fields: &[Field]) -> TokenStream {
    let members = fields.iter().map(|field| &field.member);
    quote_spanned!(Span::mixed_site()=> let _ = |made: &Self::Item<'__a>| { #(let _ = &made.#members;)* };)
}

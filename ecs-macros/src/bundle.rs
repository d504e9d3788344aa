//! `#[derive(Bundle)]`.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Member, Result, Type};

use crate::derive::Derived;
use crate::structs;
use crate::tokens::{ends, frame_site, to_vec};

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut derived = Derived::parse(input, "bundle", "", &mut |_, _| Ok(false))?;
    derived.reject_lifetimes("bundle");
    let fields = derived.fields(
        "Bundle",
        "use a struct, or make it one component: `#[derive(Component)]`",
    );
    let fields: Vec<(Member, &Type)> =
        to_vec(fields.members().zip(fields.iter().map(|field| &field.ty)));
    let implementation = if derived.errors.is_empty() {
        let implementation = implement(&derived, &fields);
        let drop = reject_drop(&derived);
        let duplicates = reject_duplicates(&derived, &fields);
        quote!(#implementation #drop #duplicates)
    } else {
        stub(&derived)
    };
    Ok(derived.finish(&implementation))
}

/// Implements the trait field by field.
///
/// All its tokens come from the macro and none from the user, so that the user's `forbid(unsafe_code)` does not apply.
fn implement(derived: &Derived, fields: &[(Member, &Type)]) -> TokenStream {
    let private = derived.root.private(frame_site());
    // The tokens about a field have its type's span, where a missing `Component` is then shown.
    let bundle = |ty: &Type| {
        let private = derived.root.private(ty.span());
        quote_spanned!(ty.span()=> <#ty as #private::Bundle>)
    };
    let bundles = to_vec(fields.iter().map(|(_, ty)| bundle(ty)));
    let field_type = structs::field_type(&private);
    let indices = to_vec(0..fields.len());
    let types = fields.iter().map(|(_, ty)| ty);
    let types_of_fields = to_vec(fields.iter().zip(&indices).map(|((_, ty), index)| {
        let private = derived.root.private(ty.span());
        quote_spanned!(ty.span()=> <<Self as __FieldType<#index>>::Type as #private::Bundle>)
    }));
    let members = to_vec(fields.iter().map(|(member, _)| member));

    let borrows = fields.iter().map(|(member, ty)| {
        let span = frame_site().located_at(ty.span());
        quote_spanned!(span=> &mut self.#member)
    });

    let mut generics = derived.input.generics.clone();
    if !generics.params.is_empty() {
        generics.where_clause = derived.where_send_sync();
        let where_clause = generics.make_where_clause();
        for (_, ty) in fields {
            where_clause
                .predicates
                .push(syn::parse_quote_spanned!(frame_site()=> #ty: #private::Bundle));
        }
    }
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, arguments, _) = derived.input.generics.split_for_impl();
    let name = &derived.input.ident;
    frame! {const _: () = {
    #field_type
    #(
        impl #impl_generics __FieldType<#indices> for #name #arguments #where_clause {
            type Type = #types;
        }
    )*

    // SAFETY: each function visits all fields, in the order in which they are written; the types of the fields
    // uphold the contract, and as the struct has no `Drop` it owns nothing else. They are aligned, as `take_effects`
    // compiles.
    unsafe impl #impl_generics #private::Bundle for #name #arguments #where_clause {
        const MAY_REQUIRE: #private::bool = false #(|| #bundles::MAY_REQUIRE)*;
        const HAS_EFFECTS: #private::bool = false #(|| #bundles::HAS_EFFECTS)*;
        const COMPONENTS: &'static #private::Components = &#private::Components::All(&[#(#bundles::COMPONENTS),*]);

        fn types<__Visitor: #private::TypeVisitor>(visitor: &mut __Visitor) {
            #(#types_of_fields::types(visitor);)*
        }

        #[inline]
        unsafe fn fields<__Visitor: #private::FieldVisitor>(this: *mut Self, visitor: &mut __Visitor) {
            #(
                // SAFETY: by the caller's contract `this` points to a bundle, so this is one of its fields; each is
                // visited once, in the order of `types`.
                unsafe { #types_of_fields::fields(&raw mut (*this).#members, visitor) };
            )*
        }

        // It does not compile if a field of a packed struct may be unaligned, for all attributes by which a struct is packed:
        // `fields` passes pointers to the fields as aligned ones.
        #[inline]
        fn take_effects<__Visitor: #private::EffectVisitor>(&mut self, visitor: &mut __Visitor) {
            #(#types_of_fields::take_effects(#borrows, visitor);)*
        }

        #[inline]
        unsafe fn read<__Source: #private::FieldSource>(source: &mut __Source) -> Self {
            Self {
                #(
                    // SAFETY: by the caller's contract the source has the values of the whole bundle; each is read
                    // once, in the order of `types`.
                    #members: unsafe { #types_of_fields::read(source) },
                )*
            }
        }
    }    };}
}

/// Implements the trait for a bundle with errors, so that its uses are no further errors.
fn stub(derived: &Derived) -> TokenStream {
    let private = derived.root.private(frame_site());
    let (generics, ty, bounds) = derived.header();
    frame! {
        // SAFETY: never run, as an error is reported with it.
        unsafe impl #generics #private::Bundle for #ty #bounds {
            fn types<__Visitor: #private::TypeVisitor>(_: &mut __Visitor) {}
            unsafe fn fields<__Visitor: #private::FieldVisitor>(_: *mut Self, _: &mut __Visitor) {}
            unsafe fn read<__Source: #private::FieldSource>(_: &mut __Source) -> Self { #private::broken() }
        }
    }
}

/// Returns constants that fail at a field with a component that an earlier field has too. A generic bundle is checked
/// where it is used.
fn reject_duplicates(derived: &Derived, fields: &[(Member, &Type)]) -> Option<TokenStream> {
    let is_plain = |ty: &Type| matches!(ty, Type::Path(_));
    // The first field can only repeat a component in itself: a tuple can.
    let first = fields
        .first()
        .map_or(0, |(_, ty)| usize::from(is_plain(ty)));
    if fields.len() <= first || !derived.input.generics.params.is_empty() {
        return None;
    }
    let private = derived.root.private(frame_site());
    let name = &derived.input.ident;
    let checks = (first..fields.len()).map(|index| {
        let (first, last) = ends(&fields[index].1.to_token_stream());
        let function = derived.root.private(first);
        let arguments = quote_spanned!(last=> (FIELDS, #index));
        quote!(#function::refuse_field #arguments;)
    });
    Some(frame! {
        const _: () = {
            const FIELDS: &[&#private::Components] = match <#name as #private::Bundle>::COMPONENTS {
                #private::Components::All(fields) => fields,
                _ => &[],
            };
            #(#checks)*
        };
    })
}

/// Returns impls that overlap if the struct implements `Drop`: its fields are moved out.
fn reject_drop(derived: &Derived) -> TokenStream {
    let private = derived.root.private(frame_site());
    let check = Ident::new("BundlesMustNotImplementDrop", frame_site());
    let name = derived.input.ident.to_token_stream();
    let (generics, arguments, where_clause) = derived.input.generics.split_for_impl();
    frame! {
        const _: () = {
            trait #check {}
            impl<T: #private::Drop + ?#private::Sized> #check for T {}
            impl #generics #check for #name #arguments #where_clause {}
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_visited_in_order() {
        let code = expand(quote!(
            struct Unit {
                a: A,
                b: (B, C),
            }
        ))
        .unwrap()
        .to_string();
        let a = code.find("< A as").unwrap();
        let b = code.find("< (B , C) as").unwrap();
        assert!(a < b, "{code}");
        assert!(!code.contains("compile_error"), "{code}");
    }

    #[test]
    fn enums_and_unions_are_rejected() {
        for item in [
            quote!(
                enum A {
                    B,
                }
            ),
            quote!(union A { b: u8 }),
        ] {
            let code = expand(item.clone()).unwrap().to_string();
            assert!(code.contains("compile_error"), "{item}");
        }
    }
}

//! `#[derive(Bundle)]`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Data, Fields, Member, Type, parse_quote_spanned};

use crate::derive::Derived;
use crate::lists::listed;
use crate::structs::ends;

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let derived = Derived::parse(input, "bundle", "`crate = path`", &mut |_, _| Ok(false));
    let mut derived = match derived {
        Ok(derived) => derived,
        Err(error) => return error,
    };
    derived.refuse_lifetimes("bundle");
    let none = Fields::Unit;
    let fields = match &derived.input.data {
        Data::Struct(data) => &data.fields,
        Data::Enum(data) => {
            derived.errors.push(
                data.enum_token,
                "a bundle is a struct whose fields are components or bundles; an enum can be a component: `#[derive(Component)]`",
            );
            &none
        }
        Data::Union(data) => {
            derived.errors.push(
                data.union_token,
                "a bundle is a struct whose fields are components or bundles; a union can be a component: `#[derive(Component)]`",
            );
            &none
        }
    };
    let fields: Vec<(Member, &Type)> =
        listed(fields.members().zip(fields.iter().map(|field| &field.ty)));
    let implementation = if derived.errors.is_empty() {
        let implementation = implement(&derived, &fields);
        let drop = refuse_drop(&derived);
        let twice = refuse_twice(&derived, &fields);
        quote!(#implementation #drop #twice)
    } else {
        stub(&derived)
    };
    derived.finish(&implementation)
}

/// The impl, which goes from field to field.
///
/// All its tokens come from the macro, none from the user, so that `forbid(unsafe_code)` there does not reach it.
fn implement(derived: &Derived, fields: &[(Member, &Type)]) -> TokenStream {
    let site = Span::mixed_site();
    let private = derived.root.private(site);
    // The words about a field carry its type's place, where a missing `Component` is then shown.
    let bundle = |ty: &Type| {
        let private = derived.root.private(ty.span());
        quote_spanned!(ty.span()=> <#ty as #private::Bundle>)
    };
    let components = fields.iter().map(|(_, ty)| {
        let bundle = bundle(ty);
        quote_spanned!(site=> #bundle::COMPONENTS)
    });
    let may_require = fields.iter().map(|(_, ty)| {
        let bundle = bundle(ty);
        quote_spanned!(site=> || #bundle::MAY_REQUIRE)
    });
    let borrows = fields.iter().map(|(member, ty)| {
        let place = site.located_at(ty.span());
        quote_spanned!(place=> let _ = &this.#member;)
    });
    let types = fields.iter().map(|(_, ty)| {
        let bundle = bundle(ty);
        quote_spanned!(site=> #bundle::types(visitor);)
    });
    let visits = fields.iter().map(|(member, ty)| {
        let bundle = bundle(ty);
        quote_spanned! {site=>
            // SAFETY: a field of the bundle that the caller passes; in the order of `types`, once.
            unsafe { #bundle::fields(&raw mut (*this).#member, visitor) };
        }
    });
    let reads = fields.iter().map(|(member, ty)| {
        let bundle = bundle(ty);
        quote_spanned! {site=>
            // SAFETY: the source was made for the whole bundle; in the order of `types`, once.
            #member: unsafe { #bundle::read(source) },
        }
    });

    let mut generics = derived.input.generics.clone();
    if !generics.params.is_empty() {
        generics.where_clause = derived.where_threads_may_share();
        let where_clause = generics.make_where_clause();
        for (_, ty) in fields {
            where_clause
                .predicates
                .push(parse_quote_spanned!(site=> #ty: #private::Bundle));
        }
    }
    let (impl_generics, _, where_clause) = generics.split_for_impl();
    let (_, arguments, _) = derived.input.generics.split_for_impl();
    let name = &derived.input.ident;
    quote_spanned! {site=>
        // SAFETY: goes through all fields, in the order in which they are written, in each function; they keep the
        // contract themselves, and as the struct has no `Drop` they are all that it owns. They are aligned, as the closure
        // in `types` compiles.
        unsafe impl #impl_generics #private::Bundle for #name #arguments #where_clause {
            const MAY_REQUIRE: #private::bool = false #(#may_require)*;
            const COMPONENTS: &'static #private::Components = &#private::Components::All(&[#(#components),*]);

            fn types<__Visitor: #private::TypeVisitor>(visitor: &mut __Visitor) {
                // Never called. The compiler refuses it where a field of a packed struct may be unaligned, be it in whatever
                // way that the struct is said to be packed: `fields` passes pointers to them as aligned ones.
                let _ = |this: &Self| { #(#borrows)* };
                #(#types)*
            }

            #[inline]
            unsafe fn fields<__Visitor: #private::FieldVisitor>(this: *mut Self, visitor: &mut __Visitor) {
                #(#visits)*
            }

            #[inline]
            unsafe fn read<__Source: #private::FieldSource>(source: &mut __Source) -> Self {
                Self { #(#reads)* }
            }
        }
    }
}

/// Stands for a bundle with mistakes, so that those who use it do not err too.
fn stub(derived: &Derived) -> TokenStream {
    let site = Span::mixed_site();
    let private = derived.root.private(site);
    let bounds = derived.where_threads_may_share();
    let (generics, arguments, _) = derived.input.generics.split_for_impl();
    let name = &derived.input.ident;
    quote_spanned! {site=>
        // SAFETY: never run, as an error is reported beside.
        unsafe impl #generics #private::Bundle for #name #arguments #bounds {
            fn types<__Visitor: #private::TypeVisitor>(_: &mut __Visitor) {}
            unsafe fn fields<__Visitor: #private::FieldVisitor>(_: *mut Self, _: &mut __Visitor) {}
            unsafe fn read<__Source: #private::FieldSource>(_: &mut __Source) -> Self { #private::broken() }
        }
    }
}

/// A constant that fails at the field with a component that an earlier one has too; what depends on generics is checked
/// where the bundle is used.
fn refuse_twice(derived: &Derived, fields: &[(Member, &Type)]) -> Option<TokenStream> {
    let is_plain = |ty: &Type| matches!(ty, Type::Path(_));
    // The first one has only itself to share with: a tuple can.
    let first = fields
        .first()
        .map_or(0, |(_, ty)| usize::from(is_plain(ty)));
    if fields.len() <= first || !derived.input.generics.params.is_empty() {
        return None;
    }
    let site = Span::mixed_site();
    let private = derived.root.private(site);
    let name = &derived.input.ident;
    let checks = (first..fields.len()).map(|index| {
        let (first, last) = ends(&fields[index].1.to_token_stream());
        let function = derived.root.private(first);
        let arguments = quote_spanned!(last=> (FIELDS, #index));
        quote!(#function::refuse_field #arguments;)
    });
    Some(quote_spanned! {site=>
        const _: () = {
            const FIELDS: &[&#private::Components] = match <#name as #private::Bundle>::COMPONENTS {
                #private::Components::All(fields) => fields,
                _ => &[],
            };
            #(#checks)*
        };
    })
}

/// A struct that is taken apart must not implement `Drop`: the two impls below would overlap.
fn refuse_drop(derived: &Derived) -> TokenStream {
    let site = Span::mixed_site();
    let private = derived.root.private(site);
    let check = Ident::new("BundlesMustNotImplementDrop", site);
    let name = derived.input.ident.to_token_stream();
    let (generics, arguments, where_clause) = derived.input.generics.split_for_impl();
    quote_spanned! {site=>
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
    fn fields_are_gone_through_in_order() {
        let code = expand(quote!(
            struct Unit {
                a: A,
                b: (B, C),
            }
        ))
        .to_string();
        let a = code.find("< A as").unwrap();
        let b = code.find("< (B , C) as").unwrap();
        assert!(a < b, "{code}");
        assert!(!code.contains("compile_error"), "{code}");
    }

    #[test]
    fn enums_and_unions_are_refused() {
        for item in [
            quote!(
                enum A {
                    B,
                }
            ),
            quote!(union A { b: u8 }),
        ] {
            let code = expand(item.clone()).to_string();
            assert!(code.contains("compile_error"), "{item}");
        }
    }
}

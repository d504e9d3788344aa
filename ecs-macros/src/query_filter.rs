//! `#[derive(QueryFilter)]`.

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote_spanned};
use syn::{Result, Type};

use crate::derive::Derived;
use crate::parameters::Parameter;
use crate::pretty;
use crate::structs::{self, Field};
use crate::tokens::{frame_site, to_vec};
use crate::types;

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut derived = Derived::parse(input, "query_filter", "", &mut |_, _| Ok(false))?;
    let fields = structs::fields(&mut derived, "QueryFilter");
    for field in &fields {
        reject_parameter(&mut derived, &field.ty);
    }
    let implementation = if derived.errors.is_empty() && !structs::lack_lifetimes(&fields) {
        implement(&derived, &fields)
    } else {
        TokenStream::new()
    };
    Ok(derived.finish(&implementation))
}

/// Reports a field that is a view, a resource or another parameter: each of its uses would be a further error.
fn reject_parameter(derived: &mut Derived, ty: &Type) {
    let Some(path) = types::path(ty) else { return };
    if Parameter::known(path).is_none() {
        return;
    }
    let arguments = types::type_arguments(path);
    let Some(of) = arguments.first() else { return };
    let of = pretty::line(of.to_token_stream());
    derived.errors.push(
        ty,
        format!(
            "a system parameter is not a query filter\nhelp: write `With<{of}>` or `Without<{of}>`"
        ),
    );
}

/// Implements the trait by nested pairs of the fields, of which there can be any number.
fn implement(derived: &Derived, fields: &[Field]) -> TokenStream {
    let private = derived.root.private(frame_site());
    let (generics, own, bounds) = structs::header(derived, fields, "QueryFilter");
    let fields: Vec<&Field> = to_vec(fields.iter().filter(|field| !field.is_phantom()));
    let mut all = quote!(());
    for field in fields.iter().rev() {
        let (span, filter) = (field.binding.span(), field.erased(derived));
        all = quote_spanned!(span=> (#filter, #all));
    }
    let accesses = fields
        .iter()
        .map(|field| field.item(derived, "QueryFilter", "ACCESS"));
    let members = fields.iter().map(|field| &field.member);
    let field_type = structs::field_type(&private);
    frame! {const _: () = {
        #field_type
        impl #generics __FieldType<0> for #own #bounds {
            type Type = #all;
        }

        // SAFETY: locks, unlocks and reads what the pairs of its fields do, whose accesses are `ACCESS`.
        unsafe impl #generics #private::QueryFilter for #own #bounds {
            type Filter<'__a> = <#all as #private::QueryFilter>::Filter<'__a>;

            const ACCESS: &'static #private::QueryAccess = &#private::QueryAccess::All(&[#(#accesses),*]);
            const TRACKS: #private::bool = <#all as #private::QueryFilter>::TRACKS;

            fn lock<__D: #private::QueryData>(
                storage: &#private::Storage,
            ) -> #private::Result<(), #private::BorrowError> {
                <<Self as __FieldType<0>>::Type as #private::QueryFilter>::lock::<__D>(storage)
            }

            unsafe fn unlock<__D: #private::QueryData>(storage: &#private::Storage) {
                // SAFETY: `lock` has locked the same pairs, and by the caller's contract no filter relies on them any
                // more.
                unsafe {
                    <<Self as __FieldType<0>>::Type as #private::QueryFilter>::unlock::<__D>(storage)
                }
            }

            #[inline]
            unsafe fn filter<'__a>(
                storage: &'__a #private::Storage,
                window: #private::Window,
            ) -> Self::Filter<'__a> {
                // Uses the fields: no value of a filter is ever created, so they would be reported as never read.
                let _ = |made: &Self| { #(let _ = &made.#members;)* };
                // SAFETY: `lock` has locked the same pairs, and by the caller's contract they stay locked for `'__a`.
                unsafe { <#all as #private::QueryFilter>::filter(storage, window) }
            }
        }
    };}
}

//! `#[derive(QueryFilter)]`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use crate::derive::Derived;
use crate::lists::listed;
use crate::structs::{self, Field};

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let derived = Derived::parse(input, "query_filter", "`crate = path`", &mut |_, _| {
        Ok(false)
    });
    let mut derived = match derived {
        Ok(derived) => derived,
        Err(error) => return error,
    };
    let fields = structs::fields(&mut derived, "a derived filter");
    let implementation = if derived.errors.is_empty() {
        implement(&derived, &fields)
    } else {
        TokenStream::new()
    };
    derived.finish(&implementation)
}

/// Filters are tested one after the other in nested pairs, of which there can be any number.
fn implement(derived: &Derived, fields: &[Field]) -> TokenStream {
    let site = Span::mixed_site();
    let private = derived.root.private(site);
    let (generics, own, bounds) = structs::header(derived, fields, "QueryFilter");
    let fields: Vec<&Field> = listed(fields.iter().filter(|field| !field.is_phantom()));
    let mut all = quote!(());
    for field in fields.iter().rev() {
        let (span, filter) = (field.binding.span(), field.erased(derived));
        all = quote_spanned!(span=> (#filter, #all));
    }
    let terms = fields
        .iter()
        .map(|field| field.item(derived, "QueryFilter", "TERMS"));
    let members = fields.iter().map(|field| &field.member);
    quote_spanned! {site=>
        // SAFETY: locks, unlocks and looks at what the pairs of its fields do, whose terms are `TERMS`.
        unsafe impl #generics #private::QueryFilter for #own #bounds {
            type Filter<'__a> = <#all as #private::QueryFilter>::Filter<'__a>;

            const TERMS: &'static #private::Terms = &#private::Terms::All(&[#(#terms),*]);
            const TRACKS: #private::bool = <#all as #private::QueryFilter>::TRACKS;

            fn lock<__D: #private::QueryData>(
                storage: &#private::Storage,
            ) -> #private::Result<(), #private::BorrowError> {
                <#all as #private::QueryFilter>::lock::<__D>(storage)
            }

            unsafe fn unlock<__D: #private::QueryData>(storage: &#private::Storage) {
                // SAFETY: the caller's promise.
                unsafe { <#all as #private::QueryFilter>::unlock::<__D>(storage) }
            }

            #[inline]
            unsafe fn filter<'__a>(
                storage: &'__a #private::Storage,
                window: #private::Window,
            ) -> Self::Filter<'__a> {
                // No filter is ever a value; that nobody makes or reads one is no mistake of the user.
                let _ = |made: &Self| { #(let _ = &made.#members;)* };
                // SAFETY: the caller's promise.
                unsafe { <#all as #private::QueryFilter>::filter(storage, window) }
            }
        }
    }
}

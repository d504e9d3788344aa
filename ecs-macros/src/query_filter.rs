//! `#[derive(QueryFilter)]`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use crate::derive::Derived;
use crate::structs::{self, Field};

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let derived = Derived::parse(input, "query_filter", "`crate = path`", |_, _| Ok(false));
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
    let errors = derived.errors.into_tokens();
    quote!(#implementation #errors)
}

/// Filters are tested one after the other in nested pairs, of which there can be any number.
fn implement(derived: &Derived, fields: &[Field]) -> TokenStream {
    let site = Span::mixed_site();
    let private = derived.root.private(site);
    let (generics, own, bounds) = structs::header(derived, fields, "QueryFilter");
    let fields: Vec<&Field> = fields.iter().filter(|field| !field.is_phantom()).collect();
    let (mut ty, mut value) = (quote!(()), quote!(()));
    for field in fields.iter().rev() {
        let filter = field.item(derived, "QueryFilter", "Filter");
        let storage = proc_macro2::Ident::new("storage", site);
        let made = field.call(derived, "QueryFilter", "filter", &quote!(#storage));
        let span = field.binding.span();
        ty = quote_spanned!(span=> (#filter<'__a>, #ty));
        value = quote_spanned!(span=> (#made, #value));
    }
    let terms = fields
        .iter()
        .map(|field| field.item(derived, "QueryFilter", "TERMS"));
    let members = fields.iter().map(|field| &field.member);
    quote_spanned! {site=>
        impl #generics #private::QueryFilter for #own #bounds {
            type Filter<'__a> = #ty;

            const TERMS: &'static #private::Terms = &#private::Terms::All(&[#(#terms),*]);

            #[inline]
            fn filter<'__a>(storage: &'__a #private::Storage) -> Self::Filter<'__a> {
                // No filter is ever a value; that nobody makes or reads one is no mistake of the user.
                let _ = |made: &Self| { #(let _ = &made.#members;)* };
                let _ = storage;
                #value
            }
        }
    }
}

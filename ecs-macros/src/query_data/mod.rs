//! `#[derive(QueryData)]`.

mod read_only;

use proc_macro2::{Ident, TokenStream};
use quote::quote_spanned;
use syn::Result;

use crate::derive::Derived;
use crate::structs::{self, Field};
use crate::tokens::{frame_site, hidden, nested_tuple, to_vec};
use crate::types::from_item;

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut derived = Derived::parse(input, "query_data", "", &mut |_, _| Ok(false))?;
    let fields = structs::fields(&mut derived, "QueryData");
    structs::reject_bare_parameters(&mut derived, &fields, &|ty| {
        format!("a reference: `&'a {ty}` or `&'a mut {ty}`")
    });
    if fields.is_empty() && derived.errors.is_empty() {
        derived.errors.push(
            derived.input.ident.clone(),
            "query data must have at least one field\nhelp: add a field, for example of type `Entity`, which matches all entities",
        );
    }
    let (variant, implementation) =
        if derived.errors.is_empty() && !structs::lack_lifetimes(&fields) {
            implement(&derived, &fields)
        } else {
            Default::default()
        };
    let implementation = derived.finish(&implementation);
    Ok(quote!(#variant #implementation))
}

/// Returns the read-only variant, if there is one, and the impls.
fn implement(derived: &Derived, fields: &[Field]) -> (TokenStream, TokenStream) {
    let name = &derived.input.ident;
    let data: Vec<TokenStream> = to_vec(fields.iter().map(|field| field.erased(derived)));
    if fields.iter().all(read_only::only_reads) {
        let impls = impls(derived, name, fields, &data, None, &TokenStream::new());
        return (TokenStream::new(), quote!(const _: () = { #impls };));
    }
    let variant = read_only::name(derived);
    let declaration = read_only::declaration(derived, &variant, fields);
    let reading: Vec<TokenStream> = to_vec(
        fields
            .iter()
            .map(|field| field.item(derived, "QueryData", "ReadOnly")),
    );
    // A field that is read in one of the two structs is used.
    let used = read_only::uses(fields);
    let own = impls(derived, name, fields, &data, Some(&variant), &used);
    let variants = impls(derived, &variant, fields, &reading, None, &used);
    (declaration, quote!(const _: () = { #own #variants };))
}

/// Returns the impls for a struct of this `name` with these `fields`, which are fetched as `data`: one that only reads
/// if it has no other `read_only` variant.
///
/// All tokens come from the macro and none from the user, so that the user's `forbid(unsafe_code)` does not apply.
fn impls(
    derived: &Derived,
    name: &Ident,
    fields: &[Field],
    data: &[TokenStream],
    read_only: Option<&Ident>,
    used: &TokenStream,
) -> TokenStream {
    let private = derived.root.private(frame_site());
    let (generics, _, bounds) = structs::header(derived, fields, "QueryData");
    let own = structs::hidden(derived, name);
    let item = structs::applied(derived, name, "__a");
    let forever = structs::applied(derived, name, "static");
    let without = structs::without_lifetimes(derived, fields, "QueryData");
    let (static_generics, _, static_bounds) = without.split_for_impl();

    let tuple = nested_tuple(data);
    let names: Vec<TokenStream> = to_vec(fields.iter().map(|field| {
        let name = hidden(&field.binding.to_string());
        quote!(#name)
    }));
    let pattern = nested_tuple(&names);
    // The item of a tracked component is no reference yet. The read-only variant has no `&mut`.
    let writes = *name == derived.input.ident;
    let values = fields.iter().zip(&names).map(|(field, name)| {
        if !writes {
            return name.clone();
        }
        from_item(name, &field.ty, &private).unwrap_or_else(|| field.fitted("__a", derived, name))
    });
    let members = fields.iter().map(|field| &field.member);
    let fetched = frame!(<#forever as #private::DataStruct>::Fields);
    let terms = fields.iter().zip(data).map(|(field, data)| {
        let span = field.binding.span();
        let private = derived.root.private(span);
        quote_spanned!(span=> <#data as #private::QueryData>::ACCESS)
    });
    // Fields that only read are compatible.
    let (conflicts, force_access) = if read_only.is_some() {
        let access = |field: &Field| {
            let data = field.item(derived, "QueryData", "ACCESS");
            quote!(const { &#private::ParamAccess::Query { data: #data, filter: &#private::QueryAccess::Nothing } })
        };
        let fields = to_vec(fields);
        (
            structs::refuse_conflicts(derived, &fields, true, &access),
            structs::force_access(derived, &quote!(#private::Query<'static, #forever>)),
        )
    } else {
        Default::default()
    };
    let (read_only, only_reads) = match read_only {
        Some(variant) => (structs::hidden(derived, variant), None),
        None => (
            quote!(Self),
            Some(frame! {
                // SAFETY: its accesses are those of its fields, which only read: the second impl compiles for no
                // others.
                unsafe impl #generics #private::ReadOnlyQueryData for #own #bounds {}
                impl #static_generics #private::ReadOnlyStruct for #forever #static_bounds {}
            }),
        ),
    };
    frame! {
        impl #static_generics #private::DataStruct for #forever #static_bounds {
            type Fields = #tuple;
            type Item<'__a> = #item;

            #[inline]
            fn build<'__a>(fields: #private::ItemOf<'__a, Self::Fields>) -> Self::Item<'__a> {
                use #private::Unfit as _;
                #used
                let #pattern = fields;
                #name { #(#members: #values,)* }
            }
        }

        // SAFETY: locks, unlocks and borrows what the tuple of its fields does, whose accesses are `ACCESS`.
        unsafe impl #generics #private::QueryData for #own #bounds {
            type Fetch<'__a> = #private::StructFetch<'__a, #forever>;
            type ReadOnly = #read_only;
            type Static = #forever;

            const ACCESS: &'static #private::QueryAccess = {
                #conflicts
                &#private::QueryAccess::All(&[#(#terms),*])
            };

            const TRACKS: #private::bool = <#fetched as #private::QueryData>::TRACKS;

            fn fetches(component: #private::ComponentId) -> #private::bool {
                <#fetched as #private::QueryData>::fetches(component)
            }

            fn lock(storage: &#private::Storage) -> #private::Result<(), #private::BorrowError> {
                <#fetched as #private::QueryData>::lock(storage)
            }

            unsafe fn unlock(storage: &#private::Storage) {
                // SAFETY: `lock` has locked the same tuple, and by the caller's contract no fetch relies on it any
                // more.
                unsafe { <#fetched as #private::QueryData>::unlock(storage) }
            }

            #[inline]
            unsafe fn fetch<'__a>(
                storage: &'__a #private::Storage,
                window: #private::Window,
            ) -> Self::Fetch<'__a> {
                // SAFETY: clauses 1 and 2, as the tuple of the fields locks and fetches the same.
                unsafe { #private::StructFetch::new(storage, window) }
            }
        }

        #force_access
        #only_reads
    }
}

#[cfg(test)]
mod tests;

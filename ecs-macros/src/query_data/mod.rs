//! `#[derive(QueryData)]`.

mod twin;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{GenericArgument, PathArguments, Type};

use crate::derive::Derived;
use crate::lists::listed;
use crate::regions;
use crate::structs::{self, Field};

pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let derived = Derived::parse(input, "query_data", "`crate = path`", &mut |_, _| Ok(false));
    let mut derived = match derived {
        Ok(derived) => derived,
        Err(error) => return error,
    };
    let fields = structs::fields(&mut derived, "derived query data");
    structs::refuse_bare_parameters(
        &mut derived,
        &fields,
        "write a reference: `&'a T`, `&'a mut T`",
    );
    if fields.is_empty() && derived.errors.is_empty() {
        derived.errors.push(
            derived.input.ident.clone(),
            "query data has at least one field; a field of type `Entity` matches all entities",
        );
    }
    let (twin, implementation) = if derived.errors.is_empty() {
        implement(&derived, &fields)
    } else {
        Default::default()
    };
    let implementation = derived.finish(&implementation);
    quote!(#twin #implementation)
}

/// The read-only twin, where there is one, and the impls.
fn implement(derived: &Derived, fields: &[Field]) -> (TokenStream, TokenStream) {
    let name = &derived.input.ident;
    let data: Vec<TokenStream> = listed(
        fields
            .iter()
            .map(|field| regions::replace(&field.ty, &derived.input.generics, "static")),
    );
    if fields.iter().all(twin::only_reads) {
        let read_only = quote!(Self);
        let data = data_impl(
            derived,
            name,
            fields,
            &data,
            &read_only,
            &TokenStream::new(),
        );
        let reads = reads_impl(derived, name, fields);
        return (TokenStream::new(), quote!(const _: () = { #data #reads };));
    }
    let twin = twin::name(derived);
    let declaration = twin::declaration(derived, &twin, fields);
    let reading: Vec<TokenStream> = listed(
        fields
            .iter()
            .map(|field| field.item(derived, "QueryData", "ReadOnly")),
    );
    let (_, arguments, _) = derived.input.generics.split_for_impl();
    let read_only = regions::hide(quote!(#twin #arguments), &derived.input.generics);
    // A field that is read in one of the two forms is used.
    let used = twin::fields_are_used(fields);
    let own = data_impl(derived, name, fields, &data, &read_only, &used);
    let twins = data_impl(derived, &twin, fields, &reading, &quote!(Self), &used);
    let reads = reads_impl(derived, &twin, fields);
    let implementation = quote!(const _: () = { #own #twins #reads };);
    (declaration, implementation)
}

/// Both impls for a struct of this `name` with these `fields`, which are fetched as `data`.
///
/// All tokens come from the macro, none from the user, so that `forbid(unsafe_code)` there does not reach them.
fn data_impl(
    derived: &Derived,
    name: &Ident,
    fields: &[Field],
    data: &[TokenStream],
    read_only: &TokenStream,
    used: &TokenStream,
) -> TokenStream {
    let site = Span::mixed_site();
    let private = derived.root.private(site);
    let (generics, _, bounds) = structs::header(derived, fields, "QueryData");
    let (_, arguments, _) = derived.input.generics.split_for_impl();
    let own = regions::hide(quote!(#name #arguments), &derived.input.generics);
    let item = structs::applied(derived, name, "__a");
    let forever = structs::applied(derived, name, "static");
    let without = structs::without_lifetimes(derived, fields, "QueryData");
    let (static_generics, _, static_bounds) = without.split_for_impl();

    let tuple = nested(data);
    let names: Vec<TokenStream> = listed(fields.iter().map(|field| hidden(field, site)));
    let pattern = nested(&names);
    // The twin that only reads has no `&mut`.
    let writes = *name == derived.input.ident;
    let values = fields.iter().zip(&names).map(|(field, name)| {
        let mutable = if writes { mutable(&field.ty) } else { None };
        match mutable {
            Some((ty, false)) => quote_spanned!(site=> #private::into_mut::<#ty>(#name)),
            Some((ty, true)) => {
                quote_spanned!(site=> #private::Option::map(#name, #private::into_mut::<#ty>))
            }
            None => name.clone(),
        }
    });
    let members = fields.iter().map(|field| &field.member);
    let fetched = quote_spanned!(site=> <#forever as #private::DataStruct>::Fields);
    let terms = fields.iter().zip(data).map(|(field, data)| {
        let span = field.binding.span();
        let private = derived.root.private(span);
        quote_spanned!(span=> <#data as #private::QueryData>::TERMS)
    });
    quote_spanned! {site=>
        impl #static_generics #private::DataStruct for #forever #static_bounds {
            type Fields = #tuple;
            type Item<'__a> = #item;

            #[inline]
            fn build<'__a>(fields: #private::ItemOf<'__a, Self::Fields>) -> Self::Item<'__a> {
                #used
                let #pattern = fields;
                #name { #(#members: #values,)* }
            }
        }

        // SAFETY: locks, unlocks and borrows what the tuple of its fields does, whose terms are `TERMS`.
        unsafe impl #generics #private::QueryData for #own #bounds {
            type Term<'__a> = #private::StructTerm<'__a, #forever>;
            type ReadOnly = #read_only;
            type Static = #forever;

            const TERMS: &'static #private::Terms = &#private::Terms::All(&[#(#terms),*]);

            const TRACKS: #private::bool = <#fetched as #private::QueryData>::TRACKS;

            fn fetches(component: #private::ComponentId) -> #private::bool {
                <#fetched as #private::QueryData>::fetches(component)
            }

            fn lock(storage: &#private::Storage) -> #private::Result<(), #private::BorrowError> {
                <#fetched as #private::QueryData>::lock(storage)
            }

            unsafe fn unlock(storage: &#private::Storage) {
                // SAFETY: the caller's promise.
                unsafe { <#fetched as #private::QueryData>::unlock(storage) }
            }

            #[inline]
            unsafe fn term<'__a>(
                storage: &'__a #private::Storage,
                window: #private::Window,
            ) -> Self::Term<'__a> {
                // SAFETY: the caller's promise.
                unsafe { #private::StructTerm::new(storage, window) }
            }
        }
    }
}

/// Says that a struct only reads, which is checked for the tuple of its fields.
fn reads_impl(derived: &Derived, name: &Ident, fields: &[Field]) -> TokenStream {
    let site = Span::mixed_site();
    let private = derived.root.private(site);
    let (generics, _, bounds) = structs::header(derived, fields, "QueryData");
    let (_, arguments, _) = derived.input.generics.split_for_impl();
    let own = regions::hide(quote!(#name #arguments), &derived.input.generics);
    let forever = structs::applied(derived, name, "static");
    let without = structs::without_lifetimes(derived, fields, "QueryData");
    let (static_generics, _, static_bounds) = without.split_for_impl();
    quote_spanned! {site=>
        // SAFETY: its terms are those of its fields, which only read: the second impl is accepted for no others.
        unsafe impl #generics #private::ReadOnlyQueryData for #own #bounds {}
        impl #static_generics #private::ReadOnlyStruct for #forever #static_bounds {}
    }
}

/// The `T` of `&mut T`, or of `Option<&mut T>` (then `true`): what is fetched for a tracked `T` is no reference yet.
fn mutable(ty: &Type) -> Option<(&Type, bool)> {
    let (reference, optional) = match ty {
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            let PathArguments::AngleBracketed(arguments) = &last.arguments else {
                return None;
            };
            match arguments.args.first() {
                Some(GenericArgument::Type(ty)) if last.ident == "Option" => (ty, true),
                _ => return None,
            }
        }
        ty => (ty, false),
    };
    match reference {
        Type::Reference(reference) if reference.mutability.is_some() => {
            Some((&reference.elem, optional))
        }
        _ => None,
    }
}

/// A variable for the field that no name of the user can meet.
fn hidden(field: &Field, site: Span) -> TokenStream {
    let name = Ident::new(&field.binding.to_string(), site);
    quote!(#name)
}

/// The parts as a tuple; nested where there are more than a tuple of query data can have.
fn nested(parts: &[TokenStream]) -> TokenStream {
    const MOST: usize = 16;
    let site = Span::mixed_site();
    if parts.len() <= MOST {
        return quote_spanned!(site=> (#(#parts,)*));
    }
    let groups: Vec<TokenStream> = listed(parts.chunks(MOST).map(nested));
    nested(&groups)
}

#[cfg(test)]
mod tests;

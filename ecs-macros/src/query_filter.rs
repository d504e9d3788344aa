//! `#[derive(QueryFilter)]`.

use crate::parameters::Parameter;
use crate::prelude::*;
use crate::structs::{Struct, StructKind};
use crate::types;

const KIND: StructKind = StructKind {
    of: "QueryFilter",
    attribute: "query_filter",
    probe: "IS_FILTER",
    otherwise: None,
    help: "use a struct",
    options: &[],
};

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut model = Struct::parse(input, &KIND)?;
    reject_parameters(&mut model);
    model.finish_checks();
    let implementation = implement(&model);
    Ok(model.derived.finish_in_scope(&implementation))
}

/// Reports fields that are a view, a resource or another parameter.
fn reject_parameters(model: &mut Struct) {
    for field in &model.fields {
        let known = Parameter::of(&field.ty).and(types::inside(&field.ty).into_iter().next());
        let (problem, of) = match (types::reference(&field.ty), known) {
            (Some((reference, _)), _) => ("reference", pretty::line(&reference.elem)),
            (_, Some(of)) => ("system parameter", pretty::line(of)),
            _ => continue,
        };
        reject!(model.derived.errors, &field.ty =>
            "a {problem} is not a query filter\nhelp: write `With<{of}>` or `Without<{of}>`");
    }
}

/// Implements the trait through nested pairs of the fields, so that their number is unlimited.
fn implement(model: &Struct) -> TokenStream {
    let private = model.private();
    let (generics, own, bounds) = model.header();
    let fields = model.borrowed();
    let filters = fields.iter().rev().map(|field| model.fitting(field));
    let list = filters.fold(quote!(()), |list, filter| quote!((#filter, #list)));
    let accesses = fields.iter().map(|field| model.checked(field, "ACCESS"));
    let members = fields.iter().map(|field| &field.member);
    let declared = model.list(&list, Default::default());
    let list = quote!(<#list as #private::QueryFilter>);
    let own_list = quote!(<<Self as __Fields>::List as #private::QueryFilter>);
    let data = model.if_listed(quote!(#own_list::List<__Q, __T>));
    let data = data.unwrap_or(quote!(__T));
    let word_unsafe = word_unsafe();
    quote! {
        #declared

        // SAFETY: locks, unlocks and reads the same data as the pairs of its fields, whose accesses are `ACCESS`.
        #word_unsafe impl #generics #private::QueryFilter for #own #bounds {
            type Filter<'__a> = #list::Filter<'__a>;
            type List<__Q, __T: #private::DataList> = #data;

            const ACCESS: &'static #private::QueryAccess = &#private::QueryAccess::All(&[#(#accesses),*]);
            const TRACKS: #private::bool = #own_list::TRACKS;

            #[inline]
            fn lock<__D: #private::QueryData>(
                __storage: &#private::Storage,
            ) -> #private::Result<(), #private::BorrowError> {
                // Uses the fields: no code ever creates a value of a filter, so they would be reported as never read.
                let _ = |__made: &Self| { let _ = __made; #(let _ = &__made.#members;)* };
                #own_list::lock::<__D>(__storage)
            }

            #[inline]
            #word_unsafe fn unlock<__D: #private::QueryData>(__storage: &#private::Storage) {
                // SAFETY: `lock` has locked the same pairs, and by the caller's contract no filter relies on them any more.
                #word_unsafe { #own_list::unlock::<__D>(__storage) }
            }

            #[inline]
            #word_unsafe fn filter<'__a>(
                __storage: &'__a #private::Storage,
                __window: #private::Window,
            ) -> Self::Filter<'__a> {
                // SAFETY: `lock` has locked the same pairs, and by the caller's contract they stay locked for `'__a`.
                #word_unsafe { #own_list::filter(__storage, __window) }
            }
        }
    }
}

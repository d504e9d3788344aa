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
    // In the access: then the compiler reports nothing about queries that the filter would keep apart.
    let errors = core::mem::take(&mut model.derived.errors).into_tokens();
    let implementation = implement(&model, &errors);
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
fn implement(model: &Struct, errors: &TokenStream) -> TokenStream {
    let (private, (generics, own, bounds)) = (model.private(), model.header());
    let fields = model.borrowed();
    let filters = fields.iter().rev().map(|field| model.fitting(field));
    let list = filters.fold(quote!(()), |list, filter| quote!((#filter, #list)));
    let accesses = fields.iter().map(|field| model.checked(field, "ACCESS"));
    let members = fields.iter().map(|field| &field.member);
    let access = quote!(const ACCESS: &'static #private::QueryAccess);
    let of_fields = quote!(#access = { #errors &#private::QueryAccess::All(&[#(#accesses),*]) };);
    let declared = model.list(&list, (quote!(#access;), of_fields));
    let named = model.named_fields("FilterStruct", &own, model.bounded.clone());
    let fields = quote!(<Self as #private::FilterStruct>::Fields);
    let [data, hides] = model.data_list(&model.derived.input.ident, &fields);
    let (list, word_unsafe) = (quote!(<#fields as #private::QueryFilter>), word_unsafe());
    quote! {
        #declared #named #hides

        // SAFETY: locks, unlocks and reads the same data as the pairs of its fields, whose accesses are `ACCESS`.
        #word_unsafe impl #generics #private::QueryFilter for #own #bounds {
            type Filter<'__a> = #private::StructFilter<'__a, Self>;
            type List<__Q, __T: #private::DataList> = #data;

            #access = <Self as __Fields>::ACCESS;
            const TRACKS: #private::bool = #list::TRACKS;

            #[inline]
            fn lock<__D: #private::QueryData>(
                __storage: &#private::Storage,
            ) -> #private::Result<(), #private::BorrowError> {
                // Uses the fields: no code ever creates a value of a filter, so they would be reported as never read.
                let _ = |__made: &Self| { let _ = __made; #(let _ = &__made.#members;)* };
                #list::lock::<__D>(__storage)
            }

            #[inline]
            #word_unsafe fn unlock<__D: #private::QueryData>(__storage: &#private::Storage) {
                // SAFETY: `lock` has locked the same pairs, and by the caller's contract no filter relies on them any more.
                #word_unsafe { #list::unlock::<__D>(__storage) }
            }

            #[inline]
            #word_unsafe fn filter<'__a>(
                __storage: &'__a #private::Storage,
                __window: #private::Window,
            ) -> Self::Filter<'__a> {
                // SAFETY: `lock` has locked the same pairs, and by the caller's contract they stay locked for `'__a`.
                #word_unsafe { #private::StructFilter::new(__storage, __window) }
            }
        }
    }
}

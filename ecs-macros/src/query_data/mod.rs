//! `#[derive(QueryData)]`.

mod read_only;

use crate::prelude::*;
use crate::structs::{FieldModel, Struct, StructKind};
use crate::system::shape;
use crate::types::{from_item, mutable_reference};

const KIND: StructKind = StructKind {
    of: "QueryData",
    attribute: "query_data",
    probe: "IS_DATA",
    otherwise: Some("Entity"),
    help: "use a struct",
    options: &[],
};

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut model = Struct::parse(input, &KIND)?;
    model.reject_bare_parameters(
        "`&'a {}` or `&'a mut {}` for a component, `ecs_core::query::Item<'a, {}>` for a `{}: QueryData`");
    if model.fields.is_empty() && model.derived.errors.is_empty() {
        reject!(model.derived.errors, model.derived.input.ident.clone() =>
            "query data must have at least one field\nhelp: add a field, for example of type `Entity`, which matches all entities");
    }
    // The compiler reports each use of a struct with such a field, too.
    if (model.fields.iter()).any(|field| shape::one_of_any(&field.ty).is_some()) {
        return Ok(model.derived.errors.into_tokens());
    }
    model.finish_checks();
    let name = &model.derived.input.ident;
    let variant = read_only::name(name);
    let writes = !(model.fields.iter()).all(|field| read_only::reads(&field.ty));
    let own = Data {
        model: &model,
        name,
        forever: model.applied(name, "static"),
        read_only: writes.then_some(&variant),
        of_variant: false,
    };
    let mut impls = own.implement();
    let declaration = writes.then(|| {
        let of_variant = Data {
            name: &variant,
            forever: model.applied(&variant, "static"),
            read_only: None,
            of_variant: true,
            ..own
        };
        impls.extend(of_variant.implement());
        read_only::declaration(&model, &variant)
    });
    let implementation = model.derived.finish_in_scope(&impls);
    Ok(quote!(#declaration #implementation))
}

/// The struct, or its read-only variant.
struct Data<'a> {
    model: &'a Struct,
    name: &'a Ident,
    /// The same with its lifetimes as `'static`.
    forever: TokenStream,
    /// The variant, if the struct writes.
    read_only: Option<&'a Ident>,
    of_variant: bool,
}

impl Data<'_> {
    fn implement(&self) -> TokenStream {
        let (structure, data) = (self.structure(), self.data());
        let marks = if self.read_only.is_some() {
            let (private, forever) = (self.model.private(), &self.forever);
            (self.model).force_access(&quote!(#private::Query<'static, #forever>))
        } else {
            Some(self.only_reads())
        };
        quote!(#structure #data #marks)
    }

    /// Returns the impl of `DataStruct`: the fetched types, which may be private if a condition names them, and their conversion
    /// to the struct.
    fn structure(&self) -> TokenStream {
        let (model, private) = (self.model, self.model.private());
        let (forever, item) = (&self.forever, model.applied(self.name, "__a"));
        let (mut declared, mut known) = (None, vec![]);
        let types = model.fields.iter();
        let types = to_vec(types.map(|field| model.fitting_in(field, "static")));
        let tuple = nested_tuple(&types);
        let (fields, value) = if model.is_broken {
            let value = quote!(let _ = __fields; #private::broken());
            (quote!(#private::Entity), value)
        } else if self.of_variant {
            let own = model.applied(&model.derived.input.ident, "static");
            let fields = quote!(<#private::FieldsOf<#own> as #private::QueryData>);
            (quote!(#fields::ReadOnly), self.value())
        } else if model.is_private() {
            (tuple, self.value())
        } else {
            declared = Some(model.list(&tuple, Default::default()));
            let (list, value) = (quote!(<Self as __Fields>::List), self.value());
            known.push(quote!(#list: #private::SameData<Data = __F>));
            known.push(quote!(__F: #private::QueryData));
            let value =
                quote!(let __fields = <#list as #private::SameData>::same(__fields); #value);
            (quote!(__F), value)
        };
        let types = if known.is_empty() { &[][..] } else { &["__F"] };
        let (params, bounds) = model.parts(model.forever_generics(), types, &known);
        quote! {
            #declared

            impl #params #private::DataStruct for #forever #bounds {
                type Fields = #fields;
                type Item<'__a> = #item;

                #[inline]
                fn build<'__a>(__fields: #private::ItemOf<'__a, Self::Fields>) -> Self::Item<'__a> { #value }
            }
        }
    }

    /// Returns the statements that move the fields into the struct.
    fn value(&self) -> TokenStream {
        let (model, name) = (self.model, self.name);
        let bindings = model.fields.iter().map(|field| &field.binding);
        let pattern = nested_tuple(&to_vec(bindings.map(ToTokens::to_token_stream)));
        let values = to_vec(model.fields.iter().map(|field| match self.of_variant {
            true => read_only::fitted(model, field),
            false => self.own_value(field),
        }));
        let value = model.made(name, &values);
        // A field counts as used if either of the two structs reads it.
        let is_used = self.of_variant || self.read_only.is_some();
        let uses = is_used.then(|| read_only::uses(&model.fields));
        quote!(#uses let #pattern = __fields; #value)
    }

    /// Returns the value of a field, made from its item; the item of a tracked component is not a reference yet.
    fn own_value(&self, field: &FieldModel) -> TokenStream {
        let (model, FieldModel { ty, binding, .. }) = (self.model, field);
        let fitted = |fit| model.fitted(&model.type_in(field, "__a"), fit, binding);
        if model.item_data(field).is_some() {
            return quote!(#binding);
        }
        if mutable_reference(ty).is_some() {
            return fitted("fit_mut");
        }
        let value = from_item(&quote!(#binding), ty, &model.private());
        value.unwrap_or_else(|| fitted("fit"))
    }

    /// Returns the impl of `QueryData`.
    fn data(&self) -> TokenStream {
        let private = self.model.private();
        let (generics, _, bounds) = self.model.header();
        let (access, word_unsafe) = (self.access(), word_unsafe());
        let (own, forever) = (self.model.hidden(self.name), self.model.forever(self.name));
        let read_only = self.read_only.map(|variant| self.model.hidden(variant));
        let read_only = read_only.unwrap_or_else(|| quote!(Self));
        let [list, hides] =
            (self.model).data_list(self.name, &quote!(#private::FieldsOf<#forever>));
        quote! {
            #hides

            // SAFETY: locks, unlocks and borrows the same data as the tuple of its fields, whose accesses are `ACCESS`.
            #word_unsafe impl #generics #private::QueryData for #own #bounds {
                type Item<'__a> = <#forever as #private::DataStruct>::Item<'__a>;
                type Fetch<'__a> = #private::StructFetch<'__a, #forever>;
                type ReadOnly = #read_only;
                type Static = #forever;
                type Locked = #private::FieldsOf<#forever>;
                type List<__Q, __T: #private::DataList> = #list;

                const ACCESS: &'static #private::QueryAccess = #access;

                #[inline]
                #word_unsafe fn fetch<'__a>(
                    __storage: &'__a #private::Storage,
                    __window: #private::Window,
                ) -> Self::Fetch<'__a> {
                    // SAFETY: clauses 1 and 2: the tuple of the fields locks and fetches the same data.
                    #word_unsafe { #private::StructFetch::new(__storage, __window) }
                }
            }
        }
    }

    /// Returns the access of all fields, after checking the fields that write for conflicts.
    fn access(&self) -> TokenStream {
        let (model, private) = (self.model, self.model.private());
        let forever = self.model.forever(self.name);
        let all = quote!(<#private::FieldsOf<#forever> as #private::QueryData>::ACCESS);
        if self.of_variant || model.is_broken {
            return all;
        }
        let terms = (model.fields.iter()).map(|field| model.checked(field, "ACCESS"));
        let conflicts = self.read_only.map(|_| {
            model.conflicts(&|field| {
                let data = model.forever_type(field);
                quote!(<#private::Probe<#data>>::DATA)
            })
        });
        quote!({ #conflicts #(let _ = #terms;)* #all })
    }

    /// Returns the impls of a struct that only reads.
    fn only_reads(&self) -> TokenStream {
        let private = self.model.private();
        let (generics, _, bounds) = self.model.header();
        let (own, forever) = (self.model.hidden(self.name), &self.forever);
        let word_unsafe = word_unsafe();
        let (params, conditions) = self.model.parts(self.model.without_lifetimes(), &[], &[]);
        quote! {
            // SAFETY: its accesses are its fields' accesses, which only read: the second impl compiles for no others.
            #word_unsafe impl #generics #private::ReadOnlyQueryData for #own #bounds {}
            impl #params #private::ReadOnlyStruct for #forever #conditions {}
        }
    }
}

#[cfg(test)]
mod tests;

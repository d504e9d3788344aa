//! `#[derive(SystemParam)]`.

use crate::options::{Opt, Takes, option};
use crate::parameters::{access_to_events, borrowing};
use crate::prelude::*;
use crate::structs::{FieldModel, Struct, StructKind};
use crate::system::{self, shape};
use crate::types;

const OPTIONS: [Opt; 1] = [option("shared", "shared", Takes::Nothing)];

pub(crate) const KIND: StructKind = StructKind {
    of: "SystemParam",
    attribute: "system_param",
    probe: "IS_PARAM",
    otherwise: None,
    help: "use a struct",
    options: &[&OPTIONS],
};

pub(crate) fn expand(input: TokenStream) -> Result<TokenStream> {
    let mut model = Struct::parse(input, &KIND)?;
    model.reject_bare_parameters(
        "a system parameter that contains it: `Res<'w, {}>`, `Comp<'w, {}>`",
    );
    for field in &model.fields {
        reject_reference(&mut model.derived.errors, &field.ty);
        if let (Some(wrong), false) = (shape::known(&field.ty), shape::is_miscounted(&field.ty)) {
            wrong.report(&mut model.derived.errors);
        }
    }
    model.finish_checks();
    let implementation = ParamStruct::new(&model).implement();
    Ok(model.derived.finish_in_scope(&implementation))
}

/// Reports a field that is a reference to data of the world.
fn reject_reference(errors: &mut Errors, ty: &Type) {
    if let Some((reference, is_optional)) = types::reference(ty) {
        let of = pretty::line(&reference.elem);
        let (comp, res) = borrowing(reference);
        let mut resource = format!("{res}<'w, {of}>");
        if is_optional {
            resource = format!("Option<{resource}>");
        }
        reject!(errors, ty =>
            "a reference cannot be borrowed from the world\nhelp: write `{comp}<'w, {of}>` for the component of all entities or `{resource}` for the resource");
    }
}

/// The names and lists that the impls share.
struct ParamStruct<'a> {
    model: &'a Struct,
    fields: Vec<&'a FieldModel>,
    private: TokenList,
    /// The struct with its lifetimes as `'static`.
    forever: TokenStream,
}

impl<'a> ParamStruct<'a> {
    fn new(model: &'a Struct) -> Self {
        Self {
            fields: model.borrowed(),
            private: model.private(),
            forever: model.applied(&model.derived.input.ident, "static"),
            model,
        }
    }

    fn implement(&self) -> TokenStream {
        let (model, private, forever) = (self.model, &self.private, &self.forever);
        let types = self.fields.iter().map(|field| model.fitting(field));
        let list = types.fold(quote!(()), |list, ty| quote!(#private::More<#list, #ty>));
        let (list, param) = (model.list(&list, Default::default()), self.param());
        let named = model.named_fields("StructOfParams", forever, model.without_lifetimes());
        let listed = self.listed(&quote!(<#forever as #private::StructOfParams>::Fields));
        let shared = model.derived.option("shared").map(|_| self.shared());
        let force_access = model.force_access(forever);
        quote!(#list #named #param #listed #shared #force_access)
    }

    /// Returns the impl of `SystemParam`.
    fn param(&self) -> TokenStream {
        let (model, private, forever) = (self.model, &self.private, &self.forever);
        let (impl_generics, own, bounds) = model.header();
        let item = model.applied(&model.derived.input.ident, "__g");
        let (access, word_unsafe) = (self.access(), word_unsafe());
        let texts = self.fields.iter().map(|field| text(&field.text()));
        let list =
            quote!(<<#forever as #private::StructOfParams>::Fields as #private::SystemParam>);
        let run = quote!(<<#item as __Fields>::List as #private::SystemParam>);
        let value = self.value(&quote!(#run::item(__guard.fields_mut())));
        let summary = self.summary();
        let passed = ["flush", "skip", "remembered"].map(hidden);
        let to = [
            quote!(&mut #private::CommandQueue),
            quote!(&#private::World),
            quote!(&mut #private::Remember<'_>),
        ];
        quote! {
            // The types may be private: rustdoc then shows them without a link.
            #[allow(rustdoc::private_intra_doc_links)]
            #[doc = #summary]
            // SAFETY: accesses only the data of its fields, and `ACCESS` lists all of it.
            #word_unsafe impl #impl_generics #private::SystemParam for #own #bounds {
                type State = #private::StructState<#forever>;
                type Guard<'__w> = #private::StructGuard<'__w, #forever>;
                type Item<'__g> = #item;

                const ACCESS: &'static #private::ParamAccess = #access;
                const REMEMBERS: #private::bool = #list::REMEMBERS;
                const HAS_READERS: #private::bool = #list::HAS_READERS;

                #[inline]
                fn init(__world: &#private::World) -> Self::State { #private::StructState::new(__world) }

                #[inline]
                fn lock<'__w>(
                    __state: &'__w mut Self::State,
                    __world: &'__w #private::World,
                    __held: &'__w #private::HeldBorrows<'__w>,
                ) -> #private::Result<Self::Guard<'__w>, #private::ParamError> {
                    __state.lock(__world, __held, &[#(#texts),*])
                }

                #[inline]
                fn item<'__g>(__guard: &'__g mut Self::Guard<'_>) -> Self::Item<'__g> { #value }

                #(
                    #[inline]
                    fn #passed(__state: &mut Self::State, __to: #to) {
                        __state.#passed(__to);
                    }
                )*
            }
        }
    }

    /// Returns the impl by which the data of the fields are known as a list, if those of all fields are.
    fn listed(&self, fields: &TokenStream) -> TokenStream {
        let (model, private) = (self.model, &self.private);
        if !model.is_private() {
            let end = quote!(#private::ListEnd);
            let condition = quote!(#fields: #private::Listed<#end, List = __L>);
            return model.hides(&model.derived.input.ident, &condition);
        }
        let listed = quote!(#private::Listed<__Q>);
        let known = [quote!(#fields: #listed), quote!(__Q: #private::DataList)];
        let (params, bounds) = model.parts(model.bounded.clone(), &["__Q"], &known);
        let own = model.hidden(&model.derived.input.ident);
        quote!(impl #params #listed for #own #bounds { type List = <#fields as #listed>::List; })
    }

    /// Returns the documentation of the impl; it cannot link to generic parameters.
    fn summary(&self) -> Literal {
        let generic = TokenList::new(self.model.derived.input.generics.to_token_stream());
        let mut summary = String::from("# Access\n");
        for field in &self.fields {
            let (name, access) = (field.label(), system::access(&field.ty, &generic));
            summary.push_str(&format!("* `{name}` {access}\n"));
        }
        text(&summary)
    }

    /// Returns the access of all fields, after the checks for conflicts.
    fn access(&self) -> TokenStream {
        let (model, private) = (self.model, &self.private);
        let access = |field: &FieldModel| model.checked(field, "ACCESS");
        let is_named = |events: &TokenStream| !model.derived.mentions_parameters(events.clone());
        let all = self.fields.iter().map(|field| {
            let access = access(field);
            match access_to_events(&field.ty, private).filter(is_named) {
                Some(events) => quote!(#private::access_or(#access, #events)),
                None => access,
            }
        });
        let conflicts = model.conflicts(&access);
        quote!({ #conflicts &#private::ParamAccess::All(&[#(#all),*]) })
    }

    /// Returns the struct, made from an expression for the list of its fields.
    fn value(&self, list: &TokenStream) -> TokenStream {
        let (model, private) = (self.model, &self.private);
        if model.is_broken {
            return quote!(let _ = __guard; #private::broken());
        }
        let mut pattern = quote!(());
        let values = to_vec(model.fields.iter().map(|field| {
            let binding = &field.binding;
            if field.is_phantom() {
                return quote!(#private::PhantomData);
            }
            let before = core::mem::take(&mut pattern);
            pattern = quote!((#before, #binding));
            model.fitted(&model.type_in(field, "__g"), "fit", binding)
        }));
        let value = model.made(&model.derived.input.ident, &values);
        quote!(let #pattern = #list; #value)
    }

    /// Returns the impl that lets threads use the parameter at the same time.
    fn shared(&self) -> TokenStream {
        let (model, private) = (self.model, &self.private);
        let (mut pattern, mut list) = (quote!(()), quote!(()));
        for field in &self.fields {
            let (binding, get) = (&field.binding, model.shared(field));
            pattern = quote!((#pattern, #binding));
            list = quote!((#list, #get(#binding)));
        }
        let value = self.value(&list);
        let (impl_generics, own, bounds) = model.header();
        quote! {
            impl #impl_generics #private::SharedParam for #own #bounds {
                #[inline]
                fn get_shared<'__g>(__guard: &'__g Self::Guard<'_>) -> Self::Item<'__g> {
                    let #pattern = __guard.fields();
                    #value
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;

//! `#[derive(SystemParam)]`.

use crate::options::{Opt, Takes, option};
use crate::parameters::{access_to_events, borrowing};
use crate::prelude::*;
use crate::structs::{FieldModel, Struct, StructKind, require};
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
    state: Ident,
    guard: Ident,
}

impl<'a> ParamStruct<'a> {
    fn new(model: &'a Struct) -> Self {
        let site = site();
        let name = model.derived.input.ident.unraw();
        Self {
            fields: model.borrowed(),
            private: model.private(),
            state: format_ident!("__{name}State", span = site),
            guard: format_ident!("__{name}Guard", span = site),
            model,
        }
    }

    fn implement(&self) -> TokenStream {
        let (model, private) = (self.model, &self.private);
        let types = self.fields.iter().map(|field| model.fitting(field));
        let list = types.fold(quote!(()), |list, ty| quote!(#private::More<#list, #ty>));
        let list = model.list(&list, Default::default());
        let (types, param, listed) = (self.types(), self.param(), self.listed());
        let shared = model.derived.option("shared").map(|_| self.shared());
        let name = &model.derived.input.ident;
        let force_access = model.force_access(&model.applied(name, "static"));
        quote!(#list #types #param #listed #shared #force_access)
    }

    /// Returns the parameters of the struct in a list, with this lifetime.
    fn list(&self, lifetime: &str) -> TokenStream {
        let (model, private) = (self.model, &self.private);
        let own = model.applied(&model.derived.input.ident, lifetime);
        quote!(<<#own as __Fields>::List as #private::SystemParam>)
    }

    /// Returns the types of state and guard.
    ///
    /// These are structs with private fields, so that a `pub` parameter may have fields of private types.
    fn types(&self) -> TokenStream {
        let Self { state, guard, .. } = self;
        // Lints about unnameable types and missing traits are not for these.
        let (list, vis) = (self.list("static"), frame!(pub));
        let mut generics = self.model.without_lifetimes();
        let (params, _, bounds) = generics.split_for_impl();
        let state = quote!(#[doc(hidden)] #vis struct #state #params (#list::State) #bounds;);
        generics.params.insert(0, lifetime("'__w"));
        let (params, _, bounds) = generics.split_for_impl();
        quote!(#state #[doc(hidden)] #vis struct #guard #params (#list::Guard<'__w>) #bounds;)
    }

    /// Returns the impl of `SystemParam`.
    fn param(&self) -> TokenStream {
        let (model, private) = (self.model, &self.private);
        let (state, guard) = (&self.state, &self.guard);
        let mut generics = model.without_lifetimes();
        let arguments = generics.split_for_impl().1.to_token_stream();
        generics.params.insert(0, lifetime("'__w"));
        let guard_arguments = generics.split_for_impl().1;
        let (impl_generics, own, bounds) = model.header();
        let item = model.applied(&model.derived.input.ident, "__g");
        let (access, word_unsafe) = (self.access(), word_unsafe());
        let texts = self.fields.iter().map(|field| text(&field.text()));
        let (list, run) = (self.list("static"), self.list("__g"));
        // Fields are not named: the compiler checks each use of a field again if the struct has moved.
        let value = self.value(&quote!({ let #guard(__list) = __guard; #run::item(__list) }));
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
                type State = #state #arguments;
                type Guard<'__w> = #guard #guard_arguments;
                type Item<'__g> = #item;

                const ACCESS: &'static #private::ParamAccess = #access;
                const REMEMBERS: #private::bool = #list::REMEMBERS;
                const HAS_READERS: #private::bool = #list::HAS_READERS;

                #[inline]
                fn init(__world: &#private::World) -> Self::State { #state(#list::init(__world)) }

                #[inline]
                fn lock<'__w>(
                    __state: &'__w mut Self::State,
                    __world: &'__w #private::World,
                    __held: &'__w #private::HeldBorrows<'__w>,
                ) -> #private::Result<Self::Guard<'__w>, #private::ParamError> {
                    let #state(__list) = __state;
                    match #list::lock_list(__list, __world, __held) {
                        #private::Ok(__guard) => #private::Ok(#guard(__guard)),
                        #private::Err(__error) => #private::Err(__error.in_field(&[#(#texts),*])),
                    }
                }

                #[inline]
                fn item<'__g>(__guard: &'__g mut Self::Guard<'_>) -> Self::Item<'__g> { #value }

                #(
                    #[inline]
                    fn #passed(__state: &mut Self::State, __to: #to) {
                        let #state(__list) = __state;
                        #list::#passed(__list, __to);
                    }
                )*
            }
        }
    }

    /// Returns the impl that lists the data of the fields, if all fields do.
    fn listed(&self) -> Option<TokenStream> {
        let (model, private) = (self.model, &self.private);
        let own = model.applied(&model.derived.input.ident, "static");
        let list = quote!(<#own as __Fields>::List);
        let listed = quote!(#private::Listed<__Tail>);
        let mut generics = model.without_lifetimes();
        require(&mut generics, &quote!(#list: #listed));
        generics
            .params
            .push(GenericParam::Type(hidden("__Tail").into()));
        let (params, _, bounds) = generics.split_for_impl();
        model.if_listed(quote! {
            impl #params #listed for #own #bounds {
                type List = <#list as #listed>::List;
            }
        })
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
        let conflicts = model.refuse_conflicts(false, &access);
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
        let guard = &self.guard;
        quote! {
            impl #impl_generics #private::SharedParam for #own #bounds {
                #[inline]
                fn get_shared<'__g>(__guard: &'__g Self::Guard<'_>) -> Self::Item<'__g> {
                    let #guard(__list) = __guard;
                    let #pattern = __list;
                    #value
                }
            }
        }
    }
}

fn lifetime(name: &str) -> GenericParam {
    GenericParam::Lifetime(LifetimeParam::new(Lifetime::new(name, site())))
}

#[cfg(test)]
mod tests;

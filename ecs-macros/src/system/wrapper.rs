//! The function that callers see.

use super::body::{Caller, body};
use super::docs;
use super::expansion::{Expansion, attributes};
use super::param::ParamKind;
use crate::prelude::*;
use crate::types::predicates;

impl Expansion<'_> {
    /// Returns the function that callers see, under the name of the user's function.
    pub(super) fn wrapper(&self, body: &TokenStream) -> TokenStream {
        let system = self.system;
        let function = &system.function;
        let (ty, world) = (&self.ty, system.world());
        let handle = self.world(ty);
        let arguments = to_vec(system.arguments().map(|param| {
            let (name, ty) = (&param.binding, &param.ty);
            quote!(#name: #ty)
        }));
        let output = self.output();
        // Without the lifetimes that only world parameters have.
        let types = function.generics.type_params();
        let predicates = predicates(&function.generics);
        let predicates = predicates.filter(|it| matches!(it, WherePredicate::Type(_)));
        let visible = quote!(#(#arguments),* #output #(#types)* #(#predicates)*);
        let is_visible = |name: &Ident| lifetimes::mentions(&visible, &|other| other == name);
        let is_hidden = |name: &Ident| system.declares(name) && !is_visible(name);
        let generics = system.with_static_types(system.generics_without(&is_hidden, &|_| false));
        let bounds = &generics.where_clause;
        let names_types = !arguments.is_empty() || function.returned().is_some();
        let names_types = names_types || !generics.params.is_empty();
        let params = names_types.then(|| system.tokens_of(&generics));
        let attrs = attributes(system, &["doc", "must_use", "deprecated", "cfg"]);
        let docs = docs::section(system, ty);
        let (vis, name, keyword) = (&function.vis, &function.ident, function.fn_token);
        // Keyword and braces have the user's spans, so lints about the function itself are shown as usual.
        let body = quote_spanned!(function.body.span()=> { #body });
        quote! {
            #(#attrs)*
            #docs
            #[inline]
            #[track_caller]
            #vis #keyword #name #params (#(#arguments,)* #world: #handle) #output #bounds #body
        }
    }

    /// Returns the body of a system that borrows its parameters.
    pub(super) fn shared_body(&self) -> TokenStream {
        let (system, private, ty) = (self.system, &self.private, &self.ty);
        let world = system.world();
        let check = self.force_check();
        if system.arguments().next().is_none() {
            let end = system.end();
            return quote!(#check #private::direct::<#ty, _, _>(#world) #end);
        }
        let lent = local("lent");
        let direct = frame! {
            // SAFETY: `META` and the list were generated from the same parameters, in the same order.
            unsafe { #private::Direct::<#ty>::new(&#lent) }
        };
        let (imports, end) = (system.root.scope(), system.end());
        let body = body(self, Caller::Call(&direct));
        quote! {
            #imports
            #check
            let #lent = #private::WorldFor::<#ty>::world(#world);
            #body #end
        }
    }

    /// Returns the body of a system with `&mut World`.
    pub(super) fn exclusive_body(&self) -> TokenStream {
        let (private, ty, function) = (&self.private, &self.ty, self.function());
        let world = self.system.world();
        let values = self.system.params.iter().map(|param| match param.kind {
            ParamKind::Argument => param.binding.to_token_stream(),
            _ => quote!(#private::WorldForMut::<#ty>::world_mut(#world)),
        });
        let end = self.system.end();
        quote!(#function(#(#values),*) #end)
    }
}

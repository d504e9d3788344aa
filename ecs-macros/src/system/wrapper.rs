//! The function that callers see.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::WherePredicate;

use super::expand::{Expansion, attributes};
use super::param::{Kind, hidden};
use super::parts::parts;
use super::{docs, lifetimes};
use crate::lists::listed;

impl Expansion<'_> {
    /// The function that callers see, under the name of the user's.
    pub(super) fn wrapper(&self, body: &TokenStream) -> TokenStream {
        let system = self.system;
        let function = &system.function;
        let (private, ty) = (&self.private, &self.ty);
        let world = hidden("world");
        let handle = if system.is_exclusive() {
            quote!(#world: &mut impl #private::WorldForMut<#ty>)
        } else {
            quote!(#world: &impl #private::WorldFor<#ty>)
        };
        let arguments: Vec<TokenStream> = listed(system.arguments().map(|param| {
            let (cfg, name, ty) = (param.cfgs(), &param.binding, &param.ty);
            quote!(#cfg #name: #ty)
        }));
        let output = self.output();
        // Lifetimes that only world parameters have are not the caller's.
        let types = function.generics.type_params();
        let mut predicates = Vec::new();
        if let Some(clause) = &function.generics.where_clause {
            for predicate in &clause.predicates {
                if matches!(predicate, WherePredicate::Type(_)) {
                    predicates.push(predicate);
                }
            }
        }
        let visible = quote!(#(#arguments),* #output #(#types)* #(#predicates)*);
        let generics = system.generics_without(&|name| {
            system.declares(name) && !lifetimes::mentions(&visible, &|other| other == name)
        });
        let (params, _, bounds) = generics.split_for_impl();
        let attrs = attributes(
            system,
            &[
                "doc",
                "must_use",
                "deprecated",
                "cfg",
                "allow",
                "warn",
                "deny",
                "forbid",
            ],
        );
        let docs = docs::section(system);
        let (vis, name, keyword) = (&function.vis, &function.ident, function.fn_token);
        // Keyword and braces at the user's place: then lints about the function itself are shown as usual.
        let body = quote_spanned!(function.body.span()=> { #body });
        quote! {
            #(#attrs)*
            #[doc = #docs]
            #[inline]
            #[track_caller]
            #vis #keyword #name #params (#(#arguments,)* #handle) #output #bounds #body
        }
    }

    pub(super) fn shared_body(&self) -> TokenStream {
        let (system, private, ty) = (self.system, &self.private, &self.ty);
        let world = hidden("world");
        let check = self.force_check();
        if system.arguments().next().is_none() {
            return quote!(#check #private::direct::<#ty, _>(#world));
        }
        let world = quote!(&*#private::WorldFor::<#ty>::world(#world));
        let parts = parts(self, "direct_", &quote!(::<#ty, _, _>), &world);
        quote!(#check #parts)
    }

    pub(super) fn exclusive_body(&self) -> TokenStream {
        let (private, ty, path) = (&self.private, &self.ty, &self.path);
        let world = hidden("world");
        let function = &self.system.function.ident;
        let values = self.system.params.iter().map(|param| {
            if param.kind == Kind::Argument {
                let (cfg, name) = (param.cfgs(), &param.binding);
                quote!(#cfg #name)
            } else {
                quote!(#private::WorldForMut::<#ty>::world_mut(#world))
            }
        });
        quote!(#path::#function(#(#values),*))
    }
}

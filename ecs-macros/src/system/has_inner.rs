//! The original function as a value.

use super::expansion::Expansion;
use crate::prelude::*;

impl Expansion<'_> {
    /// Returns the function as a value; none if a lifetime has bounds, which the type of a function pointer cannot
    /// express.
    pub(super) fn has_inner(&self) -> Option<TokenStream> {
        let declared = || self.system.function.generics.lifetimes();
        let is_bounded = declared().any(|lifetime| !lifetime.bounds.is_empty());
        if is_bounded
            || !self
                .bounds_that(&|bound| self.mentions_lifetimes(bound))
                .is_empty()
        {
            return None;
        }
        let names = to_vec(declared());
        let lifetimes = (!names.is_empty()).then(|| quote!(<#(#names),*>));
        let (system, private, ty) = (self.system, &self.private, &self.ty);
        // With the types of the caller, which the hidden type does not have.
        let generics = system.generics_without(&|name| system.declares(name), &|_| false);
        let (generics, bounds) = (system.tokens_of(&generics), &generics.where_clause);
        let types = system.written().map(|param| self.bounded(param, &param.ty));
        let function = self.function();
        let binder = lifetimes.map(|lifetimes| quote!(for #lifetimes));
        let output = &system.function.output;
        let pointer = quote!(#binder fn(#(#types),*) #output);
        let constant = quote!(const INNER: #pointer = #function;);
        Some(quote! {
            impl #generics #private::HasInner<#pointer> for #ty #bounds { #constant }
        })
    }
}

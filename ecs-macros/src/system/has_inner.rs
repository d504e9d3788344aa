//! The function as written, as a value.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::Meta;

use super::expansion::Expansion;
use super::param::Param;
use crate::tokens::to_vec;

/// The largest number of parameters with a `cfg` for which there is an impl per combination.
const MOST: usize = 3;

impl Expansion<'_> {
    /// Returns the function as a value; none if a lifetime has bounds, which the type of a function pointer cannot
    /// express.
    ///
    /// A language server reads no `cfg` in that type, so there is an impl for each combination of parameters.
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
        let params: Vec<&Param> = to_vec(self.system.written());
        let configured = params.iter().filter(|param| !param.cfg.is_empty()).count();
        if configured > MOST {
            let types = params.iter().map(|param| {
                let (cfg, ty) = (param.cfgs(), &param.ty);
                quote!(#cfg #ty)
            });
            return Some(self.inner_of(&to_vec(types), lifetimes.as_ref(), &TokenStream::new()));
        }
        let mut impls = TokenStream::new();
        for combination in 0..1_u32 << configured {
            let (mut types, mut cfgs, mut index) = (Vec::new(), TokenStream::new(), 0);
            for param in &params {
                let mut is_there = true;
                if !param.cfg.is_empty() {
                    is_there = combination & (1 << index) != 0;
                    index += 1;
                    cfgs.extend(cfg(param, is_there));
                }
                if is_there {
                    types.push(param.ty.to_token_stream());
                }
            }
            impls.extend(self.inner_of(&types, lifetimes.as_ref(), &cfgs));
        }
        Some(impls)
    }

    /// Returns the impl for a function with parameters of these types.
    fn inner_of(
        &self,
        types: &[TokenStream],
        lifetimes: Option<&TokenStream>,
        cfgs: &TokenStream,
    ) -> TokenStream {
        let (system, private, ty) = (self.system, &self.private, &self.ty);
        // With the types of the caller, which the hidden type has not.
        let generics = system.generics_without(&|name| system.declares(name), &|_| false);
        let (generics, _, bounds) = generics.split_for_impl();
        let (shared, function) = (&self.attrs, self.function());
        let binder = lifetimes.map(|lifetimes| quote!(for #lifetimes));
        let output = &system.function.output;
        let pointer = quote!(#binder fn(#(#types),*) #output);
        let constant = quote!(const INNER: #pointer = #function;);
        frame! {
            #(#shared)*
            #cfgs
            impl #generics #private::HasInner<#pointer> for #ty #bounds { #constant }
        }
    }
}

/// Returns an attribute for code that is there if the parameter is, or if it is not.
fn cfg(param: &Param, is_there: bool) -> TokenStream {
    if is_there {
        return param.cfgs();
    }
    let conditions = param
        .cfg
        .iter()
        .filter_map(|attribute| match &attribute.meta {
            Meta::List(list) => Some(&list.tokens),
            _ => None,
        });
    quote!(#[cfg(not(all(#(#conditions),*)))])
}

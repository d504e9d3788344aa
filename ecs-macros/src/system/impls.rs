//! The hidden type of a system, and what it implements.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};

use super::expand::{Expansion, is_any};
use super::param::{Kind, Param, hidden};
use super::parts::parts;
use super::{complexity, lifetimes, probe};
use crate::lists::{changed, listed};

impl Expansion<'_> {
    pub(super) fn marker_type(&self) -> TokenStream {
        let (private, marker, everywhere) = (&self.private, &self.marker, &self.everywhere);
        let vis = hide(self.system.function.vis.to_token_stream());
        let generics = self
            .system
            .generics_without(&|name| self.system.declares(name));
        let mut types = generics.type_params().map(|param| &param.ident).peekable();
        // A value would hold nothing: what is known of the system is found by its type.
        let field = match types.peek() {
            None => quote!(()),
            Some(_) => quote!(#private::PhantomData<(#(fn() -> *const #types,)*)>),
        };
        let (params, _, bounds) = generics.split_for_impl();
        quote! {
            #(#everywhere)*
            #[doc(hidden)]
            #vis struct #marker #params (#field) #bounds;
        }
    }

    /// The function as written, where only generated code finds it.
    pub(super) fn inner(&self) -> TokenStream {
        let function = &self.system.function;
        let (generics, ty, bounds, everywhere) =
            (&self.generics, &self.ty, &self.bounds, &self.everywhere);
        let attrs = function.attrs.iter();
        let attrs =
            attrs.filter(|attribute| !is_any(attribute, &["doc", "must_use", "deprecated", "cfg"]));
        let params = self.system.written().map(|param| {
            let (attrs, cfg) = (&param.attrs, &param.cfg);
            let (pattern, ty) = (&param.pattern, &param.ty);
            quote!(#(#cfg)* #(#attrs)* #pattern: #ty)
        });
        // Called per entity, perhaps from the crate that instantiates the system.
        let is_inline = function
            .attrs
            .iter()
            .any(|attribute| attribute.path().is_ident("inline"));
        let inline = (self.system.for_each && !is_inline).then(|| quote!(#[inline]));
        // Parameters of a system are no burden to a caller. Written only where the lint would speak, as `allow` is an
        // error where the user has `forbid`.
        let many = (self.system.written().count() > 7)
            .then(|| quote!(#[allow(clippy::too_many_arguments)]));
        let complex = complexity::allowance(&listed(self.system.written().map(|param| &param.ty)));
        let (lifetimes, clause) = self.lifetimes();
        let (name, output, body) = (&function.ident, &function.output, &function.body);
        quote! {
            #(#everywhere)*
            impl #generics #ty #bounds {
                #(#attrs)*
                #inline
                #many
                #complex
                fn #name #lifetimes (#(#params),*) #output #clause #body
            }
        }
    }

    /// The lifetime parameters of the function, and the bounds that mention them.
    fn lifetimes(&self) -> (Option<TokenStream>, Option<TokenStream>) {
        let generics = &self.system.function.generics;
        let lifetimes = listed(generics.lifetimes());
        if lifetimes.is_empty() {
            return (None, None);
        }
        let named = |name: &Ident| self.system.declares(name);
        let mut all: Vec<TokenStream> = Vec::new();
        for param in generics.type_params() {
            let name = &param.ident;
            for bound in &param.bounds {
                if lifetimes::mentions(bound, &named) {
                    all.push(quote!(#name: #bound));
                }
            }
        }
        if let Some(clause) = &generics.where_clause {
            for predicate in &clause.predicates {
                if lifetimes::mentions(predicate, &named) {
                    all.push(predicate.to_token_stream());
                }
            }
        }
        let clause = (!all.is_empty()).then(|| quote!(where #(#all),*));
        (Some(quote!(<#(#lifetimes),*>)), clause)
    }

    pub(super) fn meta(&self) -> TokenStream {
        let (private, generics, ty, bounds) =
            (&self.private, &self.generics, &self.ty, &self.bounds);
        let everywhere = &self.everywhere;
        let params: Vec<&Param> = listed(self.system.borrowed());
        let meta = self.meta_of(&params);
        let check = self.check_of_instance();
        quote! {
            #(#everywhere)*
            impl #generics #private::System for #ty #bounds {
                const META: #private::SystemMeta = #meta;
                #check
            }
        }
    }

    /// The description of the system with these parameters.
    pub(super) fn meta_of(&self, params: &[&Param]) -> TokenStream {
        let (system, private) = (self.system, &self.private);
        let name = format!("::{}", system.path());
        let params = params.iter().map(|param| {
            let (cfg, label, text) = (param.cfgs(), &param.label, &param.type_text);
            if param.kind == Kind::Exclusive {
                return quote! {
                    #cfg #private::ParamInfo::new(#label, #text, &#private::Tree::World(#private::Kind::Write))
                };
            }
            let of = param.item(system, "TYPE");
            quote!(#cfg #private::ParamInfo { name: #label, ty: #text, of: #of })
        });
        let meta = quote! {
            #private::SystemMeta::new(
                #private::concat!(#private::module_path!(), #name),
                &[#(#params),*],
            )
        };
        if system.for_each {
            quote!({ use #private::Unknown as _; #meta })
        } else {
            meta
        }
    }

    /// How others than a caller run the system, if they can.
    pub(super) fn call(&self) -> Option<TokenStream> {
        let system = self.system;
        if system.arguments().next().is_some() {
            return None;
        }
        let (private, generics, ty, bounds) =
            (&self.private, &self.generics, &self.ty, &self.bounds);
        let (everywhere, path) = (&self.everywhere, &self.path);
        let output = self.output_type();
        let visitor = hidden("visitor");
        let body = if system.is_exclusive() {
            let function = &system.function.ident;
            quote!(#visitor.exclusive(#path::#function))
        } else {
            parts(self, "", &TokenStream::new(), &visitor.to_token_stream())
        };
        let check = self.force_check();
        Some(quote! {
            #(#everywhere)*
            // SAFETY: `META` and the list were made from the same list of parameters.
            unsafe impl #generics #private::Call<#output> for #ty #bounds {
                #[inline]
                fn visit<__V: #private::Visit<#output>>(#visitor: __V) -> __V::Output {
                    #check
                    #body
                }
            }
        })
    }

    /// The function as a value; left out where a bound on a lifetime has no place in a function pointer's type.
    pub(super) fn has_inner(&self) -> Option<TokenStream> {
        let system = self.system;
        let (lifetimes, clause) = self.lifetimes();
        let bounded = system
            .function
            .generics
            .lifetimes()
            .any(|l| !l.bounds.is_empty());
        if bounded || clause.is_some() {
            return None;
        }
        let (private, generics, ty, bounds) =
            (&self.private, &self.generics, &self.ty, &self.bounds);
        let (everywhere, path) = (&self.everywhere, &self.path);
        let params = system.written().map(|param| {
            let (cfg, ty) = (param.cfgs(), &param.ty);
            quote!(#cfg #ty)
        });
        let binder = lifetimes.map(|lifetimes| quote!(for #lifetimes));
        let (name, output) = (&system.function.ident, &system.function.output);
        let pointer = quote!(#binder fn(#(#params),*) #output);
        Some(quote! {
            #(#everywhere)*
            impl #generics #private::HasInner<#pointer> for #ty #bounds {
                const INNER: #pointer = #path::#name;
            }
        })
    }

    /// The questions about the arguments.
    pub(super) fn probes(&self) -> Option<TokenStream> {
        let (probes, everywhere) = (probe::probes(self.system), &self.everywhere);
        (!probes.is_empty()).then(|| quote!(#(#everywhere)* const _: () = { #probes };))
    }
}

/// Moves tokens to where lints take them for the macro's.
pub(crate) fn hide(tokens: TokenStream) -> TokenStream {
    changed(tokens, &mut |mut token| {
        if let TokenTree::Group(group) = &token {
            token = Group::new(group.delimiter(), hide(group.stream())).into();
        }
        token.set_span(Span::mixed_site());
        token
    })
}

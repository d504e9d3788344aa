//! The code for a system.
//!
//! Few bodies, as each one costs compile time: the function that callers see, the function as written, the metadata,
//! the list of parameters with a closure that calls it, and a small constant per parameter that refuses conflicts.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote};
use syn::{Attribute, ReturnType, Type};

use super::classify;
use super::model::System;
use crate::lists::listed;
use crate::paths::Words;

/// The code for a correct system.
pub(super) fn expand(system: &System) -> TokenStream {
    let code = Expansion::new(system);
    let body = if system.is_exclusive() {
        code.exclusive_body()
    } else {
        code.shared_body()
    };
    let wrapper = code.wrapper(&body);
    let marker = code.marker_type();
    let inner = code.inner();
    let meta = code.meta();
    let call = code.call();
    let has_inner = code.has_inner();
    let probes = code.probes();
    let conflicts = code.conflicts();
    quote!(#wrapper #marker #inner #meta #call #has_inner #probes #conflicts)
}

/// Stands for a system with mistakes: can be called and scheduled, so that no one else errs.
pub(super) fn stub(system: &System) -> TokenStream {
    let code = Expansion::new(system);
    let private = &code.private;
    let broken = quote!(#private::broken());
    let arguments = system.arguments().map(|param| {
        let (cfg, name) = (param.cfgs(), &param.binding);
        quote!(#cfg let _ = #name;)
    });
    let wrapper = code.wrapper(&quote!(#(#arguments)* #broken));
    let marker = code.marker_type();
    let (generics, ty, bounds) = (&code.generics, &code.ty, &code.bounds);
    let everywhere = &code.everywhere;
    let output = code.output_type();
    let has_arguments = system.arguments().next().is_some();
    let call = (!has_arguments).then(|| {
        quote! {
            #(#everywhere)*
            // SAFETY: never run, as an error is reported beside.
            unsafe impl #generics #private::Call<#output> for #ty #bounds {
                fn visit<__V: #private::Visit<#output>>(_: __V) -> __V::Output { #broken }
            }
        }
    });
    quote! {
        #wrapper
        #marker
        #(#everywhere)*
        impl #generics #private::System for #ty #bounds {
            const META: #private::SystemMeta = #private::SystemMeta::new("", &[]);
        }
        #call
    }
}

/// What the pieces of code need in common.
pub(super) struct Expansion<'a> {
    pub(super) system: &'a System,
    pub(super) private: Words,
    pub(super) marker: Ident,
    /// `<T: Component>` of the hidden type's impls.
    pub(super) generics: TokenStream,
    /// `__system_tick<T>`.
    pub(super) ty: Words,
    /// `__system_tick::<T>`, as a path to call through.
    pub(super) path: Words,
    pub(super) bounds: TokenStream,
    /// For each piece of the code: the `cfg`s and lint levels of the function.
    pub(super) everywhere: Vec<&'a Attribute>,
}

impl<'a> Expansion<'a> {
    pub(super) fn new(system: &'a System) -> Self {
        let marker = system.marker();
        let all = system.generics_without(&|name| system.declares(name));
        let (generics, arguments, bounds) = all.split_for_impl();
        let turbofish = arguments.as_turbofish();
        Self {
            private: system.root.private(Span::mixed_site()),
            generics: quote!(#generics),
            ty: Words::new(quote!(#marker #arguments)),
            path: Words::new(quote!(#marker #turbofish)),
            bounds: quote!(#bounds),
            everywhere: attributes(system, &["cfg", "allow", "warn", "deny", "forbid"]),
            marker,
            system,
        }
    }

    /// The return type as written; left out where a mistake in it was reported.
    pub(super) fn output(&self) -> Option<&ReturnType> {
        let function = &self.system.function;
        match function.returned() {
            Some(Type::Never(_)) => None,
            Some(ty) if classify::has_impl(ty) || self.system.returns_borrow(ty) => None,
            _ => Some(&function.output),
        }
    }

    pub(super) fn output_type(&self) -> TokenStream {
        match self.output() {
            Some(ReturnType::Type(_, ty)) => ty.to_token_stream(),
            _ => quote!(()),
        }
    }
}

/// Whether the attribute has one of these names.
pub(super) fn is_any(attribute: &Attribute, names: &[&str]) -> bool {
    names.iter().any(|name| attribute.path().is_ident(name))
}

/// The function's attributes with these names.
pub(super) fn attributes<'a>(system: &'a System, names: &[&str]) -> Vec<&'a Attribute> {
    let attrs = system.function.attrs.iter();
    listed(attrs.filter(|attribute| is_any(attribute, names)))
}

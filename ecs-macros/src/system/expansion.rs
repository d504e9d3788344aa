//! The data that all pieces of a system's code need.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote};
use syn::{Attribute, ReturnType, Type};

use super::model::System;
use crate::attributes::{LEVELS, is_any};
use crate::tokens::{TokenList, to_vec};
use crate::types::has_impl;

/// The data that all pieces of a system's code need.
pub(super) struct Expansion<'a> {
    pub(super) system: &'a System,
    pub(super) private: TokenList,
    pub(super) hidden_type: Ident,
    /// `<T: Component>` of the hidden type's impls.
    pub(super) generics: TokenStream,
    /// `__system_tick<T>`.
    pub(super) ty: TokenList,
    /// `__system_tick::<T>`, as a path to call through.
    pub(super) path: TokenList,
    pub(super) bounds: TokenStream,
    /// The `cfg`s and lint levels of the function, for each piece of the code.
    pub(super) attrs: Vec<&'a Attribute>,
}

impl<'a> Expansion<'a> {
    pub(super) fn new(system: &'a System) -> Self {
        let hidden_type = system.hidden_type();
        let all = system.hidden_generics();
        let (generics, arguments, bounds) = all.split_for_impl();
        let turbofish = arguments.as_turbofish();
        Self {
            private: system.root.private(Span::mixed_site()),
            generics: quote!(#generics),
            ty: TokenList::new(quote!(#hidden_type #arguments)),
            path: TokenList::new(quote!(#hidden_type #turbofish)),
            bounds: quote!(#bounds),
            attrs: attributes(system, &["cfg"]),
            hidden_type,
            system,
        }
    }

    /// Returns the path of the function as written.
    pub(super) fn function(&self) -> TokenStream {
        let (ty, function) = (&self.path, &self.system.function.ident);
        quote!(#ty::#function)
    }

    /// Returns the return type as written; none if an error in it was reported.
    pub(super) fn output(&self) -> Option<&ReturnType> {
        let function = &self.system.function;
        match function.returned() {
            Some(Type::Never(_)) => None,
            Some(ty) if has_impl(ty) || self.system.returns_borrow(ty) => None,
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

/// Returns the function's lint levels and its attributes with these names.
pub(super) fn attributes<'a>(system: &'a System, names: &[&str]) -> Vec<&'a Attribute> {
    let attrs = system.function.attrs.iter();
    to_vec(attrs.filter(|attribute| is_any(attribute, &LEVELS) || is_any(attribute, names)))
}

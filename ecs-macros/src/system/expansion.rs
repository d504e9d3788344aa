//! The names and types in a system's code.

use super::model::SystemModel;
use crate::attributes::{LEVELS, is_any};
use crate::prelude::*;
use crate::types::has_impl;

/// The data that all pieces of a system's code need.
pub(super) struct Expansion<'a> {
    pub(super) system: &'a SystemModel,
    pub(super) private: TokenList,
    pub(super) hidden_type: Ident,
    /// `<T: Component>` of the hidden type's impls.
    pub(super) generics: TokenList,
    /// `__SystemTick1A2B<T>`.
    pub(super) ty: TokenList,
    pub(super) bounds: TokenList,
    /// The `cfg`s and lint levels of the function, for each piece of the code.
    pub(super) attrs: Vec<&'a Attribute>,
}

impl<'a> Expansion<'a> {
    pub(super) fn new(system: &'a SystemModel) -> Self {
        let hidden_type = system.hidden_type();
        let all = system.hidden_generics();
        let (_, arguments, bounds) = all.split_for_impl();
        let mut ty = TokenList(vec![hidden_type.clone().into()]);
        ty.0.extend(arguments.to_token_stream());
        Self {
            private: system.root.private(site()),
            generics: system.tokens_of(&all),
            ty,
            bounds: TokenList::new(bounds.to_token_stream()),
            attrs: attributes(system, &["cfg"]),
            hidden_type,
            system,
        }
    }

    /// Returns the type of the caller's world, which has the system `of`.
    pub(super) fn world(&self, of: &dyn ToTokens) -> TokenStream {
        let private = &self.private;
        match self.system.is_exclusive() {
            true => quote!(&mut impl #private::WorldForMut<#of>),
            false => quote!(&impl #private::WorldFor<#of>),
        }
    }

    /// Returns the name of the constant with the path of the system.
    pub(super) fn name(&self) -> Ident {
        hidden(&format!("{}_NAME", self.hidden_type).to_uppercase())
    }

    /// Returns the name of the constant with its rules; `None` if there are none.
    pub(super) fn rules(&self) -> Option<Ident> {
        let has_rules = self.system.has_rules();
        has_rules.then(|| hidden(&format!("{}_RULES", self.hidden_type).to_uppercase()))
    }

    /// Returns the name of the trait that has the original function.
    pub(super) fn inner_name(&self) -> Ident {
        format_ident!("{}Inner", self.hidden_type)
    }

    /// Returns that trait, with its arguments.
    pub(super) fn inner_trait(&self) -> TokenList {
        let all = self.system.hidden_generics();
        let mut tokens = TokenList(vec![self.inner_name().into()]);
        tokens.0.extend(all.split_for_impl().1.to_token_stream());
        tokens
    }

    /// Returns the name of the original function: the user's name, but a lint about it concerns the wrapper.
    pub(super) fn inner_function(&self) -> Ident {
        let name = &self.system.function.ident;
        match self.system.name().to_lowercase().replace("__", "_") {
            lower if lower == self.system.name() => name.clone(),
            lower => Ident::new(&format!("__{lower}"), name.span()),
        }
    }

    /// Returns the path of the original function.
    pub(super) fn function(&self) -> TokenStream {
        let (ty, of, function) = (&self.ty, self.inner_trait(), self.inner_function());
        quote!(<#ty as #of>::#function)
    }

    /// Returns the written return type; none if an error in it was reported.
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
pub(super) fn attributes<'a>(system: &'a SystemModel, names: &[&str]) -> Vec<&'a Attribute> {
    let attrs = system.function.attrs.iter();
    to_vec(attrs.filter(|attribute| is_any(attribute, &LEVELS) || is_any(attribute, names)))
}

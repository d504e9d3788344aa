//! The types of parameters in the function as written: known only if the metadata of the system has no error.
//!
//! So a missing derive is reported where a parameter is written, and not again at each method call in the body.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{GenericArgument, PathArguments, Type};

use super::expansion::Expansion;
use super::param::{Param, ParamKind};
use crate::parameters::{Borrows, Domain, Parameter};
use crate::types::{path, strip, type_arguments};

impl Expansion<'_> {
    /// Returns the type of the system whose length is not known if there is an error in the metadata.
    pub(super) fn length(&self) -> TokenStream {
        let mut written = self.system.written();
        if written.any(|param| self.of_components(param).is_some()) {
            quote!([(); Self::LENGTH])
        } else {
            quote!(())
        }
    }

    /// Returns the type of a view or query, with the type in it through `IfCorrect`; none for other parameters, and for
    /// those whose types are checked elsewhere.
    pub(super) fn if_correct(&self, param: &Param) -> Option<Type> {
        self.of_components(param)?;
        let Type::Path(mut ty) = strip(&param.ty).clone() else {
            return None;
        };
        let PathArguments::AngleBracketed(arguments) = &mut ty.path.segments.last_mut()?.arguments
        else {
            return None;
        };
        for argument in &mut arguments.args {
            if let GenericArgument::Type(of) = argument {
                let private = &self.private;
                *of = Type::Verbatim(quote!(#private::IfCorrect<Self, #of>));
                break;
            }
        }
        Some(Type::Path(ty))
    }

    /// Returns the type in a view or query whose components are checked in the metadata.
    pub(super) fn of_components<'p>(&self, param: &'p Param) -> Option<&'p Type> {
        if !self.is_checked_once() || !is_of_components(param) {
            return None;
        }
        type_arguments(path(&param.ty)?).first().copied()
    }

    /// Returns whether the parameters are checked in the metadata, and before the system is instantiated; and whether the
    /// function as written is one of the hidden type.
    fn is_checked_once(&self) -> bool {
        let system = self.system;
        let generics = &system.function.generics;
        let is_generic = !generics.params.is_empty() || generics.where_clause.is_some();
        !is_generic && !system.for_each && system.owner.is_none()
    }
}

fn is_of_components(param: &Param) -> bool {
    let known = path(&param.ty).and_then(Parameter::known);
    param.kind == ParamKind::Borrowed
        && known.is_some_and(|known| match known.borrows {
            Borrows::Arguments => true,
            borrows => borrows.domain() == Some(Domain::Component),
        })
}

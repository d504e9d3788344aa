//! The body of a system with a wrong parameter. The parameter is one error, and the compiler reports nothing about the body.
//!
//! In the original function, the type of a parameter depends on a constant that needs the metadata of the system. If a
//! parameter is wrong, the metadata do not compile, which is the error that the user sees. The constant then has no value, so
//! the type is unknown, and the compiler reports nothing about the uses of a value of an unknown type.

use super::expansion::Expansion;
use super::model::SystemModel;
use super::param::{Param, ParamKind};
use crate::parameters::{Borrows, DataDomain};
use crate::prelude::*;
use crate::types::{inside_mut, is_named, optional};

impl Expansion<'_> {
    /// Returns the alias that makes a type depend on the metadata; [`silenced`](Self::silenced) types name it.
    pub(super) fn alias(&self) -> Option<TokenStream> {
        let (system, mut params) = (self.system, self.system.borrowed());
        params.any(|param| system.is_silenced(param)).then(|| {
            let (private, ty, attrs) = (&self.private, &self.ty, &self.attrs);
            let alias = system.silencing_alias(site());
            quote! {
                #(#attrs)*
                type #alias<T> = #private::ParamIf<T, { <#ty as #private::System>::FITS }>;
            }
        })
    }

    /// Returns the type of a parameter for the original function. It is `ty`, or unknown if a parameter is wrong.
    pub(super) fn silenced(&self, param: &Param, ty: &Type) -> Type {
        let mut silenced = ty.clone();
        if self.system.is_silenced(param) {
            self.silence(&mut silenced);
        }
        silenced
    }

    /// Returns the type of a parameter for other code. It is unknown like a [`silenced`](Self::silenced) one if the type has a
    /// bound, which the compiler checks wherever the type is named.
    pub(super) fn bounded(&self, param: &Param, ty: &impl ToTokens) -> TokenStream {
        let tokens = ty.to_token_stream();
        let single = is_single(optional(&param.ty).unwrap_or(&param.ty));
        match single.then(|| syn::parse2(tokens.clone())) {
            Some(Ok(ty)) => self.silenced(param, &ty).to_token_stream(),
            _ => tokens,
        }
    }

    /// Makes the first type argument of a parameter depend on the metadata, or else the whole type.
    fn silence(&self, ty: &mut Type) {
        let argument = inside_mut(ty).into_iter().next();
        match argument {
            Some(single) if is_single(single) => self.silence(single),
            Some(argument) => *argument = self.applied(argument),
            None => *ty = self.applied(ty),
        }
    }

    fn applied(&self, ty: &Type) -> Type {
        let (first, last) = ends(ty);
        let alias = self.system.silencing_alias(before(first));
        let open = mark('<', Spacing::Alone, before(first));
        Type::Verbatim(quote_spanned!(after(last)=> #alias #open #ty>))
    }
}

fn is_single(ty: &Type) -> bool {
    is_named(ty, "Single")
}

impl SystemModel {
    /// Returns whether the uses of a parameter could be further errors. A constant cannot depend on generic parameters.
    pub(super) fn is_silenced(&self, param: &Param) -> bool {
        let is_usable = param.borrows.is_some_and(|borrows| match borrows {
            Borrows::Read(domain) | Borrows::Write(domain) => domain != DataDomain::Component,
            Borrows::Nothing => true,
            Borrows::Arguments | Borrows::Other => false,
        });
        param.kind == ParamKind::Borrowed
            && self.parallel.is_none()
            && !self.is_exclusive()
            && !self.is_generic()
            && !is_usable
    }

    /// Returns the name of the [alias](Expansion::alias); errors about it are shown at `span`.
    pub(super) fn silencing_alias(&self, span: Span) -> Ident {
        format_ident!("{}Param", self.hidden_type(), span = span)
    }
}

//! What `system!` understands of a parameter.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens as _;
use syn::{GenericArgument, PathArguments, Type};

use super::parse::Input;
use crate::lists::listed;
use crate::pretty;

/// A parameter.
pub(super) struct Param {
    pub(super) pattern: TokenStream,
    pub(super) kind: Kind,
    /// What the value is called before it meets the pattern.
    pub(super) binding: Ident,
    /// What the component is called when it was looked up.
    pub(super) item: Ident,
}

/// What a parameter is given.
pub(super) enum Kind {
    /// The id.
    Id,
    /// A component, as the type says: a reference, or an optional one.
    Borrowed {
        ty: Type,
        of: Box<Type>,
        mutably: bool,
    },
    /// A copy of the value that the component has now.
    Old { ty: Type },
    /// Something without a type, or with `_`.
    Unknown,
}

impl Param {
    pub(super) fn new(index: usize, input: Input) -> Self {
        let kind = match input.ty {
            None if index == 0 => Kind::Id,
            None => Kind::Unknown,
            Some(ty) => kind(ty),
        };
        Self {
            pattern: input.pattern,
            kind,
            binding: Ident::new(&format!("p{index}"), Span::mixed_site()),
            item: Ident::new(&format!("i{index}"), Span::mixed_site()),
        }
    }

    /// The component, if it is one.
    pub(super) fn component(&self) -> Option<&Type> {
        match &self.kind {
            Kind::Borrowed { of, .. } => Some(of),
            Kind::Old { ty } => Some(ty),
            Kind::Id | Kind::Unknown => None,
        }
    }
}

fn kind(ty: Type) -> Kind {
    let inner = match strip(&ty) {
        Type::Infer(_) => return Kind::Unknown,
        Type::Path(path) => {
            let last = path.path.segments.last();
            match last.map(|last| (last.ident.to_string(), &last.arguments)) {
                Some((name, PathArguments::None)) if name == "Entity" => return Kind::Id,
                Some((name, PathArguments::AngleBracketed(arguments))) if name == "Option" => {
                    match arguments.args.first() {
                        Some(GenericArgument::Type(inner)) => inner,
                        _ => return Kind::Old { ty },
                    }
                }
                _ => return Kind::Old { ty },
            }
        }
        _ => &ty,
    };
    match strip(inner) {
        Type::Reference(reference) if matches!(strip(&reference.elem), Type::Infer(_)) => {
            Kind::Unknown
        }
        Type::Reference(reference) => Kind::Borrowed {
            of: reference.elem.clone(),
            mutably: reference.mutability.is_some(),
            ty,
        },
        _ => Kind::Old { ty },
    }
}

/// Whether it is `&T` or `&mut T`, and no `Option`.
pub(super) fn is_reference(ty: &Type) -> bool {
    matches!(strip(ty), Type::Reference(_))
}

/// Takes parentheses off, also the invisible ones around what a `macro_rules!` was given.
fn strip(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => strip(&group.elem),
        Type::Paren(paren) => strip(&paren.elem),
        other => other,
    }
}

/// The types in `A` or `(A, B)`; none in `()`.
pub(super) fn members(ty: &Type) -> Vec<&Type> {
    match strip(ty) {
        Type::Tuple(tuple) => listed(&tuple.elems),
        one => vec![one],
    }
}

/// The type as people write it.
pub(super) fn text(ty: &Type) -> String {
    pretty::line(strip(ty).to_token_stream())
}

//! What `system!` understands of a parameter.

use proc_macro2::{Ident, Span, TokenStream};
use quote::ToTokens as _;

use super::parse::Input;
use crate::pretty;
use crate::syntax::{Argument, Arguments, Shape, Type};

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
    let inner = match &ty.strip().shape {
        Shape::Infer => return Kind::Unknown,
        Shape::Path(path) => match path.last() {
            Some(last) if last.name == "Entity" && matches!(last.arguments, Arguments::None) => {
                return Kind::Id;
            }
            Some(last) if last.name == "Option" => match path.arguments().first() {
                Some(Argument::Type(inner)) => inner,
                _ => return Kind::Old { ty },
            },
            _ => return Kind::Old { ty },
        },
        _ => &ty,
    };
    match inner.reference() {
        Some(reference) if matches!(reference.of.strip().shape, Shape::Infer) => Kind::Unknown,
        Some(reference) => Kind::Borrowed {
            of: reference.of.clone(),
            mutably: reference.is_mut,
            ty,
        },
        None => Kind::Old { ty },
    }
}

/// Whether it is `&T` or `&mut T`, and no `Option`.
pub(super) fn is_reference(ty: &Type) -> bool {
    ty.reference().is_some()
}

/// The types in `A` or `(A, B)`; none in `()`.
pub(super) fn members(ty: &Type) -> Vec<&Type> {
    match &ty.strip().shape {
        Shape::Tuple(types) => types.iter().collect(),
        _ => vec![ty.strip()],
    }
}

/// The type as people write it.
pub(super) fn text(ty: &Type) -> String {
    pretty::line(ty.strip().to_token_stream())
}

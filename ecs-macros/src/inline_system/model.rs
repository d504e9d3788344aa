//! The parameters of a `system!`.

use super::parse::WrittenParam;
use crate::prelude::*;
use crate::types::{is_named, reference, strip};

pub(super) struct InlineParam {
    pub(super) pattern: TokenStream,
    pub(super) fetch: ParamFetch,
    /// The name of the value before the pattern takes it apart.
    pub(super) binding: Ident,
    /// The name of the component's lookup.
    pub(super) item: Ident,
}

/// The data that a parameter fetches.
pub(super) enum ParamFetch {
    Id,
    /// A component, by a reference or an optional one.
    Borrowed {
        ty: Type,
        of: Box<Type>,
        mutably: bool,
    },
    /// A copy of the component's current value.
    Old(Type),
    /// The type is missing, or `_`.
    Unknown,
}

impl InlineParam {
    pub(super) fn new(index: usize, input: WrittenParam) -> Self {
        let fetch = match input.ty {
            None if index == 0 => ParamFetch::Id,
            None => ParamFetch::Unknown,
            Some(ty) => fetch(ty),
        };
        Self {
            pattern: input.pattern,
            fetch,
            binding: local(&format!("p{index}")),
            item: local(&format!("i{index}")),
        }
    }

    /// Returns whether the parameter is the current value of this component.
    pub(super) fn is_old(&self, of: &Type) -> bool {
        matches!(&self.fetch, ParamFetch::Old(ty) if text(ty) == text(of))
    }

    pub(super) fn component(&self) -> Option<&Type> {
        match &self.fetch {
            ParamFetch::Borrowed { of, .. } => Some(of),
            ParamFetch::Old(ty) => Some(ty),
            ParamFetch::Id | ParamFetch::Unknown => None,
        }
    }
}

fn fetch(ty: Type) -> ParamFetch {
    let is_infer = |ty: &Type| matches!(strip(ty), Type::Infer(_));
    match reference(&ty) {
        Some((reference, _)) if is_infer(&reference.elem) => ParamFetch::Unknown,
        Some((reference, _)) => ParamFetch::Borrowed {
            of: reference.elem.clone(),
            mutably: reference.mutability.is_some(),
            ty,
        },
        None if is_infer(&ty) => ParamFetch::Unknown,
        None if is_named(&ty, "Entity") => ParamFetch::Id,
        None => ParamFetch::Old(ty),
    }
}

/// Returns whether this is `&T` or `&mut T`, without `Option`.
pub(super) fn is_reference(ty: &Type) -> bool {
    matches!(strip(ty), Type::Reference(_))
}

pub(super) fn text(ty: &Type) -> String {
    pretty::line(strip(ty).to_token_stream())
}

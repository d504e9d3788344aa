//! How complex clippy finds a type.
//!
//! A query is one type of many parts, which is no burden to its reader. `clippy::type_complexity` is allowed where it would
//! speak, and nowhere else, as `allow` is an error where the user has `forbid`.

use proc_macro2::TokenStream;
use quote::quote;

use crate::syntax::{Argument, Arguments, Shape, Signature, Type};

/// Beyond this clippy speaks, if it is not configured.
const THRESHOLD: u64 = 250;

/// The attribute for a function with parameters of these types, if it needs one.
pub(super) fn allowance<'a>(mut types: impl Iterator<Item = &'a Type>) -> Option<TokenStream> {
    types
        .any(is_complex)
        .then(|| quote!(#[allow(clippy::type_complexity)]))
}

/// Whether `clippy::type_complexity` speaks about the type.
fn is_complex(ty: &Type) -> bool {
    score(ty, 1) > THRESHOLD
}

/// What clippy counts: each part by how deep it is nested.
fn score(ty: &Type, nest: u64) -> u64 {
    match &ty.shape {
        Shape::Inside(inner) => score(inner, nest),
        Shape::Reference(reference) => nest + score(&reference.of, nest),
        Shape::Pointer(of) => nest + score(of, nest),
        Shape::Slice(of) | Shape::Array(of) => 10 * nest + score(of, nest + 1),
        Shape::Tuple(types) => 10 * nest + sum(types, nest + 1),
        Shape::Path(path) => {
            let mut all = 10 * nest;
            for segment in &path.segments {
                all += in_arguments(&segment.arguments, nest + 1);
            }
            all
        }
        Shape::TraitObject => 20 * nest,
        Shape::Function(signature) => 50 * nest + of_signature(signature, nest + 1),
        Shape::Infer | Shape::Other => 0,
    }
}

fn sum(types: &[Type], nest: u64) -> u64 {
    types.iter().map(|ty| score(ty, nest)).sum()
}

fn of_signature(signature: &Signature, nest: u64) -> u64 {
    let output = signature.output.as_ref();
    sum(&signature.inputs, nest) + output.map_or(0, |ty| score(ty, nest))
}

fn in_arguments(arguments: &Arguments, nest: u64) -> u64 {
    match arguments {
        Arguments::None => 0,
        Arguments::Angles(list) => {
            let mut all = 0;
            for argument in list {
                if let Argument::Type(ty) = argument {
                    all += score(ty, nest);
                }
            }
            all
        }
        Arguments::Signature(signature) => of_signature(signature, nest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count_by_how_deep_they_are() {
        let ty = Type::of_tokens(quote!(Query<(&mut A, &B), With<C>>));
        assert_eq!(score(&ty, 1), 10 + 20 + (3 + 30) + (3 + 30) + 20 + 30);
    }

    #[test]
    fn a_query_of_some_members_and_filters_is_complex() {
        assert!(!is_complex(&Type::of_tokens(
            quote!(Query<(&mut A, &B), With<C>>)
        )));
        assert!(is_complex(&Type::of_tokens(quote!(
            Query<(&mut A, &B, Option<&C>), (With<D>, Without<E>)>
        ))));
    }
}

//! Lints about signatures.
//!
//! A system has many parameters and a query many parts, which is no problem for callers and readers. The lints are
//! allowed where they would warn and nowhere else, as `allow` is an error where the user has `forbid`.

use proc_macro2::TokenStream;
use syn::{GenericArgument, PathArguments, ReturnType, Type};

use crate::tokens::to_vec;

/// The number of parameters and the complexity of a type above which clippy warns, if it is not configured.
const PARAMETERS: usize = 7;
const COMPLEXITY: u64 = 250;

/// Returns the attributes that a function needs with this number of parameters, of these types.
pub(super) fn allowances(count: usize, types: &[&Type]) -> TokenStream {
    let many = (count > PARAMETERS).then(|| quote!(#[allow(clippy::too_many_arguments)]));
    let is_complex = types.iter().any(|ty| is_complex(ty));
    let complex = is_complex.then(|| quote!(#[allow(clippy::type_complexity)]));
    quote!(#many #complex)
}

fn is_complex(ty: &Type) -> bool {
    score(ty, 1) > COMPLEXITY
}

/// Scores a type as clippy does: each part by its depth.
fn score(ty: &Type, nest: u64) -> u64 {
    match ty {
        Type::Group(group) => score(&group.elem, nest),
        Type::Paren(paren) => score(&paren.elem, nest),
        Type::Reference(reference) => nest + score(&reference.elem, nest),
        Type::Ptr(pointer) => nest + score(&pointer.elem, nest),
        Type::Slice(slice) => 10 * nest + score(&slice.elem, nest + 1),
        Type::Array(array) => 10 * nest + score(&array.elem, nest + 1),
        Type::Tuple(tuple) => 10 * nest + sum(&to_vec(&tuple.elems), nest + 1),
        Type::Path(path) => {
            let mut all = 10 * nest;
            for segment in &path.path.segments {
                all += in_arguments(&segment.arguments, nest + 1);
            }
            all
        }
        Type::TraitObject(_) => 20 * nest,
        Type::FnPtr(function) => {
            let inputs = to_vec(function.inputs.iter().map(|input| &input.ty));
            50 * nest + sum(&inputs, nest + 1) + of_output(&function.output, nest + 1)
        }
        _ => 0,
    }
}

fn sum(types: &[&Type], nest: u64) -> u64 {
    let mut all = 0;
    for ty in types {
        all += score(ty, nest);
    }
    all
}

fn of_output(output: &ReturnType, nest: u64) -> u64 {
    match output {
        ReturnType::Type(_, ty) => score(ty, nest),
        ReturnType::Default => 0,
    }
}

fn in_arguments(arguments: &PathArguments, nest: u64) -> u64 {
    match arguments {
        PathArguments::None => 0,
        PathArguments::AngleBracketed(list) => {
            let mut all = 0;
            for argument in &list.args {
                if let GenericArgument::Type(ty) = argument {
                    all += score(ty, nest);
                }
            }
            all
        }
        PathArguments::Parenthesized(list) => {
            let inputs = to_vec(list.inputs.iter().map(|input| &input.ty));
            sum(&inputs, nest) + of_output(&list.output, nest)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_count_by_their_depth() {
        let ty: Type = parse_quote!(Query<(&mut A, &B), With<C>>);
        assert_eq!(score(&ty, 1), 10 + 20 + (3 + 30) + (3 + 30) + 20 + 30);
    }

    #[test]
    fn a_query_of_some_members_and_filters_is_complex() {
        assert!(!is_complex(&parse_quote!(Query<(&mut A, &B), With<C>>)));
        assert!(is_complex(&parse_quote!(
            Query<(&mut A, &B, Option<&C>), (With<D>, Without<E>)>
        )));
    }
}

//! Finds bounds that a generic field needs and its parameter lacks.
//!
//! The compiler would report each use of the field in generated code. A parameter bounded only by traits of the standard
//! library is not a component, so the macro can report the error; other bounds may imply the needed one.

use syn::{Ident, TypeParamBound};

use crate::derive::Derived;
use crate::parameters::DataDomain;
use crate::prelude::*;
use crate::types;
use crate::written::{NamedComponent, Names};

/// Traits that do not imply any of this library.
const STANDARD: &str = "Send Sync Sized Copy Clone Default Debug Display PartialEq Eq PartialOrd Ord Hash Unpin Serialize";

/// Reports parameters of the struct that the type of a field uses as a component or resource, without the bound. `kind` is the
/// trait of the field.
pub(crate) fn check(derived: &mut Derived, kind: &str, ty: &Type) {
    for NamedComponent { ty, domain, .. } in Names::of(ty, kind).all {
        let bound = match domain {
            DataDomain::Component => "Component",
            DataDomain::Resource => "Resource",
            DataDomain::NonSend => continue,
        };
        let Some(name) = types::path(ty).and_then(syn::Path::get_ident) else {
            continue;
        };
        let generics = &derived.input.generics;
        let Some(param) = generics.type_params().find(|param| param.ident == *name) else {
            continue;
        };
        let (param, word) = (param.ident.clone(), bound.to_lowercase());
        if !implies_more(of(generics, name), bound) && !derived.missing.contains(&param) {
            reject!(derived.errors, &param =>
                "`{name}` has to be a {word} here\nhelp: write `{name}: {bound}`");
            derived.missing.push(param);
        }
    }
}

/// Returns whether one of the bounds may imply the bound `of`.
pub(crate) fn implies_more<'a>(
    bounds: impl IntoIterator<Item = &'a TypeParamBound>,
    of: &str,
) -> bool {
    let other = ["Component", "Resource"].map(|name| if name == of { "" } else { name });
    let cannot = |bound: &TypeParamBound| {
        !matches!(bound, TypeParamBound::Trait(_))
            || is_named(bound, STANDARD)
            || is_named(bound, &other.join(" "))
    };
    !bounds.into_iter().all(cannot)
}

/// Returns whether a parameter is bound to be query data.
pub(crate) fn is_data(generics: &Generics, name: &Ident) -> bool {
    let mut all = of(generics, name).into_iter();
    all.any(|bound| is_named(bound, "QueryData ReadOnlyQueryData"))
}

/// Returns whether a bound is one of the named traits.
pub(crate) fn is_named(bound: &TypeParamBound, names: &str) -> bool {
    let head = match bound {
        TypeParamBound::Trait(bound) => types::head(&bound.path),
        _ => None,
    };
    head.is_some_and(|head| names.split(' ').any(|known| head == known))
}

/// Returns the bounds of a parameter, at its declaration and in the `where` clause.
pub(crate) fn of<'a>(generics: &'a Generics, name: &Ident) -> Vec<&'a TypeParamBound> {
    let params = generics.type_params().filter(|param| param.ident == *name);
    let declared = params.flat_map(|param| &param.bounds);
    let is_it = |ty: &Type| types::path(ty).is_some_and(|path| path.is_ident(name));
    let clause = types::predicates(generics).flat_map(|predicate| match predicate {
        WherePredicate::Type(bound) if is_it(&bound.bounded_ty) => to_vec(&bound.bounds),
        _ => Vec::new(),
    });
    to_vec(declared.chain(clause))
}

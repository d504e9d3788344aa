//! Bounds that a generic field needs and its parameter lacks.
//!
//! The compiler would report each use of the field in generated code. A parameter whose bounds are traits of the standard
//! library is no component, so the error is known here; other bounds may imply the one that is needed.

use syn::{Generics, Ident, Type, TypeParamBound, WherePredicate};

use crate::derive::Derived;
use crate::parameters::{Borrows, Domain, Parameter};
use crate::types;

/// Traits that do not imply any of this library.
const STANDARD: &str = "Send Sync Sized Copy Clone Default Debug Display PartialEq Eq PartialOrd Ord Hash Unpin Serialize";

/// Reports parameters of the struct that the type of a field uses as a component or resource, without the bound. `of` is the
/// trait of the field.
pub(crate) fn check(derived: &mut Derived, of: &str, ty: &Type) {
    let mut needed = Vec::new();
    collect(ty, of, &mut needed);
    for (name, bound) in needed {
        let generics = &derived.input.generics;
        let Some(param) = generics.type_params().find(|param| param.ident == *name) else {
            continue;
        };
        let has = has_other_bounds(generics, name);
        let text = name.to_string();
        let message = format!(
            "`{name}` has to be a {} here\nhelp: write `{name}: {bound}`",
            bound.to_lowercase()
        );
        let at = param.ident.clone();
        if !has && !derived.missing.contains(&text) {
            derived.missing.push(text);
            derived.errors.push(at, message);
        }
    }
}

/// Adds the names in the places of components and resources.
fn collect<'a>(ty: &'a Type, of: &str, needed: &mut Vec<(&'a Ident, &'static str)>) {
    let mut need = |ty: &'a Type, bound| {
        if let Some(name) = types::path(ty).and_then(syn::Path::get_ident) {
            needed.push((name, bound));
        }
    };
    if let (Some((reference, _)), "QueryData") = (types::reference(ty), of) {
        return need(&reference.elem, "Component");
    }
    if let Type::Tuple(tuple) = types::strip(ty) {
        tuple.elems.iter().for_each(|ty| collect(ty, of, needed));
        return;
    }
    let Some(path) = types::path(ty) else { return };
    let (arguments, name) = (
        types::type_arguments(path),
        types::name(ty).unwrap_or_default(),
    );
    match (of, &*name, &arguments[..]) {
        (_, "Option", [inside]) | ("QueryFilter", "Or" | "Not", [inside]) => {
            collect(inside, of, needed);
        }
        ("QueryFilter", "With" | "Without" | "Added" | "Changed" | "Mutated", [component])
        | ("QueryData", "Mut", [component]) => need(component, "Component"),
        ("SystemParam", _, [first, rest @ ..]) => match Parameter::known(path)
            .map(|known| (known, known.borrows))
        {
            Some((known, Borrows::Arguments)) if known.is_query() => {
                collect(first, "QueryData", needed);
                for filter in rest {
                    collect(filter, "QueryFilter", needed);
                }
            }
            Some((_, Borrows::Arguments)) => collect(first, of, needed),
            Some((_, Borrows::Read(Domain::Component) | Borrows::Write(Domain::Component))) => {
                need(first, "Component");
            }
            Some((known, Borrows::Read(Domain::Resource) | Borrows::Write(Domain::Resource)))
                if !known.is_of_events() =>
            {
                need(first, "Resource");
            }
            _ => {}
        },
        _ => {}
    }
}

/// Returns whether a parameter has a bound that may imply one of this library.
fn has_other_bounds(generics: &Generics, name: &Ident) -> bool {
    let mut all = of(generics, name).into_iter();
    all.any(|bound| matches!(bound, TypeParamBound::Trait(_)) && !is_named(bound, STANDARD))
}

/// Returns whether a parameter is bound to be query data.
pub(crate) fn is_data(generics: &Generics, name: &Ident) -> bool {
    let mut all = of(generics, name).into_iter();
    all.any(|bound| is_named(bound, "QueryData ReadOnlyQueryData"))
}

/// Returns whether a bound is by a trait with one of the names.
pub(crate) fn is_named(bound: &TypeParamBound, names: &str) -> bool {
    let TypeParamBound::Trait(bound) = bound else {
        return false;
    };
    let head = types::head(&bound.path);
    head.is_some_and(|head| names.split(' ').any(|known| head == known))
}

/// Returns the bounds of a parameter, where it is declared and in the `where` clause.
pub(crate) fn of<'a>(generics: &'a Generics, name: &Ident) -> Vec<&'a TypeParamBound> {
    let mut all = Vec::new();
    for param in generics.type_params() {
        if param.ident == *name {
            all.extend(&param.bounds);
        }
    }
    let clause = generics.where_clause.iter();
    for predicate in clause.flat_map(|clause| &clause.predicates) {
        if let WherePredicate::Type(bound) = predicate
            && types::path(&bound.bounded_ty).is_some_and(|path| path.is_ident(name))
        {
            all.extend(&bound.bounds);
        }
    }
    all
}

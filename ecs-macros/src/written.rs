//! The components that parameters name, for types that constants cannot compare.
//!
//! The identities of two instances of a generic type cannot tell whether they are equal, but the compiler knows whether two
//! types written in a system are one.

use crate::lifetimes;
use crate::parameters::{Borrows, DataDomain, Parameter};
use crate::prelude::*;
use crate::system::item;
use crate::types::{arguments, inside, is_named, name, optional, path, strip};

/// A component or resource that a parameter names.
pub(crate) struct NamedComponent<'a> {
    pub(crate) ty: &'a Type,
    pub(crate) domain: DataDomain,
    text: String,
    /// None if only a filter names it, which borrows nothing.
    writes: Option<bool>,
}

/// Returns an expression that is true if all types of two parameters, or of two items of one query, that constants leave
/// undecided are one; `None` if that cannot matter, or if one of them may have types that it does not name.
///
/// The trait `Distinct` has to be in scope.
pub(crate) fn are_one(
    (first, second): (&Type, &Type),
    are_items: bool,
    private: &TokenList,
    span: Span,
) -> Option<TokenStream> {
    let names = if are_items { data } else { parameter };
    let (mut one, mut two) = (Vec::new(), Vec::new());
    let are_all = names(first, &mut one) && names(second, &mut two);
    if !are_all || !may_conflict(&one, &two) {
        return None;
    }
    let mut types: Vec<NamedComponent<'_>> = Vec::new();
    for ty in one.into_iter().chain(two) {
        if !types.iter().any(|other| other.text == ty.text) {
            types.push(ty);
        }
    }
    let mut pairs = Vec::new();
    for (index, second) in types.iter().enumerate() {
        for first in &types[..index] {
            let (one, two) = (first.ty, second.ty);
            let alike = quote_spanned!(span=> #private::Alike::<#one, #two>);
            let is_same = (has_arguments(one) || has_arguments(two))
                .then(|| quote_spanned!(span=> || #alike::SAME));
            pairs.push(quote_spanned!(span=> (#alike::DECIDED #is_same)));
        }
    }
    Some(quote_spanned!(span=> true #(&& #pairs)*))
}

/// Returns the types that parameters name, for `SystemParam::NAMED`; the traits `Undecided` and `Unknown` have to be in
/// scope.
pub(crate) fn instances<'a>(
    params: impl IntoIterator<Item = &'a Type>,
    generics: &Generics,
    private: &TokenList,
) -> TokenStream {
    let mut all = Vec::new();
    let mut leaf = |ty: &'a Type, known: &Parameter, types: &[&'a Type]| {
        if known.is_query() {
            let mut components = Vec::new();
            let are_all = query(types, &mut components);
            let types = components.iter().map(|component| component.ty);
            all.extend(
                types.map(|of| instance(&quote!(#private::Comp<'static, #of>), Some(of), private)),
            );
            return are_all;
        }
        let param = lifetimes::replace(ty, generics, "static");
        all.push(instance(&param, types.first().copied(), private));
        true
    };
    match params.into_iter().all(|ty| leaves(ty, &mut leaf)) {
        true => quote!(#private::Some(&[#(#all),*])),
        false => quote!(#private::None),
    }
}

/// Returns an instance: a type of data that `param` accesses, written as `ty`.
fn instance(param: &TokenStream, ty: Option<&Type>, private: &TokenList) -> TokenStream {
    let arguments = ty.and_then(path).map(arguments).unwrap_or_default();
    let arguments = arguments.into_iter().filter_map(|argument| match argument {
        GenericArgument::Lifetime(_) => None,
        // Without a small letter it may be a constant.
        GenericArgument::Type(ty) if pretty::line(ty).contains(char::is_lowercase) => {
            Some(quote!(#private::ArgumentOf::<#ty>::ARGUMENT))
        }
        GenericArgument::Const(value) => Some(quote!(#private::Argument::value(#value as _))),
        _ => Some(quote!(#private::Argument::UNDECIDED)),
    });
    quote!(#private::Instance::new(<#private::Probe<#param>>::TYPE.access, &[#(#arguments),*]))
}

/// Returns whether a type may be an instance of a generic type; an alias shows no arguments.
fn has_arguments(ty: &Type) -> bool {
    path(ty).is_some_and(|path| !arguments(path).is_empty())
}

/// Returns whether one writes a type that may also be in the other, so that constants may not know.
fn may_conflict(one: &[NamedComponent<'_>], two: &[NamedComponent<'_>]) -> bool {
    let may_conflict = |first: &NamedComponent<'_>, second: &NamedComponent<'_>| {
        let both = first.writes.zip(second.writes);
        let may_be_one =
            first.text == second.text || has_arguments(first.ty) || has_arguments(second.ty);
        both.is_some_and(|(first, second)| first || second)
            && may_be_one
            && !core::ptr::eq(first.ty, second.ty)
    };
    one.iter()
        .any(|first| two.iter().any(|second| may_conflict(first, second)))
}

/// Adds the components and resources that a type with the trait `of` names.
pub(crate) fn named<'a>(ty: &'a Type, of: &str) -> Vec<NamedComponent<'a>> {
    let mut all = Vec::new();
    match of {
        "SystemParam" => parameter(ty, &mut all),
        "QueryData" => data(ty, &mut all),
        "QueryFilter" => filters(ty, &mut all),
        _ => false,
    };
    all
}

/// Adds the components and resources that a parameter names; `false` if it may have other components, or data that are
/// none.
fn parameter<'a>(ty: &'a Type, all: &mut Vec<NamedComponent<'a>>) -> bool {
    leaves(ty, &mut |_, known, types| {
        let Some(first) = types.first() else {
            return false;
        };
        match known.borrows {
            Borrows::Arguments => query(types, all),
            Borrows::Read(domain) | Borrows::Write(domain) if !known.is_of_events() => {
                let is_component = domain == DataDomain::Component;
                let writes = matches!(known.borrows, Borrows::Write(_));
                add(first, domain, is_component.then_some(writes), all) && is_component
            }
            _ => false,
        }
    })
}

/// Calls a function with each parameter that is not made of others, and its type arguments; `false` if the function returns
/// that once, or if a parameter is not known.
fn leaves<'a>(
    ty: &'a Type,
    leaf: &mut dyn FnMut(&'a Type, &Parameter, &[&'a Type]) -> bool,
) -> bool {
    let ty = optional(ty).unwrap_or(ty);
    if let Type::Tuple(tuple) = strip(ty) {
        return (tuple.elems.iter()).fold(true, |all, ty| leaves(ty, leaf) & all);
    }
    let types = inside(ty);
    match Parameter::of(ty) {
        None => false,
        Some(known) if matches!(known.borrows, Borrows::Arguments) && !known.is_query() => {
            (types.into_iter()).fold(true, |all, ty| leaves(ty, leaf) & all)
        }
        Some(known) => leaf(ty, known, &types),
    }
}

/// Adds the components in the arguments of a query.
fn query<'a>(types: &[&'a Type], all: &mut Vec<NamedComponent<'a>>) -> bool {
    let Some((fetched, rest)) = types.split_first() else {
        return false;
    };
    data(fetched, all) & each(rest.iter().copied(), filters, all)
}

/// Adds the components in the data of a query.
fn data<'a>(ty: &'a Type, all: &mut Vec<NamedComponent<'a>>) -> bool {
    let member = |ty: &'a Type, all: &mut Vec<NamedComponent<'a>>| match item::access(ty) {
        Some((component, writes)) => add(component, DataDomain::Component, Some(writes), all),
        None => is_named(ty, "Entity"),
    };
    each(item::members(ty), member, all)
}

/// Adds the components in the filter of a query.
fn filters<'a>(ty: &'a Type, all: &mut Vec<NamedComponent<'a>>) -> bool {
    let filter = |ty: &'a Type, all: &mut Vec<NamedComponent<'a>>| {
        let name = name(ty).unwrap_or_default();
        match (name.as_str(), &inside(ty)[..]) {
            ("With" | "Without", [of]) => add(of, DataDomain::Component, None, all),
            ("Added" | "Changed", [of]) => add(of, DataDomain::Component, Some(false), all),
            ("Mutated", [of]) => !add(of, DataDomain::Component, Some(false), all),
            ("Or" | "Not", [of]) => filters(of, all),
            _ => false,
        }
    };
    each(item::members(ty), filter, all)
}

/// Adds the components named by each of the types, even after a type that may have other components.
fn each<'a>(
    types: impl IntoIterator<Item = &'a Type>,
    names: impl Fn(&'a Type, &mut Vec<NamedComponent<'a>>) -> bool,
    all: &mut Vec<NamedComponent<'a>>,
) -> bool {
    let mut are_all = true;
    for ty in types {
        are_all &= names(ty, all);
    }
    are_all
}

/// Adds a type; always `true`.
fn add<'a>(
    ty: &'a Type,
    domain: DataDomain,
    writes: Option<bool>,
    all: &mut Vec<NamedComponent<'a>>,
) -> bool {
    all.push(NamedComponent {
        ty,
        domain,
        text: pretty::line(ty),
        writes,
    });
    true
}

//! The components that parameters name, for those that constants cannot compare.
//!
//! Two instances of a generic type have identities that leave their equality undecided, but the compiler knows whether two types that
//! are written in a system are one.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::{GenericArgument, Generics, Type};

use crate::lifetimes;
use crate::parameters::{Borrows, Domain, Parameter};
use crate::pretty;
use crate::system::item;
use crate::tokens::{TokenList, to_vec};
use crate::types::{arguments, mutable_reference, name, optional, path, strip, type_arguments};

/// A component that a parameter names.
struct Named<'a> {
    ty: &'a Type,
    text: String,
    /// None if only a filter names it, which borrows nothing.
    writes: Option<bool>,
}

/// Returns an expression that is true if all types of two parameters, or of two items of one query, that constants leave undecided
/// are one; `None` if that cannot matter, or if one of both may have types that it does not name.
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
    names(first, &mut one)?;
    names(second, &mut two)?;
    if !may_conflict(&one, &two) {
        return None;
    }
    let mut types: Vec<Named<'_>> = Vec::new();
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

/// Returns the types that parameters name, as a value of `SystemParam::NAMED`; the traits `Undecided` and `Unknown` have to be in
/// scope.
pub(crate) fn instances<'a>(
    params: impl IntoIterator<Item = &'a Type>,
    generics: &Generics,
    private: &TokenList,
) -> TokenStream {
    let mut all = Vec::new();
    let known = params
        .into_iter()
        .try_for_each(|ty| instances_of(ty, generics, private, &mut all));
    match known {
        Some(()) => frame!(#private::Some(&[#(#all),*])),
        None => frame!(#private::None),
    }
}

/// Adds those of one parameter; `None` if it may have others.
fn instances_of(
    ty: &Type,
    generics: &Generics,
    private: &TokenList,
    all: &mut Vec<TokenStream>,
) -> Option<()> {
    let ty = optional(ty).unwrap_or(ty);
    if let Type::Tuple(tuple) = strip(ty) {
        return (tuple.elems.iter()).try_for_each(|ty| instances_of(ty, generics, private, all));
    }
    let known = Parameter::known(path(ty)?)?;
    let first = type_arguments(path(ty)?).into_iter().next();
    if let Borrows::Arguments = known.borrows {
        if !known.is_query() {
            let mut parts = type_arguments(path(ty)?).into_iter();
            return parts.try_for_each(|ty| instances_of(ty, generics, private, all));
        }
        let mut components = Vec::new();
        parameter(ty, &mut components)?;
        all.extend(components.iter().map(|component| {
            let of = component.ty;
            instance(&frame!(#private::Comp<'static, #of>), Some(of), private)
        }));
    } else {
        let ty = lifetimes::replace(ty, generics, "static");
        all.push(instance(&ty, first, private));
    }
    Some(())
}

/// Returns an instance: a type of data that `param` accesses, written as `ty`.
fn instance(param: &TokenStream, ty: Option<&Type>, private: &TokenList) -> TokenStream {
    let arguments = ty.and_then(path).map(arguments).unwrap_or_default();
    let arguments = arguments.into_iter().filter_map(|argument| match argument {
        GenericArgument::Lifetime(_) => None,
        // Without a small letter it may be a constant.
        GenericArgument::Type(ty)
            if pretty::line(ty.to_token_stream()).contains(char::is_lowercase) =>
        {
            Some(frame!(#private::ArgumentOf::<#ty>::ARGUMENT))
        }
        GenericArgument::Const(value) => Some(frame!(#private::Argument::value(#value as _))),
        _ => Some(frame!(#private::Argument::UNDECIDED)),
    });
    frame!(#private::Instance::new(<#private::Probe<#param>>::TYPE.access, &[#(#arguments),*]))
}

/// Returns whether a type may be an instance of a generic type; an alias shows no arguments.
fn has_arguments(ty: &Type) -> bool {
    path(ty).is_some_and(|path| !arguments(path).is_empty())
}

/// Returns whether one writes what may be a type of the other, and constants may not know.
fn may_conflict(one: &[Named<'_>], two: &[Named<'_>]) -> bool {
    one.iter().any(|first| {
        two.iter().any(|second| {
            let writes = match (first.writes, second.writes) {
                (Some(first), Some(second)) => first || second,
                _ => false,
            };
            let may_be_one =
                first.text == second.text || has_arguments(first.ty) || has_arguments(second.ty);
            writes && may_be_one && !core::ptr::eq(first.ty, second.ty)
        })
    })
}

/// Adds the components that a parameter names; `None` if it may have others.
fn parameter<'a>(ty: &'a Type, all: &mut Vec<Named<'a>>) -> Option<()> {
    let ty = optional(ty).unwrap_or(ty);
    if let Type::Tuple(tuple) = strip(ty) {
        return tuple.elems.iter().try_for_each(|ty| parameter(ty, all));
    }
    let path = path(ty)?;
    let types = type_arguments(path);
    let known = Parameter::known(path)?;
    match known.borrows {
        Borrows::Arguments if known.is_query() => {
            let (fetched, rest) = types.split_first()?;
            data(fetched, all)?;
            rest.iter().try_for_each(|filter| filters(filter, all))
        }
        Borrows::Arguments => types.iter().try_for_each(|ty| parameter(ty, all)),
        Borrows::Read(Domain::Component) => add(types.first()?, Some(false), all),
        Borrows::Write(Domain::Component) => add(types.first()?, Some(true), all),
        Borrows::Read(_) | Borrows::Write(_) | Borrows::Other => None,
    }
}

/// Adds the components in the data of a query.
fn data<'a>(ty: &'a Type, all: &mut Vec<Named<'a>>) -> Option<()> {
    for member in item::members(ty) {
        if let Some((component, tracked)) = item::component(member) {
            let writes = tracked || mutable_reference(member).is_some();
            add(component, Some(writes), all)?;
        } else if name(member)? != "Entity" {
            return None;
        }
    }
    Some(())
}

/// Adds the components in the filter of a query.
fn filters<'a>(ty: &'a Type, all: &mut Vec<Named<'a>>) -> Option<()> {
    for member in item::members(ty) {
        let (of, name) = (to_vec(type_arguments(path(member)?)), name(member)?);
        match (name.as_str(), &of[..]) {
            ("With" | "Without", [component]) => add(component, None, all)?,
            ("Added" | "Changed", [component]) => add(component, Some(false), all)?,
            ("Or" | "Not", [inside]) => filters(inside, all)?,
            _ => return None,
        }
    }
    Some(())
}

/// Adds a component; always `Some`.
fn add<'a>(ty: &'a Type, writes: Option<bool>, all: &mut Vec<Named<'a>>) -> Option<()> {
    let text = pretty::line(ty.to_token_stream());
    all.push(Named { ty, text, writes });
    Some(())
}

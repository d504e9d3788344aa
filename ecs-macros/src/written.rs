//! The components that parameters name, for types that constants cannot compare.
//!
//! The identities of two instances of a generic type cannot tell whether they are equal, but the compiler knows whether two
//! types written in a system are one.

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
    let add = if are_items {
        Names::data
    } else {
        Names::parameter
    };
    let (mut one, mut two) = (Names::default(), Names::default());
    let are_all = add(&mut one, first) && add(&mut two, second);
    // Of two resources it is not asked whether they are one type.
    let are_all = are_all && !(one.has_resources && two.has_resources);
    if !are_all || !may_conflict(&one.all, &two.all) {
        return None;
    }
    let (mut types, mut pairs) = (Vec::<NamedComponent<'_>>::new(), Vec::new());
    for second in one.all.into_iter().chain(two.all) {
        let is_known = types.iter().any(|first| first.text == second.text);
        if is_known || second.domain != DataDomain::Component {
            continue;
        }
        for first in &types {
            let (one, two) = (first.ty, second.ty);
            let alike = quote_spanned!(span=> #private::Alike::<#one, #two>);
            let may_be_generic = has_arguments(one) || has_arguments(two);
            let is_same = may_be_generic.then(|| quote_spanned!(span=> || #alike::SAME));
            pairs.push(quote_spanned!(span=> (#alike::DECIDED #is_same)));
        }
        types.push(second);
    }
    Some(quote_spanned!(span=> true #(&& #pairs)*))
}

/// Returns the types that parameters name, for `SystemParam::NAMED`; the traits `Undecided` and `Unknown` have to be in scope.
pub(crate) fn instances<'a>(
    params: impl IntoIterator<Item = &'a Type>,
    generics: &Generics,
    private: &TokenList,
) -> TokenStream {
    let mut all = Vec::new();
    let mut leaf = |ty: &'a Type, known: &Parameter, types: &[&'a Type]| {
        if known.is_query() {
            let mut components = Names::default();
            let are_all = components.query(types);
            let types = components.all.iter().map(|component| component.ty);
            let param = |of| quote!(#private::Comp<'static, #of>);
            all.extend(types.map(|of| instance(&param(of), Some(of), private)));
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
        let writes = (first.writes.zip(second.writes)).is_some_and(|(one, two)| one || two);
        let may_be_generic = has_arguments(first.ty) || has_arguments(second.ty);
        writes
            && (first.text == second.text || may_be_generic)
            && !core::ptr::eq(first.ty, second.ty)
    };
    let conflicts = |first| two.iter().any(|second| may_conflict(first, second));
    one.iter().any(conflicts)
}

/// Returns the components and resources that a type with the trait `of` names.
pub(crate) fn named<'a>(ty: &'a Type, of: &str) -> Vec<NamedComponent<'a>> {
    let mut names = Names::default();
    match of {
        "SystemParam" => names.parameter(ty),
        "QueryData" => names.data(ty),
        "QueryFilter" => names.filters(ty),
        _ => false,
    };
    names.all
}

/// Calls a function with each parameter that is not made of others, and its type arguments; `false` if the function returns
/// that once, or if a parameter is not known.
fn leaves<'a>(
    ty: &'a Type,
    leaf: &mut dyn FnMut(&'a Type, &Parameter, &[&'a Type]) -> bool,
) -> bool {
    let ty = optional(ty).unwrap_or(ty);
    let types = inside(ty);
    let members = match (strip(ty), Parameter::of(ty)) {
        (Type::Tuple(tuple), _) => to_vec(&tuple.elems),
        (_, None) => return false,
        (_, Some(known)) if matches!(known.borrows, Borrows::Arguments) && !known.is_query() => {
            types
        }
        (_, Some(known)) => return leaf(ty, known, &types),
    };
    (members.into_iter()).fold(true, |all, ty| leaves(ty, leaf) & all)
}

/// The components and resources that types name. The functions add those of one type; they return `false` if it may have other
/// components, or data that are none.
#[derive(Default)]
struct Names<'a> {
    all: Vec<NamedComponent<'a>>,
    has_resources: bool,
}

impl<'a> Names<'a> {
    fn parameter(&mut self, ty: &'a Type) -> bool {
        leaves(ty, &mut |_, known, types| match (known.borrows, types) {
            (Borrows::Arguments, _) => self.query(types),
            (Borrows::Read(domain) | Borrows::Write(domain), [first, ..]) => {
                let is_component = domain == DataDomain::Component;
                let writes = matches!(known.borrows, Borrows::Write(_));
                self.has_resources |= !is_component;
                known.is_of_events() || self.add(first, domain, is_component.then_some(writes))
            }
            (Borrows::Nothing, _) => true,
            _ => false,
        })
    }

    /// Adds the components in the arguments of a query.
    fn query(&mut self, types: &[&'a Type]) -> bool {
        let Some((fetched, filters)) = types.split_first() else {
            return false;
        };
        let (are_all, filters) = (self.data(fetched), filters.iter());
        filters.fold(are_all, |all, ty| self.filters(ty) & all)
    }

    fn data(&mut self, ty: &'a Type) -> bool {
        let member = |all, ty| {
            all & match item::access(ty) {
                Some((of, writes)) => self.add(of, DataDomain::Component, Some(writes)),
                None => is_named(ty, "Entity"),
            }
        };
        item::members(ty).into_iter().fold(true, member)
    }

    fn filters(&mut self, ty: &'a Type) -> bool {
        let filter = |all, ty| {
            let name = name(ty).unwrap_or_default();
            all & match (name.as_str(), &inside(ty)[..]) {
                ("With" | "Without", [of]) => self.add(of, DataDomain::Component, None),
                ("Added" | "Changed", [of]) => self.add(of, DataDomain::Component, Some(false)),
                ("Mutated", [of]) => !self.add(of, DataDomain::Component, Some(false)),
                ("Or" | "Not", [of]) => self.filters(of),
                _ => false,
            }
        };
        item::members(ty).into_iter().fold(true, filter)
    }

    /// Adds a type; always `true`.
    fn add(&mut self, ty: &'a Type, domain: DataDomain, writes: Option<bool>) -> bool {
        self.all.push(NamedComponent {
            ty,
            domain,
            text: pretty::line(ty),
            writes,
        });
        true
    }
}

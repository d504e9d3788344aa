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
    /// None if only a filter names it, which borrows nothing.
    writes: Option<bool>,
}

/// A parameter, or an item of a query, and the data that it names.
pub(crate) struct Compared<'a> {
    names: Names<'a>,
    /// The type of the parameter, without the names of its lifetimes.
    param: TokenStream,
}

impl<'a> Compared<'a> {
    pub(crate) fn param(ty: &'a Type, param: TokenStream) -> Self {
        let mut names = Names::default();
        names.may_have_others = !names.parameter(ty);
        Self { names, param }
    }

    pub(crate) fn item(ty: &'a Type, data: &dyn ToTokens, private: &TokenList) -> Self {
        let mut names = Names::default();
        names.may_have_others = !names.data(ty);
        let param = quote!(#private::Query<'static, #data>);
        Self { names, param }
    }

    /// Returns an expression that is true if the types show that both share data, or, if they are one parameter, that its parts
    /// do; `None` if the tokens show that they don't, or that a constant knows without the types.
    ///
    /// The trait `Unlisted` has to be in scope.
    pub(crate) fn share(
        &self,
        other: &Self,
        private: &TokenList,
        span: Span,
    ) -> Option<TokenStream> {
        let (one, two) = (&self.param, &other.param);
        let other_param = (!core::ptr::eq(self, other)).then(|| quote!(, #two));
        let may_share = self.names.may_share(&other.names);
        may_share.then(|| quote_spanned!(span=> #private::share!(#one #other_param)))
    }
}

fn has_arguments(ty: &Type) -> bool {
    path(ty).is_some_and(|path| !arguments(path).is_empty())
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
    may_have_others: bool,
}

impl<'a> Names<'a> {
    /// Returns whether one writes data that the other, or another part of it, may access too without constants knowing that:
    /// the data may be an instance of a generic type. An alias shows no arguments, but few programs have two of one instance.
    fn may_share(&self, other: &Self) -> bool {
        let is_empty = |names: &Self| names.all.is_empty() && !names.may_have_others;
        if self.may_have_others || other.may_have_others {
            return !is_empty(self) && !is_empty(other);
        }
        let mut pairs = self
            .all
            .iter()
            .flat_map(|one| other.all.iter().map(move |two| (one, two)));
        pairs.any(|(one, two)| {
            let writes = one
                .writes
                .zip(two.writes)
                .is_some_and(|(one, two)| one || two);
            let has_one_name = name(one.ty) == name(two.ty);
            let may_be_one = has_one_name || has_arguments(one.ty) || has_arguments(two.ty);
            writes && one.domain == two.domain && may_be_one && !core::ptr::eq(one.ty, two.ty)
        })
    }

    fn parameter(&mut self, ty: &'a Type) -> bool {
        leaves(ty, &mut |_, known, types| match (known.borrows, types) {
            (Borrows::Arguments, _) => self.query(types),
            (Borrows::Read(domain) | Borrows::Write(domain), [first, ..]) => {
                let writes = matches!(known.borrows, Borrows::Write(_));
                known.is_of_events() || self.add(first, domain, Some(writes))
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
        self.all.push(NamedComponent { ty, domain, writes });
        true
    }
}

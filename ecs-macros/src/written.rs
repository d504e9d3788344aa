//! The components that parameters name, for types that constants cannot compare.
//!
//! The identities of two instances of a generic type cannot tell whether they are equal, but the compiler knows whether two
//! types written in a system are one.

use crate::parameters::{Borrows, DataDomain, Parameter};
use crate::prelude::*;
use crate::system::item;
use crate::types::{inside, is_named, name, optional, strip};

/// A component or resource that a type names.
pub(crate) struct NamedComponent<'a> {
    pub(crate) ty: &'a Type,
    pub(crate) domain: DataDomain,
    /// None if only a filter names it, which borrows nothing.
    writes: Option<bool>,
    /// A filter excludes the entities that have it.
    is_excluded: bool,
}

/// The components and resources that a type names.
#[derive(Default)]
pub(crate) struct Names<'a> {
    pub(crate) all: Vec<NamedComponent<'a>>,
    /// The type may have other components, or data that are none.
    has_others: bool,
    /// Each part of the type has filters of its own.
    has_parts: bool,
}

impl<'a> Names<'a> {
    /// Returns the names in a type with this trait.
    pub(crate) fn of(ty: &'a Type, kind: &str) -> Self {
        let mut names = Self::default();
        match kind {
            "SystemParam" => names.parameter(ty),
            "QueryData" => names.data(ty),
            "QueryFilter" => names.filters(ty),
            _ => {}
        }
        names
    }

    fn parameter(&mut self, ty: &'a Type) {
        let ty = optional(ty).unwrap_or(ty);
        let (known, mut types) = (Parameter::of(ty), inside(ty));
        let borrows = known.map(|known| known.borrows);
        if known.is_some_and(Parameter::is_of_events) {
            // The data are not of the type argument: the lists alone tell whether they are shared.
            (self.has_parts, types) = (true, vec![ty]);
        }
        match (strip(ty), borrows, &types[..]) {
            (Type::Tuple(tuple), ..) => self.parts(&tuple.elems),
            (_, Some(Borrows::Arguments), parts) if known.is_some_and(|it| !it.is_query()) => {
                self.parts(parts.iter().copied());
            }
            (_, Some(Borrows::Arguments), [data, filters @ ..]) => {
                self.data(data);
                filters.iter().for_each(|filter| self.filters(filter));
            }
            (_, Some(Borrows::Read(domain)), [of, ..]) => self.add(of, domain, Some(false)),
            (_, Some(Borrows::Write(domain)), [of, ..]) => self.add(of, domain, Some(true)),
            (_, Some(Borrows::Nothing), _) => {}
            _ => self.has_others = true,
        }
    }

    fn parts(&mut self, parts: impl IntoIterator<Item = &'a Type>) {
        self.has_parts = true;
        parts.into_iter().for_each(|part| self.parameter(part));
    }

    fn data(&mut self, ty: &'a Type) {
        for member in item::members(ty) {
            match item::access(member) {
                Some((of, writes)) => self.add(of, DataDomain::Component, Some(writes)),
                None => self.has_others |= !is_named(member, "Entity"),
            }
        }
    }

    fn filters(&mut self, ty: &'a Type) {
        for filter in item::members(ty) {
            let name = name(filter).unwrap_or_default();
            match (name.as_str(), &inside(filter)[..]) {
                ("With", [of]) => self.add(of, DataDomain::Component, None),
                ("Without", [of]) => {
                    self.add(of, DataDomain::Component, None);
                    self.all.iter_mut().last().unwrap().is_excluded = true;
                }
                ("Added" | "Changed", [of]) => self.add(of, DataDomain::Component, Some(false)),
                ("Or", [of]) => self.filters(of),
                ("Mutated", [of]) => {
                    self.add(of, DataDomain::Component, Some(false));
                    self.has_others = true;
                }
                _ => self.has_others = true,
            }
        }
    }

    fn add(&mut self, ty: &'a Type, domain: DataDomain, writes: Option<bool>) {
        self.all.push(NamedComponent {
            ty,
            domain,
            writes,
            is_excluded: false,
        });
    }
}

/// A parameter, or an item of a query, and the data that it names.
pub(crate) struct Compared<'a> {
    names: Names<'a>,
    /// The type of the parameter, without the names of its lifetimes.
    param: TokenStream,
}

impl<'a> Compared<'a> {
    /// `written` is the type as generated code names it.
    pub(crate) fn of(ty: &'a Type, kind: &str, written: TokenStream, private: &TokenList) -> Self {
        let (names, mut param) = (Names::of(ty, kind), written);
        if kind == "QueryData" {
            param = quote!(#private::Query<'static, #param>);
        }
        Self { names, param }
    }

    /// Returns two expressions: whether the types show that both share data, or, if they are one parameter, that its parts do; and
    /// whether no component that one of them needs is excluded by the other. `None` if the tokens show that they share no data.
    pub(crate) fn share(&self, other: &Self, private: &TokenList, at: Span) -> Option<TokenStream> {
        let (one, two) = (&self.names, &other.names);
        let is_one = core::ptr::eq(self, other);
        let pairs = one.all.iter().enumerate().flat_map(|(index, one)| {
            let others = two.all.iter().skip(if is_one { index + 1 } else { 0 });
            others.map(move |two| (one, two))
        });
        let pairs = pairs.filter(|(one, two)| {
            let writes = one.writes.zip(two.writes).is_some_and(|(a, b)| a || b);
            one.domain == two.domain && (one.is_excluded != two.is_excluded || writes)
        });
        let (filters, data) =
            pairs.partition::<Vec<_>, _>(|(one, two)| one.is_excluded || two.is_excluded);
        let is_empty = |names: &Names<'_>| names.all.is_empty() && !names.has_others;
        let has_others = one.has_others || two.has_others;
        if is_empty(one) || is_empty(two) || !has_others && data.is_empty() {
            return None;
        }
        if has_others || one.has_parts || two.has_parts {
            let (one, two) = (&self.param, &other.param);
            let two = (!is_one).then(|| quote!(, #two));
            return Some(quote_spanned!(at=> #private::share!(#one #two)));
        }
        let same = |pairs: &[(&NamedComponent<'_>, &NamedComponent<'_>)]| {
            // Each once: a lint reports equal operands.
            let mut texts = vec![];
            let pairs = to_vec(pairs.iter().filter_map(|(one, two)| {
                let text = [one.ty, two.ty].map(pretty::line);
                let (one, two) = (&one.ty, &two.ty);
                let is_new = !texts.contains(&text);
                texts.push(text);
                is_new.then(|| quote_spanned!(at=> <#private::Pair<#private::Comp<#one>, #private::Comp<#two>>>::SAME))
            }));
            let is_left = pairs.is_empty() || texts.iter().any(|[one, two]| one == two);
            (quote_spanned!(at=> #(#pairs)||*), is_left)
        };
        let ((data, _), (filters, is_left_to_identities)) = (same(&data), same(&filters));
        let differ = match is_one || is_left_to_identities {
            true => quote_spanned!(at=> false),
            false => quote_spanned!(at=> !(#filters)),
        };
        Some(quote_spanned!(at=> (#data, #differ)))
    }
}

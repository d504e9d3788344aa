//! Conflicts between types that are written alike, so that a macro sees one type: generic parameters of the function, and
//! generic types with their arguments.
//!
//! The constants that find [other conflicts](super::conflict) cannot name the parameters of a function, so they check the
//! instances that the program uses. They also cannot compare all instances of a generic type.

use quote::ToTokens as _;
use syn::Type;

use super::item;
use super::model::SystemModel;
use super::param::{Param, ParamKind};
use crate::errors::Errors;
use crate::parameters::{Borrows, DataDomain, Parameter};
use crate::pretty;
use crate::types::{name, optional, path, strip, type_arguments};

/// Reports the first conflict of each parameter with an earlier one, or with itself.
pub(super) fn check(system: &SystemModel, errors: &mut Errors) {
    let mut earlier: Vec<CertainAccess<'_>> = Vec::new();
    for param in system.written() {
        let first = earlier.len();
        earlier.extend(accesses(system, param));
        let found = (first..earlier.len()).find_map(|second| {
            let (before, after) = earlier.split_at(second);
            let other = before.iter().find(|other| other.conflicts_with(&after[0]));
            other.map(|other| message(system, other, &after[0]))
        });
        if let Some(message) = found {
            errors.push(&param.ty, message);
        }
    }
}

/// An access to data whose type mentions a generic parameter, or has arguments.
struct CertainAccess<'a> {
    param: &'a Param,
    domain: DataDomain,
    writes: bool,
    /// The type, as written.
    of: String,
    /// Set if it is to some entities of a query and not to all data of the type: true if a filter may leave out the
    /// entities of the other access.
    query: Option<bool>,
}

impl CertainAccess<'_> {
    fn conflicts_with(&self, later: &Self) -> bool {
        let may_be_apart = matches!((self.query, later.query), (Some(one), Some(other)) if one || other)
            && !self.is_of_same_query(later);
        (self.writes || later.writes)
            && self.domain == later.domain
            && self.of == later.of
            && !may_be_apart
    }

    fn is_of_same_query(&self, later: &Self) -> bool {
        core::ptr::eq(self.param, later.param)
            || [self.param, later.param]
                .iter()
                .all(|param| param.kind == ParamKind::Item)
    }

    /// Describes the parameter and its access.
    fn text(&self) -> String {
        let access = if self.writes { "writes" } else { "reads" };
        format!("`{}: {}` {access}", self.param.label, self.param.type_text)
    }

    fn data(&self) -> String {
        let word = match self.domain {
            DataDomain::Component => "component",
            DataDomain::Resource => "resource",
            DataDomain::NonSend => "non-send resource",
        };
        format!("the {word} `{}`", self.of)
    }
}

/// Returns the accesses of a parameter.
fn accesses<'a>(system: &SystemModel, param: &'a Param) -> Vec<CertainAccess<'a>> {
    let ty = optional(&param.ty).unwrap_or(&param.ty);
    let arguments = path(ty).map(type_arguments).unwrap_or_default();
    let known = path(ty).and_then(Parameter::known);
    let (domain, query, types) = match (param.kind, known, &arguments[..]) {
        (ParamKind::Item, ..) => {
            let is_filtered = !system.filters.is_empty();
            (
                Some(DataDomain::Component),
                Some(is_filtered),
                item::accesses(&param.ty),
            )
        }
        (ParamKind::Borrowed, Some(known), [data, filters @ ..]) if known.is_query() => {
            let is_filtered = filters.first().is_some_and(|filter| may_exclude(filter));
            (
                Some(DataDomain::Component),
                Some(is_filtered),
                item::accesses(data),
            )
        }
        (ParamKind::Borrowed, Some(known), [of, ..]) => {
            let writes = matches!(known.borrows, Borrows::Write(_));
            (known.borrows.domain(), None, vec![(*of, writes)])
        }
        _ => return Vec::new(),
    };
    let is_of_events = known.is_some_and(Parameter::is_of_events) && query.is_none();
    let mut all = Vec::new();
    for (ty, writes) in types {
        let arguments = path(ty).map(type_arguments).unwrap_or_default();
        if let Some(domain) = domain
            && (system.mentions_generics(ty.to_token_stream()) || !arguments.is_empty())
        {
            let text = pretty::line(ty);
            let of = if is_of_events {
                format!("Events<{text}>")
            } else {
                text
            };
            all.push(CertainAccess {
                param,
                domain,
                writes,
                of,
                query,
            });
        }
    }
    all
}

/// Returns false if all parts of a filter require components: such filters never keep two queries apart.
fn may_exclude(filter: &Type) -> bool {
    if let Type::Tuple(tuple) = strip(filter) {
        return tuple.elems.iter().any(may_exclude);
    }
    let parts = path(filter).map(type_arguments).unwrap_or_default();
    match name(filter).as_deref() {
        Some("With" | "Added" | "Changed" | "TurnedOn" | "TurnedOff") => false,
        Some("Or") => parts.into_iter().any(may_exclude),
        _ => true,
    }
}

fn message(system: &SystemModel, first: &CertainAccess<'_>, second: &CertainAccess<'_>) -> String {
    let (name, data) = (system.path(), first.data());
    if core::ptr::eq(first.param, second.param) {
        let (label, ty) = (&first.param.label, &first.param.type_text);
        return format!(
            "conflicting parameter in system `{name}`: `{label}: {ty}` borrows {data} twice, and writes\nhelp: borrow it once"
        );
    }
    let help = if first.is_of_same_query(second) {
        "borrow it once, to write"
    } else if first.query.is_some() && second.query.is_some() {
        "merge them, make them disjoint with `With` and `Without`, or take turns with a `ParamSet`"
    } else {
        "borrow it once, to write, or take turns with a `ParamSet`"
    };
    format!(
        "conflicting parameters in system `{name}`: {} and {} {data}\nhelp: {help}",
        first.text(),
        second.text()
    )
}

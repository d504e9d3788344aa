//! Conflicts between types that are written alike, so that a macro sees one type: generic parameters of the function, and
//! generic types with their arguments.
//!
//! The constants that find [other conflicts](super::conflict) cannot name the parameters of a function, so they check the
//! instances that the program uses. They also cannot compare all instances of a generic type.

use super::item;
use super::model::SystemModel;
use super::param::{Param, ParamKind};
use crate::parameters::{Borrows, DataDomain, Parameter};
use crate::prelude::*;
use crate::types::{inside, is_named, name, optional, strip};

/// Reports the first conflict of each parameter with an earlier one, or with itself.
pub(super) fn check(system: &SystemModel, errors: &mut Errors) {
    let mut all: Vec<CertainAccess<'_>> = Vec::new();
    for param in system.written() {
        let first = all.len();
        accesses(system, param, &mut all);
        let conflict = all[first..].iter().enumerate().find_map(|(index, later)| {
            let mut earlier = all[..first + index].iter();
            Some((earlier.find(|other| other.conflicts_with(later))?, later))
        });
        if let Some((earlier, later)) = conflict {
            errors.push(later.at, message(system, earlier, later));
        }
    }
}

/// An access to data.
struct CertainAccess<'a> {
    param: &'a Param,
    /// The type that an error about a conflict with an earlier access points at.
    at: &'a Type,
    /// True if the type of the data mentions a generic parameter, or has arguments.
    is_generic: bool,
    /// True if the data belong to the entity's target.
    is_up: bool,
    domain: DataDomain,
    writes: bool,
    /// The type, as written.
    of: String,
    /// True if it is an access to some entities of a query, false if it is to all data of the type.
    is_in_query: bool,
    /// True if a filter may exclude the entities of the other access.
    is_filtered: bool,
}

impl CertainAccess<'_> {
    fn conflicts_with(&self, later: &Self) -> bool {
        let may_be_apart = self.is_in_query
            && later.is_in_query
            && !self.is_of_same_query(later)
            && (self.is_filtered || later.is_filtered);
        // A constant decides about other types, but cannot point at a member of one query.
        let is_certain = self.is_generic || core::ptr::eq(self.param, later.param);
        is_certain
            && (self.writes || later.writes)
            && self.domain == later.domain
            && self.of == later.of
            && !may_be_apart
    }

    fn is_of_same_query(&self, later: &Self) -> bool {
        let kinds = [self.param.kind, later.param.kind];
        core::ptr::eq(self.param, later.param) || kinds == [ParamKind::Item; 2]
    }
}

/// Adds the accesses of a parameter.
fn accesses<'a>(system: &SystemModel, param: &'a Param, all: &mut Vec<CertainAccess<'a>>) {
    let mut add =
        |at: &'a Type, domain, (of, writes, is_up): (&Type, bool, bool), query: Option<bool>| {
            all.push(CertainAccess {
                param,
                at,
                domain,
                writes,
                of: pretty::line(of),
                is_generic: system.mentions_generics(of) || !inside(of).is_empty(),
                is_up,
                is_in_query: query.is_some(),
                is_filtered: query == Some(true),
            });
        };
    let component = DataDomain::Component;
    if param.kind == ParamKind::Item {
        let (ty, is_filtered) = (&param.ty, Some(!system.filters.is_empty()));
        let mut add = |_: &_, access: (&Type, bool, bool)| add(ty, component, access, is_filtered);
        return members(ty, false, &mut add);
    }
    let ty = optional(&param.ty).unwrap_or(&param.ty);
    let known = Parameter::of(ty).filter(|_| param.kind == ParamKind::Borrowed);
    let types = inside(ty);
    let (Some(known), Some(first)) = (known, types.first().copied()) else {
        return;
    };
    match known.borrows {
        Borrows::Read(domain) | Borrows::Write(domain) => {
            let writes = matches!(known.borrows, Borrows::Write(_));
            let events = known.is_of_events().then(|| parse_quote!(Events<#first>));
            let of = events.as_ref().unwrap_or(first);
            add(&param.ty, domain, (of, writes, false), None);
        }
        Borrows::Arguments if known.is_query() => {
            let is_filtered = Some(types.get(1).is_some_and(|filter| may_exclude(filter)));
            members(first, false, &mut |at, access| {
                add(at, component, access, is_filtered);
            });
        }
        _ => {}
    }
}

/// Passes each member of a query's data to `add`, with its component, whether the query writes it, and whether it belongs to
/// a target.
fn members<'a>(data: &'a Type, is_up: bool, add: &mut dyn FnMut(&'a Type, (&'a Type, bool, bool))) {
    for member in item::members(data) {
        // That an `Up` writes is an error of its own.
        if let Some((component, writes)) = item::access(member).filter(|it| !(is_up && it.1)) {
            add(member, (component, writes, is_up));
        } else if let (true, Some(data)) = (is_named(member, "Up"), inside(member).get(1)) {
            members(data, true, add);
        }
    }
}

/// Returns false if all parts of a filter require components: such filters never keep two queries apart.
fn may_exclude(filter: &Type) -> bool {
    if let Type::Tuple(tuple) = strip(filter) {
        return tuple.elems.iter().any(may_exclude);
    }
    match name(filter).as_deref() {
        Some("With" | "Added" | "Changed" | "TurnedOn" | "TurnedOff") => false,
        Some("Or") => inside(filter).into_iter().any(may_exclude),
        _ => true,
    }
}

fn message(system: &SystemModel, first: &CertainAccess<'_>, second: &CertainAccess<'_>) -> String {
    let word = match first.domain {
        DataDomain::Component => "component",
        DataDomain::Resource => "resource",
        DataDomain::NonSend => "non-send resource",
    };
    let (name, data) = (system.path(), format!("the {word} `{}`", first.of));
    if core::ptr::eq(first.param, second.param) {
        let text = first.param.text();
        let help = if first.is_up || second.is_up {
            "call `for_each_cascade` for parents before their children, or `split` for one entity and the rest"
        } else {
            "borrow it once"
        };
        return format!(
            "conflicting parameter in system `{name}`: `{text}` borrows {data} twice, and writes\nhelp: {help}"
        );
    }
    let help = if first.is_of_same_query(second) {
        "borrow it once, to write"
    } else if first.is_in_query && second.is_in_query {
        "merge them, make them disjoint with `With` and `Without`, or take turns with a `ParamSet`"
    } else {
        "borrow it once, to write, or take turns with a `ParamSet`"
    };
    let [first, second] = [first, second].map(|access| {
        let does = if access.writes { "writes" } else { "reads" };
        format!("`{}` {does}", access.param.text())
    });
    format!("conflicting parameters in system `{name}`: {first} and {second} {data}\nhelp: {help}")
}

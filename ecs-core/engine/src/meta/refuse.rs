//! The errors about conflicting parameters.

use alloc::borrow::ToOwned;
use alloc::string::String;

use super::compare::{by_data, by_difference, by_hash, by_place, by_type};
use super::compatibility::Between;
use super::message::{Message, MessageOwner};
use super::touched::TouchedData;
use super::{
    Compatibility, ConstTypeId, Domain, Overlap, ParamAccess, ParamInfo, QueryAccess, SystemMeta,
};

/// An answer of the compiler about the parameter at this position and another one, where identities leave it undecided: whether
/// both access the same data, one of them for writing, and whether no component that one of them needs is excluded by the other.
pub type ShownByTypes = (usize, (bool, bool));

/// Stops the compilation at the caller if the parameter at `second` conflicts with an earlier one or with itself.
///
/// `known` has what types show about parameters up to this one. Pairs within `settled` are checked elsewhere.
///
/// # Panics
/// If there is a conflict.
#[track_caller]
#[doc(hidden)]
#[inline]
pub const fn refuse_conflict(
    system: &SystemMeta,
    second: usize,
    known: &[ShownByTypes],
    settled: &[usize],
) {
    refuse_part(
        MessageOwner::system(system.name),
        system.params,
        second,
        known,
        settled,
    );
}

/// Stops the compilation at the caller if a field of the struct `name`, the one at `second`, conflicts with an earlier one
/// or with itself. `is_query` says whether the fields are items of one query; for `known` see [`refuse_conflict`]. Called by
/// the code that derives generate.
///
/// # Panics
/// If there is a conflict.
#[track_caller]
#[doc(hidden)]
#[inline]
pub const fn refuse_field_conflict(
    name: &str,
    is_query: bool,
    fields: &[ParamInfo],
    second: usize,
    known: &[ShownByTypes],
) {
    let owner = MessageOwner {
        part: "field",
        kind: "struct",
        name,
        is_query,
    };
    refuse_part(owner, fields, second, known, &[]);
}

/// Stops the compilation if the parameter of a call conflicts with itself.
///
/// # Panics
/// If it does.
#[track_caller]
#[inline]
pub(crate) const fn refuse_call(name: &str, param: ParamInfo) {
    let owner = MessageOwner {
        part: "parameter",
        kind: "the call",
        name,
        is_query: false,
    };
    refuse_part(owner, &[param], 0, &[], &[]);
    refuse_immutable_in(param.of.access);
}

#[track_caller]
#[inline]
const fn refuse_part(
    owner: MessageOwner<'_>,
    params: &[ParamInfo],
    second: usize,
    known: &[ShownByTypes],
    settled: &[usize],
) {
    let two = &params[second];
    let is_settled = !settled.is_empty() && contains(settled, second);
    let mut first = 0;
    while first <= second {
        let one = &params[first];
        let itself = first == second;
        let compatibility = if is_settled && contains(settled, first) {
            Compatibility::Disjoint
        } else if itself {
            match two.of.access {
                // The same as below, in fewer steps.
                ParamAccess::Leaf(_) => Compatibility::Disjoint,
                parts => by_hash::self_compatible(parts),
            }
        } else {
            by_hash::params_compatible(one.of.access, two.of.access, Between::Parameters)
        };
        let overlap = match compatibility {
            Compatibility::Disjoint | Compatibility::FilteredApart => None,
            Compatibility::Conflict(overlap) => Some(overlap),
            Compatibility::Unknown => {
                let (one, two) = (one.of.access, two.of.access);
                let between = Between::Parameters;
                let compatibility = match shown(known, first) {
                    (true, true) if itself => by_data::self_compatible(two),
                    (true, false) if itself => by_place::self_compatible(two),
                    (true, true) => by_data::params_compatible(one, two, between),
                    (true, false) => by_place::params_compatible(one, two, between),
                    (false, true) => by_difference::params_compatible(one, two, between),
                    (false, false) => Compatibility::Unknown,
                };
                match compatibility {
                    Compatibility::Conflict(overlap) => Some(overlap),
                    _ => None,
                }
            }
        };
        if let Some(overlap) = overlap {
            let name = match overlap {
                Overlap::World | Overlap::Ids => "",
                Overlap::Data { ident, .. } => ident.name(),
            };
            let message = Message::conflict(owner, [one, two], overlap, name, itself);
            panic!("{}", message.as_str());
        }
        first += 1;
    }
}

#[inline]
const fn contains(list: &[usize], wanted: usize) -> bool {
    let mut i = 0;
    while i < list.len() {
        if list[i] == wanted {
            return true;
        }
        i += 1;
    }
    false
}

#[inline]
const fn shown(known: &[ShownByTypes], wanted: usize) -> (bool, bool) {
    let mut i = 0;
    while i < known.len() {
        let (position, shown) = known[i];
        if position == wanted {
            return shown;
        }
        i += 1;
    }
    (false, false)
}

/// Stops the compilation if a component is immutable, and so never written.
///
/// # Panics
/// If it is.
#[track_caller]
#[inline]
#[doc(hidden)]
pub const fn refuse_immutable(component: &ConstTypeId) {
    if component.is_immutable() {
        let mut text = Message::new();
        text.data(Domain::Component, component.name());
        text.push(" is immutable; help: read it, and replace the value by `insert`");
        panic!("{}", text.as_str());
    }
}

/// Stops the compilation if a parameter writes an immutable component.
///
/// # Panics
/// If it does.
#[track_caller]
#[inline]
pub(crate) const fn refuse_immutable_in(access: &ParamAccess) {
    let mut position = 0;
    while let Some(touched) = TouchedData::at(access, position) {
        if let TouchedData::Data(access) = touched
            && access.kind.writes()
        {
            refuse_immutable(&access.ident);
        }
        position += 1;
    }
}

/// Stops the compilation if a query that is borrowed as a whole names a component twice, and writes it, as far as a
/// constant can tell, or writes an immutable one.
///
/// # Panics
/// If it does.
#[track_caller]
#[inline]
pub(crate) const fn refuse_aliasing(data: &'static QueryAccess, filter: &'static QueryAccess) {
    let access = ParamAccess::Query { data, filter };
    refuse_immutable_in(&access);
    if let Compatibility::Conflict(Overlap::Data { domain, ident, .. }) =
        by_hash::self_compatible(&access)
    {
        let mut text = Message::new();
        text.push("conflicting references: ");
        text.data(domain, ident.name());
        text.push(" is borrowed twice, and written; help: borrow it once");
        panic!("{}", text.as_str());
    }
}

/// Panics if a query that is borrowed as a whole names a component twice, and writes it.
///
/// # Panics
/// If it does.
#[track_caller]
#[cold]
#[inline]
pub(crate) fn refuse_aliasing_by_type(data: &'static QueryAccess, filter: &'static QueryAccess) {
    match by_type::self_compatible(&ParamAccess::Query { data, filter }) {
        Compatibility::Disjoint => {}
        Compatibility::Conflict(Overlap::Data { ident, .. }) => panic!(
            "conflicting references: the component `{}` is borrowed twice, and written; help: borrow it once",
            ident.type_name()
        ),
        other => unreachable!("the parts of a query overlap in components alone: {other:?}"),
    }
}

/// Returns true if it is certain that a query names no component twice and writes it; false if only the run time can tell.
#[inline]
pub(crate) const fn never_aliases(
    data: &'static QueryAccess,
    filter: &'static QueryAccess,
) -> bool {
    let access = ParamAccess::Query { data, filter };
    matches!(by_hash::self_compatible(&access), Compatibility::Disjoint)
}

/// Stops the compilation if a system that is called with resources alone needs more.
///
/// # Panics
/// If it does.
#[track_caller]
#[inline]
pub(crate) const fn refuse_more_than_resources(system: &SystemMeta) {
    if !system.needs_only_resources() {
        let mut text = Message::new();
        text.push("the system `");
        text.push(system.name);
        text.push("` is called with a `&ResourceMap`, but accesses more than resources or keeps state from call to call; help: call it with a `&World`");
        panic!("{}", text.as_str());
    }
}

impl SystemMeta {
    /// Returns the conflict that [`conflict`](Self::conflict) finds, with the text of the compile error and the full
    /// name of the type.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        let pair = by_type::parameters(self.params)?;
        let Compatibility::Conflict(overlap) = pair.compatibility else {
            return None;
        };
        let name = match overlap {
            Overlap::World | Overlap::Ids => "",
            Overlap::Data { ident, .. } => ident.type_name(),
        };
        let params = [&self.params[pair.first], &self.params[pair.second]];
        let itself = pair.first == pair.second;
        let message = Message::conflict(
            MessageOwner::system(self.name),
            params,
            overlap,
            name,
            itself,
        );
        Some(message.as_str().to_owned())
    }
}

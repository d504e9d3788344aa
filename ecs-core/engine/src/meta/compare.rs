//! The algorithm that compares two accesses.
//!
//! It is needed twice: in constants, where types are compared by the hashes of their identities and some pairs stay
//! undecided, and at run time, where `TypeId`s decide all pairs. Constants can call neither trait methods nor the function
//! pointers that return `TypeId`s, so the code is a macro, expanded once for each way to compare. Plain `const fn`s would need the
//! equalities as data: numbering the types of both accesses first is a second walk through them, which every pair of
//! parameters would pay for in each compilation. A second algorithm for the run time, with tests that compare the two, would
//! take as much code, and any difference that the tests miss would be undefined behaviour.
//!
//! Like all `const fn`s of this module that only constants call, it is `#[inline]`, so that no build generates machine
//! code for it.

use super::compatibility::{AccessPair, Between};
use super::side::{Side, Whole};
use super::{
    Access, Compatibility, ConstTypeId, Kind, Overlap, ParamAccess, ParamInfo, QueryAccess,
};

/// Returns `one || two`, where either may be unknown.
#[inline]
const fn any(one: Option<bool>, two: Option<bool>) -> Option<bool> {
    match (one, two) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// Returns `one && two`, where either may be unknown.
#[inline]
const fn all(one: Option<bool>, two: Option<bool>) -> Option<bool> {
    match (one, two) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Tests if a condition holds for any of the parts, or for all of them (then there must be at least one). A loop because
/// constants have no iterators.
macro_rules! holds {
    (of any $parts:ident, |$part:ident| $holds:expr) => {
        holds!(Some(false), any, $parts, $part, $holds)
    };
    (of all $parts:ident, |$part:ident| $holds:expr) => {
        holds!(Some(!$parts.is_empty()), all, $parts, $part, $holds)
    };
    ($first:expr, $and:ident, $parts:ident, $part:ident, $holds:expr) => {{
        let mut found = $first;
        let mut i = 0;
        while i < $parts.len() {
            let $part = $parts[i];
            found = $and(found, $holds);
            i += 1;
        }
        found
    }};
}

macro_rules! comparison {
    ($(#[$doc:meta])* $name:ident: $same:path, $filters_same:path $(, $constness:ident)?) => {
        $(#[$doc])*
        pub(super) mod $name {
            use super::{
                Access, Between, ConstTypeId, Kind, Overlap, AccessPair, ParamInfo, Side, QueryAccess, ParamAccess, Compatibility, Whole,
                all, any,
            };

            /// Compares two parameters.
            #[inline]
            pub(in crate::meta) $($constness)? fn params_compatible(
                first: &ParamAccess,
                second: &ParamAccess,
                between: Between,
            ) -> Compatibility {
                match (first, second) {
                    // Most pairs. The general case finds the same in more steps, and each step costs compile time.
                    (ParamAccess::Leaf(first), ParamAccess::Leaf(second)) => data(first, second),
                    (ParamAccess::Nothing | ParamAccess::Commands(_) | ParamAccess::Sends(_), _)
                    | (_, ParamAccess::Nothing | ParamAccess::Commands(_) | ParamAccess::Sends(_)) => Compatibility::Disjoint,
                    (ParamAccess::Deferred, ParamAccess::Deferred) => match between {
                        Between::Parameters => Compatibility::Disjoint,
                        Between::Systems => Compatibility::Conflict(Overlap::Ids),
                    },
                    (ParamAccess::All(parts) | ParamAccess::OneOf(parts), _) => {
                        let mut worst = Compatibility::Disjoint;
                        let mut i = 0;
                        while i < parts.len() && !worst.is_conflict() {
                            worst = worst.or(params_compatible(parts[i], second, between));
                            i += 1;
                        }
                        worst
                    }
                    (_, ParamAccess::All(parts) | ParamAccess::OneOf(parts)) => {
                        let mut worst = Compatibility::Disjoint;
                        let mut i = 0;
                        while i < parts.len() && !worst.is_conflict() {
                            worst = worst.or(params_compatible(first, parts[i], between));
                            i += 1;
                        }
                        worst
                    }
                    _ => match (Whole::of(first, between), Whole::of(second, between)) {
                        (Some(first), Some(second)) => first.compatible_with_whole(&second),
                        (Some(whole), None) => whole.compatible_with(second),
                        (None, Some(whole)) => whole.compatible_with(first),
                        (None, None) => {
                            // Filters by tick read the components whose ticks they test.
                            let data = sides(Side::of(first), Side::of(second))
                                .or(sides(Side::of(first), Side::filter_of(second)))
                                .or(sides(Side::filter_of(first), Side::of(second)));
                            if let Compatibility::Disjoint = data {
                                return Compatibility::Disjoint;
                            }
                            let of_second = side_of_any(Side::of(second), first)
                                .or(side_of_any(Side::filter_of(second), first));
                            let of_any = side_of_any(Side::of(first), second)
                                .or(side_of_any(Side::filter_of(first), second))
                                .or(of_second.swapped());
                            if !matches!(of_any, Compatibility::Disjoint) {
                                return of_any;
                            }
                            match filters_disjoint(first, second) {
                                Some(true) => Compatibility::FilteredApart,
                                None => Compatibility::Unknown,
                                Some(false) => data,
                            }
                        }
                    },
                }
            }

            /// Compares the parts of one parameter with each other.
            #[inline]
            pub(in crate::meta) $($constness)? fn self_compatible(param: &ParamAccess) -> Compatibility {
                let (parts, together) = match param {
                    ParamAccess::All(parts) => (*parts, true),
                    ParamAccess::OneOf(parts) => (*parts, false),
                    ParamAccess::Query { data, .. } => {
                        return query_compatible(data).or(side_of_any(Side::filter_of(param), param));
                    }
                    _ => return Compatibility::Disjoint,
                };
                let mut worst = Compatibility::Disjoint;
                let mut i = 0;
                while i < parts.len() {
                    worst = worst.or(self_compatible(parts[i]));
                    let mut j = 0;
                    while together && j < i {
                        worst = worst.or(params_compatible(parts[j], parts[i], Between::Parameters));
                        j += 1;
                    }
                    i += 1;
                }
                worst
            }

            #[inline]
            $($constness)? fn query_compatible(query: &QueryAccess) -> Compatibility {
                let Some(parts) = Side::QueryAccess(query).parts() else {
                    return Compatibility::Disjoint;
                };
                let mut worst = Compatibility::Disjoint;
                let mut i = 0;
                while i < parts.len() {
                    worst = worst.or(query_compatible(parts[i]));
                    let mut j = 0;
                    while j < i {
                        worst = worst.or(sides(Side::QueryAccess(parts[j]), Side::QueryAccess(parts[i])));
                        j += 1;
                    }
                    i += 1;
                }
                worst
            }

            /// Returns the worst compatibility of the parameter with itself and the earlier ones.
            #[inline]
            pub(in crate::meta) $($constness)? fn parameter(params: &[ParamInfo], second: usize) -> AccessPair {
                let mut worst = AccessPair {
                    compatibility: self_compatible(params[second].of.access),
                    first: second,
                    second,
                };
                let mut first = 0;
                while first < second && !worst.compatibility.is_conflict() {
                    let compatibility = params_compatible(
                        params[first].of.access,
                        params[second].of.access,
                        Between::Parameters,
                    );
                    if compatibility.rank() > worst.compatibility.rank() {
                        worst = AccessPair {
                            compatibility,
                            first,
                            second,
                        };
                    }
                    first += 1;
                }
                worst
            }

            /// Returns the worst compatibility of any two parameters of a system; `None` if it has none.
            #[inline]
            pub(in crate::meta) $($constness)? fn parameters(params: &[ParamInfo]) -> Option<AccessPair> {
                let mut worst: Option<AccessPair> = None;
                let mut second = 0;
                while second < params.len() {
                    let pair = parameter(params, second);
                    match worst {
                        Some(other) if other.compatibility.rank() >= pair.compatibility.rank() => {}
                        _ => worst = Some(pair),
                    }
                    second += 1;
                }
                worst
            }

            /// Compares the fetched data, regardless of filters.
            #[inline]
            pub(in crate::meta) $($constness)? fn sides(first: Side<'_>, second: Side<'_>) -> Compatibility {
                let mut worst = Compatibility::Disjoint;
                let mut i = 0;
                if let Some(parts) = first.parts() {
                    while i < parts.len() && !worst.is_conflict() {
                        worst = worst.or(sides(Side::QueryAccess(parts[i]), second));
                        i += 1;
                    }
                    return worst;
                }
                if let Some(parts) = second.parts() {
                    while i < parts.len() && !worst.is_conflict() {
                        worst = worst.or(sides(first, Side::QueryAccess(parts[i])));
                        i += 1;
                    }
                    return worst;
                }
                match (first.access(), second.access()) {
                    (Some(first), Some(second)) => data(&first, &second),
                    _ => Compatibility::Disjoint,
                }
            }

            /// Compares the data that a query accesses in arbitrary entities with another parameter, regardless of filters.
            #[inline]
            $($constness)? fn side_of_any(side: Side<'_>, other: &ParamAccess) -> Compatibility {
                if let Side::QueryAccess(QueryAccess::OfAny(_)) = side {
                    return sides(side, Side::of(other)).or(sides(side, Side::filter_of(other)));
                }
                let mut worst = Compatibility::Disjoint;
                let mut i = 0;
                if let Some(parts) = side.parts() {
                    while i < parts.len() && !worst.is_conflict() {
                        worst = worst.or(side_of_any(Side::QueryAccess(parts[i]), other));
                        i += 1;
                    }
                }
                worst
            }

            #[inline]
            $($constness)? fn data(first: &Access, second: &Access) -> Compatibility {
                if first.domain as u8 != second.domain as u8 {
                    return Compatibility::Disjoint;
                }
                if let (Kind::Read, Kind::Read) = (first.kind, second.kind) {
                    return Compatibility::Disjoint;
                }
                match $same(&first.ident, &second.ident) {
                    Some(false) => Compatibility::Disjoint,
                    None => Compatibility::Unknown,
                    Some(true) => Compatibility::Conflict(Overlap::Data {
                        domain: first.domain,
                        ident: first.ident,
                        first: first.kind,
                        second: second.kind,
                    }),
                }
            }

            /// Returns true if no entity can match both.
            #[inline]
            pub(in crate::meta) $($constness)? fn filters_disjoint(first: &ParamAccess, second: &ParamAccess) -> Option<bool> {
                match (first, second) {
                    (
                        ParamAccess::Query { data: d1, filter: f1 },
                        ParamAccess::Query { data: d2, filter: f2 },
                    ) => any(
                        any(contradict(d1, d2, f2), contradict(f1, d2, f2)),
                        any(contradict(d2, d1, f1), contradict(f2, d1, f1)),
                    ),
                    _ => Some(false),
                }
            }

            /// Returns true if no entity that `query` matches is matched by the query with this data and filter.
            #[inline]
            $($constness)? fn contradict(query: &QueryAccess, data: &QueryAccess, filter: &QueryAccess) -> Option<bool> {
                match query {
                    QueryAccess::Without(ident) => {
                        any(implies(data, ident, true), implies(filter, ident, true))
                    }
                    QueryAccess::Read(ident)
                    | QueryAccess::Write(ident)
                    | QueryAccess::With(ident)
                    | QueryAccess::Added(ident)
                    | QueryAccess::Changed(ident) => {
                        any(implies(data, ident, false), implies(filter, ident, false))
                    }
                    QueryAccess::All(parts) => holds!(of any parts, |part| contradict(part, data, filter)),
                    QueryAccess::Or(parts) => holds!(of all parts, |part| contradict(part, data, filter)),
                    QueryAccess::Nothing | QueryAccess::Optional(_) | QueryAccess::OfAny(_) => Some(false),
                }
            }

            /// Returns true if all entities that `query` matches have the component, or lack it unless `has`.
            #[inline]
            $($constness)? fn implies(query: &QueryAccess, ident: &ConstTypeId, has: bool) -> Option<bool> {
                match query {
                    QueryAccess::Read(other)
                    | QueryAccess::Write(other)
                    | QueryAccess::With(other)
                    | QueryAccess::Added(other)
                    | QueryAccess::Changed(other) if has => $filters_same(other, ident),
                    QueryAccess::Without(other) if !has => $filters_same(other, ident),
                    QueryAccess::All(parts) => holds!(of any parts, |part| implies(part, ident, has)),
                    QueryAccess::Or(parts) => holds!(of all parts, |part| implies(part, ident, has)),
                    _ => Some(false),
                }
            }
        }
    };
}

comparison! {
    /// The comparison in a constant: types are compared by the hashes of their identities.
    by_hash: ConstTypeId::const_eq, ConstTypeId::const_eq, const
}

comparison! {
    /// The comparison in a constant, for types that are known to be equal where [`by_hash`] leaves them undecided.
    #[expect(dead_code, reason = "it compares two parameters only")]
    by_place: ConstTypeId::place_eq, ConstTypeId::place_eq, const
}

comparison! {
    /// The comparison in a constant, for types that are known to be different where [`by_hash`] leaves them undecided.
    #[expect(dead_code, reason = "it compares two parameters only")]
    by_difference: ConstTypeId::certain_eq, ConstTypeId::certain_eq, const
}

comparison! {
    /// The comparison in a constant, for data that are known to be equal and filters that are known to be different where
    /// [`by_hash`] leaves them undecided.
    #[expect(dead_code, reason = "it compares two parameters only")]
    by_data: ConstTypeId::place_eq, ConstTypeId::certain_eq, const
}

comparison! {
    /// The comparison at run time: `TypeId`s leave no pair undecided.
    by_type: ConstTypeId::type_eq, ConstTypeId::type_eq
}

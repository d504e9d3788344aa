//! The one algorithm that decides whether two accesses go together.
//!
//! It is needed twice: in constants, where types are compared by the hashes of their identities and some pairs stay
//! undecided, and at run time, where `TypeId`s decide all. Constants can call neither trait methods nor the function
//! pointers that give `TypeId`s, so the text is a macro that is expanded for both.
//!
//! Like all `const fn`s of this room that only constants call it is `#[inline]`: so no build makes machine code of it.

use super::side::{Side, Whole};
use super::verdict::{Between, Pair};
use super::{Access, Ident, Kind, Overlap, ParamInfo, Terms, Tree, Verdict};

/// "Or" where something may be unknown.
#[inline]
const fn any(one: Option<bool>, two: Option<bool>) -> Option<bool> {
    match (one, two) {
        (Some(true), _) | (_, Some(true)) => Some(true),
        (Some(false), Some(false)) => Some(false),
        _ => None,
    }
}

/// "And" where something may be unknown.
#[inline]
const fn all(one: Option<bool>, two: Option<bool>) -> Option<bool> {
    match (one, two) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Whether something holds of any of the parts, or of all of them, of which there must be one then. A loop, as constants
/// have no iterators.
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
    ($(#[$doc:meta])* $name:ident: $same:path $(, $constness:ident)?) => {
        $(#[$doc])*
        pub(super) mod $name {
            use super::{
                Access, Between, Ident, Kind, Overlap, Pair, ParamInfo, Side, Terms, Tree, Verdict, Whole,
                all, any,
            };

            /// Whether two parameters go together.
            #[inline]
            pub(in crate::meta) $($constness)? fn beside(
                first: &Tree,
                second: &Tree,
                between: Between,
            ) -> Verdict {
                match (first, second) {
                    // Most pairs; the others would find the same in more steps, which a compiler takes one by one.
                    (Tree::Leaf(first), Tree::Leaf(second)) => data(first, second),
                    (Tree::Nothing, _) | (_, Tree::Nothing) => Verdict::Free,
                    (Tree::Deferred, Tree::Deferred) => match between {
                        Between::Parameters => Verdict::Free,
                        Between::Systems => Verdict::Conflict(Overlap::Ids),
                    },
                    (Tree::All(parts) | Tree::OneOf(parts), _) => {
                        let mut worst = Verdict::Free;
                        let mut i = 0;
                        while i < parts.len() && !worst.is_conflict() {
                            worst = worst.or(beside(parts[i], second, between));
                            i += 1;
                        }
                        worst
                    }
                    (_, Tree::All(parts) | Tree::OneOf(parts)) => {
                        let mut worst = Verdict::Free;
                        let mut i = 0;
                        while i < parts.len() && !worst.is_conflict() {
                            worst = worst.or(beside(first, parts[i], between));
                            i += 1;
                        }
                        worst
                    }
                    _ => match (Whole::of(first, between), Whole::of(second, between)) {
                        (Some(first), Some(second)) => first.beside_whole(&second),
                        (Some(whole), None) => whole.beside(second),
                        (None, Some(whole)) => whole.beside(first),
                        (None, None) => {
                            // Filters that ask for ticks read what they ask about.
                            let data = sides(Side::of(first), Side::of(second))
                                .or(sides(Side::of(first), Side::filter_of(second)))
                                .or(sides(Side::filter_of(first), Side::of(second)));
                            if let Verdict::Free = data {
                                return Verdict::Free;
                            }
                            match apart(first, second) {
                                Some(true) => Verdict::Apart,
                                None => Verdict::Undecided,
                                Some(false) => data,
                            }
                        }
                    },
                }
            }

            /// Whether the parts of one parameter go together.
            #[inline]
            pub(in crate::meta) $($constness)? fn within(tree: &Tree) -> Verdict {
                let (parts, together) = match tree {
                    Tree::All(parts) => (*parts, true),
                    Tree::OneOf(parts) => (*parts, false),
                    Tree::Query { data, .. } => return terms_within(data),
                    _ => return Verdict::Free,
                };
                let mut worst = Verdict::Free;
                let mut i = 0;
                while i < parts.len() {
                    worst = worst.or(within(parts[i]));
                    let mut j = 0;
                    while together && j < i {
                        worst = worst.or(beside(parts[j], parts[i], Between::Parameters));
                        j += 1;
                    }
                    i += 1;
                }
                worst
            }

            #[inline]
            $($constness)? fn terms_within(terms: &Terms) -> Verdict {
                let Some(parts) = Side::Terms(terms).parts() else {
                    return Verdict::Free;
                };
                let mut worst = Verdict::Free;
                let mut i = 0;
                while i < parts.len() {
                    worst = worst.or(terms_within(parts[i]));
                    let mut j = 0;
                    while j < i {
                        worst = worst.or(sides(Side::Terms(parts[j]), Side::Terms(parts[i])));
                        j += 1;
                    }
                    i += 1;
                }
                worst
            }

            /// What is worst between the parameter and itself and the earlier ones.
            #[inline]
            pub(in crate::meta) $($constness)? fn parameter(params: &[ParamInfo], second: usize) -> Pair {
                let mut worst = Pair {
                    verdict: within(params[second].of.access),
                    first: second,
                    second,
                };
                let mut first = 0;
                while first < second && !worst.verdict.is_conflict() {
                    let verdict = beside(
                        params[first].of.access,
                        params[second].of.access,
                        Between::Parameters,
                    );
                    if verdict.rank() > worst.verdict.rank() {
                        worst = Pair {
                            verdict,
                            first,
                            second,
                        };
                    }
                    first += 1;
                }
                worst
            }

            /// What is worst between any two parameters of a system; `None` if it has none.
            #[inline]
            pub(in crate::meta) $($constness)? fn parameters(params: &[ParamInfo]) -> Option<Pair> {
                let mut worst: Option<Pair> = None;
                let mut second = 0;
                while second < params.len() {
                    let pair = parameter(params, second);
                    match worst {
                        Some(other) if other.verdict.rank() >= pair.verdict.rank() => {}
                        _ => worst = Some(pair),
                    }
                    second += 1;
                }
                worst
            }

            /// Whether the fetched data overlaps, filters left aside.
            #[inline]
            $($constness)? fn sides(first: Side<'_>, second: Side<'_>) -> Verdict {
                let mut worst = Verdict::Free;
                let mut i = 0;
                if let Some(parts) = first.parts() {
                    while i < parts.len() && !worst.is_conflict() {
                        worst = worst.or(sides(Side::Terms(parts[i]), second));
                        i += 1;
                    }
                    return worst;
                }
                if let Some(parts) = second.parts() {
                    while i < parts.len() && !worst.is_conflict() {
                        worst = worst.or(sides(first, Side::Terms(parts[i])));
                        i += 1;
                    }
                    return worst;
                }
                match (first.access(), second.access()) {
                    (Some(first), Some(second)) => data(&first, &second),
                    _ => Verdict::Free,
                }
            }

            #[inline]
            $($constness)? fn data(first: &Access, second: &Access) -> Verdict {
                if first.domain as u8 != second.domain as u8 {
                    return Verdict::Free;
                }
                if let (Kind::Read, Kind::Read) = (first.kind, second.kind) {
                    return Verdict::Free;
                }
                match $same(&first.ident, &second.ident) {
                    Some(false) => Verdict::Free,
                    None => Verdict::Undecided,
                    Some(true) => Verdict::Conflict(Overlap::Data {
                        domain: first.domain,
                        ident: first.ident,
                        first: first.kind,
                        second: second.kind,
                    }),
                }
            }

            /// Whether no entity can match both.
            #[inline]
            $($constness)? fn apart(first: &Tree, second: &Tree) -> Option<bool> {
                match (first, second) {
                    (
                        Tree::Query { data: d1, filter: f1 },
                        Tree::Query { data: d2, filter: f2 },
                    ) => any(
                        any(contradict(d1, d2, f2), contradict(f1, d2, f2)),
                        any(contradict(d2, d1, f1), contradict(f2, d1, f1)),
                    ),
                    _ => Some(false),
                }
            }

            /// Whether nothing that the terms match is matched by the query with this data and filter.
            #[inline]
            $($constness)? fn contradict(terms: &Terms, data: &Terms, filter: &Terms) -> Option<bool> {
                match terms {
                    Terms::Without(ident) => {
                        any(settle(data, ident, true), settle(filter, ident, true))
                    }
                    Terms::Read(ident)
                    | Terms::Write(ident)
                    | Terms::With(ident)
                    | Terms::Added(ident)
                    | Terms::Changed(ident) => {
                        any(settle(data, ident, false), settle(filter, ident, false))
                    }
                    Terms::All(parts) => holds!(of any parts, |part| contradict(part, data, filter)),
                    Terms::Or(parts) => holds!(of all parts, |part| contradict(part, data, filter)),
                    Terms::Nothing | Terms::OptRead(_) | Terms::OptWrite(_) => Some(false),
                }
            }

            /// Whether all that the terms match has the component, or, if not `has`, has it not.
            #[inline]
            $($constness)? fn settle(terms: &Terms, ident: &Ident, has: bool) -> Option<bool> {
                match terms {
                    Terms::Read(other)
                    | Terms::Write(other)
                    | Terms::With(other)
                    | Terms::Added(other)
                    | Terms::Changed(other) if has => $same(other, ident),
                    Terms::Without(other) if !has => $same(other, ident),
                    Terms::All(parts) => holds!(of any parts, |part| settle(part, ident, has)),
                    Terms::Or(parts) => holds!(of all parts, |part| settle(part, ident, has)),
                    _ => Some(false),
                }
            }
        }
    };
}

comparison! {
    /// In a constant: types are compared by the hashes of their identities.
    by_hash: Ident::const_eq, const
}

comparison! {
    /// At run time: `TypeId`s leave nothing undecided.
    by_type: Ident::type_eq
}

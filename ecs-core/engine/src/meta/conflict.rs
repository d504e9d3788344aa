//! Conflicts between parameters and between systems.

use core::fmt;

use super::compare::{by_difference, by_hash, by_type};
use super::compatibility::Between;
use super::message::kind_word;
use super::side::Side;
use super::{Compatibility, Overlap, ParamAccess, ParamInfo, QueryAccess, SystemMeta};

/// The conflict of two systems, or of two parameters of one: the parameters, and the data that both access.
#[derive(Clone, Copy, Debug)]
pub struct Conflict {
    /// The parameter of the first system, or the one written first.
    pub first: ParamInfo,
    /// The parameter of the second system; the same as `first` if that conflicts with itself.
    pub second: ParamInfo,
    /// The data that both access.
    pub overlap: Overlap,
}

/// Returns the first conflict that keeps two systems from running at the same time, parameter by parameter in the order
/// written; `None` if there is none.
///
/// Types are compared by their `TypeId`. Two queries that access the same components are compatible if no entity can match
/// both: one requires a component, in its data or by `With`, that the other one excludes by `Without`. `Or` proves this only
/// if each of its alternatives does, and views of whole storages (`Comp`, `CompMut`) have no filters.
#[must_use]
pub fn conflicts(first: &SystemMeta, second: &SystemMeta) -> Option<Conflict> {
    for one in first.params {
        for two in second.params {
            if let Some(overlap) = overlap(one.of.access, two.of.access) {
                return Some(Conflict {
                    first: *one,
                    second: *two,
                    overlap,
                });
            }
        }
    }
    None
}

/// Returns the conflicting access between parameters of two systems, if any.
#[must_use]
#[inline]
pub fn overlap(first: &'static ParamAccess, second: &'static ParamAccess) -> Option<Overlap> {
    match by_type::params_compatible(first, second, Between::Systems) {
        Compatibility::Conflict(overlap) => Some(overlap),
        _ => None,
    }
}

/// Returns the worst compatibility between the parameters of two systems; never [`Compatibility::Unknown`].
///
/// O(pairs of parameters).
#[must_use]
pub fn systems_compatible(first: &SystemMeta, second: &SystemMeta) -> Compatibility {
    let mut worst = Compatibility::Disjoint;
    for one in first.params {
        for two in second.params {
            worst = worst.or(by_type::params_compatible(
                one.of.access,
                two.of.access,
                Between::Systems,
            ));
        }
    }
    worst
}

/// Returns true if two systems may conflict, as far as a constant can tell: [`conflicts`] for compile-time assertions.
///
/// `false` is certain. `true` is certain too, unless both access generic types (`Tag<u8>` and `Tag<u16>`) or resources
/// without a derive, which can be distinguished only at run time.
///
/// ```
/// use ecs_core::meta::may_conflict;
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// #[system]
/// fn gravity(mut velocities: CompMut<Velocity>) { velocities.iter_mut().for_each(|v| v.0 -= 9.81) }
/// #[system]
/// fn report(positions: Comp<Position>) { println!("{} bodies", positions.len()) }
///
/// // A compile error once the systems conflict.
/// const _: () = assert!(!may_conflict(&ecs_core::meta(&gravity), &ecs_core::meta(&report)));
/// assert!(may_conflict(&ecs_core::meta(&gravity), &ecs_core::meta(&gravity)));
/// ```
#[must_use]
#[inline]
pub const fn may_conflict(first: &SystemMeta, second: &SystemMeta) -> bool {
    conflict_in_const(first, second).is_some()
}

/// Returns whether the filters of two queries certainly don't keep their entities apart, and whether they don't if all
/// components that identities leave undecided are different; true for other parameters.
#[inline]
pub(super) const fn certainly_meet(first: &ParamAccess, second: &ParamAccess) -> (bool, bool) {
    (
        matches!(by_hash::filters_disjoint(first, second), Some(false)),
        matches!(by_difference::filters_disjoint(first, second), Some(false)),
    )
}

/// Returns the first parameters of two systems that conflict, as far as a constant can tell, and the overlap; `None` in
/// its place if only the run time can decide.
#[inline]
pub(crate) const fn conflict_in_const(
    first: &SystemMeta,
    second: &SystemMeta,
) -> Option<(usize, usize, Option<Overlap>)> {
    let mut i = 0;
    while i < first.params.len() {
        let mut j = 0;
        while j < second.params.len() {
            let (one, two) = (first.params[i].of.access, second.params[j].of.access);
            match by_hash::params_compatible(one, two, Between::Systems) {
                Compatibility::Disjoint | Compatibility::FilteredApart => {}
                Compatibility::Unknown => return Some((i, j, None)),
                Compatibility::Conflict(overlap) => return Some((i, j, Some(overlap))),
            }
            j += 1;
        }
        i += 1;
    }
    None
}

/// Compares two parameters of one system, as far as a constant can tell.
#[must_use]
#[inline]
pub const fn params_compatible_in_const(
    first: &ParamAccess,
    second: &ParamAccess,
) -> Compatibility {
    by_hash::params_compatible(first, second, Between::Parameters)
}

/// Compares two parameters of one system; never [`Compatibility::Unknown`].
#[must_use]
#[inline]
pub fn params_compatible(first: &ParamAccess, second: &ParamAccess) -> Compatibility {
    by_type::params_compatible(first, second, Between::Parameters)
}

/// Compares two terms of one query, where filters make no difference; never [`Compatibility::Unknown`].
#[inline]
pub(crate) fn terms_compatible(first: &QueryAccess, second: &QueryAccess) -> Compatibility {
    by_type::sides(Side::QueryAccess(first), Side::QueryAccess(second))
}

/// Compares the parts of one parameter, as far as a constant can tell.
#[must_use]
#[inline]
pub const fn self_compatible_in_const(param: &ParamAccess) -> Compatibility {
    by_hash::self_compatible(param)
}

/// Compares the parts of one parameter; never [`Compatibility::Unknown`].
#[must_use]
#[inline]
pub fn self_compatible(param: &ParamAccess) -> Compatibility {
    by_type::self_compatible(param)
}

impl SystemMeta {
    /// Returns the worst compatibility between the system's own parameters, as far as a constant can tell.
    #[must_use]
    #[inline]
    pub const fn compatibility_in_const(&self) -> Compatibility {
        match by_hash::parameters(self.params) {
            Some(pair) => pair.compatibility,
            None => Compatibility::Disjoint,
        }
    }

    /// Returns the worst compatibility between the system's own parameters; never [`Compatibility::Unknown`].
    #[must_use]
    pub fn compatibility(&self) -> Compatibility {
        by_type::parameters(self.params).map_or(Compatibility::Disjoint, |pair| pair.compatibility)
    }

    /// Returns the parameters of this system that conflict, if any.
    ///
    /// A system that compiles has such parameters only if it names generic types inside of queries or derived
    /// parameters; then a schedule returns an error when it is planned, and a call panics before the system runs.
    #[must_use]
    pub fn conflict(&self) -> Option<Conflict> {
        let pair = by_type::parameters(self.params)?;
        let Compatibility::Conflict(overlap) = pair.compatibility else {
            return None;
        };
        Some(Conflict {
            first: self.params[pair.first],
            second: self.params[pair.second],
            overlap,
        })
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            first,
            second,
            overlap,
        } = self;
        let (one, two) = match overlap {
            Overlap::World | Overlap::Ids => ("", ""),
            Overlap::Data { first, second, .. } => (kind_word(*first), kind_word(*second)),
        };
        write!(
            f,
            "`{}: {}`{one} and `{}: {}`{two} {overlap}",
            first.name, first.ty, second.name, second.ty
        )
    }
}

//! Whether parameters, and whether systems, go together.

use core::fmt;

use super::compare::{by_hash, by_type};
use super::message::verb;
use super::verdict::Between;
use super::{Compatibility, ConstTypeId, Domain, Kind, ParamAccess, ParamInfo, SystemMeta};

/// Why two systems, or two parameters of one, do not go together: the parameters, and what both touch.
#[derive(Clone, Copy, Debug)]
pub struct Conflict {
    /// The parameter of the first system, or the one written first.
    pub first: ParamInfo,
    /// The parameter of the second system; the same as the first one if that is in conflict with itself.
    pub second: ParamInfo,
    /// What both touch.
    pub overlap: Overlap,
}

/// Data that two parameters touch, at least one of them writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// One parameter is the whole world, or all resources, and the other one touches something of it.
    World,
    /// Both can give out ids of new entities; only a reason between two systems.
    Ids,
    /// Both touch the data of one type.
    Data {
        /// Component or resource.
        domain: Domain,
        /// The type.
        ident: ConstTypeId,
        /// What the first parameter does.
        first: Kind,
        /// What the second parameter does.
        second: Kind,
    },
}

/// The first reason why the two systems cannot run at the same time, parameter by parameter in the order written;
/// `None` if they can.
///
/// Types are compared by their `TypeId`. Two queries that touch the same components still go together if no entity can
/// match both: one requires a component, as a term or by `With`, that the other one excludes by `Without`. `Or` says
/// nothing about the single entity and gives no such proof, and views of whole storages (`Comp`, `CompMut`) have no
/// filters that could.
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

/// What a parameter of one system and a parameter of another one touch so that they cannot be had at the same time.
#[must_use]
#[inline]
pub fn overlap(first: &'static ParamAccess, second: &'static ParamAccess) -> Option<Overlap> {
    match by_type::params_compatible(first, second, Between::Systems) {
        Compatibility::Conflict(overlap) => Some(overlap),
        _ => None,
    }
}

/// What is worst between the parameters of two systems; never [`Compatibility::Unknown`].
///
/// O(pairs of parameters).
#[must_use]
pub fn between(first: &SystemMeta, second: &SystemMeta) -> Compatibility {
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

/// Whether two systems are, as far as a constant can tell, in each other's way: [`conflicts`] for assertions while
/// compiling.
///
/// `false` is certain. `true` is certain too, unless both touch generic types (`Tag<u8>` and `Tag<u16>`) or resources
/// without a derive, which only the run time can tell apart.
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
/// // Stays true, or the crate does not compile.
/// const _: () = assert!(!may_conflict(&ecs_core::meta(&gravity), &ecs_core::meta(&report)));
/// assert!(may_conflict(&ecs_core::meta(&gravity), &ecs_core::meta(&gravity)));
/// ```
#[must_use]
#[inline]
pub const fn may_conflict(first: &SystemMeta, second: &SystemMeta) -> bool {
    conflict_in_const(first, second).is_some()
}

/// The first parameters of two systems that are, as far as a constant can tell, in each other's way, and what both
/// touch; `None` in its place if only the run time knows whether they do.
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

/// Whether two parameters of one system can be had at the same time, as far as a constant can tell.
#[must_use]
#[inline]
pub const fn params_compatible_in_const(
    first: &ParamAccess,
    second: &ParamAccess,
) -> Compatibility {
    by_hash::params_compatible(first, second, Between::Parameters)
}

/// Whether two parameters of one system can be had at the same time; never [`Compatibility::Unknown`].
#[must_use]
pub fn params_compatible(first: &ParamAccess, second: &ParamAccess) -> Compatibility {
    by_type::params_compatible(first, second, Between::Parameters)
}

/// Whether the parts of one parameter can be had at the same time, as far as a constant can tell.
#[must_use]
#[inline]
pub const fn self_compatible_in_const(tree: &ParamAccess) -> Compatibility {
    by_hash::self_compatible(tree)
}

/// Whether the parts of one parameter can be had at the same time; never [`Compatibility::Unknown`].
#[must_use]
pub fn self_compatible(tree: &ParamAccess) -> Compatibility {
    by_type::self_compatible(tree)
}

impl SystemMeta {
    /// What is worst about the system's own parameters, as far as a constant can tell.
    #[must_use]
    #[inline]
    pub const fn verdict_in_const(&self) -> Compatibility {
        match by_hash::parameters(self.params) {
            Some(pair) => pair.verdict,
            None => Compatibility::Disjoint,
        }
    }

    /// What is worst about the system's own parameters; never [`Compatibility::Unknown`].
    #[must_use]
    pub fn verdict(&self) -> Compatibility {
        by_type::parameters(self.params).map_or(Compatibility::Disjoint, |pair| pair.verdict)
    }

    /// The parameters of this system that cannot be had at the same time, if there are some.
    ///
    /// Of a system that compiles there are some only if it names generic types inside of queries or derived
    /// parameters; a schedule refuses it when it is planned, and a call panics before the system runs.
    #[must_use]
    pub fn conflict(&self) -> Option<Conflict> {
        let pair = by_type::parameters(self.params)?;
        let Compatibility::Conflict(overlap) = pair.verdict else {
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
            Overlap::Data { first, second, .. } => (verb(*first), verb(*second)),
        };
        write!(
            f,
            "`{}: {}`{one} and `{}: {}`{two} {overlap}",
            first.name, first.ty, second.name, second.ty
        )
    }
}

impl fmt::Display for Overlap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::World => f.write_str("share the world"),
            Self::Ids => f.write_str("both give out ids of entities"),
            Self::Data { domain, ident, .. } => {
                write!(f, "the {} `{}`", domain.word(), ident.type_name())
            }
        }
    }
}

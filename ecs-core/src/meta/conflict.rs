//! Whether parameters, and whether systems, go together.

use core::fmt;

use super::compare::{Between, by_hash, by_type};
use super::message::verb;
use super::{Domain, Ident, Kind, ParamInfo, SystemMeta, Tree, Verdict};

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
    /// Both touch the data of one type.
    Data {
        /// Component or resource.
        domain: Domain,
        /// The type.
        ident: Ident,
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
    first.params.iter().find_map(|one| {
        second.params.iter().find_map(|two| {
            overlap(one.access, two.access).map(|overlap| Conflict {
                first: *one,
                second: *two,
                overlap,
            })
        })
    })
}

/// What a parameter of one system and a parameter of another one touch so that they cannot be had at the same time.
#[must_use]
pub fn overlap(first: &'static Tree, second: &'static Tree) -> Option<Overlap> {
    match by_type::beside(first, second, Between::Systems) {
        Verdict::Conflict(overlap) => Some(overlap),
        _ => None,
    }
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
pub const fn may_conflict(first: &SystemMeta, second: &SystemMeta) -> bool {
    let mut i = 0;
    while i < first.params.len() {
        let mut j = 0;
        while j < second.params.len() {
            let (one, two) = (first.params[i].access, second.params[j].access);
            match by_hash::beside(one, two, Between::Systems) {
                Verdict::Free | Verdict::Apart => {}
                Verdict::Undecided | Verdict::Conflict(_) => return true,
            }
            j += 1;
        }
        i += 1;
    }
    false
}

/// Whether two parameters of one system can be had at the same time, as far as a constant can tell.
#[must_use]
pub const fn beside_in_const(first: &Tree, second: &Tree) -> Verdict {
    by_hash::beside(first, second, Between::Parameters)
}

/// Whether two parameters of one system can be had at the same time; never [`Verdict::Undecided`].
#[must_use]
pub fn beside(first: &Tree, second: &Tree) -> Verdict {
    by_type::beside(first, second, Between::Parameters)
}

/// Whether the parts of one parameter can be had at the same time, as far as a constant can tell.
#[must_use]
pub const fn within_in_const(tree: &Tree) -> Verdict {
    by_hash::within(tree)
}

/// Whether the parts of one parameter can be had at the same time; never [`Verdict::Undecided`].
#[must_use]
pub fn within(tree: &Tree) -> Verdict {
    by_type::within(tree)
}

impl SystemMeta {
    /// What is worst about the system's own parameters, as far as a constant can tell.
    #[must_use]
    pub const fn verdict_in_const(&self) -> Verdict {
        match by_hash::parameters(self.params) {
            Some(pair) => pair.verdict,
            None => Verdict::Free,
        }
    }

    /// What is worst about the system's own parameters; never [`Verdict::Undecided`].
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        by_type::parameters(self.params).map_or(Verdict::Free, |pair| pair.verdict)
    }

    /// The parameters of this system that cannot be had at the same time, if there are some.
    ///
    /// Of a system that compiles there are some only if it names generic types inside of queries or derived
    /// parameters; a schedule refuses it when it is planned, and a call panics before the system runs.
    #[must_use]
    pub fn conflict(&self) -> Option<Conflict> {
        let pair = by_type::parameters(self.params)?;
        let Verdict::Conflict(overlap) = pair.verdict else {
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
            Overlap::World => ("", ""),
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
            Self::Data { domain, ident, .. } => {
                write!(f, "the {} `{}`", domain.word(), ident.type_name())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::meta::Identity;

    const fn ident<T: 'static>() -> Ident {
        Identity::<T>::opaque().ident()
    }

    const A: Ident = ident::<u8>();
    const B: Ident = ident::<u16>();
    const C: Ident = ident::<u32>();

    const fn leaf(domain: Domain, kind: Kind, ident: Ident) -> Tree {
        Tree::Leaf(Access {
            domain,
            kind,
            ident,
        })
    }

    const COMP: Tree = leaf(Domain::Component, Kind::Read, A);
    const COMP_MUT: Tree = leaf(Domain::Component, Kind::Write, A);
    const COMP_MUT_B: Tree = leaf(Domain::Component, Kind::Write, B);
    const RES: Tree = leaf(Domain::Resource, Kind::Read, A);
    const RES_MUT: Tree = leaf(Domain::Resource, Kind::Write, A);
    const NON_SEND: Tree = Tree::NonSend(Access {
        domain: Domain::Resource,
        kind: Kind::Write,
        ident: A,
    });
    const NOTHING: Tree = Tree::Nothing;
    const WORLD: Tree = Tree::World(Kind::Read);
    const WORLD_MUT: Tree = Tree::World(Kind::Write);

    const fn query(data: &'static Terms, filter: &'static Terms) -> Tree {
        Tree::Query { data, filter }
    }

    const ONLY_IDS: Tree = query(&Terms::Nothing, &Terms::With(A));
    const READ: Tree = query(&Terms::Read(A), &Terms::Nothing);
    const WRITE: Tree = query(&Terms::Write(A), &Terms::Nothing);
    const WRITE_WITH: Tree = query(&Terms::Write(A), &Terms::With(B));
    const WRITE_WITHOUT: Tree = query(&Terms::Write(A), &Terms::Without(B));
    const WRITE_WITHOUT_NESTED: Tree = query(
        &Terms::Write(A),
        &Terms::All(&[
            &Terms::With(C),
            &Terms::All(&[&Terms::Without(B), &Terms::Nothing]),
        ]),
    );
    const WRITE_AND_B: Tree = query(
        &Terms::All(&[&Terms::Write(A), &Terms::Read(B)]),
        &Terms::Nothing,
    );
    const WRITE_AND_OPT_B: Tree = query(
        &Terms::All(&[&Terms::Write(A), &Terms::OptRead(B)]),
        &Terms::Nothing,
    );
    const WRITE_OR_WITHOUT: Tree = query(
        &Terms::Write(A),
        &Terms::Or(&[&Terms::Without(B), &Terms::With(C)]),
    );
    const OPT_WRITE_WITHOUT: Tree = query(&Terms::OptWrite(A), &Terms::Without(B));
    const WITHOUT_SELF: Tree = query(&Terms::OptWrite(B), &Terms::Without(A));
    const BUNDLED: Tree = Tree::All(&[&NOTHING, &Tree::All(&[&RES, &WRITE_WITHOUT])]);
    const NO_PARTS: Tree = Tree::All(&[&NOTHING, &Tree::All(&[])]);

    #[test]
    fn pairs_of_parameters() {
        #[rustfmt::skip]
        let table: &[(&str, &'static Tree, &'static Tree, bool)] = &[
            ("readers share a storage", &COMP, &COMP, false),
            ("a writer excludes a reader", &COMP_MUT, &COMP, true),
            ("a writer excludes a writer", &COMP_MUT, &COMP_MUT, true),
            ("different storages", &COMP_MUT, &COMP_MUT_B, false),
            ("a component is not a resource of the same type", &COMP_MUT, &RES_MUT, false),
            ("readers share a resource", &RES, &RES, false),
            ("a resource is written by one", &RES_MUT, &RES, true),
            ("staying on a thread changes nothing", &NON_SEND, &RES, true),
            ("reading queries", &READ, &READ, false),
            ("reading and writing queries", &READ, &WRITE, true),
            ("With against Without", &WRITE_WITH, &WRITE_WITHOUT, false),
            ("a term against Without", &WRITE_AND_B, &WRITE_WITHOUT, false),
            ("a term against a nested Without", &WRITE_AND_B, &WRITE_WITHOUT_NESTED, false),
            ("an optional term is not required", &WRITE_AND_OPT_B, &WRITE_WITHOUT, true),
            ("two times Without", &WRITE_WITHOUT, &WRITE_WITHOUT, true),
            ("Or proves nothing", &WRITE_OR_WITHOUT, &WRITE_WITH, true),
            ("an optional write is a write", &OPT_WRITE_WITHOUT, &WRITE, true),
            ("an optional write is kept apart by a filter", &OPT_WRITE_WITHOUT, &WRITE_WITH, false),
            ("Without of what the other one fetches", &WITHOUT_SELF, &WRITE_AND_B, false),
            ("a view has no filter", &COMP_MUT, &WRITE_WITHOUT, true),
            ("a view of what the query only tests", &COMP_MUT_B, &WRITE_WITHOUT, false),
            ("a view of what the query reads", &COMP_MUT_B, &WRITE_AND_B, true),
            ("ids touch no data", &ONLY_IDS, &COMP_MUT, false),
            ("parts of a derived parameter", &BUNDLED, &RES_MUT, true),
            ("filters inside of a derived parameter", &BUNDLED, &WRITE_WITH, false),
            ("a derived parameter and itself", &BUNDLED, &BUNDLED, true),
            ("the whole world and a reader", &WORLD, &COMP, false),
            ("the whole world and a writer", &WORLD, &COMP_MUT, true),
            ("the whole world and a writing query", &WORLD, &OPT_WRITE_WITHOUT, true),
            ("the whole world and a resource", &WORLD, &RES_MUT, true),
            ("the whole world twice", &WORLD, &WORLD, false),
            ("the whole world for writing", &WORLD_MUT, &WORLD, true),
            ("the whole world for writing, twice", &WORLD_MUT, &WORLD_MUT, true),
            ("the whole world for writing and a reader", &WORLD_MUT, &RES, true),
            ("the whole world for writing and ids", &WORLD_MUT, &ONLY_IDS, true),
            ("the whole world for writing and a part", &WORLD_MUT, &BUNDLED, true),
            ("nothing and the whole world", &NOTHING, &WORLD_MUT, false),
            ("no parts and the whole world", &NO_PARTS, &WORLD_MUT, false),
            ("nothing and a writer", &NOTHING, &COMP_MUT, false),
        ];
        for (case, first, second, expected) in table {
            assert_eq!(overlap(first, second).is_some(), *expected, "{case}");
            assert_eq!(
                overlap(second, first).is_some(),
                *expected,
                "{case}, swapped"
            );
        }
    }

    #[test]
    fn a_conflict_names_parameters_and_type() {
        const FIRST: SystemMeta = SystemMeta::new(
            "first",
            &[
                ParamInfo::new("time", "Res<u8>", &RES),
                ParamInfo::new("pos", "CompMut<A>", &COMP_MUT),
            ],
        );
        const SECOND: SystemMeta = SystemMeta::new(
            "second",
            &[
                ParamInfo::new("_", "Commands", &NOTHING),
                ParamInfo::new("old", "Comp<A>", &COMP),
            ],
        );
        const THIRD: SystemMeta = SystemMeta::new(
            "third",
            &[ParamInfo::new("world", "&mut World", &WORLD_MUT)],
        );
        assert_eq!(
            conflicts(&FIRST, &SECOND).unwrap().to_string(),
            "`pos: CompMut<A>` writes and `old: Comp<A>` reads the component `u8`"
        );
        assert_eq!(
            conflicts(&FIRST, &THIRD).unwrap().to_string(),
            "`time: Res<u8>` and `world: &mut World` share the world"
        );
        assert!(conflicts(&SECOND, &SECOND).is_none());
    }
}

//! The walks through the access of a parameter: one in constants, and one at run time.
//!
//! Some modules have a walk of their own. `compare.rs` walks through two accesses at once. `touched.rs`, `side.rs` and the table of
//! a constant schedule run in constants, which have no iterators and no closures. `lines.rs` and `effect.rs` need the neighbours of
//! a part: commands, and the components that are declared beside them. All that tell reads from writes ask [`Side::access`].

use alloc::vec;
use alloc::vec::Vec;

use super::side::Side;
use super::{Access, ConstTypeId, Domain, Kind, ParamAccess, QueryAccess};

/// Facts about a parameter, or about several, that decide where and when a system runs.
#[derive(Clone, Copy)]
pub(super) struct ParamFacts(u16);

impl ParamFacts {
    pub(super) const NONE: Self = Self(0);
    /// Accesses a part of the world, so that deferred changes of others matter to it.
    pub(super) const TOUCHES: Self = Self(1);
    /// Can allocate ids or defer changes.
    pub(super) const DEFERS: Self = Self(1 << 1);
    /// Runs while no other system does.
    pub(super) const ALONE: Self = Self(1 << 2);
    /// Must stay on the thread that runs the schedule.
    pub(super) const THREAD_BOUND: Self = Self(1 << 3);
    /// Its accesses are known only at run time.
    pub(super) const LOCKS_AT_RUN_TIME: Self = Self(1 << 4);
    /// Needs more than a map of resources.
    pub(super) const BEYOND_RESOURCES: Self = Self(1 << 5);
    /// Reads the whole world.
    pub(super) const READS_WORLD: Self = Self(1 << 6);
    /// Writes the whole world, or may borrow any of it for writing.
    pub(super) const WRITES_WORLD: Self = Self(1 << 7);
    /// May read data that its metadata does not name.
    pub(super) const UNNAMED: Self = Self(1 << 8);
    /// Has a value that belongs to a thread.
    pub(super) const NON_SEND: Self = Self(1 << 9);

    #[inline]
    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline]
    pub(super) const fn has(self, fact: Self) -> bool {
        self.0 & fact.0 != 0
    }

    /// Returns the facts about a parameter.
    #[inline]
    pub(super) const fn of(param: &ParamAccess) -> Self {
        let data = Self::TOUCHES.with(Self::BEYOND_RESOURCES);
        let whole = data.with(Self::DEFERS).with(Self::LOCKS_AT_RUN_TIME);
        match param {
            ParamAccess::Nothing | ParamAccess::Commands(_) | ParamAccess::Sends(_) => Self::NONE,
            ParamAccess::Leaf(Access {
                domain: Domain::Resource,
                ..
            }) => Self::TOUCHES,
            ParamAccess::Leaf(_) | ParamAccess::Query { .. } | ParamAccess::Shape => data,
            ParamAccess::NonSend(_) => data.with(Self::THREAD_BOUND).with(Self::NON_SEND),
            ParamAccess::Deferred => data.with(Self::DEFERS),
            ParamAccess::World(Kind::Read) => whole.with(Self::READS_WORLD),
            ParamAccess::World(Kind::Write) => whole
                .with(Self::ALONE)
                .with(Self::THREAD_BOUND)
                .with(Self::WRITES_WORLD),
            ParamAccess::WorldRef => whole
                .with(Self::ALONE)
                .with(Self::WRITES_WORLD)
                .with(Self::UNNAMED),
            ParamAccess::ResourcesRef => Self::TOUCHES
                .with(Self::LOCKS_AT_RUN_TIME)
                .with(Self::UNNAMED),
            ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
                let mut facts = Self::NONE;
                let mut i = 0;
                while i < parts.len() {
                    facts = facts.with(Self::of(parts[i]));
                    i += 1;
                }
                facts
            }
        }
    }
}

/// A part of a parameter that has no parts itself.
#[derive(Clone, Copy)]
pub(crate) enum AccessLeaf {
    /// A parameter that is not a query.
    Param(&'static ParamAccess),
    /// A part of a query.
    Query(&'static QueryAccess),
}

impl AccessLeaf {
    /// Returns the access to data; `None` if it accesses none, or names none.
    ///
    /// Its kind is the one meaning of "can write": filters read the ticks that they test.
    #[inline]
    pub(crate) const fn access(self) -> Option<Access> {
        match self {
            Self::Param(param) => Side::of(param).access(),
            Self::Query(query) => Side::QueryAccess(query).access(),
        }
    }

    /// Calls a function with each type that it names.
    #[cfg(feature = "data")]
    pub(super) fn for_each_type(self, f: &mut dyn FnMut(&ConstTypeId)) {
        match self {
            Self::Param(ParamAccess::Leaf(access)) => f(&access.ident),
            Self::Param(ParamAccess::Commands(components)) => components.for_each(f),
            Self::Param(_) => {}
            Self::Query(query) => {
                if let Some(ident) = query.ident() {
                    f(ident);
                }
            }
        }
    }
}

impl QueryAccess {
    /// Returns the type that it names; `None` for a list.
    #[inline]
    pub(super) const fn ident(&self) -> Option<&ConstTypeId> {
        match self {
            Self::Read(ident)
            | Self::Write(ident)
            | Self::With(ident)
            | Self::Without(ident)
            | Self::Added(ident)
            | Self::Changed(ident) => Some(ident),
            Self::Nothing | Self::Optional(_) | Self::All(_) | Self::Or(_) | Self::OfAny(_) => None,
        }
    }
}

/// Iterator over the leaves of parameters and queries, in the order written.
pub(crate) struct AccessLeaves {
    /// The parts still to be visited, the next one last.
    stack: Vec<AccessLeaf>,
}

impl AccessLeaves {
    /// Returns the leaves of these parts, which are listed from last to first.
    #[inline]
    pub(super) fn of(reversed: Vec<AccessLeaf>) -> Self {
        Self { stack: reversed }
    }

    /// Returns the leaves of one parameter.
    #[inline]
    pub(crate) fn of_param(param: &'static ParamAccess) -> Self {
        Self::of(vec![AccessLeaf::Param(param)])
    }
}

impl Iterator for AccessLeaves {
    type Item = AccessLeaf;

    fn next(&mut self) -> Option<AccessLeaf> {
        while let Some(node) = self.stack.pop() {
            match node {
                AccessLeaf::Param(ParamAccess::All(parts) | ParamAccess::OneOf(parts)) => {
                    for part in parts.iter().rev() {
                        self.stack.push(AccessLeaf::Param(part));
                    }
                }
                AccessLeaf::Param(ParamAccess::Query { data, filter }) => {
                    self.stack.push(AccessLeaf::Query(filter));
                    self.stack.push(AccessLeaf::Query(data));
                }
                AccessLeaf::Query(query) => match Side::QueryAccess(query).parts() {
                    Some(parts) => {
                        for part in parts.iter().rev() {
                            self.stack.push(AccessLeaf::Query(part));
                        }
                    }
                    None => return Some(node),
                },
                AccessLeaf::Param(_) => return Some(node),
            }
        }
        None
    }
}

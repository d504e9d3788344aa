//! The simple things that trees are compared by.

use super::verdict::Between;
use super::{Access, Domain, Kind, Overlap, Terms, Tree, Verdict};

/// All resources, or all data.
#[derive(Clone, Copy)]
pub(super) struct Whole {
    /// `None` for everything.
    domain: Option<Domain>,
    kind: Kind,
}

impl Whole {
    /// `None` if the tree names its types.
    #[inline]
    pub(super) const fn of(tree: &Tree, between: Between) -> Option<Self> {
        let kind = match between {
            Between::Parameters => Kind::Read,
            Between::Systems => Kind::Write,
        };
        match tree {
            Tree::World(kind) => Some(Self {
                domain: None,
                kind: *kind,
            }),
            Tree::WorldRef => Some(Self { domain: None, kind }),
            Tree::ResourcesRef => Some(Self {
                domain: Some(Domain::Resource),
                kind,
            }),
            _ => None,
        }
    }

    #[inline]
    const fn has(&self, domain: Domain) -> bool {
        match self.domain {
            None => true,
            Some(only) => only as u8 == domain as u8,
        }
    }

    /// Whether both can be had at once.
    #[inline]
    pub(super) const fn beside_whole(&self, other: &Self) -> Verdict {
        let meet = match self.domain {
            None => true,
            Some(domain) => other.has(domain),
        };
        if meet && (self.kind.writes() || other.kind.writes()) {
            Verdict::Conflict(Overlap::World)
        } else {
            Verdict::Free
        }
    }

    /// Whether it can be had beside a tree that names its types and has no parts.
    #[inline]
    pub(super) const fn beside(&self, tree: &Tree) -> Verdict {
        let alone = self.domain.is_none() && self.kind.writes();
        if alone || self.meets(Side::of(tree)) || self.meets(Side::filter_of(tree)) {
            Verdict::Conflict(Overlap::World)
        } else {
            Verdict::Free
        }
    }

    #[inline]
    const fn meets(&self, side: Side<'_>) -> bool {
        if let Some(parts) = side.parts() {
            let mut i = 0;
            while i < parts.len() {
                if self.meets(Side::Terms(parts[i])) {
                    return true;
                }
                i += 1;
            }
            return false;
        }
        match side.access() {
            Some(access) => self.has(access.domain) && (self.kind.writes() || access.kind.writes()),
            None => false,
        }
    }
}

/// What a tree fetches, or a part of it.
#[derive(Clone, Copy)]
pub(crate) enum Side<'a> {
    /// One type.
    Access(Access),
    /// What a query fetches.
    Terms(&'a Terms),
}

impl<'a> Side<'a> {
    /// Of a tree that names its types and has no parts.
    #[inline]
    pub(crate) const fn of(tree: &'a Tree) -> Self {
        match tree {
            Tree::Leaf(access) | Tree::NonSend(access) => Self::Access(*access),
            Tree::Query { data, .. } => Self::Terms(data),
            _ => Self::Terms(&Terms::Nothing),
        }
    }

    /// What a query only tests.
    #[inline]
    pub(crate) const fn filter_of(tree: &'a Tree) -> Self {
        match tree {
            Tree::Query { filter, .. } => Self::Terms(filter),
            _ => Self::Terms(&Terms::Nothing),
        }
    }

    /// The parts, if it is a list.
    #[inline]
    pub(crate) const fn parts(self) -> Option<&'static [&'static Terms]> {
        match self {
            Self::Terms(Terms::All(parts) | Terms::Or(parts)) => Some(parts),
            _ => None,
        }
    }

    /// The data; `None` for a list, and for what fetches nothing.
    #[inline]
    pub(crate) const fn access(self) -> Option<Access> {
        let (kind, ident) = match self {
            Self::Access(access) => return Some(access),
            Self::Terms(
                Terms::Read(ident)
                | Terms::OptRead(ident)
                | Terms::Added(ident)
                | Terms::Changed(ident),
            ) => (Kind::Read, *ident),
            Self::Terms(Terms::Write(ident) | Terms::OptWrite(ident)) => (Kind::Write, *ident),
            Self::Terms(_) => return None,
        };
        Some(Access {
            domain: Domain::Component,
            kind,
            ident,
        })
    }
}

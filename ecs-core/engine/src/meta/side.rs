//! The simple things that trees are compared by.

use super::verdict::Between;
use super::{Access, Compatibility, Domain, Kind, Overlap, ParamAccess, QueryAccess};

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
    pub(super) const fn of(tree: &ParamAccess, between: Between) -> Option<Self> {
        let kind = match between {
            Between::Parameters => Kind::Read,
            Between::Systems => Kind::Write,
        };
        match tree {
            ParamAccess::World(kind) => Some(Self {
                domain: None,
                kind: *kind,
            }),
            ParamAccess::WorldRef => Some(Self { domain: None, kind }),
            ParamAccess::ResourcesRef => Some(Self {
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
    pub(super) const fn compatible_with_whole(&self, other: &Self) -> Compatibility {
        let meet = match self.domain {
            None => true,
            Some(domain) => other.has(domain),
        };
        if meet && (self.kind.writes() || other.kind.writes()) {
            Compatibility::Conflict(Overlap::World)
        } else {
            Compatibility::Disjoint
        }
    }

    /// Whether it can be had beside a tree that names its types and has no parts.
    #[inline]
    pub(super) const fn compatible_with(&self, tree: &ParamAccess) -> Compatibility {
        let alone = self.domain.is_none() && self.kind.writes();
        if alone || self.intersects(Side::of(tree)) || self.intersects(Side::filter_of(tree)) {
            Compatibility::Conflict(Overlap::World)
        } else {
            Compatibility::Disjoint
        }
    }

    #[inline]
    const fn intersects(&self, side: Side<'_>) -> bool {
        if let Some(parts) = side.parts() {
            let mut i = 0;
            while i < parts.len() {
                if self.intersects(Side::QueryAccess(parts[i])) {
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
    QueryAccess(&'a QueryAccess),
}

impl<'a> Side<'a> {
    /// Of a tree that names its types and has no parts.
    #[inline]
    pub(crate) const fn of(tree: &'a ParamAccess) -> Self {
        match tree {
            ParamAccess::Leaf(access) | ParamAccess::NonSend(access) => Self::Access(*access),
            ParamAccess::Query { data, .. } => Self::QueryAccess(data),
            _ => Self::QueryAccess(&QueryAccess::Nothing),
        }
    }

    /// What a query only tests.
    #[inline]
    pub(crate) const fn filter_of(tree: &'a ParamAccess) -> Self {
        match tree {
            ParamAccess::Query { filter, .. } => Self::QueryAccess(filter),
            _ => Self::QueryAccess(&QueryAccess::Nothing),
        }
    }

    /// The parts, if it is a list.
    #[inline]
    pub(crate) const fn parts(self) -> Option<&'static [&'static QueryAccess]> {
        match self {
            Self::QueryAccess(QueryAccess::All(parts) | QueryAccess::Or(parts)) => Some(parts),
            _ => None,
        }
    }

    /// The data; `None` for a list, and for what fetches nothing.
    #[inline]
    pub(crate) const fn access(self) -> Option<Access> {
        let (kind, ident) = match self {
            Self::Access(access) => return Some(access),
            Self::QueryAccess(
                QueryAccess::Read(ident)
                | QueryAccess::OptRead(ident)
                | QueryAccess::Added(ident)
                | QueryAccess::Changed(ident),
            ) => (Kind::Read, *ident),
            Self::QueryAccess(QueryAccess::Write(ident) | QueryAccess::OptWrite(ident)) => {
                (Kind::Write, *ident)
            }
            Self::QueryAccess(_) => return None,
        };
        Some(Access {
            domain: Domain::Component,
            kind,
            ident,
        })
    }
}

//! The simple parts of accesses, for comparison.

use super::compatibility::Between;
use super::{Access, Compatibility, Domain, Kind, Overlap, ParamAccess, QueryAccess};

/// All resources, or all data.
#[derive(Clone, Copy)]
pub(super) struct Whole {
    /// `None` for all data.
    domain: Option<Domain>,
    kind: Kind,
}

impl Whole {
    /// Returns `None` if the parameter names its types.
    #[inline]
    pub(super) const fn of(param: &ParamAccess, between: Between) -> Option<Self> {
        let kind = match between {
            Between::Parameters => Kind::Read,
            Between::Systems => Kind::Write,
        };
        match param {
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

    /// Compares two of them.
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

    /// Compares it with a parameter that names its types and has no parts.
    #[inline]
    pub(super) const fn compatible_with(&self, param: &ParamAccess) -> Compatibility {
        let alone = self.domain.is_none() && self.kind.writes();
        if alone || self.intersects(Side::of(param)) || self.intersects(Side::filter_of(param)) {
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

/// The data that a parameter fetches, or a part of it.
#[derive(Clone, Copy)]
pub(crate) enum Side<'a> {
    /// One type.
    Access(Access),
    /// The data that a query fetches.
    QueryAccess(&'a QueryAccess),
}

impl<'a> Side<'a> {
    /// Returns the data of a parameter that names its types and has no parts.
    #[inline]
    pub(crate) const fn of(param: &'a ParamAccess) -> Self {
        match param {
            ParamAccess::Leaf(access) | ParamAccess::NonSend(access) => Self::Access(*access),
            ParamAccess::Query { data, .. } => Self::QueryAccess(data),
            _ => Self::QueryAccess(&QueryAccess::Nothing),
        }
    }

    /// Returns the data that a query only tests.
    #[inline]
    pub(crate) const fn filter_of(param: &'a ParamAccess) -> Self {
        match param {
            ParamAccess::Query { filter, .. } => Self::QueryAccess(filter),
            _ => Self::QueryAccess(&QueryAccess::Nothing),
        }
    }

    /// Returns the parts, if it is a list.
    #[inline]
    pub(crate) const fn parts(self) -> Option<&'static [&'static QueryAccess]> {
        match self {
            Self::QueryAccess(
                QueryAccess::Optional(parts)
                | QueryAccess::All(parts)
                | QueryAccess::Or(parts)
                | QueryAccess::OfAny(parts),
            ) => Some(parts),
            _ => None,
        }
    }

    /// Returns the access; `None` for a list, and for data that is not accessed.
    #[inline]
    pub(crate) const fn access(self) -> Option<Access> {
        let (kind, ident) = match self {
            Self::Access(access) => return Some(access),
            Self::QueryAccess(
                QueryAccess::Read(ident) | QueryAccess::Added(ident) | QueryAccess::Changed(ident),
            ) => (Kind::Read, *ident),
            Self::QueryAccess(QueryAccess::Write(ident)) => (Kind::Write, *ident),
            Self::QueryAccess(_) => return None,
        };
        Some(Access {
            domain: Domain::Component,
            kind,
            ident,
        })
    }
}

//! The compatibility of two accesses.

use core::fmt;

use super::{ConstTypeId, Domain, Kind};

/// Data that two parameters access, at least one of them for writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// One parameter borrows the whole world, or all resources, and the other one accesses part of it.
    World,
    /// Both can allocate ids of new entities; a conflict only between two systems.
    Ids,
    /// Both access the data of one type.
    Data {
        /// Component or resource.
        domain: Domain,
        /// The type.
        ident: ConstTypeId,
        /// The access of the first parameter.
        first: Kind,
        /// The access of the second parameter.
        second: Kind,
    },
}

/// The compatibility of two accesses, or of the parts of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compatibility {
    /// They access different data, or only read.
    Disjoint,
    /// They access data of the same types, one of them for writing, but their filters keep the entities apart.
    FilteredApart,
    /// A constant cannot tell.
    Unknown,
    /// They access the same data, one of them for writing.
    Conflict(Overlap),
}

impl Compatibility {
    #[inline]
    pub(super) const fn rank(&self) -> u8 {
        match self {
            Self::Disjoint => 0,
            Self::FilteredApart => 1,
            Self::Unknown => 2,
            Self::Conflict(_) => 3,
        }
    }

    /// Returns the worse one; the first one of equals.
    #[inline]
    pub(super) const fn or(self, other: Self) -> Self {
        if other.rank() > self.rank() {
            other
        } else {
            self
        }
    }

    /// Returns the same for the two accesses in the other order.
    #[inline]
    pub(super) const fn swapped(self) -> Self {
        match self {
            Self::Conflict(Overlap::Data {
                domain,
                ident,
                first,
                second,
            }) => Self::Conflict(Overlap::Data {
                domain,
                ident,
                first: second,
                second: first,
            }),
            other => other,
        }
    }

    #[inline]
    pub(super) const fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict(_))
    }
}

/// The relation of the two accesses that are compared.
#[derive(Clone, Copy)]
pub(super) enum Between {
    /// Two parameters of one system, which one thread runs.
    Parameters,
    /// Two systems, which two threads may run.
    Systems,
}

/// A parameter and an earlier one of the same system, or itself twice.
#[derive(Clone, Copy)]
pub(super) struct AccessPair {
    pub(super) compatibility: Compatibility,
    pub(super) first: usize,
    pub(super) second: usize,
}

impl fmt::Display for Overlap {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::World => f.write_str("share the world"),
            Self::Ids => f.write_str("both allocate ids of entities"),
            Self::Data { domain, ident, .. } => {
                write!(f, "the {} `{}`", domain.word(), ident.type_name())
            }
        }
    }
}

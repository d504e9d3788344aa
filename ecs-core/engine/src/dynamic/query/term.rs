//! The terms of a dynamic query.

use core::fmt;

use crate::component::ComponentId;
use crate::meta::{Kind, QueryAccess};

/// A term of a [`DynamicQuery`](super::DynamicQuery): a component, and whether it is read, written or only tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// Matches entities that have the component, and reads it: `&T`.
    Read(ComponentId),
    /// Matches entities that have the component, and writes it: `&mut T`.
    Write(ComponentId),
    /// Reads the component of entities that have it: `Option<&T>`.
    OptionalRead(ComponentId),
    /// Writes the component of entities that have it: `Option<&mut T>`.
    OptionalWrite(ComponentId),
    /// Matches entities that have the component: `With<T>`.
    With(ComponentId),
    /// Matches entities that lack the component: `Without<T>`.
    Without(ComponentId),
}

impl Term {
    /// Returns the component.
    #[must_use]
    #[inline]
    pub fn component(self) -> ComponentId {
        match self {
            Self::Read(component)
            | Self::Write(component)
            | Self::OptionalRead(component)
            | Self::OptionalWrite(component)
            | Self::With(component)
            | Self::Without(component) => component,
        }
    }

    /// Returns the access to values of the component; `None` if it is only tested.
    #[must_use]
    #[inline]
    pub fn kind(self) -> Option<Kind> {
        match self {
            Self::Read(_) | Self::OptionalRead(_) => Some(Kind::Read),
            Self::Write(_) | Self::OptionalWrite(_) => Some(Kind::Write),
            Self::With(_) | Self::Without(_) => None,
        }
    }

    /// Returns true if entities without the component are not matched.
    #[inline]
    pub(super) fn is_required(self) -> bool {
        matches!(self, Self::Read(_) | Self::Write(_) | Self::With(_))
    }

    /// True if it does not decide which entities match.
    #[inline]
    pub(super) fn is_optional(self) -> bool {
        matches!(self, Self::OptionalRead(_) | Self::OptionalWrite(_))
    }

    /// The access to the entities that have the component, if it is optional.
    #[inline]
    pub(crate) fn access(self) -> QueryAccess {
        let ident = *self.component().ident();
        match self {
            Self::Read(_) | Self::OptionalRead(_) => QueryAccess::Read(ident),
            Self::Write(_) | Self::OptionalWrite(_) => QueryAccess::Write(ident),
            Self::With(_) => QueryAccess::With(ident),
            Self::Without(_) => QueryAccess::Without(ident),
        }
    }
}

/// Prints the term in the syntax of text queries, with `&mut` before a component that is written.
impl fmt::Display for Term {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = match self {
            Self::Read(_) => "&",
            Self::Write(_) => "&mut ",
            Self::OptionalRead(_) => "?&",
            Self::OptionalWrite(_) => "?&mut ",
            Self::With(_) => "",
            Self::Without(_) => "!",
        };
        write!(f, "{before}{}", self.component().name())
    }
}

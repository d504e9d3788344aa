//! The data that a parameter touches, one after the other, for constants: they have no iterators.

use super::side::Side;
use super::{Access, Components, Domain, Kind, ParamAccess, QueryAccess};

/// Data that a parameter touches.
#[derive(Clone, Copy)]
pub(super) enum TouchedData {
    /// Data of one type. Reads include tests for changes.
    Data(Access),
    /// A component that commands may insert or remove.
    ByCommands(Access),
    /// Anything: the world, or all resources.
    Anything,
    /// Anything, by commands that do not declare it.
    AnythingByCommands,
}

impl TouchedData {
    /// Returns the data at a position.
    #[inline]
    pub(super) const fn at(access: &ParamAccess, position: usize) -> Option<Self> {
        let mut rest = position;
        Self::of(access, &mut rest)
    }

    /// Returns the data with `rest` more before it, and otherwise reduces `rest` by the number of data.
    #[inline]
    const fn of(access: &ParamAccess, rest: &mut usize) -> Option<Self> {
        match access {
            ParamAccess::Leaf(access) | ParamAccess::NonSend(access) => {
                Self::Data(*access).after(rest)
            }
            ParamAccess::Query { data, filter } => match Self::of_query(data, rest) {
                None => Self::of_query(filter, rest),
                found => found,
            },
            ParamAccess::Commands(components) => Self::of_commands(components, rest),
            ParamAccess::World(_) | ParamAccess::WorldRef | ParamAccess::ResourcesRef => {
                Self::Anything.after(rest)
            }
            ParamAccess::Deferred => Self::AnythingByCommands.after(rest),
            ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
                let is_declared = has_declaration(parts);
                let mut i = 0;
                while i < parts.len() {
                    let found = match parts[i] {
                        ParamAccess::Deferred if is_declared => None,
                        part => Self::of(part, rest),
                    };
                    if found.is_some() {
                        return found;
                    }
                    i += 1;
                }
                None
            }
            ParamAccess::Nothing | ParamAccess::Shape | ParamAccess::Sends(_) => None,
        }
    }

    #[inline]
    const fn after(self, rest: &mut usize) -> Option<Self> {
        if *rest == 0 {
            return Some(self);
        }
        *rest -= 1;
        None
    }

    #[inline]
    const fn of_query(query: &QueryAccess, rest: &mut usize) -> Option<Self> {
        let side = Side::QueryAccess(query);
        if let Some(parts) = side.parts() {
            let mut i = 0;
            while i < parts.len() {
                let found = Self::of_query(parts[i], rest);
                if found.is_some() {
                    return found;
                }
                i += 1;
            }
            return None;
        }
        match side.access() {
            Some(access) => Self::Data(access).after(rest),
            None => None,
        }
    }

    #[inline]
    const fn of_commands(components: &Components, rest: &mut usize) -> Option<Self> {
        match components {
            Components::One { ident, .. } => Self::ByCommands(Access {
                domain: Domain::Component,
                kind: Kind::Write,
                ident: *ident,
            })
            .after(rest),
            Components::All(parts) => {
                let mut i = 0;
                while i < parts.len() {
                    let found = Self::of_commands(parts[i], rest);
                    if found.is_some() {
                        return found;
                    }
                    i += 1;
                }
                None
            }
        }
    }
}

/// Returns true if commands among these parameters declare the components that they insert and remove.
#[inline]
const fn has_declaration(parts: &[&ParamAccess]) -> bool {
    let mut i = 0;
    while i < parts.len() {
        if matches!(parts[i], ParamAccess::Commands(_)) {
            return true;
        }
        i += 1;
    }
    false
}

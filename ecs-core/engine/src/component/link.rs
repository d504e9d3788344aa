//! Components that the engine keeps up to date: the two ends of a relation.

use core::ptr::NonNull;

use super::{ComponentId, DropFn};

/// That the values of a component are ends of a relation; see [`relation`](crate::relation).
///
/// Whatever puts such a value in or takes it off brings the other end in line at once, as one of the writes of its verb.
/// Nobody gets a `&mut` to it.
#[derive(Clone, Copy)]
pub struct Link {
    /// Invariant 1: says what the values begin with, which `storage::links` reads.
    pub(crate) end: End,
    /// The component at the other end.
    pub(crate) other: fn() -> ComponentId,
}

/// Which end of a relation.
#[derive(Clone, Copy)]
pub(crate) enum End {
    /// The one target of a source. The values begin with a `storage::Toward`.
    Target { acyclic: bool, values: Values },
    /// The targets of a source. The values begin with a `storage::List`.
    Targets { values: Values },
    /// The sources of a target. The values are a `storage::List`, and `despawned` with the target or detached.
    Sources { despawned: bool },
}

/// How the values of edges, whose type is not known, are taken out where the edges are cut.
///
/// Invariant 1: the functions belong to the component.
#[derive(Clone, Copy)]
pub(crate) struct Values {
    /// Moves a value out: of a `Target`, the whole of it, which counts as moved out; of `Targets`, that at the position.
    /// Returns a box of it, or `None` if it needs no drop.
    pub(crate) take: unsafe fn(*mut u8, usize) -> Option<NonNull<u8>>,
    /// Drops the value in a box that `take` has returned, and the box.
    pub(crate) free: DropFn,
    /// Closes the gaps in the values of a `Targets`.
    pub(crate) compact: unsafe fn(*mut u8),
}

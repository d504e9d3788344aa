//! Components that the engine keeps up to date: the two ends of a relation.

use core::marker::PhantomData;
use core::ptr::NonNull;

use super::{ComponentId, DropFn};
use crate::invariant::Invariant;

/// That the values of the component `T` are ends of a relation; see [`relation`](crate::relation).
///
/// Whatever puts such a value in or takes it off brings the other end in line at once, as one of the writes of its verb.
/// Nobody gets a `&mut` to it.
///
/// Tied to `T` by its type, so that no other component can say the same of itself.
pub struct Link<T> {
    raw: RawLink,
    of: Invariant<T>,
}

impl<T> Link<T> {
    /// # Safety
    /// The values of `T` begin with what `end` says, and the functions in it are for values of `T`.
    pub(crate) const unsafe fn new(end: End, other: fn() -> ComponentId) -> Self {
        Self {
            raw: RawLink { end, other },
            of: PhantomData,
        }
    }

    /// The link, of which it is known otherwise which component it is of.
    pub(crate) const fn raw(&self) -> &RawLink {
        &self.raw
    }
}

/// A [`Link`] without the type.
#[derive(Clone, Copy)]
pub(crate) struct RawLink {
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
/// Invariant 1: the functions are for values of the component in the [`Link`] of which this is.
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

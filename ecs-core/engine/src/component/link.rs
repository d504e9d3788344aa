//! Components that the engine keeps up to date: the two ends of a relation.

use core::alloc::Layout;
use core::any::TypeId;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::erased::drop_fn;
use super::{ComponentId, DropFn};
use crate::invariant::Invariant;
use crate::type_name::type_name;

/// Marks the component `T` as an end of a relation; see [`relation`](crate::relation).
///
/// Inserting or removing such a value also updates the other end, in one of the writes of the same structural change. No
/// code gets a `&mut` to it.
///
/// Tied to `T` by its type, so that no other component can use it.
pub struct Link<T> {
    raw: RawLink,
    of: Invariant<T>,
}

impl<T> Link<T> {
    /// # Safety
    /// Values of `T` have the layout that `end` names, and the functions in it are for values of `T`.
    pub(crate) const unsafe fn new(end: End, other: fn(usize) -> ComponentId) -> Self {
        Self {
            raw: RawLink {
                end,
                other,
                number: 0,
            },
            of: PhantomData,
        }
    }

    /// The link without its type, for callers that know the component by other means.
    pub(crate) const fn raw(&self) -> &RawLink {
        &self.raw
    }
}

/// A [`Link`] without the type of its component.
#[derive(Clone, Copy)]
pub(crate) struct RawLink {
    /// Invariant 1: names the layout of the values, which `storage::links` relies on.
    pub(crate) end: End,
    /// Returns the component at the other end, which is known by its type, or by the number.
    pub(crate) other: fn(usize) -> ComponentId,
    /// The number of the component at the other end, if both were defined at run time.
    pub(crate) number: usize,
}

impl RawLink {
    /// Returns the component at the other end.
    #[inline]
    pub(crate) fn other(&self) -> ComponentId {
        (self.other)(self.number)
    }
}

/// An end of a relation.
#[derive(Clone, Copy)]
pub(crate) enum End {
    /// The one target of a source. The values begin with a `storage::TargetLink`.
    Target { acyclic: bool, values: EdgeFns },
    /// The targets of a source. The values begin with a `storage::EdgeList`.
    Targets { values: EdgeFns },
    /// The sources of a target. The values are a `storage::EdgeList`; the sources are despawned with the target if
    /// `despawned`, and detached otherwise.
    Sources { despawned: bool },
}

/// Functions that take out the values of edges, whose type is not known, when the edges are cut.
///
/// Invariant 1: the functions are for values of the component of the [`Link`] that contains them.
#[derive(Clone, Copy)]
pub(crate) struct EdgeFns {
    /// Moves a value out: the whole component of a `Target`, which then counts as moved out, or the value in the given slot
    /// of a `Targets`. Returns it in a box, or `None` if it needs no drop.
    pub(crate) take: unsafe fn(*mut u8, usize) -> Option<NonNull<u8>>,
    /// Drops the value in a box that `take` returned, and the box.
    pub(crate) free: DropFn,
    /// Closes the gaps in the values of a `Targets`.
    pub(crate) compact: unsafe fn(*mut u8),
    /// Facts about the values, and functions that make components of them.
    pub(crate) edge: &'static EdgeValues,
}

/// The values of the edges of a relation, without their type.
///
/// Invariant 1: everything belongs to one relation, and the functions are for values of the component of the [`Link`] that
/// contains them.
pub(crate) struct EdgeValues {
    pub(crate) type_id: fn() -> TypeId,
    pub(crate) type_name: fn() -> &'static str,
    pub(crate) layout: Layout,
    /// Drops values of edges; `None` if there is nothing to drop.
    pub(crate) drop: Option<DropFn>,
    /// Writes a component to the last pointer. The first one points to its beginning, a `storage::TargetLink` or a
    /// `storage::EdgeList`, the second one to the values of its edges, in the order of the list. Everything is moved.
    pub(crate) make: unsafe fn(*const u8, *const u8, *mut u8),
    /// Returns a pointer to the value of an edge: of a `Target`, or in the given slot of a `Targets`.
    pub(crate) value: unsafe fn(*const u8, usize) -> *const u8,
    /// Frees a component, which counts as moved out afterwards, and drops no value of an edge: they were all moved out.
    pub(crate) release: unsafe fn(*mut u8),
    /// Copies the component from the first pointer to the second one, which is aligned memory for it. The given function
    /// copies the value of an edge in the same way. For a `Target`, it may write nothing: then everything except that
    /// value is written.
    pub(crate) clone: unsafe fn(*const u8, *mut u8, CloneValue<'_>),
}

/// A function that clones the value of an edge.
pub(crate) type CloneValue<'a> = &'a mut dyn FnMut(*const u8, *mut u8);

impl EdgeValues {
    /// # Safety
    /// The functions are for the component of sources of `R`.
    pub(crate) const unsafe fn new<R: 'static>(
        make: unsafe fn(*const u8, *const u8, *mut u8),
        value: unsafe fn(*const u8, usize) -> *const u8,
        release: unsafe fn(*mut u8),
        clone: unsafe fn(*const u8, *mut u8, CloneValue<'_>),
    ) -> Self {
        Self {
            type_id: TypeId::of::<R>,
            type_name: type_name::<R>,
            layout: Layout::new::<R>(),
            drop: drop_fn::<R>(),
            make,
            value,
            release,
            clone,
        }
    }
}

impl End {
    /// The values of edges, if this is an end that has them.
    pub(crate) const fn edge_values(&self) -> Option<&'static EdgeValues> {
        match self {
            Self::Target { values, .. } | Self::Targets { values } => Some(values.edge),
            Self::Sources { .. } => None,
        }
    }
}

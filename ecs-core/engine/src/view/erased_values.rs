//! Values of components whose types are not known: single ones, and columns of them.

#[cfg(feature = "data")]
mod searched;

use alloc::vec::Vec;
use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;
use core::slice;

use crate::component::{Component, ComponentId, End, MutOf, Tracking, refuse_links};
use crate::entity::{Entity, TableId};
use crate::meta::refuse_immutable;
use crate::storage::{CompactTicks, EdgeList, TargetLink};
use crate::tick::{Tick, TickClock, Window};

/// A column with values of a component.
///
/// Invariant 1: `values` points to an initialised value of `component` for each of `entities`, one after the other;
/// `ticks` to their ticks if the component is tracked.
#[derive(Clone, Copy)]
pub(super) struct ValueColumn<'a> {
    pub(super) component: ComponentId,
    pub(super) layout: Layout,
    pub(super) clock: &'a TickClock,
    /// `None` for a sparse set.
    pub(super) table: Option<TableId>,
    pub(super) entities: &'a [Entity],
    pub(super) values: NonNull<u8>,
    pub(super) ticks: Option<CompactTicks>,
}

/// A value of a column.
///
/// Invariant 1: `value` points to an initialised value of `component`, and `ticks` to its ticks if the component is
/// tracked.
#[derive(Clone, Copy)]
pub(super) struct ValuePointer<'a> {
    component: ComponentId,
    clock: &'a TickClock,
    value: NonNull<u8>,
    ticks: Option<CompactTicks>,
}

impl<'a> ValueColumn<'a> {
    /// # Panics
    /// If the column has no such row.
    #[inline]
    pub(super) fn at(self, row: usize) -> ValuePointer<'a> {
        assert!(row < self.entities.len(), "the column has the row");
        ValuePointer {
            component: self.component,
            clock: self.clock,
            // SAFETY: the column has a value in the row (invariant 1).
            value: unsafe { self.values.add(row * self.layout.size()) },
            // SAFETY: the column has ticks for the row (invariant 1).
            ticks: self.ticks.map(|first| unsafe { first.row(row) }),
        }
    }

    #[inline]
    fn is_of<T: Component>(self) -> bool {
        self.component == ComponentId::of_known::<T>()
    }
}

/// A value of a component whose type is not known, borrowed for reading.
#[derive(Clone, Copy)]
pub struct ErasedRef<'a> {
    /// Invariant 1: not written as long as `'a`.
    place: ValuePointer<'a>,
}

/// The entities at the other ends of the edges of a value.
enum EdgeEnds<'a> {
    One(Entity),
    List(&'a EdgeList),
}

impl<'a> ErasedRef<'a> {
    /// # Safety
    /// The value is neither written nor moved as long as `'a`.
    #[inline]
    pub(super) unsafe fn new(place: ValuePointer<'a>) -> Self {
        Self { place }
    }

    /// Returns the component.
    #[inline]
    #[must_use]
    pub fn component(self) -> ComponentId {
        self.place.component
    }

    /// Returns a pointer to the value, which is valid for reading as long as `'a`.
    #[inline]
    #[must_use]
    pub fn as_ptr(self) -> *const u8 {
        self.place.value.as_ptr()
    }

    /// Returns the value if it is a `T`.
    #[inline]
    #[must_use]
    pub fn downcast<T: Component>(self) -> Option<&'a T> {
        let is_of = self.place.component == ComponentId::of_known::<T>();
        // SAFETY: the value is one of `T`'s id, and so a `T`; it is not written as long as `'a` (invariant 1).
        is_of.then(|| unsafe { self.place.value.cast().as_ref() })
    }

    /// Returns the entities at the other ends of its edges, in their order, if the component is an end of a
    /// [relation](crate::relation); otherwise none. O(edges).
    #[inline]
    #[must_use]
    pub fn related(self) -> Vec<Entity> {
        match self.edges() {
            None => Vec::new(),
            Some(EdgeEnds::One(target)) => vec![target],
            Some(EdgeEnds::List(list)) => list.edges().map(|(_, end)| end).collect(),
        }
    }

    /// Returns the entities at the other ends of its edges; `None` if the component is not an end of a relation.
    fn edges(self) -> Option<EdgeEnds<'a>> {
        Some(match self.place.component.info().link?.end {
            End::Target { .. } => {
                // SAFETY: the value begins with a `TargetLink` by invariant 1 of `RawLink`, and is not written as long as
                // `'a` (invariant 1).
                let link = unsafe { self.place.value.cast::<TargetLink>().as_ref() };
                EdgeEnds::One(link.target)
            }
            End::Targets { .. } | End::Sources { .. } => {
                // SAFETY: the value begins with an `EdgeList` by invariant 1 of `RawLink`, and is not written as long as `'a`
                // (invariant 1).
                EdgeEnds::List(unsafe { self.place.value.cast::<EdgeList>().as_ref() })
            }
        })
    }

    /// Returns the tick at which the value was added, if the component is tracked.
    ///
    /// Exact for the last 2^31 ticks of the world.
    #[inline]
    #[must_use]
    pub fn added(self) -> Option<Tick> {
        // SAFETY: the ticks belong to the value, and are not written as long as `'a` (invariant 1).
        let tick = unsafe { self.place.ticks?.added.read() };
        Some(self.place.clock.tick_of(tick))
    }

    /// Returns the tick at which the value was last changed, if the component is tracked.
    ///
    /// Exact for the last 2^31 ticks of the world.
    #[inline]
    #[must_use]
    pub fn changed(self) -> Option<Tick> {
        // SAFETY: the ticks belong to the value, and are not written as long as `'a` (invariant 1).
        let tick = unsafe { self.place.ticks?.changed.read() };
        Some(self.place.clock.tick_of(tick))
    }
}

/// A value of a component whose type is not known, borrowed for writing.
pub struct ErasedMut<'a> {
    /// Invariant 1: accessed by this reference alone as long as `'a`.
    place: ValuePointer<'a>,
    window: Window,
}

impl<'a> ErasedMut<'a> {
    /// # Safety
    /// The value and its ticks are accessed through this reference alone as long as `'a`.
    #[inline]
    pub(super) unsafe fn new(place: ValuePointer<'a>, window: Window) -> Self {
        Self { place, window }
    }

    /// Reborrows the value for reading.
    #[inline]
    #[must_use]
    pub fn as_ref(&self) -> ErasedRef<'_> {
        // SAFETY: the value is accessed by this reference alone (invariant 1), which is borrowed as long as the result.
        unsafe { ErasedRef::new(self.place) }
    }

    /// Returns the component.
    #[inline]
    #[must_use]
    pub fn component(&self) -> ComponentId {
        self.place.component
    }

    /// Returns a pointer to the value, which is valid for reading and writing as long as `'a`. Counts as a change.
    ///
    /// The contract of a write through it: the pointer always leads to a value of the component, and nothing is written
    /// to an [end of a relation](crate::relation), which the world keeps consistent, or to an immutable component.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        if let Some(ticks) = self.place.ticks {
            // SAFETY: the ticks belong to the value, and are accessed by this reference alone (invariant 1).
            unsafe { ticks.change(self.window.now) };
        }
        self.place.value.as_ptr()
    }

    /// Returns the value if it is a `T`: a `&mut T`, or a [`Mut<T>`](crate::Mut) if `T` is tracked.
    ///
    /// An end of a relation does not compile, nor does an [immutable](crate::Component) component.
    #[inline]
    #[must_use]
    pub fn downcast<T: Component>(self) -> Option<MutOf<'a, T>> {
        const { refuse_links::<T>() };
        const { refuse_immutable(&T::IDENT) };
        let changes = (self.place.ticks).map_or(NonNull::dangling(), |ticks| ticks.changed);
        let column = T::Tracking::ptr(self.place.value, changes, self.window);
        let is_of = self.place.component == ComponentId::of_known::<T>();
        // SAFETY: the value is one of `T`'s id, and so a `T`; by invariant 1 this reference, which is used up, was the
        // only one to it.
        is_of.then(|| unsafe { T::Tracking::at(column, 0) })
    }
}

/// The values of a component in one table, or in its sparse set, borrowed for reading.
#[derive(Clone, Copy)]
pub struct ErasedChunk<'a> {
    /// Invariant 1: its values are neither written nor moved as long as `'a`.
    column: ValueColumn<'a>,
}

impl<'a> ErasedChunk<'a> {
    /// # Safety
    /// The values are neither written nor moved as long as `'a`.
    #[inline]
    pub(super) unsafe fn new(column: ValueColumn<'a>) -> Self {
        Self { column }
    }

    /// Returns a pointer to the first value, which is valid for reading all of them as long as `'a`. The distance
    /// between two values is the [size](Self::layout) of one.
    #[inline]
    #[must_use]
    pub fn as_ptr(self) -> *const u8 {
        self.column.values.as_ptr()
    }

    /// Returns the values if they are `T`s.
    #[inline]
    #[must_use]
    pub fn downcast<T: Component>(self) -> Option<&'a [T]> {
        let (values, len) = (self.column.values.cast::<T>(), self.column.entities.len());
        // SAFETY: the values have `T`'s id, so they are `T`s, `len` of them (invariant 1 of `ValueColumn`); they are not
        // written as long as `'a` (invariant 1).
        (self.column.is_of::<T>()).then(|| unsafe { slice::from_raw_parts(values.as_ptr(), len) })
    }

    /// Returns the value in a row.
    #[inline]
    #[must_use]
    pub fn get(self, row: usize) -> Option<ErasedRef<'a>> {
        // SAFETY: the values are neither written nor moved as long as `'a` (invariant 1).
        (row < self.len()).then(|| unsafe { ErasedRef::new(self.column.at(row)) })
    }

    /// Iterates over the entities and their values.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = (Entity, ErasedRef<'a>)> {
        let rows = self.column.entities.iter().enumerate();
        // SAFETY: the values are neither written nor moved as long as `'a` (invariant 1).
        rows.map(move |(row, &entity)| (entity, unsafe { ErasedRef::new(self.column.at(row)) }))
    }

    /// Returns the number of the table; `None` for a sparse set.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn table(self) -> Option<u32> {
        self.column.table
    }
}

/// The values of a component in one table, or in its sparse set, borrowed for writing.
pub struct ErasedChunkMut<'a> {
    /// Invariant 1: its values and ticks are accessed through this chunk alone as long as `'a`.
    column: ValueColumn<'a>,
    window: Window,
}

impl<'a> ErasedChunkMut<'a> {
    /// # Safety
    /// The values and their ticks are accessed through this chunk alone as long as `'a`.
    #[inline]
    pub(super) unsafe fn new(column: ValueColumn<'a>, window: Window) -> Self {
        Self { column, window }
    }

    /// Reborrows the values for reading.
    #[inline]
    #[must_use]
    pub fn as_ref(&self) -> ErasedChunk<'_> {
        // SAFETY: the values are accessed by this chunk alone (invariant 1), which is borrowed as long as the result.
        unsafe { ErasedChunk::new(self.column) }
    }

    /// Returns a pointer to the first value, which is valid for reading and writing all of them as long as `'a`. Counts
    /// as a change of all of them. O(values) if the component is tracked.
    ///
    /// The contract of a write through it: the pointer always leads to values of the component, and nothing is written
    /// to an [end of a relation](crate::relation), which the world keeps consistent, or to an immutable component.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        if self.column.ticks.is_some() {
            for row in 0..self.len() {
                // SAFETY: the values are accessed through this chunk alone (invariant 1), which is borrowed
                // exclusively.
                let mut value = unsafe { ErasedMut::new(self.column.at(row), self.window) };
                let _ = value.as_mut_ptr();
            }
        }
        self.column.values.as_ptr()
    }

    /// Returns the values if they are `T`s: a `&mut [T]`, or a [`MutSlice<T>`](crate::component::MutSlice) if `T` is
    /// tracked.
    ///
    /// An end of a relation does not compile, nor does an [immutable](crate::Component) component.
    #[inline]
    #[must_use]
    pub fn downcast<T: Component>(self) -> Option<<T::Tracking as Tracking>::Slice<'a, T>> {
        const { refuse_links::<T>() };
        const { refuse_immutable(&T::IDENT) };
        let changes = (self.column.ticks).map_or(NonNull::dangling(), |ticks| ticks.changed);
        let column = T::Tracking::ptr(self.column.values, changes, self.window);
        // SAFETY: the values have `T`'s id, so they are `T`s, one for each entity (invariant 1 of `ValueColumn`); this
        // chunk, which is used up, was the only access to them (invariant 1).
        let values = || unsafe { T::Tracking::slice(column, 0, self.column.entities.len()) };
        self.column.is_of::<T>().then(values)
    }

    /// Returns the value in a row for writing.
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, row: usize) -> Option<ErasedMut<'_>> {
        // SAFETY: the values are accessed through this chunk alone (invariant 1), which is borrowed exclusively as long
        // as the result.
        (row < self.len()).then(|| unsafe { ErasedMut::new(self.column.at(row), self.window) })
    }

    /// Iterates over the entities and their values for writing.
    #[inline]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Entity, ErasedMut<'_>)> {
        let rows = self.column.entities.iter().enumerate();
        rows.map(|(row, &entity)| {
            let place = self.column.at(row);
            // SAFETY: the values are accessed through this chunk alone (invariant 1), which is borrowed exclusively as
            // long as the items; each row is returned once.
            let value = unsafe { ErasedMut::new(place, self.window) };
            (entity, value)
        })
    }
}

/// Implements the methods that chunks for reading and for writing share.
macro_rules! chunks {
    ($($chunk:ident)*) => {$(
        impl<'a> $chunk<'a> {
            /// Returns the component.
            #[inline]
            #[must_use]
            pub fn component(&self) -> ComponentId {
                self.column.component
            }

            /// Returns the size and alignment of a value.
            #[inline]
            #[must_use]
            pub fn layout(&self) -> Layout {
                self.column.layout
            }

            /// Returns the entities, in the order of their values.
            #[inline]
            #[must_use]
            pub fn entities(&self) -> &'a [Entity] {
                self.column.entities
            }

            /// Returns the number of values, at least one.
            #[expect(clippy::len_without_is_empty, reason = "no chunk is empty")]
            #[inline]
            #[must_use]
            pub fn len(&self) -> usize {
                self.column.entities.len()
            }
        }

        impl fmt::Debug for $chunk<'_> {
            #[inline]
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($chunk), "<{}>({} values)"), self.component().name(), self.len())
            }
        }
    )*};
}

chunks!(ErasedChunk ErasedChunkMut);

impl fmt::Debug for ErasedRef<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ErasedRef<{}>", self.component().name())
    }
}

impl fmt::Debug for ErasedMut<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ErasedMut<{}>", self.component().name())
    }
}

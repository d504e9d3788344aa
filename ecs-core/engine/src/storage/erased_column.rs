//! Values of a component that are in no world yet, without their type.

use core::alloc::Layout;
use core::any::TypeId;
use core::fmt;
use core::mem::{ManuallyDrop, MaybeUninit};
use core::slice;

use super::column::{Column, copy_value};
use crate::component::{ComponentId, EdgeValues};
use crate::data_type::DataType;

/// Values of one component that are in no world, for code that knows the component by its [`ComponentId`] alone.
///
/// A list like a `Vec`: it owns its values, and drops them. [`World::insert_erased`](crate::World::insert_erased) moves
/// values from it into entities.
///
/// ```
/// use ecs_core::component::ComponentId;
/// use ecs_core::prelude::*;
/// use ecs_core::world::ErasedColumn;
///
/// #[derive(Component, Debug, PartialEq)]
/// struct Health(u32);
///
/// let mut column = ErasedColumn::new(ComponentId::of::<Health>());
/// assert!(column.push(Health(3)).is_ok() && column.push(Health(4)).is_ok());
/// assert_eq!(column.values::<Health>(), Some(&[Health(3), Health(4)][..]));
///
/// let mut world = World::new();
/// let hero = world.spawn(());
/// world.insert_erased(hero, &mut column)?;
/// assert_eq!(*world.get::<Health>(hero).unwrap(), Health(4));
/// # Ok::<(), ecs_core::world::InsertErasedError>(())
/// ```
pub struct ErasedColumn {
    component: ComponentId,
    /// The values of edges, if `component` is the component of a relation's sources and the column holds the values of its
    /// edges.
    edges: Option<&'static EdgeValues>,
    /// The type of the values, if it is known already. Invariant 3: the values have this type.
    known: Option<TypeId>,
    layout: Layout,
    /// Invariant 1: holds values of `component`, or of its `edges`, with this layout, and has memory for `capacity` of them.
    values: Column,
    capacity: usize,
    /// Invariant 2: the first `len` values are initialised, and owned by this column alone; at most `capacity`.
    len: usize,
}

const FIRST_CAPACITY: usize = 4;

impl ErasedColumn {
    /// Creates a column without values, and without memory.
    #[inline]
    #[must_use]
    pub fn new(component: ComponentId) -> Self {
        let info = component.info();
        Self {
            component,
            edges: None,
            known: None,
            layout: info.layout,
            values: Column::new(&info),
            capacity: 0,
            len: 0,
        }
    }

    /// Creates a column without values, and with memory for a number of them.
    ///
    /// # Panics
    /// If they do not fit into the address space.
    #[must_use]
    pub fn with_capacity(component: ComponentId, capacity: usize) -> Self {
        let mut column = Self::new(component);
        if capacity > 0 {
            // SAFETY: the column has no memory (invariant 1), so any capacity is larger.
            unsafe { column.values.grow(0, capacity) };
            column.capacity = capacity;
        }
        column
    }

    /// Creates an empty column for the values of a relation's edges; `None` unless `sources` is the component of the sources
    /// of one: [`Target`](crate::relation::Target) or [`Targets`](crate::relation::Targets).
    #[inline]
    #[must_use]
    pub fn of_edges(sources: ComponentId) -> Option<Self> {
        let edges = sources.info().link?.end.edge_values()?;
        Some(Self {
            component: sources,
            edges: Some(edges),
            known: None,
            layout: edges.layout,
            values: Column::with_layout(edges.layout, edges.drop),
            capacity: 0,
            len: 0,
        })
    }

    /// Returns true if the column holds the values of edges.
    #[inline]
    #[must_use]
    pub fn is_of_edges(&self) -> bool {
        self.edges.is_some()
    }

    /// Returns the component; if the column holds the values of edges, the component of sources.
    #[inline]
    #[must_use]
    pub fn component(&self) -> ComponentId {
        self.component
    }

    /// Returns the size and alignment of a value.
    #[inline]
    #[must_use]
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Returns true if the values are plain bytes: their component is data and `Copy`.
    #[inline]
    #[must_use]
    pub fn is_copy(&self) -> bool {
        let data = self.component.info().own_data();
        self.edges.is_none() && data.is_some_and(DataType::is_copy)
    }

    /// Returns the number of values.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there is no value.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of values that the column has memory for.
    #[inline]
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Reserves memory for at least `more` values after the last one.
    ///
    /// # Panics
    /// If they do not fit into the address space; in that case nothing has changed.
    #[inline]
    pub fn reserve(&mut self, more: usize) {
        if self.capacity - self.len < more {
            self.grow(more);
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, more: usize) {
        let needed = self.len.checked_add(more);
        let needed =
            needed.expect("capacity overflow: the values do not fit into the address space");
        let capacity = needed
            .max(self.capacity.saturating_mul(2).min(1 << 26))
            .max(FIRST_CAPACITY);
        // SAFETY: `self.capacity` is the capacity (invariant 1), and the new one is larger.
        unsafe { self.values.grow(self.capacity, capacity) };
        self.capacity = capacity;
    }

    /// Returns a pointer to the first value, which the others follow; aligned, but dangling if there are none.
    #[inline]
    #[must_use]
    pub fn as_ptr(&self) -> *const u8 {
        self.values.data().as_ptr()
    }

    /// Returns a pointer to the first value, for writing.
    #[inline]
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut u8 {
        self.values.data().as_ptr()
    }

    /// Returns a pointer to a value, for reading as long as the column is borrowed; `None` if there is no such value.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> Option<*const u8> {
        // SAFETY: the row is below the number of values, and so below the capacity (invariant 2).
        (row < self.len).then(|| unsafe { self.values.row(row) }.cast_const())
    }

    /// Moves a value to the end of the column, if it is of the column's type.
    ///
    /// # Errors
    /// If the component, or the edges, have a different type or no Rust type; returns the value.
    #[inline]
    pub fn push<T: 'static>(&mut self, value: T) -> Result<(), T> {
        let type_id = TypeId::of::<T>();
        if self.known != Some(type_id) {
            if !self.is_of(type_id) {
                return Err(value);
            }
            self.known = Some(type_id);
        }
        let value = ManuallyDrop::new(value);
        // SAFETY: the value is of the column's type (invariant 3), and as a `ManuallyDrop` it is not dropped after it was
        // moved out.
        unsafe { self.push_bytes((&raw const value).cast()) };
        Ok(())
    }

    /// Returns the values, if they are of type `T`.
    #[inline]
    #[must_use]
    pub fn values<T: 'static>(&self) -> Option<&[T]> {
        // SAFETY: the first `len` values are initialised `T`s (invariant 2), and not written while the column is borrowed.
        self.is_of(TypeId::of::<T>())
            .then(|| unsafe { slice::from_raw_parts(self.as_ptr().cast(), self.len) })
    }

    #[inline]
    fn is_of(&self, id: TypeId) -> bool {
        match self.edges {
            Some(edges) => (edges.type_id)() == id,
            None => ComponentId::find(id) == Some(self.component),
        }
    }

    /// Moves a value to the end of the column by copying its bytes.
    ///
    /// # Safety
    /// `value` points to a value of the column's type, which is not used afterwards. It need not be aligned.
    ///
    /// # Panics
    /// If the values do not fit into the address space; in that case nothing has changed.
    #[inline]
    pub unsafe fn push_bytes(&mut self, value: *const u8) {
        self.reserve(1);
        // SAFETY: there is memory for a value after the last one, which was just reserved.
        let place = unsafe { self.values.row(self.len) };
        // SAFETY: `value` is readable for its size by the caller's contract, and the place, which is in memory of this
        // column that holds no value, is writable.
        unsafe { copy_value(value, place, self.layout.size()) };
        self.len += 1;
    }

    /// Adds a value that a function writes to the place that it is given. If the function fails or panics, the column is
    /// unchanged.
    ///
    /// # Safety
    /// If the function returns `Ok`, it has written a value of the column's type to the place.
    ///
    /// # Errors
    /// The function's error.
    ///
    /// # Panics
    /// If the values do not fit into the address space; in that case nothing has changed.
    #[inline]
    pub unsafe fn push_with<E>(
        &mut self,
        init: impl FnOnce(*mut u8) -> Result<(), E>,
    ) -> Result<(), E> {
        self.reserve(1);
        // SAFETY: there is memory for a value after the last one, which was just reserved.
        init(unsafe { self.values.row(self.len) })?;
        self.len += 1;
        Ok(())
    }

    /// Returns the memory after the last value as bytes. It has room for as many values as the [capacity](Self::capacity)
    /// allows, and holds none. Values written there become part of the column by [`set_len`](Self::set_len).
    #[inline]
    #[must_use]
    pub fn spare(&mut self) -> &mut [MaybeUninit<u8>] {
        let bytes = (self.capacity - self.len) * self.layout.size();
        // SAFETY: the number of values is at most the capacity (invariant 2), so the place is in the memory or at its
        // end.
        let first = unsafe { self.values.row(self.len) };
        // SAFETY: these are the bytes of the memory after the last value (invariant 1), which no other code uses while the
        // column is borrowed, and which may be anything.
        unsafe { slice::from_raw_parts_mut(first.cast(), bytes) }
    }

    /// Sets the number of values. Values after it are forgotten.
    ///
    /// # Safety
    /// `len` is at most the [capacity](Self::capacity), and the first `len` values are initialised.
    #[inline]
    pub unsafe fn set_len(&mut self, len: usize) {
        debug_assert!(len <= self.capacity);
        self.len = len;
    }

    /// Exchanges the memory with another column. The values are neither moved nor dropped.
    ///
    /// # Safety
    /// The other column has the same type of values, memory for the same number of values, and no values. This column
    /// has no values either.
    #[inline]
    pub(super) unsafe fn exchange(&mut self, other: &mut Column) {
        core::mem::swap(&mut self.values, other);
    }

    /// Moves the values of `rows` of another column to the end of this one, and fills the gaps there.
    ///
    /// # Safety
    /// As for [`Column::move_rows`]; both columns have values of the same component.
    pub(super) unsafe fn take_rows(&mut self, from: &mut Column, rows: &[u32], len: usize) {
        self.reserve(rows.len());
        // SAFETY: there is memory for as many values after the last one; the rest is the contract of this function.
        unsafe { from.move_rows(rows, len, &self.values, self.len) };
        self.len += rows.len();
    }

    /// Drops all values, and keeps the memory.
    ///
    /// # Panics
    /// If the `Drop` of a value panics; the others are dropped, and the column is empty.
    #[inline]
    pub fn clear(&mut self) {
        self.truncate(0);
    }

    /// Drops the values after the first `len`, and keeps the memory.
    ///
    /// # Panics
    /// If the `Drop` of a value panics; the others are dropped, and the column has `len` values.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        if len >= self.len {
            return;
        }
        let dropped = core::mem::replace(&mut self.len, len) - len;
        if let Some(drop) = self.values.drop_fn() {
            // SAFETY: it was the row of a value, so it is below the capacity (invariant 2).
            let first = unsafe { self.values.row(len) };
            // SAFETY: these values were initialised (invariant 2), and are not reached any more: the column has `len` values
            // from here on.
            unsafe { drop(first, dropped) };
        }
    }

    /// Returns a pointer to the last value; it is valid until the column is used again.
    #[inline]
    pub(crate) fn last_mut(&mut self) -> Option<*mut u8> {
        let last = self.len.checked_sub(1)?;
        // SAFETY: it is the row of a value, so it is below the capacity (invariant 2).
        Some(unsafe { self.values.row(last) })
    }

    /// Takes the last value out of the list, and returns a pointer to it; it is valid until the column is used again. The
    /// caller moves the value out, or drops it; otherwise it leaks.
    #[inline]
    pub(crate) fn take_last(&mut self) -> Option<*mut u8> {
        self.len = self.len.checked_sub(1)?;
        // SAFETY: it was the row of a value, so it is below the capacity (invariant 2).
        Some(unsafe { self.values.row(self.len) })
    }
}

impl Drop for ErasedColumn {
    fn drop(&mut self) {
        /// Frees the memory, even if a `Drop` panics.
        struct ColumnMemory<'a>(&'a mut ErasedColumn);

        impl Drop for ColumnMemory<'_> {
            fn drop(&mut self) {
                let capacity = core::mem::take(&mut self.0.capacity);
                // SAFETY: `capacity` is the capacity (invariant 1). `clear` has dropped all values.
                unsafe { self.0.values.release(capacity) };
            }
        }

        ColumnMemory(self).0.clear();
    }
}

impl fmt::Debug for ErasedColumn {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "ErasedColumn<{}>({} values)",
            self.component.name(),
            self.len
        )
    }
}

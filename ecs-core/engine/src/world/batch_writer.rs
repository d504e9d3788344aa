//! Writes the values of bundles into rows, given only their columns.

use core::slice::Iter;

use crate::bundle::FieldVisitor;
use crate::component::{Component, Tracking as _};
use crate::storage::ColumnKind;
use crate::tick::CompactTick;

/// Moves the fields of one bundle of a batch into their columns.
pub(super) struct BatchWriter<'a> {
    /// Invariant 1: for each remaining field, the start of its column, and of its two tick columns if it is tracked.
    pub(super) columns: Iter<'a, *mut u8>,
    /// Invariant 2: below the capacity of the table, and free: its values are not initialised or need no drop.
    pub(super) row: usize,
    pub(super) now: CompactTick,
}

impl BatchWriter<'_> {
    #[inline]
    fn column<T>(&mut self) -> *mut T {
        let column = self.columns.next();
        column
            .expect("a bundle visits the fields that it named")
            .cast()
    }
}

impl FieldVisitor for BatchWriter<'_> {
    #[inline]
    unsafe fn visit<T: Component>(&mut self, value: *mut T) {
        let column = self.column::<T>();
        if T::Tracking::TRACKED {
            for _ in [ColumnKind::Added, ColumnKind::Changed] {
                // SAFETY: by invariant 1 this is a column of ticks, and by invariant 2 the row is inside its memory.
                let tick = unsafe { self.column::<CompactTick>().add(self.row) };
                // SAFETY: by invariant 2 the row is free, so no other code uses its ticks.
                unsafe { tick.write(self.now) };
            }
        }
        // SAFETY: by invariant 1 the column holds `T`s, and by invariant 2 the row is inside its memory.
        let target = unsafe { column.add(self.row) };
        // SAFETY: `value` may be moved out by the contract of `visit`; by invariant 2 the row is free.
        unsafe { value.copy_to_nonoverlapping(target, 1) };
    }
}

//! The ticks of tracked values, and the kinds of columns that a component has.

use core::ptr::NonNull;

use crate::tick::CompactTick;

/// The content of a column: values or ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ColumnKind {
    /// The values.
    Value,
    /// The tick of each value's addition: [`CompactTick`]s.
    Added,
    /// The tick of each value's last change: [`CompactTick`]s.
    Changed,
}

impl ColumnKind {
    /// The columns of a component: tracked components have two columns of ticks.
    pub(crate) const fn all(tracked: bool) -> &'static [Self] {
        if tracked {
            &[Self::Value, Self::Added, Self::Changed]
        } else {
            &[Self::Value]
        }
    }
}

/// Pointers to the ticks of one value, or to the first ticks of a column.
#[derive(Clone, Copy)]
pub(crate) struct CompactTicks {
    pub(crate) added: NonNull<CompactTick>,
    pub(crate) changed: NonNull<CompactTick>,
}

impl CompactTicks {
    /// Dangling pointers, for a component without ticks.
    pub(super) const NONE: Self = Self {
        added: NonNull::dangling(),
        changed: NonNull::dangling(),
    };

    /// Returns the ticks of the value `row` rows further on.
    ///
    /// # Safety
    /// Both columns have memory for that row.
    #[inline]
    pub(crate) unsafe fn row(self, row: usize) -> Self {
        // SAFETY: this column has memory for the row by the caller's contract.
        let added = unsafe { self.added.add(row) };
        // SAFETY: this column has memory for the row by the caller's contract.
        let changed = unsafe { self.changed.add(row) };
        Self { added, changed }
    }

    /// Records that the value was added.
    ///
    /// # Safety
    /// The pointers are valid for writing the ticks of a tracked value, which no other code accesses now.
    #[inline]
    pub(crate) unsafe fn add(self, now: CompactTick) {
        // SAFETY: the pointer is valid for writing and not accessed otherwise, by the caller's contract.
        unsafe { self.added.write(now) };
        // SAFETY: the pointer is valid for writing and not accessed otherwise, by the caller's contract.
        unsafe { self.changed.write(now) };
    }

    /// Records that the value was changed.
    ///
    /// # Safety
    /// The pointers are valid for writing the ticks of a tracked value, which no other code accesses now.
    #[inline]
    pub(crate) unsafe fn change(self, now: CompactTick) {
        // SAFETY: the pointer is valid for writing and not accessed otherwise, by the caller's contract.
        unsafe { self.changed.write(now) };
    }
}

//! Where the ticks of tracked values are.

use core::ptr::NonNull;

use crate::tick::CompactTick;

/// What a column of a table holds of its component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ColumnKind {
    /// The values.
    Value,
    /// When each was added, as [`CompactTick`]s.
    Added,
    /// When each was last changed, as [`CompactTick`]s.
    Changed,
}

impl ColumnKind {
    /// The columns of a component: tracked ones have one more for either tick.
    pub(crate) const fn all(tracked: bool) -> &'static [Self] {
        if tracked {
            &[Self::Value, Self::Added, Self::Changed]
        } else {
            &[Self::Value]
        }
    }
}

/// The ticks of one value, or those of the first one of a column.
#[derive(Clone, Copy)]
pub(crate) struct CompactTicks {
    pub(crate) added: NonNull<CompactTick>,
    pub(crate) changed: NonNull<CompactTick>,
}

impl CompactTicks {
    /// Of a component without ticks.
    pub(super) const NONE: Self = Self {
        added: NonNull::dangling(),
        changed: NonNull::dangling(),
    };

    /// The ticks of the value `row` rows behind.
    ///
    /// # Safety
    /// Both columns have memory for that row.
    #[inline]
    pub(crate) unsafe fn row(self, row: usize) -> Self {
        // SAFETY: the caller promises that this column has memory for the row.
        let added = unsafe { self.added.add(row) };
        // SAFETY: the caller promises that this column has memory for the row.
        let changed = unsafe { self.changed.add(row) };
        Self { added, changed }
    }

    /// Notes that the value was added.
    ///
    /// # Safety
    /// They are places of a tracked value that nobody else reads or writes now.
    #[inline]
    pub(crate) unsafe fn add(self, now: CompactTick) {
        // SAFETY: the caller promises the place of a tick, which is not used otherwise now.
        unsafe { self.added.write(now) };
        // SAFETY: the caller promises the place of a tick, which is not used otherwise now.
        unsafe { self.changed.write(now) };
    }

    /// Notes that the value was changed.
    ///
    /// # Safety
    /// As for [`add`](Self::add).
    #[inline]
    pub(crate) unsafe fn change(self, now: CompactTick) {
        // SAFETY: the caller promises the place of a tick, which is not used otherwise now.
        unsafe { self.changed.write(now) };
    }
}
